//! Statements, read by recursive descent.
//!
//! A statement is executed as soon as it has been read, unless an enclosing multiclass or loop keeps it as an entry.

use hashbrown::{HashMap, HashSet};

use super::bang::Op;
use super::config::Config;
use super::error::{self, Failed, Result};
use super::evaluator::Evaluator;
use super::ids::{RecordId, TypeId, ValueId};
use super::instantiate::{Argument, Bindings, Defset, Entry, Loop};
use super::lexer::{Keyword, Lexer, Tok};
use super::parser::{Let, Mode, Multiclass, Parser, ScopeKind};
use super::record::{Assignment, Check, FieldDecl, Kind, TemplateArg};
use super::records::Records;
use super::resolve::Scope;
use super::types::Type;
use super::value::Node;
use crate::intern::StrId;
use crate::source::{Diagnostics, FileId, SourceMap, Span};

/// The maximum nesting of statements.
const STATEMENT_NESTING_LIMIT: u32 = 2000;
/// The maximum number of fields in a record.
const FIELD_LIMIT: usize = 1 << 20;

/// Reads a file; see [`parse`](super::parse).
pub(super) fn run(sources: &mut SourceMap, main: FileId, config: &Config) -> (Option<Records>, Diagnostics) {
    let mut parser = Parser {
        lexer: Lexer::new(sources, main, config),
        ev: Evaluator::new(),
        scopes: Vec::new(),
        lets: Vec::new(),
        loops: Vec::new(),
        defsets: Vec::new(),
        multiclasses: HashMap::default(),
        multiclass: None,
        multiclass_record: None,
        aliases: HashMap::default(),
        warn_unused: config.warn_unused_template_args,
        nesting: 0,
        broken: HashSet::default(),
        unsure: false,
    };
    let outcome = parser.file();
    let mut diagnostics = Diagnostics::default();
    for diagnostic in std::mem::take(&mut parser.ev.diagnostics) {
        diagnostics.push(parser.lexer.explain(diagnostic));
    }
    (outcome.is_ok().then(|| parser.finish()), diagnostics)
}

impl Parser<'_> {
    fn finish(mut self) -> Records {
        let out = &mut self.ev.out;
        let names = self.broken.iter();
        let broken = names.flat_map(|name| [out.class_names.get(name), out.def_names.get(name)]);
        out.broken = broken.flatten().copied().collect();
        out.read_after_main = self.lexer.read_after_main;
        self.ev.out
    }

    fn file(&mut self) -> Result<()> {
        self.advance();
        self.push_scope(ScopeKind::Plain);
        self.objects()?;
        // `llvm-tblgen` stops at a stray token. Here the following statements are read too.
        while self.tok() != Tok::Eof {
            let _: Result<()> = self.unexpected("Unexpected token at top level");
            self.advance();
            self.recover()?;
            self.objects()?;
        }
        Ok(())
    }

    /// Marks a name as broken if its definition has an error.
    fn mark_broken<T>(&mut self, name: StrId, done: Result<T>) -> Result<T> {
        if done.is_err() {
            self.broken.insert(name);
        }
        done
    }

    /// True if a field may be missing because the definition of the record or of a superclass has an error.
    fn derives_from_broken(&self, record: RecordId) -> bool {
        let is_broken =
            |id| self.ev.as_str(self.ev.out.records[id].name).is_some_and(|n| self.broken.contains(&n));
        !self.broken.is_empty()
            && (is_broken(record) || self.ev.out.record(record).superclasses().into_iter().any(is_broken))
    }

    fn starts_object(&self) -> bool {
        use Keyword::{
            Assert, Class, Def, Defm, Defset, Deftype, Defvar, Dump, Foreach, If, Let, Multiclass,
        };
        matches!(
            self.tok(),
            Tok::Keyword(
                Assert
                    | Class
                    | Def
                    | Defm
                    | Defset
                    | Deftype
                    | Defvar
                    | Dump
                    | Foreach
                    | If
                    | Let
                    | Multiclass
            )
        )
    }

    fn objects(&mut self) -> Result<()> {
        while self.starts_object() {
            self.object_or_next()?;
        }
        Ok(())
    }

    /// Reads a statement. After errors, continues with the next statement.
    fn object_or_next(&mut self) -> Result<()> {
        let (defines, start) = (self.tok(), self.span());
        if self.object().is_ok() {
            return Ok(());
        }
        // Skip the keyword of a statement that is not allowed here, so that parsing makes progress.
        if self.span() == start {
            self.advance();
        }
        // The names that a skipped statement of these kinds would have defined are unknown.
        use Keyword::{Defm, Foreach, If, Let, Multiclass};
        if let Tok::Keyword(Defm | Foreach | If | Let | Multiclass) = defines {
            self.unsure = true;
        }
        self.recover()
    }

    /// Skips the rest of a statement that has an error. Fails if parsing cannot continue.
    fn recover(&mut self) -> Result<()> {
        if self.ev.stopped || self.ev.diagnostics.at_limit() {
            return Err(Failed);
        }
        let mut depth = 0u32;
        loop {
            match self.tok() {
                Tok::Eof | Tok::Error => return Err(Failed),
                Tok::LBrace => depth += 1,
                Tok::RBrace if depth == 0 => return Ok(()),
                Tok::RBrace if depth == 1 => {
                    self.advance();
                    return Ok(());
                }
                Tok::RBrace => depth -= 1,
                Tok::Semi if depth == 0 => {
                    self.advance();
                    return Ok(());
                }
                _ if depth == 0 && self.starts_object() => return Ok(()),
                _ => {}
            }
            self.advance();
        }
    }

    /// Skips the rest of a body item that has an error. Returns true if the body continues.
    fn recover_in_body(&mut self) -> Result<bool> {
        if self.ev.stopped || self.ev.diagnostics.at_limit() {
            return Err(Failed);
        }
        let mut depth = 0u32;
        loop {
            match self.tok() {
                Tok::Eof | Tok::Error => return Err(Failed),
                Tok::LBrace => depth += 1,
                // The brace ends the body, or a bits value that contains the error.
                Tok::RBrace if depth == 0 => {
                    self.advance();
                    return Ok(self.consume(Tok::Semi));
                }
                Tok::RBrace => depth -= 1,
                Tok::Semi if depth == 0 => {
                    self.advance();
                    return Ok(true);
                }
                _ => {}
            }
            self.advance();
        }
    }

    fn object(&mut self) -> Result<()> {
        self.nested(STATEMENT_NESTING_LIMIT, Self::object_nested)
    }

    fn object_nested(&mut self) -> Result<()> {
        if self.ev.records_of_main.is_none() && !self.lexer.read_after_main.is_empty() {
            self.ev.records_of_main = Some(self.ev.out.records.len());
        }
        let in_multiclass = self.multiclass.is_some();
        let in_loop = !self.loops.is_empty();
        match self.tok() {
            Tok::Keyword(Keyword::Assert) => self.assertion(None),
            Tok::Keyword(Keyword::Dump) => self.dump(None),
            Tok::Keyword(Keyword::Def) => self.def(),
            Tok::Keyword(Keyword::Defm) => self.defm(),
            Tok::Keyword(Keyword::Defvar) => self.defvar(None),
            Tok::Keyword(Keyword::Foreach) => self.foreach(),
            Tok::Keyword(Keyword::If) => self.conditional(),
            Tok::Keyword(Keyword::Let) => self.let_in(),
            Tok::Keyword(Keyword::Deftype) => self.deftype(),
            Tok::Keyword(Keyword::Defset) if in_multiclass => {
                self.unexpected("defset is not allowed inside multiclass")
            }
            Tok::Keyword(Keyword::Defset) => self.defset(),
            Tok::Keyword(Keyword::Class) if in_multiclass => {
                self.unexpected("class is not allowed inside multiclass")
            }
            Tok::Keyword(Keyword::Class) if in_loop => {
                self.unexpected("class is not allowed inside foreach loop")
            }
            Tok::Keyword(Keyword::Class) => self.class(),
            Tok::Keyword(Keyword::Multiclass) if in_loop => {
                self.unexpected("multiclass is not allowed inside foreach loop")
            }
            Tok::Keyword(Keyword::Multiclass) if in_multiclass => {
                self.unexpected("multiclass is not allowed inside multiclass")
            }
            Tok::Keyword(Keyword::Multiclass) => self.multiclass(),
            _ => self.unexpected("Expected assert, class, def, defm, defset, dump, foreach, if, or let"),
        }
    }

    /// Adds an entry to the enclosing loop or multiclass. Outside of loops and multiclasses, executes the entry.
    fn add_entry(&mut self, entry: Entry) -> Result<()> {
        if let Some(around) = self.loops.last_mut() {
            around.entries.push(entry);
            return Ok(());
        }
        if let Entry::Loop(inner) = entry {
            let last = self.multiclass.is_none();
            let mut kept = Vec::new();
            let into = (!last).then_some(&mut kept);
            self.ev.expand_loop(&inner, &mut Bindings::new(), last, into, None, &mut self.defsets)?;
            if let Some(multiclass) = self.current_multiclass() {
                multiclass.entries.append(&mut kept);
            }
            return Ok(());
        }
        if let Some(multiclass) = self.current_multiclass() {
            multiclass.entries.push(entry);
            return Ok(());
        }
        match entry {
            Entry::Check(check) => {
                self.ev.run_check(check);
                Ok(())
            }
            Entry::Record(record) => self.ev.complete(record, &mut self.defsets),
            Entry::Loop(_) => Ok(()),
        }
    }

    fn current_multiclass(&mut self) -> Option<&mut Multiclass> {
        self.multiclasses.get_mut(&self.multiclass?)
    }

    /// Reads the statements after `in`, `then` or `else`: a single statement, or several in braces.
    fn block(&mut self, what: &str) -> Result<()> {
        if self.tok() != Tok::LBrace {
            return self.object();
        }
        let open = self.span();
        self.advance();
        self.objects()?;
        self.close(what, open)
    }

    fn close(&mut self, what: &str, open: Span) -> Result<()> {
        if self.consume(Tok::RBrace) {
            return Ok(());
        }
        if self.tok() == Tok::Error {
            return Err(Failed);
        }
        let span = self.span();
        self.ev.fail(error::unclosed(span, what, open))
    }

    fn class(&mut self) -> Result<()> {
        self.advance();
        let Tok::Id(name) = self.tok() else {
            return self.unexpected("expected class name after 'class' keyword");
        };
        let span = self.span();
        let class = match self.ev.out.class_names.get(&name) {
            Some(&class) => {
                let data = &self.ev.out.records[class];
                if !data.values.is_empty() || !data.parents.is_empty() || !data.template_args.is_empty() {
                    let text = format!("Class '{}' already defined", &self.ev.out.strings[name]);
                    let previous = data.span;
                    return self.ev.fail(error::at(span, text).note_at(previous, "previous definition"));
                }
                self.ev.out.records[class].span = span;
                class
            }
            None => {
                let own = self.ev.out.values.string(name);
                let class = self.ev.new_record(own, Kind::Class, span);
                self.ev.out.classes.push(class);
                self.ev.out.class_names.insert(name, class);
                class
            }
        };
        if self.aliases.contains_key(&name) {
            let name = &self.ev.out.strings[name];
            let message = format!("there is already a defined type alias '{name}'");
            return self.unexpected(message);
        }
        self.advance();
        self.push_scope(ScopeKind::Record(class));
        let done = self.class_rest(class);
        self.scopes.pop();
        self.ev.out.records[class].complete = true;
        self.mark_broken(name, done)
    }

    fn class_rest(&mut self, class: RecordId) -> Result<()> {
        if self.tok() == Tok::Less {
            self.template_args(class, Some(class))?;
        }
        self.record_body(class)?;
        self.warn_unused_args(class);
        Ok(())
    }

    fn warn_unused_args(&mut self, owner: RecordId) {
        if !self.warn_unused {
            return;
        }
        let out = &self.ev.out;
        for arg in out.records[owner].template_args.iter().filter(|arg| !arg.used) {
            self.ev.diagnostics.push(error::unused_template_arg(arg.span, &out.strings[arg.name]));
        }
    }

    fn template_args(&mut self, owner: RecordId, class: Option<RecordId>) -> Result<()> {
        self.advance();
        loop {
            let start = self.span();
            self.consume(Tok::Keyword(Keyword::Field));
            let ty = self.parse_type()?;
            let (short, span) = self.declared_name()?;
            let name = self.ev.qualify(owner, short);
            if self.ev.out.records[owner].template_args.iter().any(|arg| arg.name == name) {
                let message = "template argument with the same name has already been defined";
                return self.ev.fail(error::at(start, message));
            }
            let default = match self.ev.fit_field(ValueId::UNSET, ty)? {
                Some(unset) => unset,
                None => ValueId::UNSET,
            };
            let arg = TemplateArg { name, short, ty, default, span, used: false };
            // The argument is added before its default is read, because the name of the argument hides outer names in
            // the default.
            self.ev.out.records[owner].template_args.push(arg);
            if self.consume(Tok::Equal) {
                let at = self.span();
                let value = self.value(class, Some(ty), Mode::Value)?;
                let value = self.fit(value, ty, short, at)?;
                if let Some(arg) = self.ev.out.records[owner].template_args.last_mut() {
                    arg.default = value;
                }
            }
            if !self.consume(Tok::Comma) {
                break;
            }
        }
        self.expect(Tok::Greater, "expected '>' at end of template argument list")
    }

    fn declared_name(&mut self) -> Result<(StrId, Span)> {
        match self.tok() {
            Tok::Id(name) if name == self.ev.name_word => {
                self.unexpected("'NAME' is a reserved variable name")
            }
            _ => self.identifier("Expected identifier in declaration"),
        }
    }

    /// Converts a value to the type of a field.
    fn fit(&mut self, value: ValueId, ty: TypeId, name: StrId, span: Span) -> Result<ValueId> {
        if let Some(value) = self.ev.fit_field(value, ty)? {
            return Ok(value);
        }
        let own = self.ev.type_of(value);
        let out = &self.ev.out;
        let of = match (self.ev.node(value), own) {
            (Node::Bits(seq), _) => {
                format!(" of type bit initializer with length {}", out.values.count(seq))
            }
            (_, Some(own)) => format!(" of type '{}'", out.show_type(own)),
            (_, None) => String::new(),
        };
        let problem = error::field_type(span, &out.strings[name], out.show_type(ty), out.show(value), &of);
        self.ev.fail(problem)
    }

    /// Reads the parents and the body of a class or record.
    fn record_body(&mut self, record: RecordId) -> Result<()> {
        self.push_scope(ScopeKind::Record(record));
        let done = self.record_body_in_scope(record);
        self.scopes.pop();
        done
    }

    fn record_body_in_scope(&mut self, record: RecordId) -> Result<()> {
        if self.consume(Tok::Colon) {
            let mut derives_from_itself = false;
            loop {
                let start = self.span();
                let class = self.class_name()?;
                let args = self.class_args(Some(record), class)?;
                let span = self.since(start);
                if class == record {
                    self.derive_from_itself(class, &args, span, derives_from_itself)?;
                    derives_from_itself = true;
                } else {
                    self.ev.add_class(record, class, &args, span)?;
                }
                if !self.consume(Tok::Comma) {
                    break;
                }
            }
        }
        self.apply_lets(record)?;
        if self.consume(Tok::Semi) {
            return Ok(());
        }
        self.expect(Tok::LBrace, "Expected '{' to start body or ';' for declaration only")?;
        while self.tok() != Tok::RBrace {
            if self.body_item(record).is_ok() {
                continue;
            }
            // The error has been reported. The record keeps the items that were read, but it is incomplete.
            self.broken.extend(self.ev.as_str(self.ev.out.records[record].name));
            if !self.recover_in_body()? {
                return Ok(());
            }
        }
        self.advance();
        self.semicolon_after("A class or def");
        Ok(())
    }

    /// Accepts `class A : A`, as `llvm-tblgen` does. The parent has no effect, because it has no fields that the class
    /// lacks.
    fn derive_from_itself(
        &mut self,
        class: RecordId,
        args: &[Argument],
        span: Span,
        twice: bool,
    ) -> Result<()> {
        let name = self.ev.out.record(class).name();
        if twice {
            let problem = error::already_subclass(span, name);
            return self.ev.fail(problem);
        }
        let warning = error::derives_from_itself(span, name);
        self.ev.diagnostics.push(warning);
        self.ev.bind_arguments(class, args, span).map(drop)
    }

    fn semicolon_after(&mut self, what: &str) {
        let span = self.span();
        if self.consume(Tok::Semi) {
            self.ev.diagnostics.push(error::semicolon_after(span, what));
        }
    }

    /// Reads the optional `<args>` after the name of a class or multiclass.
    fn class_args(&mut self, record: Option<RecordId>, owner: RecordId) -> Result<Vec<Argument>> {
        if !self.consume(Tok::Less) {
            return Ok(Vec::new());
        }
        let mut args = self.argument_values(record, owner)?;
        self.cast_arguments(owner, &mut args)?;
        Ok(args)
    }

    fn body_item(&mut self, record: RecordId) -> Result<()> {
        match self.tok() {
            Tok::Keyword(Keyword::Assert) => return self.assertion(Some(record)),
            Tok::Keyword(Keyword::Dump) => return self.dump(Some(record)),
            Tok::Keyword(Keyword::Defvar) => return self.defvar(Some(record)),
            Tok::Keyword(Keyword::Let) => return self.body_let(record),
            _ => {}
        }
        let nonconcrete = self.consume(Tok::Keyword(Keyword::Field));
        let ty = self.parse_type()?;
        if matches!(self.tok(), Tok::Id(name) if self.defined_here(name)) {
            return self.unexpected("local variable of this name already exists");
        }
        let (name, span) = self.declared_name()?;
        if self.ev.out.records[record].values.len() >= FIELD_LIMIT {
            return self.ev.fail(error::limit(span, "the fields of a record", FIELD_LIMIT));
        }
        self.ev.add_field(record, FieldDecl { name, ty, span, nonconcrete }, ValueId::UNSET, span)?;
        if self.consume(Tok::Equal) {
            let at = self.span();
            let value = self.value(Some(record), Some(ty), Mode::Value)?;
            self.set_field(record, at, name, &[], value, None)?;
        }
        self.expect(Tok::Semi, "expected ';' after declaration")
    }

    fn body_let(&mut self, record: RecordId) -> Result<()> {
        self.advance();
        let (name, span) = self.identifier("expected field identifier after let")?;
        let mut bits = self.optional_bits()?;
        bits.reverse();
        self.expect(Tok::Equal, "expected '=' in let expression")?;
        let Some(at) = self.ev.field_index(record, name) else {
            if self.derives_from_broken(record) {
                return Err(Failed);
            }
            let message = format!("Value '{}' unknown!", &self.ev.out.strings[name]);
            return self.ev.fail(error::at(span, message));
        };
        let shape = self.ev.out.records[record].shape;
        let mut ty = self.ev.out.shapes.all[shape].fields[at].ty;
        if let (false, Type::Bits(_)) = (bits.is_empty(), self.ev.out.types.get(ty)) {
            ty = self.ev.bits_type(bits.len())?;
        }
        let origin = Assignment { name: span, value: self.span() };
        let value = self.value(Some(record), Some(ty), Mode::Value)?;
        self.expect(Tok::Semi, "expected ';' after let expression")?;
        self.set_field(record, span, name, &bits, value, Some(origin))
    }

    /// Sets a field, or some of its bits. `origin` has the places that are recorded for the assignment; `None` if no
    /// places are recorded.
    fn set_field(
        &mut self,
        record: RecordId,
        span: Span,
        name: StrId,
        bits: &[u32],
        value: ValueId,
        origin: Option<Assignment>,
    ) -> Result<()> {
        let shown = |this: &Self| this.ev.out.strings[name].to_owned();
        let Some(at) = self.ev.field_index(record, name) else {
            if self.derives_from_broken(record) {
                return Err(Failed);
            }
            let message = format!("Value '{}' unknown!", shown(self));
            return self.ev.fail(error::at(span, message));
        };
        let mut value = value;
        if bits.is_empty() {
            if matches!(self.ev.node(value), Node::Var(own, _) if own == name) {
                return self.ev.fail(error::at(span, "Recursion / self-assignment forbidden"));
            }
        } else {
            let Node::Bits(seq) = self.ev.node(self.ev.out.records[record].values[at]) else {
                let message = format!("Value '{}' is not a bits type", shown(self));
                return self.ev.fail(error::at(span, message));
            };
            let width = self.ev.bits_type(bits.len())?;
            let Some(new) = self.ev.cast(value, width)? else {
                return self.ev.fail(error::at(span, "Initializer is not compatible with bit range"));
            };
            let mut all: Vec<_> = self.ev.out.values.items(seq).collect();
            let mut set = vec![false; all.len()];
            for (from, &bit) in (0u32..).zip(bits) {
                let to = bit as usize;
                match set.get(to) {
                    Some(false) => {}
                    Some(true) => {
                        let message =
                            format!("Cannot set bit #{bit} of value '{}' more than once", shown(self));
                        return self.ev.fail(error::at(span, message));
                    }
                    None => {
                        let message =
                            format!("bit #{bit} is out of range: value '{}' has {}", shown(self), all.len());
                        return self.ev.fail(error::at(span, message));
                    }
                }
                set[to] = true;
                all[to] = self.ev.bit(new, from)?;
            }
            value = self.ev.out.values.bits(&all);
        }
        let shape = self.ev.out.records[record].shape;
        let ty = self.ev.out.shapes.all[shape].fields[at].ty;
        let value = self.fit(value, ty, name, span)?;
        let data = &mut self.ev.out.records[record];
        data.values[at] = value;
        if let Some(origin) = origin {
            let at = u32::try_from(at).expect("the number of fields is bounded");
            data.set_at.retain(|&(field, _)| field != at);
            data.set_at.push((at, origin));
        }
        Ok(())
    }

    fn apply_lets(&mut self, record: RecordId) -> Result<()> {
        if self.lets.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let lets: Vec<Let> = self.lets.iter().flatten().cloned().collect();
        for set in lets {
            let origin = Assignment { name: set.span, value: set.first };
            self.set_field(record, set.span, set.name, &set.bits, set.value, Some(origin))?;
        }
        Ok(())
    }

    fn apply_lets_to(&mut self, entry: &Entry) -> Result<()> {
        match entry {
            Entry::Record(record) => self.apply_lets(*record),
            Entry::Loop(inner) => inner.entries.iter().try_for_each(|entry| self.apply_lets_to(entry)),
            Entry::Check(_) => Ok(()),
        }
    }

    /// Reads the optional name of a `def` or `defm`.
    fn object_name(&mut self) -> Result<Option<ValueId>> {
        if matches!(self.tok(), Tok::Colon | Tok::Semi | Tok::LBrace) {
            return Ok(None);
        }
        let name = self.value(self.multiclass_record, Some(TypeId::STRING), Mode::Name)?;
        if name == ValueId::UNSET {
            return Ok(None);
        }
        let Some(multiclass) = self.multiclass_record else { return Ok(Some(name)) };
        // In a multiclass, NAME becomes the prefix of a name that does not mention NAME.
        let own = self.implicit_name(multiclass);
        let Node::Var(word, _) = self.ev.node(own) else { return Ok(Some(name)) };
        if self.ev.mentions(name, word) {
            return Ok(Some(name));
        }
        self.ev.concat(own, name).map(Some)
    }

    fn def(&mut self) -> Result<()> {
        let keyword = self.span();
        self.advance();
        let span = if let Tok::Id(_) = self.tok() { self.span() } else { keyword };
        let record = match self.object_name()? {
            Some(name) => {
                let name = self.typed_name(name, span)?;
                self.ev.new_record(name, Kind::Def, span)
            }
            None => {
                let name = self.ev.next_anonymous();
                self.ev.new_record(name, Kind::Anonymous, keyword)
            }
        };
        let own = self.ev.as_str(self.ev.out.records[record].name);
        let done = self.record_body(record).and_then(|()| self.add_entry(Entry::Record(record)));
        if let (Err(Failed), Some(name)) = (done, own) {
            self.broken.insert(name);
        }
        done
    }

    fn typed_name(&mut self, name: ValueId, span: Span) -> Result<ValueId> {
        match self.ev.type_of(name) {
            Some(TypeId::STRING) => Ok(name),
            _ => {
                let message = format!("Record name '{}' is not a string!", self.ev.out.show(name));
                self.ev.fail(error::at(span, message))
            }
        }
    }

    fn defm(&mut self) -> Result<()> {
        self.advance();
        let name = match self.object_name()? {
            Some(name) => name,
            None => {
                let name = self.ev.next_anonymous();
                match self.multiclass_record {
                    Some(multiclass) => {
                        let own = self.implicit_name(multiclass);
                        self.ev.concat(own, name)?
                    }
                    None => name,
                }
            }
        };
        self.expect(Tok::Colon, "expected ':' after defm identifier")?;
        let mut entries = Vec::new();
        let mut classes_follow = false;
        loop {
            let start = self.span();
            let (multiclass, record) = self.multiclass_name()?;
            let args = self.class_args(None, record)?;
            let mut bindings = self.defm_bindings(record, &args, name, start)?;
            let last = self.multiclass.is_none() && self.loops.is_empty();
            self.expand_multiclass(multiclass, &mut bindings, last, &mut entries, Some(start))?;
            if !self.consume(Tok::Comma) {
                break;
            }
            let Tok::Id(next) = self.tok() else { return self.unexpected("expected identifier") };
            if self.ev.out.class_names.contains_key(&next) {
                classes_follow = true;
                break;
            }
        }
        while classes_follow {
            let start = self.span();
            let class = self.class_name()?;
            let args = self.class_args(None, class)?;
            let span = self.since(start);
            for entry in &entries {
                self.add_class_to(entry, class, &args, span)?;
            }
            classes_follow = self.consume(Tok::Comma);
        }
        for entry in entries {
            self.apply_lets_to(&entry)?;
            self.add_entry(entry)?;
        }
        self.expect(Tok::Semi, "expected ';' at end of defm")
    }

    fn add_class_to(&mut self, entry: &Entry, class: RecordId, args: &[Argument], span: Span) -> Result<()> {
        match entry {
            Entry::Record(record) => self.ev.add_class(*record, class, args, span),
            Entry::Loop(inner) => {
                inner.entries.iter().try_for_each(|entry| self.add_class_to(entry, class, args, span))
            }
            Entry::Check(_) => Ok(()),
        }
    }

    fn defm_bindings(
        &mut self,
        multiclass: RecordId,
        args: &[Argument],
        name: ValueId,
        span: Span,
    ) -> Result<Bindings> {
        let mut bindings = self.ev.bind_arguments(multiclass, args, span)?;
        let own = self.ev.qualify(multiclass, self.ev.name_word);
        bindings.insert(0, (own, name));
        Ok(bindings)
    }

    /// Instantiates the entries of a multiclass into `entries`.
    fn expand_multiclass(
        &mut self,
        multiclass: StrId,
        bindings: &mut Bindings,
        last: bool,
        entries: &mut Vec<Entry>,
        defm: Option<Span>,
    ) -> Result<()> {
        // The entries are taken out of the table while the evaluator uses them. Nothing else reads them during this
        // time.
        let Some(held) = self.multiclasses.get_mut(&multiclass) else { return Err(Failed) };
        let held = std::mem::take(&mut held.entries);
        let done = self.ev.expand(&held, bindings, last, Some(entries), defm, &mut self.defsets);
        if let Some(multiclass) = self.multiclasses.get_mut(&multiclass) {
            multiclass.entries = held;
        }
        done
    }

    fn multiclass_name(&mut self) -> Result<(StrId, RecordId)> {
        let Tok::Id(name) = self.tok() else { return self.unexpected("expected name for MultiClassID") };
        let Some(found) = self.multiclasses.get(&name) else {
            let message = format!("Couldn't find multiclass '{}'", &self.ev.out.strings[name]);
            let problem = error::at(self.span(), message);
            return self.unknown(name, problem);
        };
        let record = found.record;
        self.advance();
        Ok((name, record))
    }

    fn multiclass(&mut self) -> Result<()> {
        self.advance();
        let Tok::Id(name) = self.tok() else {
            return self.unexpected("expected identifier after multiclass for name");
        };
        if self.multiclasses.contains_key(&name) {
            let message = format!("multiclass '{}' already defined", &self.ev.out.strings[name]);
            return self.unexpected(message);
        }
        let span = self.span();
        let own = self.ev.out.values.string(name);
        let record = self.ev.new_record(own, Kind::Multiclass, span);
        self.multiclasses.insert(name, Multiclass { record, entries: Vec::new() });
        self.multiclass = Some(name);
        self.multiclass_record = Some(record);
        self.advance();
        self.push_scope(ScopeKind::Multiclass(record));
        let done = self.multiclass_rest(record);
        self.scopes.pop();
        self.multiclass = None;
        self.multiclass_record = None;
        done
    }

    fn multiclass_rest(&mut self, record: RecordId) -> Result<()> {
        if self.tok() == Tok::Less {
            self.template_args(record, None)?;
        }
        let inherits = self.consume(Tok::Colon);
        if inherits {
            loop {
                let start = self.span();
                let (parent, parent_record) = self.multiclass_name()?;
                // Like `llvm-tblgen`, this does not convert the arguments. An `int` that is passed for a `bit` stays an
                // `int`, so `Class<arg>` with this `int` is another record than `Class<arg>` with the `bit`.
                let args = match self.consume(Tok::Less) {
                    true => self.argument_values(Some(record), parent_record)?,
                    false => Vec::new(),
                };
                let name = self.implicit_name(record);
                let mut bindings = self.defm_bindings(parent_record, &args, name, start)?;
                let mut entries = Vec::new();
                // Like `llvm-tblgen`, this does not add the place of the parent to the `defms` of the new records.
                self.expand_multiclass(parent, &mut bindings, false, &mut entries, None)?;
                if let Some(multiclass) = self.current_multiclass() {
                    multiclass.entries.append(&mut entries);
                }
                if !self.consume(Tok::Comma) {
                    break;
                }
            }
        }
        if self.tok() == Tok::LBrace {
            if self.advance() == Tok::RBrace {
                return self.unexpected("multiclass must contain at least one def");
            }
            while self.tok() != Tok::RBrace {
                use Keyword::{Assert, Def, Defm, Defvar, Dump, Foreach, If, Let};
                if !matches!(
                    self.tok(),
                    Tok::Keyword(Assert | Def | Defm | Defvar | Dump | Foreach | If | Let)
                ) {
                    let message = "expected 'assert', 'def', 'defm', 'defvar', 'dump', 'foreach', 'if', or 'let' in multiclass body";
                    return self.unexpected(message);
                }
                self.object_or_next()?;
            }
            self.advance();
            self.semicolon_after("A multiclass");
        } else if !inherits {
            return self.unexpected("expected '{' in multiclass definition");
        } else {
            self.expect(Tok::Semi, "expected ';' in multiclass definition")?;
        }
        self.warn_unused_args(record);
        Ok(())
    }

    fn defset(&mut self) -> Result<()> {
        self.advance();
        let span = self.span();
        let ty = self.parse_type()?;
        let Some(element) = self.ev.out.types.element(ty) else {
            return self.ev.fail(error::at(span, "expected list type"));
        };
        let Tok::Id(name) = self.tok() else { return self.unexpected("expected identifier") };
        if self.global(name).is_some() {
            return self.unexpected("def or global variable of this name already exists");
        }
        self.advance();
        self.expect(Tok::Equal, "expected '='")?;
        let open = self.span();
        self.expect(Tok::LBrace, "expected '{'")?;
        self.defsets.push(Defset { span, element, found: Vec::new() });
        let done = self.objects().and_then(|()| self.close("defset", open));
        let set = self.defsets.pop();
        self.mark_broken(name, done)?;
        let list = self.ev.list(&set.map(|set| set.found).unwrap_or_default(), element)?;
        self.ev.globals.insert(name, list);
        Ok(())
    }

    fn deftype(&mut self) -> Result<()> {
        self.advance();
        let Tok::Id(name) = self.tok() else { return self.unexpected("expected identifier") };
        if self.aliases.contains_key(&name) || self.ev.out.class_names.contains_key(&name) {
            let message = format!("type of this name '{}' already exists", &self.ev.out.strings[name]);
            return self.unexpected(message);
        }
        self.advance();
        self.expect(Tok::Equal, "expected '='")?;
        let span = self.span();
        let ty = self.parse_type();
        let ty = self.mark_broken(name, ty)?;
        if let Type::Record(_) = self.ev.out.types.get(ty) {
            let message = format!("cannot define type alias for class type '{}'", self.ev.out.show_type(ty));
            return self.ev.fail(error::at(span, message));
        }
        self.aliases.insert(name, ty);
        self.expect(Tok::Semi, "expected ';'")
    }

    fn defvar(&mut self, record: Option<RecordId>) -> Result<()> {
        self.advance();
        let Tok::Id(name) = self.tok() else { return self.unexpected("expected identifier") };
        let outermost = self.scopes.len() == 1;
        if self.defined_here(name) {
            return self.unexpected("local variable of this name already exists");
        }
        if record.is_some_and(|record| self.ev.field_index(record, name).is_some()) {
            return self.unexpected("field of this name already exists");
        }
        if outermost && self.global(name).is_some() {
            return self.unexpected("def or global variable of this name already exists");
        }
        self.advance();
        self.expect(Tok::Equal, "expected '='")?;
        let value = self.value(record, None, Mode::Value);
        let value = self.mark_broken(name, value)?;
        self.expect(Tok::Semi, "expected ';'")?;
        match self.scopes.last_mut() {
            Some(scope) if !outermost => scope.variables.push((name, value)),
            _ => {
                self.ev.globals.insert(name, value);
            }
        }
        Ok(())
    }

    fn foreach(&mut self) -> Result<()> {
        let span = self.span();
        self.advance();
        let Ok((name, list)) = self.foreach_declaration() else {
            return self.unexpected("expected declaration in for");
        };
        let element = self.ev.type_of(list).and_then(|ty| self.ev.out.types.element(ty));
        let variable = self.ev.out.values.intern(Node::Var(name, element.unwrap_or(TypeId::INT)));
        self.expect(Tok::Keyword(Keyword::In), "expected 'in' at end of for declaration")?;
        self.push_scope(ScopeKind::Loop(Some((name, variable))));
        self.loops.push(Loop { span, variable: Some(name), list, entries: Vec::new() });
        let done = self.block("foreach command");
        self.scopes.pop();
        let inner = self.loops.pop();
        done?;
        self.add_entry(Entry::Loop(inner.ok_or(Failed)?))
    }

    fn foreach_declaration(&mut self) -> Result<(StrId, ValueId)> {
        let (name, _) = self.identifier("Expected identifier in foreach declaration")?;
        self.expect(Tok::Equal, "Expected '=' in foreach declaration")?;
        Ok((name, self.foreach_list()?))
    }

    fn foreach_list(&mut self) -> Result<ValueId> {
        let ranges = if self.consume(Tok::LBrace) {
            let ranges = self.range_list()?;
            self.expect(Tok::RBrace, "expected '}' at end of bit range list")?;
            ranges
        } else {
            let at = self.span();
            let value = self.value(None, None, Mode::Value)?;
            let Some(ty) = self.ev.type_of(value) else {
                let message = format!("expected a list, got '{}'", self.ev.out.show(value));
                return self.ev.fail(error::at(at, message));
            };
            if self.ev.out.types.element(ty).is_some() {
                return Ok(value);
            }
            let mut ranges = Vec::new();
            self.range_piece(Some(value), &mut ranges)?;
            ranges
        };
        let items: Vec<_> = ranges.iter().map(|&i| self.ev.out.values.int(i64::from(i))).collect();
        self.ev.list(&items, TypeId::INT)
    }

    fn conditional(&mut self) -> Result<()> {
        let span = self.span();
        self.advance();
        let test = self.value(None, None, Mode::Value)?;
        self.expect(Tok::Keyword(Keyword::Then), "expected 'then' after the condition")?;
        let never = self.ev.list(&[], TypeId::BIT)?;
        let once = self.ev.list(&[ValueId::TRUE], TypeId::BIT)?;
        self.branch(span, test, [once, never], "'then' clause")?;
        if self.consume(Tok::Keyword(Keyword::Else)) {
            self.branch(span, test, [never, once], "'else' clause")?;
        }
        Ok(())
    }

    /// Reads a branch of an `if`. The branch becomes a loop over `yes` if the condition holds, and over `no` otherwise.
    fn branch(&mut self, span: Span, test: ValueId, [yes, no]: [ValueId; 2], what: &str) -> Result<()> {
        let ty = self.ev.out.types.list(TypeId::BIT);
        let list = self.ev.operate(Op::If, ty, &[test, yes, no], None, false)?;
        self.loops.push(Loop { span, variable: None, list, entries: Vec::new() });
        self.push_scope(ScopeKind::Plain);
        let done = self.block(what);
        self.scopes.pop();
        let inner = self.loops.pop();
        done?;
        self.add_entry(Entry::Loop(inner.ok_or(Failed)?))
    }

    fn let_in(&mut self) -> Result<()> {
        self.advance();
        let mut lets = Vec::new();
        loop {
            let (name, span) = self.identifier("expected identifier in let definition")?;
            let mut bits = Vec::new();
            if self.consume(Tok::Less) {
                bits = self.range_list()?;
                self.expect(Tok::Greater, "expected '>' at end of range list")?;
            }
            bits.reverse();
            self.expect(Tok::Equal, "expected '=' in let expression")?;
            let first = self.span();
            let value = self.value(None, None, Mode::Value)?;
            lets.push(Let { name, bits, value, span, first });
            if !self.consume(Tok::Comma) {
                break;
            }
        }
        self.expect(Tok::Keyword(Keyword::In), "expected 'in' at end of top-level 'let'")?;
        self.lets.push(lets);
        self.push_scope(ScopeKind::Plain);
        let done = self.block("top level let command");
        self.scopes.pop();
        self.lets.pop();
        done
    }

    fn assertion(&mut self, record: Option<RecordId>) -> Result<()> {
        self.advance();
        let span = self.span();
        let condition = self.value(record, None, Mode::Value)?;
        self.expect(Tok::Comma, "expected ',' in assert statement")?;
        let message = self.value(record, None, Mode::Value)?;
        self.expect(Tok::Semi, "expected ';'")?;
        self.add_check(record, Check::Assert { span, condition, message })
    }

    fn add_check(&mut self, record: Option<RecordId>, check: Check) -> Result<()> {
        match record {
            Some(record) => {
                self.ev.out.records[record].checks.push(check);
                Ok(())
            }
            None => self.add_entry(Entry::Check(check)),
        }
    }

    fn dump(&mut self, record: Option<RecordId>) -> Result<()> {
        let span = self.span();
        self.advance();
        let mut message = self.value(record, None, Mode::Value)?;
        self.expect(Tok::Semi, "expected ';'")?;
        if let Node::Def(_) = self.ev.node(message) {
            message = self.ev.operate(Op::Repr, TypeId::STRING, &[message], record, false)?;
        }
        if record.is_none() {
            // `!exists`, `!instances` and similar operators are evaluated now, although more records may follow.
            let mut scope = Scope::names(None);
            scope.last = true;
            message = self.ev.resolve(message, &mut scope)?;
        }
        self.add_check(record, Check::Dump { span, message })
    }
}
