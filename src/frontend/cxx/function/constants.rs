//! The constants, enumerations, macros and global variables of source files.

use super::head::{SPECIFIERS, without_macros};
use super::source::{Functions, Site};
use crate::frontend::cxx::ast::{Ast, Initialiser, NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lex::{TokenKind, tokens, tokens_at};
use crate::frontend::cxx::lower::{Lower, Lowered};
use crate::frontend::cxx::parse::Parser;
use crate::snippet::{Form, IntTy, Item, Ty, Typed};

/// The maximum length of a chain of classes and constants that refer to each other.
pub(super) const DECLARATION_LIMIT: u32 = 8;

impl<'a> Lower<'a, '_> {
    /// The lowering state for a declaration in a source file.
    pub(super) fn declaration<'s>(&'s mut self, text: &'s str, ast: &'s Ast) -> Lower<'a, 's> {
        Lower {
            text,
            in_function: true,
            inlined: self.inlined + 1,
            depth: self.depth,
            enclosing: self.enclosing.clone(),
            ..Lower::new(ast, self.request, &mut *self.b)
        }
    }

    /// The underlying type of an enumeration of the source files, and its enumerators; `None` if no enumeration has
    /// this name.
    fn enumeration(&mut self, path: &str, at: usize) -> Option<(IntTy, Vec<(String, i128)>)> {
        let functions = self.functions()?;
        let (text, declared) = functions.enumeration(path, &self.site(functions, at))?;
        let enumeration = functions.source_enum(text, declared);
        let tokens = {
            let range = &declared.declaration;
            tokens_at(&without_macros(&text[range.clone()]), range.start).ok()?
        };
        let declared = functions.parser(&tokens, text, &declared.path).enumeration()?;
        let ty = match &declared.underlying {
            Some(name) => match self.static_type(name)?.item {
                Item::Int(int) => int,
                _ => return None,
            },
            // An enumeration without a stated type is converted to `int` if `int` can hold all its values.
            None => {
                let fits = |(_, value): &(String, i128)| i32::try_from(*value).is_ok();
                if declared.cases.iter().all(fits) { IntTy::I32 } else { IntTy::I64 }
            }
        };
        Some((IntTy { enumeration, ..ty }, declared.cases))
    }

    /// The type of an enumeration of the source files; `None` if no enumeration has this name.
    pub(in crate::frontend::cxx) fn source_enum(&mut self, path: &str, at: usize) -> Option<Ty> {
        self.enumeration(path, at).map(|(ty, _)| Ty::one(ty.item()))
    }

    /// The place of the byte `at` of the text.
    pub(super) fn site<'s>(&'s self, functions: &Functions, at: usize) -> Site<'s> {
        functions.site(self.text, at, &self.enclosing, &self.usings)
    }

    /// The value of an enumerator of the source files; `None` if no enumerator has this name.
    pub(in crate::frontend::cxx) fn source_enumerator(
        &mut self,
        node: NodeId,
        path: &str,
    ) -> Result<Option<Typed>, Fault> {
        let Some(functions) = self.functions() else { return Ok(None) };
        let Some(of) = functions.enumeration_of(path, &self.site(functions, self.ast[node].lo)) else {
            return Ok(None);
        };
        // The complete path denotes the enumeration in all scopes.
        let enclosing = std::mem::take(&mut self.enclosing);
        let found = self.enumeration(&of, 0);
        self.enclosing = enclosing;
        let Some((ty, cases)) = found else { return Ok(None) };
        let case = path.rsplit("::").next();
        match cases.into_iter().find(|(name, _)| Some(name.as_str()) == case) {
            Some((_, value)) => self.build(node, |b| b.int(value, ty)).map(Some),
            None => Ok(None),
        }
    }

    /// The value of a macro that is a literal or an expression in parentheses; `None` for another name.
    pub(in crate::frontend::cxx) fn source_macro(
        &mut self,
        node: NodeId,
        name: &str,
    ) -> Result<Option<Typed>, Fault> {
        let Some((text, value)) = self.functions().and_then(|f| f.macro_value(name)) else { return Ok(None) };
        let Ok(tokens) = tokens(text, &value) else { return Ok(None) };
        if self.inlined >= DECLARATION_LIMIT {
            return Ok(None);
        }
        let mut parser = Parser::new(&tokens);
        // Unlike other text, a primary expression cannot combine with the operators around the macro.
        let Ok(value) = parser.primary() else { return Ok(None) };
        let is_literal = |kind: &NodeKind| {
            matches!(kind, NodeKind::Int { .. } | NodeKind::Float(..) | NodeKind::Str(_) | NodeKind::Char(_))
        };
        if !parser.at_end()
            || !is_literal(&parser.ast[value].kind) && !matches!(tokens[0].kind, TokenKind::Sign("("))
        {
            return Ok(None);
        }
        let ast = parser.ast;
        let value = self.declaration(text, &ast).expression(value, None);
        value.map(Some).map_err(|fault| {
            let reason = format!("the macro '{name}': {}", fault.message);
            error::outside(&reason, self.ast[node].lo, self.ast[node].hi)
        })
    }

    /// The value of a constant or global variable of the source files; `None` if none has this name.
    pub(in crate::frontend::cxx) fn source_constant(
        &mut self,
        node: NodeId,
        name: &TypeName,
    ) -> Result<Option<Typed>, Fault> {
        let Some((value, ty)) = self.declared_constant(node, name)? else { return Ok(None) };
        let container = self.container_class(&ty);
        self.set_container(value, container);
        Ok(Some(value))
    }

    /// The value and the declared type of a constant or global variable of the source files; `None` if none has this
    /// name.
    pub(super) fn declared_constant(
        &mut self,
        node: NodeId,
        name: &TypeName,
    ) -> Result<Option<(Typed, TypeName)>, Fault> {
        let Some(functions) = self.functions() else { return Ok(None) };
        let site = self.site(functions, self.ast[node].lo);
        let Some((text, constant)) = functions.constant(&name.path, &site) else { return Ok(None) };
        if self.inlined >= DECLARATION_LIMIT {
            return Ok(None);
        }
        let Ok(tokens) = tokens(text, &constant.declaration) else { return Ok(None) };
        let mut parser = functions.parser(&tokens, text, &constant.path);
        while SPECIFIERS.iter().any(|specifier| parser.eat_name(specifier)) {}
        let mut declared = Vec::new();
        if parser.declarations(&mut declared).is_err() {
            return Ok(None);
        }
        let ast = parser.ast;
        let short = name.path.rsplit("::").next();
        let found = declared.into_iter().find_map(|node| match &ast[node].kind {
            NodeKind::Declare { ty, name, init } if Some(name.as_str()) == short => Some((node, ty, init)),
            _ => None,
        });
        let Some((declaration, ty, init)) = found else { return Ok(None) };
        let mut inner = self.declaration(text, &ast);
        inner.enclosing.clone_from(&constant.path);
        match inner.initial(declaration, ty, init) {
            Ok(value) if constant.is_variable => {
                let key = functions.file_of_variable(text, constant).map(|file| {
                    format!("{}@{file}:{}", constant.path.join("::"), constant.declaration.start)
                });
                let value = self.global_variable(node, ty, key.as_deref(), value)?;
                Ok(Some((value, ty.clone())))
            }
            Ok(value) => Ok(Some((value, ty.clone()))),
            Err(fault) if self.in_function => {
                let reason = format!("the constant '{}': {}", name.path, fault.message);
                Err(error::outside(&reason, self.ast[node].lo, self.ast[node].hi))
            }
            Err(_) => Ok(None),
        }
    }

    /// A read of a global variable. The key identifies the variable; `None` if several functions use it. A read in a
    /// constraint is refused, because its value would depend on the order in which rules are matched.
    fn global_variable(&mut self, node: NodeId, ty: &TypeName, key: Option<&str>, initial: Typed) -> Lowered {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let is_number = matches!(initial.ty.item, Item::Int(_) | Item::Bool | Item::Double | Item::Float)
            && initial.ty.form == Form::One;
        let what = match key {
            _ if self.b.is_matching() => "a global variable in a constraint",
            _ if !is_number || !self.b.is_literal(initial) => {
                "a global variable other than a number with a literal as its initial value"
            }
            None => "a global variable that several functions use",
            Some(_) if ty.passing != Passing::Value || self.may_refer(node) => {
                "a reference to a global variable"
            }
            Some(key) => return self.build(node, |b| b.global(key, initial)),
        };
        Err(error::unsupported(what, lo, hi))
    }

    /// True if a reference may be bound to the variable with this name, or if a call may change the variable.
    fn may_refer(&self, name: NodeId) -> bool {
        let reads_number = |callee: NodeId| match &self.ast[callee].kind {
            NodeKind::Member { name, .. } => self.functions().is_none_or(|of| of.named(name).is_empty()),
            NodeKind::Name(name) => name.path.ends_with("::get"),
            _ => false,
        };
        self.ast.iter().any(|node| match &node.kind {
            NodeKind::Call(callee, args) => args.contains(&name) && !reads_number(*callee),
            NodeKind::Construct(_, args) | NodeKind::Braces(args) => args.contains(&name),
            NodeKind::AddressOf(of) => *of == name,
            NodeKind::Select(_, a, b) => [*a, *b].contains(&name),
            NodeKind::Let(_, value, _) => *value == name,
            NodeKind::Declare { ty, init, .. } => {
                ty.passing != Passing::Value && matches!(init, Initialiser::Value(value) if *value == name)
            }
            _ => false,
        })
    }
}
