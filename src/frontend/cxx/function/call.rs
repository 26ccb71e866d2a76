//! Chooses the function that a call refers to, and compiles it for the types of the arguments.

use hashbrown::HashMap;

use super::changes::{Changes, is_map};
use super::parse::{Parameter, TemplateParameter};
use super::place::Held;
use super::reference::Place;
use super::source::{Functions, Helpers, Instance, Key, Problem};
use crate::frontend::cxx::ast::{Ast, NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lex::{self, Token};
use crate::frontend::cxx::lower::{Bound, Lower, Lowered, Template};
use crate::frontend::cxx::parse::Parser;
use crate::frontend::cxx::request::Request;
use crate::snippet::{Builtin, Form, FunctionId, IntTy, Item, LocalId, Ty, Typed};
use crate::source::Span;
use crate::stack::with_room;

/// The maximum nesting of compilations: compiling a function compiles the functions that it calls.
const NESTING_LIMIT: u32 = 32;

/// The maximum length of a chain of classes and constants that refer to each other.
const DECLARATION_LIMIT: u32 = 8;

/// The specifiers before a result type.
const SPECIFIERS: &[&str] =
    &["static", "inline", "constexpr", "explicit", "virtual", "extern", "friend", "LLVM_ATTRIBUTE_UNUSED"];

/// The head of a definition.
pub(super) struct Head {
    pub(super) template: Vec<TemplateParameter>,
    /// `None` for `auto`.
    pub(super) result: Option<TypeName>,
    pub(super) params: Vec<Parameter>,
    /// The nodes of default arguments.
    ast: Ast,
}

/// A definition that takes the arguments of a call.
pub(super) struct Candidate {
    function: usize,
    head: Head,
    /// The class of a member function.
    class: Option<String>,
    templates: HashMap<String, Template>,
    /// The type of each parameter.
    types: Vec<Ty>,
    /// The sum of the distances between arguments and parameters.
    distance: u32,
}

impl Candidate {
    /// A member function of a class, called with arguments of these types.
    pub(super) fn of_class(class: Option<String>, function: usize, head: Head, types: Vec<Ty>) -> Self {
        Self { function, head, class, templates: HashMap::new(), types, distance: 0 }
    }
}

/// The tokens of a byte range of a text. Their ranges count from the start of the whole text.
fn tokens(text: &str, range: &std::ops::Range<usize>) -> Result<Vec<Token>, Fault> {
    let shift = |token: Token| Token { lo: token.lo + range.start, hi: token.hi + range.start, ..token };
    match lex::lex(&text[range.clone()]) {
        Ok(tokens) => Ok(tokens.into_iter().map(shift).collect()),
        Err(fault) => Err(fault.moved(range.start)),
    }
}

/// Parses the head of a definition.
pub(super) fn head(functions: &Functions, function: usize) -> Result<Head, Fault> {
    let (definition, text) = (functions.definition(function), functions.text(function));
    let mut template = Vec::new();
    if let Some(range) = &definition.template {
        let tokens = tokens(text, range)?;
        template = Parser::new(&tokens).template_parameters()?;
    }
    let result = definition.trailing.as_ref().unwrap_or(&definition.result);
    let of_result = tokens(text, result)?;
    let mut parser = Parser::new(&of_result);
    parser.aliases = functions.aliases();
    // Macros may precede the result type.
    let mut ty = None;
    loop {
        if SPECIFIERS.iter().any(|specifier| parser.eat_name(specifier)) {
            continue;
        }
        let mut probe = parser.probe();
        match probe.type_name() {
            Ok(name) if probe.at_end() => {
                ty = Some(name);
                break;
            }
            _ if parser.at_end() => break,
            _ => drop(parser.bump()),
        }
    }
    let Some(ty) = ty else {
        return Err(error::expected("a result type", definition.name.start, definition.name.end));
    };
    let of_params = tokens(text, &definition.params)?;
    let mut parser = Parser::new(&of_params);
    parser.aliases = functions.aliases();
    let params = parser.parameters()?;
    Ok(Head { template, result: Some(ty).filter(|ty| ty.path != "auto"), params, ast: parser.ast })
}

impl Parser<'_> {
    fn at_end(&self) -> bool {
        self.token().kind == lex::TokenKind::End
    }
}

/// True if a parameter of this type refers to a variable of the caller.
fn is_reference(passing: Passing, ty: Ty) -> bool {
    match passing {
        Passing::Reference => !matches!(ty.item, Item::Builder | Item::Op(_) | Item::Context | Item::Lambda),
        Passing::Pointer => !matches!(ty.item, Item::Op(_) | Item::Context | Item::Builder | Item::Unknown),
        _ => false,
    }
}

/// The distance between the type of an argument and the type of a parameter; `None` if there is no conversion.
fn distance(lower: &mut Lower<'_, '_>, arg: Typed, want: Ty) -> Option<u32> {
    if arg.ty == want {
        return Some(0);
    }
    if arg.ty.is_unknown() || want.is_unknown() {
        return Some(4);
    }
    if arg.ty.form == want.form {
        match (arg.ty.item, want.item) {
            (Item::Type(mut class), Item::Type(to)) => {
                let mut steps = 1;
                while class != to {
                    class = class.parent()?;
                    steps += 1;
                }
                return Some(steps);
            }
            (Item::Attr(from), Item::Attr(to)) if from.is_a(to) => {
                let ancestors = std::iter::successors(Some(from), |class| class.parent());
                return ancestors.zip(1..).find(|(class, _)| *class == to).map(|(_, steps)| steps);
            }
            (Item::Int(_) | Item::Bool, Item::Int(_)) => return Some(2),
            (Item::Op(_), Item::Op(None)) => return Some(1),
            _ => {}
        }
    }
    lower.b.returned(arg, want).is_ok().then_some(6)
}

impl<'a, 'b> Lower<'a, 'b> {
    /// A call of a function from the source files; `None` if they have no function that takes the arguments.
    pub(in crate::frontend::cxx) fn helper_call(
        &mut self,
        node: NodeId,
        name: &TypeName,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let helpers = self.request.resolver.helpers();
        let functions = helpers.and_then(|helpers| helpers.functions.as_ref());
        if functions.is_none_or(|functions| functions.named(&name.path).is_empty()) {
            return Ok(None);
        }
        let values = self.items(args, None)?;
        self.helper_call_of(node, name, args, &values)
    }

    /// A call of a function from the source files with these values. Without nodes for the arguments, the function has
    /// no reference parameters.
    pub(super) fn helper_call_of(
        &mut self,
        node: NodeId,
        name: &TypeName,
        args: &[NodeId],
        values: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let Some(helpers) = self.request.resolver.helpers() else { return Ok(None) };
        let Some(functions) = &helpers.functions else { return Ok(None) };
        let named = functions.named(&name.path);
        let Some(&first) = named.first() else { return Ok(None) };
        let mut candidates = Vec::new();
        let mut unreadable = None;
        for function in named {
            match head(functions, function) {
                Ok(head) => {
                    candidates.extend(self.candidate(functions, function, head, name, args, values));
                }
                Err(fault) => unreadable = Some((function, fault)),
            }
        }
        let Some(least) = candidates.iter().map(|candidate| candidate.distance).min() else {
            let problem = match unreadable {
                Some((function, fault)) => (function, problem(functions, function, &fault)),
                None => {
                    let types: Vec<String> = values.iter().map(|value| self.b.show(value.ty)).collect();
                    let name = &functions.definition(first).name;
                    let reason = format!("it does not take the arguments ({})", types.join(", "));
                    (first, Problem { reason, span: functions.span(first, name.start, name.end) })
                }
            };
            helpers.report(problem.0, problem.1);
            return Ok(None);
        };
        candidates.retain(|candidate| candidate.distance == least);
        let mut candidates = candidates.into_iter();
        let Some(chosen) = candidates.next() else { return Ok(None) };
        let text_of =
            |function: usize| &functions.text(function)[functions.definition(function).body.clone()];
        // The same function may be defined in several files.
        if let Some(other) = candidates.find(|other| text_of(other.function) != text_of(chosen.function)) {
            let places = [functions.place(chosen.function), functions.place(other.function)];
            return Err(error::ambiguous(&name.path, &places, self.ast[node].lo, self.ast[node].hi));
        }
        self.call_chosen(node, helpers, functions, chosen, args, values).map(Some).or_else(|problem| {
            match problem {
                Refused::Fault(fault) => Err(fault),
                Refused::Problem(function, problem) if self.in_function => {
                    let name = functions.definition(function).path.last().map_or("", String::as_str);
                    let reason =
                        format!("it calls '{name}' ({}): {}", functions.place(function), problem.reason);
                    Err(error::outside(&reason, self.ast[node].lo, self.ast[node].hi))
                }
                // A native replaces the function.
                Refused::Problem(function, problem) => {
                    helpers.report(function, problem);
                    Ok(None)
                }
            }
        })
    }

    /// The lowering state for a declaration in a source file.
    fn declaration<'s>(&'s mut self, text: &'s str, ast: &'s Ast) -> Lower<'a, 's> {
        Lower {
            text,
            in_function: true,
            inlined: self.inlined + 1,
            depth: self.depth,
            ..Lower::new(ast, self.request, &mut *self.b)
        }
    }

    /// The type of a class of the source files that has only data members, and their default values; `None` if no such
    /// class has this name.
    pub(in crate::frontend::cxx) fn source_class(&mut self, path: &str) -> Option<(Ty, Vec<Typed>)> {
        let functions = self.request.resolver.helpers()?.functions.as_ref()?;
        let (text, range) = functions.class(path)?;
        if self.inlined >= DECLARATION_LIMIT {
            return None;
        }
        let tokens = tokens(text, &range).ok()?;
        let mut parser = Parser::new(&tokens);
        parser.aliases = functions.aliases();
        let mut members = Vec::new();
        let class = path.rsplit("::").next().unwrap_or(path);
        while !parser.at_end() {
            if parser.skip_other_member(class)? {
                continue;
            }
            parser.declarations(&mut members).ok()?;
            parser.expect(";").ok()?;
        }
        let ast = parser.ast;
        let mut inner = self.declaration(text, &ast);
        let mut fields: Vec<(&str, Ty)> = Vec::new();
        let mut values = Vec::new();
        for &member in &members {
            let NodeKind::Declare { ty, name, init } = &ast[member].kind else { return None };
            let field = inner.static_type(ty)?;
            let value = inner.initial(member, ty, init).ok()?;
            fields.push((name, field));
            values.push(Typed { ty: field, ..value });
        }
        let id = self.b.snippets().tuple(Some(path), &fields);
        (!fields.is_empty()).then_some((Ty::one(Item::Tuple(id)), values))
    }

    /// The underlying type of an enumeration of the source files, and its enumerators; `None` if no enumeration has this
    /// name.
    fn enumeration(&mut self, path: &str) -> Option<(IntTy, Vec<(String, i128)>)> {
        let functions = self.request.resolver.helpers()?.functions.as_ref()?;
        let (text, range) = functions.enumeration(path)?;
        let tokens = tokens(text, &range).ok()?;
        let declared = Parser::new(&tokens).enumeration()?;
        let ty = match &declared.underlying {
            Some(name) => match self.static_type(name)?.item {
                Item::Int(int) => int,
                _ => return None,
            },
            // An enumeration without a stated type is converted to `int` if this type has all the values.
            None => {
                let fits = |(_, value): &(String, i128)| i32::try_from(*value).is_ok();
                if declared.cases.iter().all(fits) { IntTy::I32 } else { IntTy::I64 }
            }
        };
        Some((ty, declared.cases))
    }

    /// The type of an enumeration of the source files; `None` if no enumeration has this name.
    pub(in crate::frontend::cxx) fn source_enum(&mut self, path: &str) -> Option<Ty> {
        self.enumeration(path).map(|(ty, _)| Ty::one(ty.item()))
    }

    /// The value of an enumerator of the source files; `None` if no enumerator has this name.
    pub(in crate::frontend::cxx) fn source_enumerator(
        &mut self,
        node: NodeId,
        path: &str,
    ) -> Result<Option<Typed>, Fault> {
        let functions = self.request.resolver.helpers().and_then(|helpers| helpers.functions.as_ref());
        let Some(of) = functions.and_then(|functions| functions.enumeration_of(path)) else {
            return Ok(None);
        };
        let Some((ty, cases)) = self.enumeration(&of) else { return Ok(None) };
        let case = path.rsplit("::").next();
        match cases.into_iter().find(|(name, _)| Some(name.as_str()) == case) {
            Some((_, value)) => self.build(node, |b| b.int(value, ty)).map(Some),
            None => Ok(None),
        }
    }

    /// The value of a constant of the source files; `None` if no constant has this name.
    pub(in crate::frontend::cxx) fn source_constant(
        &mut self,
        node: NodeId,
        name: &TypeName,
    ) -> Result<Option<Typed>, Fault> {
        let Some(functions) = self.request.resolver.helpers().and_then(|helpers| helpers.functions.as_ref())
        else {
            return Ok(None);
        };
        let Some((text, range)) = functions.constant(&name.path) else { return Ok(None) };
        if self.inlined >= DECLARATION_LIMIT {
            return Ok(None);
        }
        let Ok(tokens) = tokens(text, &range) else { return Ok(None) };
        let mut parser = Parser::new(&tokens);
        parser.aliases = functions.aliases();
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
        match inner.initial(declaration, ty, init) {
            Ok(value) => Ok(Some(value)),
            Err(fault) if self.in_function => {
                let reason = format!("the constant '{}': {}", name.path, fault.message);
                Err(error::outside(&reason, self.ast[node].lo, self.ast[node].hi))
            }
            Err(_) => Ok(None),
        }
    }

    /// The candidate for a definition; `None` if the definition does not take the arguments.
    fn candidate(
        &mut self,
        functions: &Functions,
        function: usize,
        head: Head,
        name: &TypeName,
        args: &[NodeId],
        values: &[Typed],
    ) -> Option<Candidate> {
        let required = head.params.iter().filter(|(.., default)| default.is_none()).count();
        if values.len() < required || values.len() > head.params.len() {
            return None;
        }
        let mut templates = HashMap::new();
        for (param, arg) in head.template.iter().zip(&name.args) {
            let given = match (param.is_type, arg.path.parse::<i64>(), arg.path.as_str()) {
                (false, Ok(number), _) => Template::Number(number),
                (false, _, "true") => Template::Bool(true),
                (false, _, "false") => Template::Bool(false),
                (false, ..) => return None,
                (true, ..) => match self.templates.get(&arg.path) {
                    Some(outer) => outer.clone(),
                    None => Template::Class(arg.clone()),
                },
            };
            templates.insert(param.name.clone(), given);
        }
        for ((ty, ..), value) in head.params.iter().zip(values) {
            let is_param = head.template.iter().any(|param| param.is_type && param.name == ty.path);
            if is_param && !templates.contains_key(&ty.path) {
                templates.insert(ty.path.clone(), Template::Ty(value.ty));
            }
        }
        // Type names in the parameters are resolved in the scope of the function.
        let outer = (
            std::mem::replace(&mut self.templates, templates),
            std::mem::replace(&mut self.in_function, true),
        );
        let class = functions.definition(function).class();
        let scope = self.class_scope.take();
        self.class_scope.clone_from(&class);
        let fitting = self.parameter_types(functions, function, &head, args, values);
        self.class_scope = scope;
        let templates = std::mem::replace(&mut self.templates, outer.0);
        self.in_function = outer.1;
        let (types, distance) = fitting?;
        let distance = distance + u32::from(!head.template.is_empty());
        Some(Candidate { function, head, class, templates, types, distance })
    }

    /// The types of the parameters, and the sum of their distances from the arguments; `None` if an argument does not
    /// fit.
    fn parameter_types(
        &mut self,
        functions: &Functions,
        function: usize,
        head: &Head,
        args: &[NodeId],
        values: &[Typed],
    ) -> Option<(Vec<Ty>, u32)> {
        let mut types = Vec::new();
        let mut total = 0;
        for (index, (ty, name, _)) in head.params.iter().enumerate() {
            let declared =
                if ty.path == "auto" { values.get(index).map(|e| e.ty) } else { self.static_type(ty) };
            let want = declared.unwrap_or(Ty::UNKNOWN);
            types.push(want);
            let Some(&value) = values.get(index) else { continue };
            total += if is_reference(ty.passing, want) {
                let &arg = args.get(index)?;
                // The argument is a variable of this type, or a symbol that the function does not change.
                let variable = self.b.as_output(value).is_some()
                    || self.is_symbol(arg) && !changes_parameter(functions, function, name)
                    || self.place(arg, &mut Held::new()).is_ok_and(|place| place.is_some());
                let same = value.ty == want
                    || value.ty.is_unknown()
                    || want.is_unknown()
                    || want.form == Form::Range && value.ty.form == Form::Range;
                (variable && same).then_some(0)?
            } else if want == Ty::BUILDER && self.is_located_builder(value.ty) {
                1
            } else {
                distance(self, value, want)?
            };
        }
        Some((types, total))
    }

    /// True if a node is a symbol of a rule, and not a variable.
    fn is_symbol(&self, node: NodeId) -> bool {
        match &self.ast[node].kind {
            NodeKind::Placeholder(name, _) => !self.scope.iter().any(|(bound, _)| bound == name),
            _ => false,
        }
    }

    fn call_chosen(
        &mut self,
        node: NodeId,
        helpers: &'b Helpers,
        functions: &'b Functions,
        chosen: Candidate,
        args: &[NodeId],
        values: &[Typed],
    ) -> Result<Typed, Refused> {
        let (id, ty) = self.instance(helpers, functions, &chosen)?;
        let mut passed = Vec::new();
        let mut outs: Vec<Typed> = Vec::new();
        let mut targets: Vec<Target> = Vec::new();
        let mut held = Held::new();
        let mut back: Vec<(LocalId, Place)> = Vec::new();
        for (index, ((declared, _, default), &want)) in
            chosen.head.params.iter().zip(&chosen.types).enumerate()
        {
            let value = match values.get(index) {
                Some(&value) => value,
                None => self.default_argument(functions, &chosen, *default, want)?,
            };
            if is_reference(declared.passing, want) && index < values.len() {
                let local = match self.b.as_output(value) {
                    Some(_) => None,
                    None if self.is_symbol(args[index]) => {
                        let copy = self.build(node, |b| b.new_local(value.ty))?;
                        held.push((copy, value));
                        Some((copy, None))
                    }
                    None => self.reference(node, args[index], &mut held)?,
                };
                if let Some((local, Some(place))) = &local {
                    back.push((*local, place.clone()));
                }
                let part = local.as_ref().map(|(local, place)| match place {
                    Some(place) => Target::Part(place.root, place.first_field()),
                    None => Target::Part(*local, None),
                });
                let local = local.map(|(local, _)| local);
                let (initial, out) = match (local, self.b.as_output(value)) {
                    (Some(local), _) => {
                        let out = self.build(node, |b| b.local(local))?;
                        (Typed { ty: value.ty, ..out }, out)
                    }
                    (None, Some(_)) => {
                        let nothing = self.b.null(want);
                        (self.ill(node, nothing)?, value)
                    }
                    (None, None) => {
                        return Err(Refused::Fault(error::not_assignable(
                            self.ast[node].lo,
                            self.ast[node].hi,
                        )));
                    }
                };
                let target = part.or(self.b.as_output(value).map(Target::Output));
                let overlap =
                    targets.iter().any(|&other| target.is_some_and(|target| target.overlaps(other)));
                targets.extend(target);
                if overlap {
                    return Err(Refused::Fault(error::outside(
                        "one variable for two references",
                        self.ast[node].lo,
                        self.ast[node].hi,
                    )));
                }
                passed.push(initial);
                outs.push(out);
                continue;
            }
            let converted = match self.location_of_builder(node, value)? {
                Some(_) if want == Ty::BUILDER => self.b.opaque(Item::Builder),
                _ if want.is_unknown() => Ok(value),
                _ => self.b.returned(value, want),
            };
            let converted = self.ill(node, converted)?;
            if !self.has_no_order(declared) {
                self.require_order(node, value)?;
            }
            passed.push(self.distinct(node, declared, converted)?);
        }
        let mut call = self.build(node, |b| b.call_function(id, &passed, &outs, ty))?;
        let unordered = chosen.head.result.as_ref().is_some_and(|name| self.has_no_order(name));
        // Arguments that are parts of variables are stored back after the call.
        if !back.is_empty() {
            let result = self.hold(node, call, &mut held)?;
            let mut stored = Vec::new();
            for (local, place) in back {
                let new = self.build(node, |b| b.local(local))?;
                stored.push(self.store_place(node, &place, new)?);
            }
            let block = self.build(node, |b| b.block(&stored))?;
            let both = self.b.then(block, result);
            call = self.ill(node, both)?;
        }
        let call = self.bind_held(node, held, call)?;
        if unordered {
            self.unordered_values.insert(call.id);
        }
        Ok(call)
    }

    fn default_argument(
        &mut self,
        functions: &'b Functions,
        chosen: &Candidate,
        default: Option<NodeId>,
        want: Ty,
    ) -> Result<Typed, Refused> {
        let Some(default) = default else {
            return Err(Refused::Fault(error::expected("an argument", 0, 0)));
        };
        let text = functions.text(chosen.function);
        let mut inner = Lower {
            text,
            templates: chosen.templates.clone(),
            ..Lower::new(&chosen.head.ast, self.request, &mut *self.b)
        };
        let value =
            inner.expression(default, Some(want)).and_then(|e| inner.build(default, |b| b.returned(e, want)));
        value.map_err(|fault| Refused::Problem(chosen.function, problem(functions, chosen.function, &fault)))
    }

    /// The compiled function for a call, with its result type.
    pub(super) fn instance(
        &mut self,
        helpers: &'b Helpers,
        functions: &'b Functions,
        chosen: &Candidate,
    ) -> Result<(FunctionId, Ty), Refused> {
        let function = chosen.function;
        let mut template: Vec<String> =
            chosen.templates.iter().map(|(name, to)| format!("{name}={}", to.text())).collect();
        template.sort_unstable();
        let key = Key {
            function,
            params: chosen.types.clone(),
            template: template.join(","),
            matching: self.b.is_matching(),
        };
        let known = helpers.instances.borrow().get(&key).cloned();
        match known {
            Some(Instance::Compiled(id, ty) | Instance::Started(id, Some(ty))) => return Ok((id, ty)),
            Some(Instance::Failed(problem)) => return Err(Refused::Problem(function, problem)),
            Some(Instance::Started(_, None)) => {
                let definition = functions.definition(function);
                let span = functions.span(function, definition.name.start, definition.name.end);
                let reason = "a recursive function must declare its result type".to_owned();
                return Err(Refused::Problem(function, Problem { reason, span }));
            }
            None => {}
        }
        let definition = functions.definition(function);
        let (name, span) = (
            definition.path.join("::"),
            functions.span(function, definition.name.start, definition.name.end),
        );
        let id =
            self.b.declare_function(&name, span).map_err(|e| Refused::Fault(error::ill_typed(&e, 0, 0)))?;
        let result = match self.compile_function(helpers, functions, chosen, id, &key) {
            Ok(ty) => Ok((id, ty)),
            Err(fault) => {
                let problem = problem(functions, function, &fault);
                // Functions that were compiled in the meantime may call this one.
                let mut instances = helpers.instances.borrow_mut();
                instances
                    .retain(|_, instance| !matches!(instance, Instance::Compiled(other, _) if *other > id));
                instances.insert(key, Instance::Failed(problem.clone()));
                return Err(Refused::Problem(function, problem));
            }
        };
        if let Ok((id, ty)) = result {
            helpers.instances.borrow_mut().insert(key, Instance::Compiled(id, ty));
        }
        result
    }

    /// The value of a body. If the body declares an `InsertionGuard`, the insertion point is restored afterwards.
    fn guarded(&mut self, body: NodeId, value: Typed) -> Lowered {
        let ast = self.ast;
        let is_guard = |kind: &NodeKind| matches!(kind, NodeKind::Declare { ty, .. } if ty.path.ends_with("InsertionGuard"));
        let Some(guard) = ast.iter().find(|node| is_guard(&node.kind)) else { return Ok(value) };
        let outer = match &ast[body].kind {
            NodeKind::Block(statements) => statements.iter().any(|&statement| is_guard(&ast[statement].kind)),
            _ => false,
        };
        let moves =
            |kind: &NodeKind| matches!(kind, NodeKind::Member { name, .. } if name == "setInsertionPoint");
        if !ast.iter().any(|node| moves(&node.kind)) {
            return Ok(value);
        }
        if !outer {
            return Err(error::statement("an InsertionGuard in an inner block", guard.lo, guard.hi));
        }
        self.build(body, |b| {
            let point = b.new_local(Ty::OP)?;
            let result = b.new_local(value.ty)?;
            let (read_point, read_result) = (b.local(point)?, b.local(result)?);
            let restored = b.algorithm(Builtin::SetInsertionPoint, &[read_point], Ty::NULL)?;
            let rest = b.then(restored, read_result)?;
            let rest = b.bind(result, value, rest)?;
            let now = b.algorithm(Builtin::InsertionPoint, &[], Ty::OP)?;
            b.bind(point, now, rest)
        })
    }

    fn compile_function(
        &mut self,
        helpers: &'b Helpers,
        functions: &'b Functions,
        chosen: &Candidate,
        id: FunctionId,
        key: &Key,
    ) -> Result<Ty, Fault> {
        let (definition, text) = (functions.definition(chosen.function), functions.text(chosen.function));
        let (lo, hi) = (definition.name.start, definition.name.end);
        if !definition.closed {
            return Err(error::expected(
                "'}' at the end of the body",
                definition.body.start,
                definition.body.start + 1,
            ));
        }
        if self.nesting >= NESTING_LIMIT {
            return Err(error::outside("a function that is reached through so many calls", lo, hi));
        }
        let tokens = tokens(text, &definition.body)?;
        let mut parser = Parser::new(&tokens);
        parser.in_statements = true;
        parser.aliases = functions.aliases();
        parser.bump();
        let body = parser.rest_of_block(definition.body.start)?;
        let ast = parser.ast;
        let mut references = Vec::new();
        let (request, nesting): (&'b Request<'b>, u32) = (self.request, self.nesting);
        self.b.with_function(|b| {
            let mut inner = Lower {
                text,
                templates: chosen.templates.clone(),
                in_function: true,
                class_scope: chosen.class.clone(),
                nesting: nesting + 1,
                changed: Changes::of(&ast, &|name| !functions.named(name).is_empty()),
                ..Lower::new(&ast, request, b)
            };
            let result = match &chosen.head.result {
                None => None,
                Some(name) if name.path == "void" && name.passing == Passing::Value => Some(Ty::NULL),
                Some(name) => match inner.static_type(name) {
                    Some(ty) => Some(ty),
                    None => return Err(error::unknown_type(&name.path, name.lo, name.hi)),
                },
            };
            helpers.instances.borrow_mut().insert(key.clone(), Instance::Started(id, result));
            let params = chosen.head.params.iter().zip(&chosen.types);
            for (number, ((declared, name, _), &ty)) in (0..).zip(params) {
                let local = inner.b.new_local(ty);
                let local = local.map_err(|e| error::ill_typed(&e, declared.lo, declared.hi))?;
                if is_reference(declared.passing, ty) {
                    references.push(number);
                    if declared.passing == Passing::Pointer {
                        inner.pointers.insert(local);
                    }
                }
                inner.declare_callable(local, declared, ty);
                if inner.has_no_order(declared) {
                    inner.unordered.insert(local);
                }
                if inner.is_sorted_set(declared) {
                    inner.sorted_sets.insert(local);
                }
                if is_map(&declared.path) {
                    inner.maps.insert(local);
                }
                inner.scope.push((name.clone(), Bound::Local(local)));
            }
            let value: Lowered = with_room(|| inner.body(body, result));
            let value = inner.guarded(body, value?)?;
            let value = match &chosen.head.result {
                Some(name) => inner.distinct(body, name, value)?,
                None => value,
            };
            let has_order = !chosen.head.result.as_ref().is_some_and(|name| inner.has_no_order(name));
            if inner.returns_unordered && has_order {
                return Err(error::statement("a set as a result of another type", lo, hi));
            }
            let count = u32::try_from(chosen.types.len()).unwrap_or(u32::MAX);
            let ty = result.unwrap_or(value.ty);
            inner.b.define_function(id, count, references, value);
            Ok(ty)
        })
    }
}

/// True if the body of a function may change a parameter.
fn changes_parameter(functions: &Functions, function: usize, name: &str) -> bool {
    let body = &functions.definition(function).body;
    let Ok(tokens) = tokens(functions.text(function), body) else { return true };
    let mut parser = Parser::new(&tokens);
    parser.in_statements = true;
    parser.bump();
    if parser.rest_of_block(body.start).is_err() {
        return true;
    }
    Changes::of(&parser.ast, &|name| !functions.named(name).is_empty()).contains(name)
}

/// A variable to which a reference parameter refers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// A variable, or one of its fields.
    Part(LocalId, Option<u32>),
    /// An output of the snippet.
    Output(u32),
}

impl Target {
    /// True if both are the same variable. Different fields of a variable are different variables.
    fn overlaps(self, other: Self) -> bool {
        match (self, other) {
            (Self::Part(a, Some(x)), Self::Part(b, Some(y))) => a == b && x == y,
            (Self::Part(a, _), Self::Part(b, _)) => a == b,
            _ => self == other,
        }
    }
}

/// The reason why a call of a function does not compile.
pub(super) enum Refused {
    /// The call is wrong.
    Fault(Fault),
    /// The function is outside the language.
    Problem(usize, Problem),
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Refused::Fault(fault)
    }
}

pub(super) fn problem(functions: &Functions, function: usize, fault: &Fault) -> Problem {
    let (lo, hi) = fault.range();
    let span: Span = functions.span(function, lo, hi);
    Problem { reason: fault.message.clone(), span }
}
