//! Values, types and records in the format of `llvm-tblgen`.
//!
//! As in `llvm-tblgen`, strings are printed without escapes.

use std::fmt::{self, Display, Formatter};

use super::bang::Op;
use super::ids::{OptName, RecordId, TypeId, ValueId};
use super::record::Kind;
use super::records::{Records, Value};
use super::types::Type;
use super::value::Node;
use crate::intern::StrId;
use crate::stack::with_room;

/// A value to print.
#[derive(Clone, Copy, Debug)]
pub(super) enum Printed {
    Id(ValueId),
    Int(i64),
    String(StrId),
    Def(RecordId),
}

/// A value and its records, for printing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    pub(super) records: &'a Records,
    pub(super) value: Printed,
    /// True if a string is printed with its quotes.
    pub(super) quoted: bool,
}

/// A type and its records, for printing.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownType<'a> {
    pub(super) records: &'a Records,
    pub(super) ty: TypeId,
}

impl Records {
    /// Returns a value for printing.
    pub fn display(&self, value: Value) -> impl std::fmt::Display + '_ {
        Shown { records: self, value: self.printed(value), quoted: true }
    }

    /// Returns a type for printing.
    pub fn display_type(&self, ty: TypeId) -> impl std::fmt::Display + '_ {
        ShownType { records: self, ty }
    }

    /// Returns the printable form of a value.
    fn printed(&self, value: Value) -> Printed {
        match value {
            Value::Unset => Printed::Id(ValueId::UNSET),
            Value::Bit(bit) => Printed::Id(ValueId::bit(bit)),
            Value::Int(int) => Printed::Int(int),
            Value::String(text) => Printed::String(text),
            Value::Def(def) => Printed::Def(def),
            Value::Bits(id) => Printed::Id(ValueId::from_raw(id.raw())),
            Value::List(id) => Printed::Id(ValueId::from_raw(id.raw())),
            Value::Dag(id) => Printed::Id(ValueId::from_raw(id.raw())),
            Value::Unresolved(id) => Printed::Id(ValueId::from_raw(id.raw())),
        }
    }

    /// Returns a value for printing.
    pub(super) fn show(&self, value: ValueId) -> Shown<'_> {
        Shown { records: self, value: Printed::Id(value), quoted: true }
    }

    /// Returns a value for printing inside a name: strings have no quotes.
    pub(super) fn show_plain(&self, value: ValueId) -> Shown<'_> {
        Shown { records: self, value: Printed::Id(value), quoted: false }
    }

    /// Returns a type for printing.
    pub(super) fn show_type(&self, ty: TypeId) -> ShownType<'_> {
        ShownType { records: self, ty }
    }
}

/// Writes `items` separated by `, `.
fn separated<T>(
    f: &mut Formatter<'_>,
    items: impl Iterator<Item = T>,
    mut each: impl FnMut(&mut Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    for (i, item) in items.enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        each(f, item)?;
    }
    Ok(())
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let records = self.records;
        match self.value {
            Printed::Int(int) => write!(f, "{int}"),
            Printed::String(text) if self.quoted => write!(f, "\"{}\"", records.str(text)),
            Printed::String(text) => f.write_str(records.str(text)),
            Printed::Def(def) => records.show_plain(records.records[def].name).fmt(f),
            Printed::Id(id) => with_room(|| node(records, id, self.quoted, f)),
        }
    }
}

fn node(records: &Records, id: ValueId, quoted: bool, f: &mut Formatter<'_>) -> fmt::Result {
    let values = &records.values;
    let show = |id| records.show(id);
    match values.node(id) {
        Node::Unset => f.write_str("?"),
        Node::Bit(bit) => f.write_str(if bit { "1" } else { "0" }),
        Node::Int(int) => write!(f, "{int}"),
        Node::Str(text, _) if !quoted => f.write_str(records.str(text)),
        Node::Str(text, true) => write!(f, "[{{{}}}]", records.str(text)),
        Node::Str(text, false) => write!(f, "\"{}\"", records.str(text)),
        Node::Bits(seq) => {
            f.write_str("{ ")?;
            separated(f, values.items(seq).rev(), |f, bit| show(bit).fmt(f))?;
            f.write_str(" }")
        }
        Node::List(seq, _) => {
            f.write_str("[")?;
            separated(f, values.items(seq), |f, item| show(item).fmt(f))?;
            f.write_str("]")
        }
        Node::Def(def) => node(records, records.records[def].name, false, f),
        Node::Dag { op, name, args, .. } => {
            let named = |f: &mut Formatter<'_>, name: OptName| match name.get() {
                Some(name) => write!(f, ":${}", records.str(name)),
                None => Ok(()),
            };
            write!(f, "({}", show(op))?;
            named(f, name)?;
            if values.count(args) > 0 {
                f.write_str(" ")?;
                separated(f, values.pairs(args), |f, (value, name)| {
                    show(value).fmt(f)?;
                    named(f, name)
                })?;
            }
            f.write_str(")")
        }
        Node::Var(name, _) => f.write_str(records.str(name)),
        Node::VarBit(of, bit) => write!(f, "{}{{{bit}}}", show(of)),
        Node::Field(of, name, _) => write!(f, "{}.{}", show(of), records.str(name)),
        Node::Call { op, ty, args } => {
            let arg = |i| show(values.item(args, i).unwrap_or(ValueId::UNSET));
            match op {
                Op::ListElement | Op::ListSlice => return write!(f, "{}[{}]", arg(0), arg(1)),
                Op::Span => return write!(f, "{}...{}", arg(0), arg(1)),
                _ => write!(f, "!{}", op.name())?,
            }
            if op.shows_type() {
                write!(f, "<{}>", records.show_type(ty))?;
            }
            f.write_str("(")?;
            if op == Op::Cond {
                let half = values.count(args) / 2;
                separated(f, 0..half, |f, i| write!(f, "{}: {}", arg(i), arg(half + i)))?;
            } else {
                // The variables that an operator binds are printed as names.
                let bound = match op {
                    Op::ForEach | Op::Filter => 0..1,
                    Op::Foldl => 2..4,
                    _ => 0..0,
                };
                separated(f, values.items(args).enumerate(), |f, (i, item)| {
                    if bound.contains(&i) { records.show_plain(item).fmt(f) } else { show(item).fmt(f) }
                })?;
            }
            f.write_str(")")
        }
        Node::Instance(class, args) => {
            node(records, records.records[class].name, false, f)?;
            f.write_str("<")?;
            separated(f, values.named(args).enumerate(), |f, (i, (name, value))| match name.get() {
                None => write!(f, "{i}: {}", show(value)),
                Some(name) => write!(f, "\"{}\": {}", records.str(name), show(value)),
            })?;
            f.write_str(">")
        }
        Node::Anonymous(number) => write!(f, "anonymous_{number}"),
    }
}

impl Display for ShownType<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let records = self.records;
        match records.types.get(self.ty) {
            Type::Bit => f.write_str("bit"),
            Type::Bits(width) => write!(f, "bits<{width}>"),
            Type::Int => f.write_str("int"),
            Type::String => f.write_str("string"),
            Type::Dag => f.write_str("dag"),
            Type::List(element) => with_room(|| write!(f, "list<{}>", records.show_type(*element))),
            Type::Record(classes) => {
                let name = |class: &RecordId| records.show_plain(records.records[*class].name);
                if let [class] = &**classes {
                    return name(class).fmt(f);
                }
                f.write_str("{")?;
                separated(f, classes.iter(), |f, class| name(class).fmt(f))?;
                f.write_str("}")
            }
        }
    }
}

impl Records {
    /// Writes one record as `--print-records` does, without the leading `class` or `def`.
    fn write_record(&self, id: RecordId, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        let data = &self.records[id];
        write!(out, "{}", self.show_plain(data.name))?;
        if !data.template_args.is_empty() {
            write!(out, "<")?;
            for (i, arg) in data.template_args.iter().enumerate() {
                let separator = if i > 0 { ", " } else { "" };
                let (name, shown) = (self.str(arg.name), self.show(arg.default));
                match self.values.node(arg.default) {
                    Node::Str(_, true) => write!(out, "{separator}code {name} = {shown}")?,
                    _ => write!(out, "{separator}{} {name} = {shown}", self.show_type(arg.ty))?,
                }
            }
            write!(out, ">")?;
        }
        write!(out, " {{")?;
        let parents = self.record(id).superclasses();
        if !parents.is_empty() {
            write!(out, "\t//")?;
            for parent in parents {
                write!(out, " {}", self.show_plain(self.records[parent].name))?;
            }
        }
        writeln!(out)?;
        let shape = &self.shapes.all[data.shape];
        let fields = || shape.fields.iter().zip(&data.values);
        let incomplete = fields().filter(|(decl, _)| decl.nonconcrete);
        for (decl, &value) in incomplete.chain(fields().filter(|(decl, _)| !decl.nonconcrete)) {
            let field = if decl.nonconcrete { "field " } else { "" };
            let (name, shown) = (self.str(decl.name), self.show(value));
            // The type `code` is shown only if code is the whole value of the field.
            match self.values.node(value) {
                Node::Str(_, true) => writeln!(out, "  {field}code {name} = {shown};")?,
                _ => writeln!(out, "  {field}{} {name} = {shown};", self.show_type(decl.ty))?,
            }
        }
        writeln!(out, "}}")
    }

    /// Writes all classes and records as `llvm-tblgen --print-records` does.
    ///
    /// # Errors
    /// Writing to `out` fails.
    pub fn write_records(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        writeln!(out, "------------- Classes -----------------")?;
        for id in self.by_name(&self.classes) {
            write!(out, "class ")?;
            self.write_record(id, out)?;
        }
        writeln!(out, "------------- Defs -----------------")?;
        for id in self.by_name(&self.defs) {
            write!(out, "def ")?;
            self.write_record(id, out)?;
        }
        Ok(())
    }

    /// Returns one record as `!repr` shows it.
    pub(super) fn record_text(&self, id: RecordId) -> String {
        let mut out = Vec::new();
        self.write_record(id, &mut out).expect("writing to memory does not fail");
        String::from_utf8(out).expect("the output is text")
    }

    /// Returns the records in `ids` that are not multiclasses, sorted by the bytes of their names.
    pub(super) fn by_name(&self, ids: &[RecordId]) -> Vec<RecordId> {
        let mut sorted = ids.to_vec();
        sorted.retain(|&id| self.records[id].kind != Kind::Multiclass);
        sorted.sort_unstable_by(|&a, &b| self.record(a).name().cmp(self.record(b).name()));
        sorted
    }
}
