//! The state of the parser: tokens, scopes and the names in them.
//!
//! The parser evaluates while it reads. `values` and `operators` read expressions, and `statements` reads the rest.

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use super::error::{self, Failed, Result};
use super::evaluator::Evaluator;
use super::ids::{RecordId, TypeId, ValueId};
use super::instantiate::{Defset, Entry, Loop};
use super::lexer::{Lexer, Tok};
use super::record::Kind;
use super::value::Node;
use crate::intern::StrId;
use crate::source::{Diagnostic, Span};
use crate::stack::with_room;

/// The maximum nesting of values and types in the text.
pub(super) const NESTING_LIMIT: u32 = 10_000;

/// The kind of a scope. The scope defines the names that its kind states, in addition to its variables.
#[derive(Clone, Copy, Debug)]
pub(super) enum ScopeKind {
    /// No other names.
    Plain,
    /// No other names. The variables are those that an operator binds.
    Operator,
    /// The fields of a record, and the template arguments of a class.
    Record(RecordId),
    /// The variable of a loop.
    Loop(Option<(StrId, ValueId)>),
    /// The template arguments of a multiclass.
    Multiclass(RecordId),
}

#[derive(Debug)]
pub(super) struct ScopeFrame {
    pub(super) kind: ScopeKind,
    pub(super) variables: Vec<(StrId, ValueId)>,
}

/// An assignment of a `let … in`.
#[derive(Clone, Debug)]
pub(super) struct Let {
    pub(super) name: StrId,
    pub(super) bits: Vec<u32>,
    pub(super) value: ValueId,
    pub(super) span: Span,
    /// The first token of the value.
    pub(super) first: Span,
}

/// A multiclass. Its record holds the template arguments.
#[derive(Debug)]
pub(super) struct Multiclass {
    pub(super) record: RecordId,
    pub(super) entries: Vec<Entry>,
}

/// The treatment of a name that no inner scope defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The name must be a record or a variable of the outermost scope.
    Value,
    /// The name stands for its text, because it is part of a record's name.
    Name,
}

/// The parser of one run.
pub(super) struct Parser<'a> {
    pub(super) lexer: Lexer<'a>,
    pub(super) ev: Evaluator,
    pub(super) scopes: Vec<ScopeFrame>,
    pub(super) lets: Vec<Vec<Let>>,
    pub(super) loops: Vec<Loop>,
    pub(super) defsets: Vec<Defset>,
    pub(super) multiclasses: HashMap<StrId, Multiclass, FxBuildHasher>,
    /// The multiclass whose body is being read.
    pub(super) multiclass: Option<StrId>,
    /// The record of that multiclass.
    pub(super) multiclass_record: Option<RecordId>,
    pub(super) aliases: HashMap<StrId, TypeId, FxBuildHasher>,
    pub(super) warn_unused: bool,
    pub(super) nesting: u32,
    /// The names whose definitions have errors. Further errors about them are not reported.
    pub(super) broken: HashSet<StrId, FxBuildHasher>,
    /// True if a skipped statement may have defined names. If so, undefined names are not reported.
    pub(super) unsure: bool,
}

impl Parser<'_> {
    // Tokens.

    pub(super) fn tok(&self) -> Tok {
        self.lexer.tok
    }

    pub(super) fn span(&self) -> Span {
        self.lexer.span
    }

    pub(super) fn advance(&mut self) -> Tok {
        let tok = self.lexer.advance(&mut self.ev.out.strings);
        self.ev.here = self.lexer.span;
        if !self.lexer.pending.is_empty() {
            self.ev.diagnostics.extend(std::mem::take(&mut self.lexer.pending));
        }
        tok
    }

    pub(super) fn consume(&mut self, tok: Tok) -> bool {
        let found = self.tok() == tok;
        if found {
            self.advance();
        }
        found
    }

    /// Fails, and reports an error at the current token unless the lexer has already reported one there.
    pub(super) fn unexpected<T>(&mut self, message: impl Into<String>) -> Result<T> {
        if self.tok() == Tok::Error {
            return Err(Failed);
        }
        let span = self.span();
        self.ev.fail(error::at(span, message))
    }

    pub(super) fn expect(&mut self, tok: Tok, message: &str) -> Result<()> {
        if self.consume(tok) { Ok(()) } else { self.unexpected(message) }
    }

    pub(super) fn identifier(&mut self, message: &str) -> Result<(StrId, Span)> {
        match self.tok() {
            Tok::Id(name) => {
                let span = self.span();
                self.advance();
                Ok((name, span))
            }
            _ => self.unexpected(message),
        }
    }

    /// The span from `start` to the last token that was read.
    pub(super) fn since(&self, start: Span) -> Span {
        Span { lo: start.lo, hi: self.lexer.last_end.max(start.hi) }
    }

    /// Runs `f` with the nesting increased by one. Fails if the nesting would exceed `limit`.
    pub(super) fn nested<T>(&mut self, limit: u32, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nesting >= limit {
            let span = self.span();
            self.ev.stopped = true;
            return self.ev.fail(error::depth(span, "this nests", limit));
        }
        self.nesting += 1;
        let result = with_room(|| f(self));
        self.nesting -= 1;
        result
    }

    // Scopes.

    pub(super) fn push_scope(&mut self, kind: ScopeKind) {
        self.scopes.push(ScopeFrame { kind, variables: Vec::new() });
    }

    /// Runs `f` in the scope of an operator that binds these variables.
    pub(super) fn with_variables<T>(
        &mut self,
        variables: Vec<(StrId, ValueId)>,
        f: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.scopes.push(ScopeFrame { kind: ScopeKind::Operator, variables });
        let result = f(self);
        self.scopes.pop();
        result
    }

    pub(super) fn defined_here(&self, name: StrId) -> bool {
        self.scopes.last().is_some_and(|scope| scope.variables.iter().any(|&(own, _)| own == name))
    }

    /// True if an enclosing operator binds this name.
    pub(super) fn operator_binds(&self, name: StrId) -> bool {
        let operators = self.scopes.iter().filter(|scope| matches!(scope.kind, ScopeKind::Operator));
        operators.flat_map(|scope| &scope.variables).any(|&(bound, _)| bound == name)
    }

    /// Looks up a name in the scopes.
    pub(super) fn variable(&mut self, name: StrId) -> Option<ValueId> {
        for at in (0..self.scopes.len()).rev() {
            let scope = &self.scopes[at];
            if let Some(&(_, value)) = scope.variables.iter().rev().find(|&&(own, _)| own == name) {
                return Some(value);
            }
            match scope.kind {
                ScopeKind::Plain | ScopeKind::Operator => {}
                ScopeKind::Loop(variable) => {
                    if let Some((_, value)) = variable.filter(|&(own, _)| own == name) {
                        return Some(value);
                    }
                }
                ScopeKind::Record(record) => {
                    if let Some(at) = self.ev.field_index(record, name) {
                        let shape = self.ev.out.records[record].shape;
                        let ty = self.ev.out.shapes.all[shape].fields[at].ty;
                        return Some(self.ev.out.values.intern(Node::Var(name, ty)));
                    }
                    let is_class = self.ev.out.records[record].kind == Kind::Class;
                    if let Some(value) = is_class.then(|| self.template_argument(record, name)).flatten() {
                        return Some(value);
                    }
                }
                ScopeKind::Multiclass(record) => {
                    if let Some(value) = self.template_argument(record, name) {
                        return Some(value);
                    }
                }
            }
        }
        None
    }

    fn template_argument(&mut self, owner: RecordId, name: StrId) -> Option<ValueId> {
        let args = &mut self.ev.out.records[owner].template_args;
        if let Some(arg) = args.iter_mut().find(|arg| arg.short == name) {
            arg.used = true;
            let (name, ty) = (arg.name, arg.ty);
            return Some(self.ev.out.values.intern(Node::Var(name, ty)));
        }
        (name == self.ev.name_word).then(|| self.implicit_name(owner))
    }

    /// Returns the value of `NAME` in a class or multiclass.
    pub(super) fn implicit_name(&mut self, owner: RecordId) -> ValueId {
        let name = self.ev.qualify(owner, self.ev.name_word);
        self.ev.out.values.intern(Node::Var(name, TypeId::STRING))
    }

    /// Looks up a record or a variable of the outermost scope.
    pub(super) fn global(&mut self, name: StrId) -> Option<ValueId> {
        if let Some(def) = self.ev.def(name) {
            return Some(self.ev.out.values.def(def));
        }
        self.ev.globals.get(&name).copied()
    }

    /// Reports an undefined name, unless an earlier error may be the cause.
    pub(super) fn unknown<T>(&mut self, name: StrId, problem: Diagnostic) -> Result<T> {
        if self.unsure || self.broken.contains(&name) {
            return Err(Failed);
        }
        self.ev.fail(problem)
    }

    /// Reads the name of a class.
    pub(super) fn class_name(&mut self) -> Result<RecordId> {
        let Tok::Id(name) = self.tok() else { return self.unexpected("expected name for ClassID") };
        let Some(&class) = self.ev.out.class_names.get(&name) else {
            let span = self.span();
            let is_multiclass = self.multiclasses.contains_key(&name);
            let problem = error::unknown_class(span, &self.ev.out.strings[name], is_multiclass);
            return self.unknown(name, problem);
        };
        self.advance();
        Ok(class)
    }
}
