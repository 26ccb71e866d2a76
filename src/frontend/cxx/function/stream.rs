//! Lowers output to strings.
//!
//! A `raw_string_ostream` is a reference to its string: output adds a text to the variable.

use super::head::head;
use super::lvalue::Held;
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

    /// Lowers `llvm::formatv("…{0}…", values…)` to its text. Returns `None` unless the first argument is a string literal.
    pub(super) fn formatted(&mut self, node: NodeId, args: &[NodeId]) -> Result<Option<Typed>, Fault> {
        let Some((&format, values)) = args.split_first() else { return Ok(None) };
        let NodeKind::Str(format) = &self.ast[format].kind else { return Ok(None) };
        let refused =
            |this: &Self, what: &str| Err(error::unsupported(what, this.ast[node].lo, this.ast[node].hi));
        let Some(pieces) = replacements(format, values.len()) else {
            return refused(self, "'formatv' with options or with another number of values");
        };
        let (mut held, mut texts) = (Held::new(), Vec::new());
        for &value in values {
            let value = self.expression(value, None)?;
            self.require_built_in_output(node, value)?;
            // The static type of `char` and of `int8_t` is one type.
            let is_printed_as_output = match value.ty {
                Ty { item: Item::Int(int), form: Form::One } => int.bits > 8 && int.enumeration.is_none(),
                Ty { item: Item::Str | Item::Type(_) | Item::Attr(_), form: Form::One } => true,
                _ => false,
            };
            if !is_printed_as_output {
                return refused(self, "'formatv' of this value");
            }
            let text = self.printed(node, value)?;
            texts.push(self.hold(node, text, &mut held)?);
        }
        let mut all = self.build(node, |b| b.str(""))?;
        for piece in pieces {
            let piece = match piece {
                Piece::Text(text) => self.build(node, |b| b.str(&text))?,
                Piece::Value(number) => texts[number],
            };
            all = self.build(node, |b| b.binary(BinaryOp::Add, all, piece))?;
        }
        self.bind_held(node, held, all).map(Some)
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

/// A part of the text of `formatv`.
enum Piece {
    Text(String),
    /// The value with this number.
    Value(usize),
}

/// The parts of the format of `formatv`. `None` if a replacement has options, if a value is unused or missing, or if
/// the format mixes `{}` with `{0}`.
fn replacements(format: &str, values: usize) -> Option<Vec<Piece>> {
    let (mut pieces, mut rest, mut automatic) = (Vec::new(), format, 0);
    let mut used = vec![false; values];
    while let Some((before, after)) = rest.split_once('{') {
        pieces.push(Piece::Text(before.to_owned()));
        if let Some(after) = after.strip_prefix('{') {
            pieces.push(Piece::Text("{".to_owned()));
            rest = after;
            continue;
        }
        let (number, after) = after.split_once('}')?;
        let number = match number {
            "" => {
                automatic += 1;
                automatic - 1
            }
            number if number.bytes().all(|digit| digit.is_ascii_digit()) => number.parse().ok()?,
            _ => return None,
        };
        *used.get_mut(number)? = true;
        pieces.push(Piece::Value(number));
        rest = after;
    }
    pieces.push(Piece::Text(rest.to_owned()));
    let is_mixed =
        automatic > 0 && automatic != pieces.iter().filter(|p| matches!(p, Piece::Value(_))).count();
    (!is_mixed && used.iter().all(|&used| used)).then_some(pieces)
}
