//! Creates records: merges classes, instantiates multiclasses and loops, and completes records.

use smallvec::SmallVec;

use super::error::{self, Failed, Result};
use super::evaluator::Evaluator;
use super::ids::{RecordId, ShapeId, TypeId, ValueId};
use super::record::{Assignment, Check, FieldDecl, Kind, Merged, RecordData};
use super::resolve::Scope;
use super::value::Node;
use crate::id::Id;
use crate::intern::StrId;
use crate::source::{Diagnostic, Span};

/// The maximum number of superclasses of a record. It is limited because superclasses are walked and printed one by
/// one.
const ANCESTOR_LIMIT: u32 = 4096;

/// An entry of a multiclass or loop, which each instantiation creates again.
#[derive(Debug)]
pub(super) enum Entry {
    /// A record, which is copied.
    Record(RecordId),
    Loop(Loop),
    Check(Check),
}

/// A `foreach` loop. A branch of an `if` is a loop over a list of at most one element.
#[derive(Debug)]
pub(super) struct Loop {
    pub(super) span: Span,
    pub(super) variable: Option<StrId>,
    pub(super) list: ValueId,
    pub(super) entries: Vec<Entry>,
}

/// The argument of a class or multiclass. `name` is the qualified name. A positional argument has no name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Argument {
    pub(super) name: Option<StrId>,
    pub(super) value: ValueId,
    pub(super) span: Span,
}

/// Names with their values, innermost last.
pub(super) type Bindings = Vec<(StrId, ValueId)>;

/// A `defset` that is being read.
#[derive(Debug)]
pub(super) struct Defset {
    pub(super) span: Span,
    pub(super) element: TypeId,
    pub(super) found: Vec<ValueId>,
}

impl Evaluator {
    /// Creates a record without fields.
    pub(super) fn new_record(&mut self, name: ValueId, kind: Kind, span: Span) -> RecordId {
        self.out.records.push(RecordData {
            name,
            kind,
            shape: ShapeId::EMPTY,
            values: Vec::new(),
            set_at: Vec::new(),
            parents: Vec::new(),
            span,
            defms: Vec::new(),
            template_args: Vec::new(),
            checks: Vec::new(),
            implicit_name: None,
            ancestors: 0,
            complete: false,
        })
    }

    /// Returns the position of a field.
    pub(super) fn field_index(&self, record: RecordId, name: StrId) -> Option<usize> {
        self.out.shapes.all[self.out.records[record].shape].find(name)
    }

    /// Declares a field, or sets the existing field of this name.
    pub(super) fn add_field(
        &mut self,
        record: RecordId,
        decl: FieldDecl,
        value: ValueId,
        span: Span,
    ) -> Result<()> {
        if let Some(index) = self.field_index(record, decl.name) {
            return self.merge_field(record, index, &decl, value, span);
        }
        let shape = self.out.records[record].shape;
        let shape = if self.out.shapes.all[shape].owner == Some(record) {
            shape
        } else {
            let fork = self.out.shapes.all[shape].fork(Some(record));
            self.out.shapes.all.push(fork)
        };
        self.out.shapes.all[shape].push(decl);
        let Some(value) = self.fit_field(value, decl.ty)? else {
            return self.fail(error::at(span, "the value does not fit the field"));
        };
        let data = &mut self.out.records[record];
        data.shape = shape;
        data.values.push(value);
        Ok(())
    }

    fn merge_field(
        &mut self,
        record: RecordId,
        index: usize,
        decl: &FieldDecl,
        value: ValueId,
        span: Span,
    ) -> Result<()> {
        let ty = self.out.shapes.all[self.out.records[record].shape].fields[index].ty;
        let Some(value) = self.fit_field(value, ty)? else {
            let (new, old) = (self.out.show_type(decl.ty), self.out.show_type(ty));
            let name = &self.out.strings[decl.name];
            let message = format!(
                "New definition of '{name}' of type '{new}' is incompatible with previous definition of type '{old}'"
            );
            return self.fail(error::at(span, message));
        };
        self.out.records[record].values[index] = value;
        Ok(())
    }

    /// Adds the fields of a class to a record.
    fn merge_class(&mut self, record: RecordId, class: RecordId, span: Span) -> Result<()> {
        let theirs = self.out.records[class].shape;
        let ours = self.out.records[record].shape;
        self.out.shapes.all[theirs].owner = None;
        if self.out.records[record].values.is_empty() {
            let data = &self.out.records[class];
            let (values, set_at) = (data.values.clone(), data.set_at.clone());
            let data = &mut self.out.records[record];
            data.shape = theirs;
            data.values = values;
            data.set_at = set_at;
            return Ok(());
        }
        self.out.shapes.all[ours].owner = None;
        let Merged { shape, places } = self.merged_shape(ours, theirs);
        let count = self.out.shapes.all[shape].fields.len();
        self.out.records[record].values.resize(count, ValueId::UNSET);
        self.out.records[record].shape = shape;
        let new_from = self.out.shapes.all[ours].fields.len();
        for (i, &place) in places.iter().enumerate() {
            let value = self.out.records[class].values[i];
            let place = place as usize;
            let decl = self.out.shapes.all[theirs].fields[i];
            if place >= new_from {
                self.out.records[record].values[place] = value;
            } else {
                self.merge_field(record, place, &decl, value, span)?;
                // The field counts as set at its declaration in the class.
                let place = places[i];
                self.out.records[record].set_at.retain(|&(at, _)| at != place);
                let assignment = Assignment { name: decl.span, value: decl.span };
                self.out.records[record].set_at.push((place, assignment));
            }
        }
        let theirs = self.out.records[class].set_at.clone();
        let set_at = theirs.iter().map(|&(i, assignment)| (places[i as usize], assignment));
        self.out.records[record].set_at.extend(set_at);
        Ok(())
    }

    fn merged_shape(&mut self, ours: ShapeId, theirs: ShapeId) -> Merged {
        if let Some(merged) = self.out.shapes.merged.get(&(ours, theirs)) {
            return merged.clone();
        }
        let all = &mut self.out.shapes.all;
        let mut shape = all[ours].fork(None);
        let places = all[theirs].fields.iter().map(|decl| {
            let at = shape.find(decl.name).unwrap_or_else(|| shape.push(*decl));
            u32::try_from(at).expect("the number of fields is bounded")
        });
        let places = places.collect();
        // A class without new fields leaves the shape unchanged.
        let adds = shape.fields.len() > all[ours].fields.len();
        let merged = Merged { shape: if adds { all.push(shape) } else { ours }, places };
        self.out.shapes.merged.insert((ours, theirs), merged.clone());
        merged
    }

    /// Binds the template arguments of a class or multiclass to the given arguments or to their defaults.
    pub(super) fn bind_arguments(
        &mut self,
        owner: RecordId,
        args: &[Argument],
        span: Span,
    ) -> Result<Bindings> {
        let mut bindings = Vec::with_capacity(self.out.records[owner].template_args.len());
        for (i, arg) in args.iter().enumerate() {
            let by_position = self.out.records[owner].template_args.get(i).map(|own| own.name);
            let name = arg.name.or(by_position).ok_or(Failed)?;
            if bindings.iter().any(|&(bound, _)| bound == name) {
                let name = &self.out.strings[name];
                let message = format!("We can only specify the template argument '{name}' once");
                return self.fail(error::at(span, message));
            }
            bindings.push((name, arg.value));
        }
        for i in 0..self.out.records[owner].template_args.len() {
            let own = self.out.records[owner].template_args[i];
            if bindings.iter().any(|&(bound, _)| bound == own.name) {
                continue;
            }
            if !self.out.values.flags(own.default).complete() {
                let (name, owner) = (&self.out.strings[own.name], self.out.record(owner).name());
                let problem = error::missing_argument(span, name, owner, own.span);
                return self.fail(problem);
            }
            bindings.push((own.name, own.default));
        }
        Ok(bindings)
    }

    /// Adds a class to the parents of a record.
    pub(super) fn add_class(
        &mut self,
        record: RecordId,
        class: RecordId,
        args: &[Argument],
        span: Span,
    ) -> Result<()> {
        self.step()?;
        if self.out.derives(class, record) {
            let name = self.out.record(class).name();
            return self.fail(error::at(span, format!("class '{name}' cannot derive from itself")));
        }
        self.merge_class(record, class, span)?;
        let bindings = self.bind_arguments(class, args, span)?;
        self.place_arguments(record, class, args);
        let checks = self.out.records[class].checks.clone();
        self.out.records[record].checks.extend(checks);
        let mut scope = Scope::names(Some(record));
        bindings.into_iter().for_each(|(name, value)| scope.bind_new(name, value));
        let data = &self.out.records[record];
        let name = if data.kind == Kind::Class {
            let own = self.qualify(record, self.name_word);
            self.out.values.intern(Node::Var(own, TypeId::STRING))
        } else {
            data.name
        };
        let theirs = self.qualify(class, self.name_word);
        scope.bind_new(theirs, name);
        self.resolve_record(record, &mut scope)?;
        if self.out.derives(record, class) {
            let problem = error::already_subclass(span, self.out.record(class).name());
            return self.fail(problem);
        }
        self.add_parent(record, class, span)
    }

    /// Stores the place of each string argument that becomes the value of a field. An error in the text of the field
    /// is then reported at the argument, not in the class.
    fn place_arguments(&mut self, record: RecordId, class: RecordId, args: &[Argument]) {
        let own = &self.out.records[class].template_args;
        let texts: Vec<(StrId, Span)> = args
            .iter()
            .enumerate()
            .filter(|(_, arg)| matches!(self.out.values.node(arg.value), Node::Str(..)))
            .filter_map(|(i, arg)| Some((arg.name.or(own.get(i).map(|own| own.name))?, arg.span)))
            .collect();
        if texts.is_empty() {
            return;
        }
        let data = &self.out.records[record];
        let fields = &self.out.shapes.all[data.shape].fields;
        let placed: Vec<(u32, Assignment)> = (0..)
            .zip(&data.values)
            .zip(fields)
            .filter_map(|((index, &value), decl)| {
                let Node::Var(name, _) = self.out.values.node(value) else { return None };
                let &(_, value) = texts.iter().find(|(text, _)| *text == name)?;
                Some((index, Assignment { name: data.value_span(index as usize, decl), value }))
            })
            .collect();
        self.out.records[record].set_at.extend(placed);
    }

    /// Adds a parent whose fields have been merged.
    fn add_parent(&mut self, record: RecordId, class: RecordId, span: Span) -> Result<()> {
        let more = self.out.records[class].ancestors.saturating_add(1);
        let data = &mut self.out.records[record];
        data.ancestors = data.ancestors.saturating_add(more);
        data.parents.push((class, span));
        if data.ancestors > ANCESTOR_LIMIT {
            return self.fail(error::limit(span, "the superclasses of a record", ANCESTOR_LIMIT));
        }
        Ok(())
    }

    /// Resolves the name, the values and the checks of a record.
    fn resolve_record(&mut self, record: RecordId, scope: &mut Scope) -> Result<()> {
        let name = self.out.records[record].name;
        self.out.records[record].name = self.resolve(name, scope)?;
        let mut failed = false;
        for i in 0..self.out.records[record].values.len() {
            let old = self.out.records[record].values[i];
            let values = &self.out.values;
            if !values.flags(old).open() || scope.misses(values.names(old)) {
                continue;
            }
            let done = self
                .resolve(old, scope)
                .and_then(|new| if new == old { Ok(()) } else { self.set_resolved(record, i, new) });
            if done.is_err() {
                // In the last resolution, errors in the other fields are reported too.
                if !scope.last || self.stopped {
                    return done;
                }
                failed = true;
            }
        }
        if failed {
            return Err(Failed);
        }
        for i in 0..self.out.records[record].checks.len() {
            let check = self.resolve_check(self.out.records[record].checks[i], scope)?;
            self.out.records[record].checks[i] = check;
        }
        Ok(())
    }

    fn set_resolved(&mut self, record: RecordId, index: usize, value: ValueId) -> Result<()> {
        let decl = self.out.shapes.all[self.out.records[record].shape].fields[index];
        match self.fit_field(value, decl.ty)? {
            Some(value) => {
                self.out.records[record].values[index] = value;
                Ok(())
            }
            None => {
                let ty = self.type_of(value);
                let of = ty.map_or(String::new(), |ty| format!("of type '{}' ", self.out.show_type(ty)));
                let message = format!(
                    "Invalid value {of}found when setting field '{}' of type '{}' after resolving references: {}",
                    &self.out.strings[decl.name],
                    self.out.show_type(decl.ty),
                    self.out.show_plain(value)
                );
                self.fail_in(Some(record), message)
            }
        }
    }

    /// Completes a record and publishes it under its name.
    pub(super) fn complete(&mut self, record: RecordId, defsets: &mut [Defset]) -> Result<()> {
        let mut renamed = None;
        let name = match self.node(self.out.records[record].name) {
            Node::Str(name, _) => Some(name),
            _ => self.out.strings.find(&self.out.show_plain(self.out.records[record].name).to_string()),
        };
        let previous = name.and_then(|name| self.def(name));
        if let (Some(name), Some(previous)) = (name, previous) {
            // Definitions of different dialects can have equal names. If both records come from files that are read
            // after the main file, the new record gets another name.
            let is_of_main = self.records_of_main.is_none_or(|count| previous.index() < count);
            let is_anonymous = self.out.records[record].kind == Kind::Anonymous;
            if !is_anonymous && is_of_main {
                let (span, old) = (self.out.records[record].span, self.out.records[previous].span);
                let problem = self.with_defm_notes(
                    record,
                    error::duplicate_def(span, self.out.record(previous).name(), old),
                );
                return self.fail(problem);
            }
            if is_anonymous {
                renamed = Some((self.out.records[record].name, self.next_anonymous()));
            } else {
                self.out.records[record].name = self.other_name(name);
            }
        }
        self.resolve_record(record, &mut Scope::fields(record, renamed))?;
        self.check_concrete(record);
        let Some(name) = self.as_str(self.out.records[record].name) else {
            let name = self.out.show(self.out.records[record].name);
            let message = format!("record name '{name}' could not be fully resolved");
            return self.fail_in(Some(record), message);
        };
        self.run_checks(record)?;
        for set in defsets {
            let ty = self.record_type(record);
            if !self.is_a(ty, set.element) {
                let message =
                    format!("adding record of incompatible type '{}' to defset", self.out.show_type(ty));
                let span = self.out.records[record].span;
                return self
                    .fail(error::at(span, message).note_at(set.span, "location of defset declaration"));
            }
            set.found.push(self.out.values.def(record));
        }
        self.publish(record, name)
    }

    fn publish(&mut self, record: RecordId, name: StrId) -> Result<()> {
        self.out.records[record].checks = Vec::new();
        self.out.records[record].complete = true;
        self.out.records[record].values.shrink_to_fit();
        if let Some(previous) = self.out.def_names.insert(name, record) {
            let (span, old) = (self.out.records[record].span, self.out.records[previous].span);
            let text = self.out.strings[name].to_owned();
            return self.fail(error::duplicate_def(span, &text, old));
        }
        self.out.defs.push(record);
        Ok(())
    }

    fn check_concrete(&mut self, record: RecordId) {
        let data = &self.out.records[record];
        let shape = &self.out.shapes.all[data.shape];
        let mut problems = Vec::new();
        for (decl, &value) in shape.fields.iter().zip(&data.values) {
            if decl.nonconcrete || self.out.values.flags(value).concrete() {
                continue;
            }
            if let Node::Bits(seq) = self.node(value) {
                // A bit may refer to an unset bit of another field.
                let is_resolved = |bit| match self.node(bit) {
                    Node::VarBit(of, _) => {
                        matches!(self.node(of), Node::Var(name, _) if shape.find(name).is_some())
                    }
                    Node::Var(..) => true,
                    _ => self.out.values.flags(bit).concrete(),
                };
                if self.out.values.items(seq).all(is_resolved) {
                    continue;
                }
            }
            let (field, own) = (&self.out.strings[decl.name], self.out.show_plain(data.name));
            let message = format!(
                "Initializer of '{field}' in '{own}' could not be fully resolved: {}",
                self.out.show(value)
            );
            problems.push(self.with_defm_notes(record, error::at(data.span, message)));
        }
        problems.into_iter().for_each(|problem| self.diagnostics.push(problem));
    }

    /// Runs the assertions and dumps of a record after its last resolution.
    fn run_checks(&mut self, record: RecordId) -> Result<()> {
        if self.out.records[record].checks.is_empty() {
            return Ok(());
        }
        let checks = self.out.records[record].checks.clone();
        let mut scope = Scope::fields(record, None);
        let mut failed = false;
        let is_assert = |check: &&Check| matches!(check, Check::Assert { .. });
        for check in checks.iter().filter(is_assert).chain(checks.iter().filter(|c| !is_assert(c))) {
            let check = self.resolve_check(*check, &mut scope)?;
            failed |= !self.run_check(check);
        }
        if failed {
            let span = self.out.records[record].span;
            let problem = self.with_defm_notes(record, error::at(span, "assertion failed in this record"));
            self.diagnostics.push(problem);
        }
        Ok(())
    }

    pub(super) fn resolve_check(&mut self, check: Check, scope: &mut Scope) -> Result<Check> {
        Ok(match check {
            Check::Assert { span, condition, message } => {
                let condition = self.resolve(condition, scope)?;
                Check::Assert { span, condition, message: self.resolve(message, scope)? }
            }
            Check::Dump { span, message } => Check::Dump { span, message: self.resolve(message, scope)? },
        })
    }

    /// Runs an assertion or dump. Returns false if an assertion fails.
    pub(super) fn run_check(&mut self, check: Check) -> bool {
        match check {
            Check::Assert { span, condition, message } => match self.as_int(condition) {
                None => {
                    // As in `llvm-tblgen`, the message lacks the word `be`.
                    self.diagnostics
                        .push(error::at(span, "assert condition must of type bit, bits, or int."));
                    false
                }
                Some(0) => {
                    let text = self.as_str(message).map(|text| &self.out.strings[text]);
                    let problem = error::assertion(span, text);
                    self.diagnostics.push(problem);
                    false
                }
                Some(_) => true,
            },
            Check::Dump { span, message } => {
                let diagnostic = match self.as_str(message) {
                    Some(text) => Diagnostic::note(&self.out.strings[text]).at(span, ""),
                    None => error::at(span, "dump value is not of type string"),
                };
                self.diagnostics.push(diagnostic);
                true
            }
        }
    }

    /// Returns the record of `Class<args>`, and creates it if necessary. Returns `instance` itself if an argument is
    /// not known yet.
    pub(super) fn fold_instance(&mut self, instance: ValueId) -> Result<ValueId> {
        let Node::Instance(class, args) = self.node(instance) else { return Ok(instance) };
        let key = (class, self.out.values.plain_seq(args, 2, 1));
        if let Some(&record) = self.instances.get(&key) {
            return Ok(self.out.values.def(record));
        }
        let given: SmallVec<[_; 8]> = self.out.values.named(args).collect();
        if given.iter().any(|&(_, value)| self.has_free_name(value, &mut Vec::new())) {
            return Ok(instance);
        }
        self.step()?;
        let record = self.nested(|this| {
            let span = this.instance_spans.get(&instance).copied().unwrap_or(this.here);
            let name = this.next_anonymous();
            let record = this.new_record(name, Kind::Anonymous, span);
            this.merge_class(record, class, span)?;
            this.out.records[record].checks = this.out.records[class].checks.clone();
            let mut scope = Scope::names(Some(record));
            for arg in &this.out.records[class].template_args {
                scope.bind(arg.name, arg.default);
            }
            for (i, &(name, value)) in given.iter().enumerate() {
                let by_position = this.out.records[class].template_args.get(i).map(|arg| arg.name);
                let name = name.get().or(by_position).ok_or(Failed)?;
                scope.bind(name, value);
            }
            this.resolve_record(record, &mut scope)?;
            let parent_span = this.out.records[class].span;
            this.add_parent(record, class, parent_span)?;
            this.resolve_record(record, &mut Scope::fields(record, None))?;
            let Some(name) = this.as_str(this.out.records[record].name) else {
                return this.fail_in(Some(record), "the name of an anonymous record was not resolved");
            };
            let checks = this.out.records[record].checks.clone();
            this.publish(record, name)?;
            this.out.records[record].checks = checks;
            this.run_checks(record)?;
            this.out.records[record].checks = Vec::new();
            Ok(record)
        })?;
        self.instances.insert(key, record);
        Ok(self.out.values.def(record))
    }

    /// Instantiates `entries` with `bindings`. Adds the new entries to `kept`. If `kept` is `None`, completes the new
    /// records and runs the new checks instead. A loop whose list is not known yet is an error if `last` is true or if
    /// `kept` is `None`.
    pub(super) fn expand(
        &mut self,
        entries: &[Entry],
        bindings: &mut Bindings,
        last: bool,
        mut kept: Option<&mut Vec<Entry>>,
        defm: Option<Span>,
        defsets: &mut [Defset],
    ) -> Result<()> {
        for entry in entries {
            self.step()?;
            match entry {
                Entry::Loop(inner) => {
                    self.expand_loop(inner, bindings, last, kept.as_deref_mut(), defm, defsets)?;
                }
                Entry::Check(check) => {
                    let check = self.resolve_check(*check, &mut bind_all(None, bindings))?;
                    match &mut kept {
                        Some(kept) => kept.push(Entry::Check(check)),
                        None => {
                            self.run_check(check);
                        }
                    }
                }
                Entry::Record(prototype) => {
                    let shape = self.out.records[*prototype].shape;
                    self.out.shapes.all[shape].owner = None;
                    let mut data = self.out.records[*prototype].clone();
                    data.defms.extend(defm);
                    let record = self.out.records.push(data);
                    self.resolve_record(record, &mut bind_all(Some(record), bindings))?;
                    match &mut kept {
                        Some(kept) => kept.push(Entry::Record(record)),
                        None => self.complete(record, defsets)?,
                    }
                }
            }
        }
        Ok(())
    }

    /// Like [`expand`](Self::expand), for each element of a loop's list.
    pub(super) fn expand_loop(
        &mut self,
        inner: &Loop,
        bindings: &mut Bindings,
        last: bool,
        mut kept: Option<&mut Vec<Entry>>,
        defm: Option<Span>,
        defsets: &mut [Defset],
    ) -> Result<()> {
        let mut scope = bind_all(None, bindings);
        let mut list = self.resolve(inner.list, &mut scope)?;
        if let (Node::Call { op: super::bang::Op::If, args, .. }, true) = (self.node(list), last) {
            // A branch must be chosen now, even if the condition contains an operator that only the last resolution
            // evaluates (`!cast`, `!exists` or `!instances`).
            let parts: Vec<_> = self.out.values.items(args).collect();
            scope.last = true;
            let test = self.resolve(parts[0], &mut scope)?;
            match self.as_int(test) {
                Some(test) => list = parts[if test != 0 { 1 } else { 2 }],
                None => {
                    let test = self.out.show(test);
                    let message =
                        format!("unable to resolve if condition '{test}' at end of containing scope");
                    return self.fail(error::at(inner.span, message));
                }
            }
        }
        let Some(items) = self.as_list(list) else {
            if let (false, Some(kept)) = (last, kept) {
                let mut entries = Vec::new();
                self.expand(&inner.entries, bindings, last, Some(&mut entries), defm, defsets)?;
                kept.push(Entry::Loop(Loop { span: inner.span, variable: inner.variable, list, entries }));
                return Ok(());
            }
            let list = self.out.show(list);
            let message = format!("attempting to loop over '{list}', expected a list");
            return self.fail(error::at(inner.span, message));
        };
        let items: Vec<_> = self.out.values.items(items).collect();
        for item in items {
            let depth = bindings.len();
            bindings.extend(inner.variable.map(|name| (name, item)));
            self.expand(&inner.entries, bindings, last, kept.as_deref_mut(), defm, defsets)?;
            bindings.truncate(depth);
        }
        Ok(())
    }
}

fn bind_all(record: Option<RecordId>, bindings: &Bindings) -> Scope {
    let mut scope = Scope::names(record);
    for &(name, value) in bindings {
        scope.bind(name, value);
    }
    scope
}
