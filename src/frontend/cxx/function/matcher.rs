//! Lowers `matchPattern(on, matcher)` with a matcher whose class is in the source files.
//!
//! The data members of a matcher are usually pointers and references to variables of the caller. No value represents
//! such a pointer or reference, so a matcher is not an object: its function `match` is compiled with the data members
//! as further parameters, and the call passes the arguments from which the data members are initialised.

use super::body::{Body, parse_body};
use super::call::Call;
use super::head::head;
use super::packs::Packs;
use super::parse::Parameter;
use super::scan::Declared;
use super::source::Functions;
use crate::frontend::cxx::ast::{Ast, NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lex::tokens;
use crate::frontend::cxx::lower::Lower;
use crate::snippet::{Form, Item, Ty, Typed};

/// The name of the function of a matcher.
const MATCH: &str = "match";

/// A matcher of the source files.
struct Matcher {
    /// The path of its class.
    class: Vec<String>,
    /// The template arguments of its class. Empty if the arguments determine them.
    template: Vec<TypeName>,
    /// The data members.
    members: Vec<Parameter>,
    /// For each data member, the expression from which it is initialised.
    values: Vec<NodeId>,
}

/// The class of an object that an expression creates, and the arguments of its constructor.
fn creation(ast: &Ast, node: NodeId) -> Option<(&TypeName, &[NodeId])> {
    match &ast[node].kind {
        NodeKind::Construct(class, args) => Some((class, args)),
        NodeKind::Call(callee, args) => match &ast[*callee].kind {
            NodeKind::Name(name) => Some((name, args)),
            _ => None,
        },
        _ => None,
    }
}

/// The number of the parameter that an expression names.
fn parameter_number(ast: &Ast, node: NodeId, params: &[Parameter]) -> Option<usize> {
    match &ast[node].kind {
        NodeKind::Name(name) => params.iter().position(|(_, param, _)| *param == name.path),
        _ => None,
    }
}

/// For each data member of a class, the index of the constructor argument that initialises it. `None` if no constructor
/// or several constructors take `count` arguments, or if the constructor has other code than these initialisations.
fn arguments_of_members(
    functions: &Functions,
    class: &Declared,
    members: &[Parameter],
    count: usize,
) -> Option<Vec<usize>> {
    let constructors = functions.constructors(&class.path);
    if constructors.is_empty() {
        return (members.len() == count).then(|| (0..count).collect());
    }
    let heads =
        constructors.into_iter().map(|constructor| Some((constructor, head(functions, constructor).ok()?)));
    let heads: Vec<_> = heads.collect::<Option<_>>()?;
    let mut fitting = heads.into_iter().filter(|(_, head)| head.params.len() == count);
    let ((constructor, head), None) = (fitting.next()?, fitting.next()) else { return None };
    let Body { ast, body, initialisers, .. } = parse_body(functions, constructor, &Packs::default()).ok()?;
    let is_empty = matches!(&ast[body].kind, NodeKind::Block(statements) if statements.is_empty());
    let number = |member: &Parameter| {
        let (_, args, _) = initialisers.iter().find(|(name, ..)| *name == member.1)?;
        let &[arg] = &args[..] else { return None };
        parameter_number(&ast, arg, &head.params)
    };
    members.iter().map(number).collect::<Option<Vec<usize>>>().filter(|_| is_empty)
}

impl Lower<'_, '_> {
    /// Lowers `matchPattern(on, matcher)`, where the class of the matcher is in the source files. Returns `None` for
    /// another matcher.
    pub(super) fn match_class(
        &mut self,
        node: NodeId,
        on: NodeId,
        matcher: NodeId,
    ) -> Result<Option<Typed>, Fault> {
        let Some(functions) = self.functions() else { return Ok(None) };
        let Some(Matcher { class, template, members, values }) = self.matcher(functions, matcher)? else {
            return Ok(None);
        };
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let class = class.join("::");
        let takes_op = |&function: &usize| {
            head(functions, function).is_ok_and(|head| {
                matches!(&head.params[..], [(ty, ..)] if ty.path == "Operation" && ty.passing == Passing::Pointer)
            })
        };
        let all = functions.members(&class, MATCH);
        let is_special =
            |&function: &usize| functions.definition(function).class_template.arguments.is_some();
        if all.iter().any(is_special) {
            return Err(error::unsupported("a specialised class of matchers", lo, hi));
        }
        let [function] = all.iter().copied().filter(takes_op).collect::<Vec<_>>()[..] else {
            return Err(error::unsupported("a matcher without a function 'match(Operation *)'", lo, hi));
        };
        let mut head = head(functions, function)?;
        head.params.splice(0..0, members);
        let on = self.expression(on, None)?;
        let mut held = Vec::new();
        let op = match on.ty {
            Ty { item: Item::Op(_), form: Form::One } => on,
            Ty { item: Item::Value, form: Form::One } => {
                self.method_of(node, on, "getDefiningOp", &[], &[])?
            }
            _ => return Err(error::unsupported("a matcher of the files for this argument", lo, hi)),
        };
        let op = self.hold(node, op, &mut held)?;
        let mut passed = self.items(&values, None)?;
        passed.push(op);
        let name = TypeName { scope_args: template, ..TypeName::plain(MATCH, lo, hi) };
        let call = Call { node, name: &name, args: &values, values: &passed, object: None };
        let matched = self.call_with_head(functions, function, head, &call)?;
        let matched = self.build(node, |b| {
            let otherwise = b.bool(false)?;
            b.select(op, matched, otherwise)
        })?;
        self.bind_held(node, held, matched).map(Some)
    }

    /// The matcher that an expression creates: `Matcher(args)`, or `m_Matcher(args)` for a function that returns such
    /// an object. `None` if the files define neither.
    fn matcher(&mut self, functions: &Functions, node: NodeId) -> Result<Option<Matcher>, Fault> {
        let ast = self.ast;
        let Some((name, args)) = creation(ast, node) else { return Ok(None) };
        let (lo, hi) = (ast[node].lo, ast[node].hi);
        let outside = || error::unsupported("a matcher of this form", lo, hi);
        if let Some((text, class)) = functions.class(&name.path, &self.site(functions, name.lo)) {
            return matcher_of_class(functions, text, class, &name.args, args).ok_or_else(outside).map(Some);
        }
        let [function] = functions.free(name, &self.enclosing)[..] else { return Ok(None) };
        if functions.is_of_library(function) {
            return Ok(None);
        }
        let head = head(functions, function)?;
        let Body { ast: inner, body, .. } = parse_body(functions, function, &Packs::default())?;
        let returned = match &inner[body].kind {
            NodeKind::Block(statements) => match statements[..] {
                [only] => only,
                _ => return Err(outside()),
            },
            _ => body,
        };
        let NodeKind::Return(Some(made)) = inner[returned].kind else { return Err(outside()) };
        let (created, given) = creation(&inner, made).ok_or_else(outside)?;
        let path = &functions.definition(function).path;
        let site = functions.site(functions.text(function), created.lo, path, &[]);
        let (text, class) = functions.class(&created.path, &site).ok_or_else(outside)?;
        let number = |&arg: &NodeId| parameter_number(&inner, arg, &head.params);
        let given: Option<Vec<NodeId>> =
            given.iter().map(|arg| number(arg).and_then(|number| args.get(number).copied())).collect();
        let given = given.ok_or_else(outside)?;
        // The arguments of the call determine a template parameter that the call does not state.
        let stated = |of: &TypeName| match head.template.iter().position(|param| param.name == of.path) {
            Some(number) => name.args.get(number).cloned(),
            None => Some(of.clone()),
        };
        let template: Option<Vec<TypeName>> = created.args.iter().map(stated).collect();
        let template = template.unwrap_or_default();
        matcher_of_class(functions, text, class, &template, &given).ok_or_else(outside).map(Some)
    }
}

/// The matcher of a class, created with these arguments; `None` if the class is outside the language.
fn matcher_of_class(
    functions: &Functions,
    text: &str,
    class: &Declared,
    template: &[TypeName],
    args: &[NodeId],
) -> Option<Matcher> {
    let tokens = tokens(text, &class.declaration).ok()?;
    let mut parser = functions.parser(&tokens, text, &class.path);
    let body = parser.class_body(class.path.last()?)?;
    let member = |&member: &NodeId| match &parser.ast[member].kind {
        NodeKind::Declare { ty, name, init } if init.first().is_none() => {
            Some((ty.clone(), name.clone(), None))
        }
        _ => None,
    };
    let members: Vec<Parameter> = body.members.iter().map(member).collect::<Option<_>>()?;
    let numbers = arguments_of_members(functions, class, &members, args.len())?;
    let values = numbers.into_iter().map(|number| args.get(number).copied()).collect::<Option<_>>()?;
    Some(Matcher { class: class.path.clone(), template: template.to_vec(), members, values })
}
