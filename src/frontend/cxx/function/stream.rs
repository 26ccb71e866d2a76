//! Lowers output to strings.
//!
//! A `raw_string_ostream` is a reference to its string: output adds a text to the variable.

use super::head::head;
use crate::frontend::cxx::ast::{NodeId, NodeKind, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Lower, Lowered};
use crate::snippet::{BinaryOp, Builtin, Form, IntTy, Item, Ty, Typed};

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
                this.require_built_in_output(part, value)?;
                let part = this.printed(part, value)?;
                text = this.build(node, |b| b.binary(BinaryOp::Add, text, part))?;
            }
            Ok(text)
        });
        written.map(Some)
    }

    /// Refuses to print a value of an enumeration if the source files define `operator<<` for it.
    fn require_built_in_output(&mut self, node: NodeId, value: Typed) -> Result<(), Fault> {
        let Some(functions) = self.functions().filter(|_| value.ty.is_enumeration()) else { return Ok(()) };
        for function in functions.named("operator<<") {
            let Ok(head) = head(functions, function) else { continue };
            let printed = head.params.get(1).and_then(|(ty, ..)| self.static_type_in_function(ty));
            if printed.is_none_or(|printed| printed == value.ty) {
                let what = "the output of an enumeration by an 'operator<<' of the source files";
                return Err(error::unsupported(what, self.ast[node].lo, self.ast[node].hi));
            }
        }
        Ok(())
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
        if value.ty == Ty::AP_INT || self.b.is_signed_number(value.ty) {
            let signed = match value.ty {
                Ty::AP_INT => value,
                _ => self.build(node, |b| b.number_of(value))?,
            };
            let mut args = vec![signed, self.build(node, |b| b.int(10, IntTy::U32))?];
            args.push(match value.ty {
                Ty::AP_INT => self.build(node, |b| b.bool(true))?,
                _ => self.build(node, |b| {
                    let is_unsigned = b.is_unsigned(value)?;
                    b.not(is_unsigned)
                })?,
            });
            let name = TypeName { namespace: Some("llvm"), ..TypeName::plain("toString", 0, 0) };
            if let Some(text) = self.helper_call_of(node, &name, &[], &args)? {
                return Ok(text);
            }
        }
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
            Ty::DOUBLE | Ty::FLOAT => {
                let as_output = b.bool(true)?;
                b.algorithm(Builtin::DoubleText, &[value, as_output], Ty::STR)
            }
            Ty::AP_FLOAT => {
                let (precision, padding) = (b.int(0, IntTy::U32)?, b.int(3, IntTy::U32)?);
                let truncates = b.bool(true)?;
                b.algorithm(Builtin::FloatText, &[value, precision, padding, truncates], Ty::STR)
            }
            _ => Ok(value),
        })
        .and_then(|text| match text.ty {
            Ty::STR => Ok(text),
            _ => Err(error::unsupported("output of this value", self.ast[node].lo, self.ast[node].hi)),
        })
    }
}
