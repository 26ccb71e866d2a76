//! Lowers output to strings.
//!
//! A `raw_string_ostream` is a reference to its string: output adds a text to the variable.

use crate::frontend::cxx::ast::{NodeId, NodeKind};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Lower, Lowered};
use crate::snippet::{BinaryOp, Builtin, Form, Item, Ty, Typed};

impl Lower<'_, '_> {
    /// Lowers `stream << a << b`. Returns `None` if the first operand is not a stream.
    pub(in crate::frontend::cxx) fn write_to_stream(&mut self, node: NodeId) -> Result<Option<Typed>, Fault> {
        let (mut stream, mut parts) = (node, Vec::new());
        while let NodeKind::Binary(BinaryOp::Shl, left, right) = self.ast[stream].kind {
            parts.push(right);
            stream = left;
        }
        if !self.is_stream_name(stream) {
            return Ok(None);
        }
        let written = self.update_place(node, stream, |this, mut text| {
            for &part in parts.iter().rev() {
                let value = this.expression(part, None)?;
                let part = this.printed(part, value)?;
                text = this.build(node, |b| b.binary(BinaryOp::Add, text, part))?;
            }
            Ok(text)
        });
        written.map(Some)
    }

    /// True for the name of a stream.
    pub(super) fn is_stream_name(&self, node: NodeId) -> bool {
        matches!(&self.ast[node].kind, NodeKind::Name(name) if self.changed.is_stream(&name.path))
    }

    /// Adds a text to a stream.
    pub(super) fn write_text(&mut self, node: NodeId, stream: NodeId, text: Typed) -> Lowered {
        self.update_with(node, stream, |b, before| b.binary(BinaryOp::Add, before, text))
    }

    /// The text of a value, as `raw_ostream` prints it.
    pub(super) fn printed(&mut self, node: NodeId, value: Typed) -> Lowered {
        self.build(node, |b| match value.ty {
            Ty { item: Item::Int(int), form: Form::One } if int.bits == 8 => {
                b.algorithm(Builtin::CharText, &[value], Ty::STR)
            }
            Ty { item: Item::Int(_) | Item::Bool, form: Form::One } => {
                b.algorithm(Builtin::IntText, &[value], Ty::STR)
            }
            Ty { item: Item::Type(_) | Item::Attr(_), form: Form::One } => {
                b.algorithm(Builtin::IrText, &[value], Ty::STR)
            }
            _ => Ok(value),
        })
        .and_then(|text| match text.ty {
            Ty::STR => Ok(text),
            _ => Err(error::unsupported("output of this value", self.ast[node].lo, self.ast[node].hi)),
        })
    }
}
