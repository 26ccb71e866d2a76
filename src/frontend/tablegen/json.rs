//! Records as JSON, in the format of `llvm-tblgen --dump-json`: sorted keys, on one line.

use std::io::{self, Write};

use super::ids::{RecordId, ValueId};
use super::record::Kind;
use super::records::Records;
use super::value::Node;
use crate::source::{SourceMap, Span};
use crate::stack::with_room;

/// A buffered writer of JSON.
struct JsonWriter<'a> {
    records: &'a Records,
    sources: &'a SourceMap,
    out: io::BufWriter<&'a mut dyn Write>,
}

impl Records {
    /// Writes all concrete records as `llvm-tblgen --dump-json` does.
    ///
    /// # Errors
    /// Writing to `out` fails.
    pub fn write_json(&self, sources: &SourceMap, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = JsonWriter { records: self, sources, out: io::BufWriter::new(out) };
        writer.all()?;
        writer.out.flush()
    }
}

impl JsonWriter<'_> {
    fn all(&mut self) -> io::Result<()> {
        let records = self.records;
        let defs = records.by_name(&records.defs);
        let mut instances: Vec<Vec<RecordId>> = vec![Vec::new(); records.records.len()];
        for &def in &defs {
            for class in records.record(def).superclasses() {
                instances[crate::id::Id::index(class)].push(def);
            }
        }
        // The two keys that start with `!` are sorted together with the names of the records.
        let mut head: Vec<&str> = vec!["!instanceof", "!tablegen_json_version"];
        let mut first = true;
        self.out.write_all(b"{")?;
        let mut rest = defs.into_iter().peekable();
        loop {
            let next_def = rest.peek().map(|&def| records.record(def).name());
            let next_head = head.first().copied();
            let head_first = match (next_head, next_def) {
                (None, None) => break,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some(head), Some(def)) => head <= def,
            };
            self.separate(&mut first)?;
            if head_first {
                match head.remove(0) {
                    "!instanceof" => {
                        self.key("!instanceof")?;
                        self.instances(&instances)?;
                    }
                    version => {
                        self.key(version)?;
                        self.out.write_all(b"1")?;
                    }
                }
            } else if let Some(def) = rest.next() {
                self.key(records.record(def).name())?;
                self.record(def)?;
            }
        }
        self.out.write_all(b"}\n")
    }

    fn instances(&mut self, instances: &[Vec<RecordId>]) -> io::Result<()> {
        let records = self.records;
        let mut first = true;
        self.out.write_all(b"{")?;
        for class in records.by_name(&records.classes) {
            self.separate(&mut first)?;
            self.key(records.record(class).name())?;
            self.names(&instances[crate::id::Id::index(class)])?;
        }
        self.out.write_all(b"}")
    }

    fn names(&mut self, ids: &[RecordId]) -> io::Result<()> {
        let records = self.records;
        self.out.write_all(b"[")?;
        let mut first = true;
        for &id in ids {
            self.separate(&mut first)?;
            self.string(records.record(id).name())?;
        }
        self.out.write_all(b"]")
    }

    fn separate(&mut self, first: &mut bool) -> io::Result<()> {
        if !std::mem::take(first) {
            self.out.write_all(b",")?;
        }
        Ok(())
    }

    fn key(&mut self, name: &str) -> io::Result<()> {
        self.string(name)?;
        self.out.write_all(b":")
    }

    fn string(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(b"\"")?;
        let bytes = text.as_bytes();
        let mut from = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            if byte >= 0x20 && byte != b'"' && byte != b'\\' {
                continue;
            }
            self.out.write_all(&bytes[from..at])?;
            from = at + 1;
            match byte {
                b'"' => self.out.write_all(b"\\\"")?,
                b'\\' => self.out.write_all(b"\\\\")?,
                b'\t' => self.out.write_all(b"\\t")?,
                b'\n' => self.out.write_all(b"\\n")?,
                b'\r' => self.out.write_all(b"\\r")?,
                _ => write!(self.out, "\\u{byte:04x}")?,
            }
        }
        self.out.write_all(&bytes[from..])?;
        self.out.write_all(b"\"")
    }

    fn location(&mut self, span: Span) -> io::Result<()> {
        let text = self.sources.locate(span).map_or_else(
            || "<unknown>".to_owned(),
            |at| {
                let name = at.file.name();
                let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
                format!("{name}:{}", at.line)
            },
        );
        self.string(&text)
    }

    fn record(&mut self, id: RecordId) -> io::Result<()> {
        let records = self.records;
        let data = &records.records[id];
        let shape = &records.shapes.all[data.shape];
        write!(self.out, "{{\"!anonymous\":{},\"!fields\":[", data.kind == Kind::Anonymous)?;
        let mut first = true;
        for decl in shape.fields.iter().filter(|decl| decl.nonconcrete) {
            self.separate(&mut first)?;
            self.string(records.str(decl.name))?;
        }
        self.out.write_all(b"],\"!locs\":[")?;
        let mut first = true;
        for &span in std::iter::once(&data.span).chain(&data.defms) {
            self.separate(&mut first)?;
            self.location(span)?;
        }
        self.out.write_all(b"],\"!name\":")?;
        self.string(records.record(id).name())?;
        self.out.write_all(b",\"!superclasses\":")?;
        self.names(&records.record(id).superclasses())?;
        let mut order: Vec<usize> = (0..shape.fields.len()).collect();
        order.sort_unstable_by_key(|&i| records.str(shape.fields[i].name));
        for i in order {
            self.out.write_all(b",")?;
            self.key(records.str(shape.fields[i].name))?;
            self.value(data.values[i])?;
        }
        self.out.write_all(b"}")
    }

    /// Writes the key `printable` with the printed form of a value.
    fn printable(&mut self, id: ValueId) -> io::Result<()> {
        self.out.write_all(b"\"printable\":")?;
        let text = self.records.show(id).to_string();
        self.string(&text)
    }

    fn values(&mut self, ids: impl Iterator<Item = ValueId>) -> io::Result<()> {
        self.out.write_all(b"[")?;
        let mut first = true;
        for id in ids {
            self.separate(&mut first)?;
            self.value(id)?;
        }
        self.out.write_all(b"]")
    }

    fn value(&mut self, id: ValueId) -> io::Result<()> {
        with_room(|| self.value_with_room(id))
    }

    fn value_with_room(&mut self, id: ValueId) -> io::Result<()> {
        let records = self.records;
        let values = &records.values;
        match values.node(id) {
            Node::Unset => return self.out.write_all(b"null"),
            Node::Bit(bit) => return self.out.write_all(if bit { b"1" } else { b"0" }),
            Node::Int(int) => return write!(self.out, "{int}"),
            Node::Str(text, _) => return self.string(records.str(text)),
            Node::Bits(seq) | Node::List(seq, _) => return self.values(values.items(seq)),
            Node::Def(def) => {
                self.out.write_all(b"{\"def\":")?;
                self.string(records.record(def).name())?;
                self.out.write_all(b",\"kind\":\"def\",")?;
            }
            Node::Dag { op, name, args, .. } => {
                self.out.write_all(b"{\"args\":[")?;
                let mut first = true;
                for (value, name) in values.pairs(args) {
                    self.separate(&mut first)?;
                    self.out.write_all(b"[")?;
                    self.value(value)?;
                    self.out.write_all(b",")?;
                    match name.get() {
                        None => self.out.write_all(b"null")?,
                        Some(name) => self.string(records.str(name))?,
                    }
                    self.out.write_all(b"]")?;
                }
                self.out.write_all(b"],\"kind\":\"dag\",")?;
                if let Some(name) = name.get() {
                    self.key("name")?;
                    self.string(records.str(name))?;
                    self.out.write_all(b",")?;
                }
                self.key("operator")?;
                self.value(op)?;
                self.out.write_all(b",")?;
            }
            Node::Var(name, _) => {
                self.out.write_all(b"{\"kind\":\"var\",")?;
                self.printable(id)?;
                self.out.write_all(b",\"var\":")?;
                self.string(records.str(name))?;
                return self.out.write_all(b"}");
            }
            Node::VarBit(of, bit) if matches!(values.node(of), Node::Var(..)) => {
                write!(self.out, "{{\"index\":{bit},\"kind\":\"varbit\",")?;
                self.printable(id)?;
                self.out.write_all(b",\"var\":")?;
                let name = records.show(of).to_string();
                self.string(&name)?;
                return self.out.write_all(b"}");
            }
            Node::VarBit(..)
            | Node::Field(..)
            | Node::Call { .. }
            | Node::Instance(..)
            | Node::Anonymous(_) => self.out.write_all(b"{\"kind\":\"complex\",")?,
        }
        self.printable(id)?;
        self.out.write_all(b"}")
    }
}
