//! Lowers a syntax tree to a snippet: resolves names and assigns types.

use hashbrown::{HashMap, HashSet};

use super::ast::{Ast, NodeId, NodeKind, Passing, TypeName};
use super::error::{self, Fault};
use super::function::{Changes, Place};
use super::lex;
use super::parse::{self, ARITHMETIC};
use super::request::{Expected, Failure, Placeholder, Request};
use super::resolve::{EnumFunction, InlineBody, Named};
use super::text::Text;
use crate::host::Kind;
use crate::snippet::{
    AttrClass, BinaryOp, Builder, Builtin, CastMode, Class, ClassId, ClassKind, ExprId, Form, IntTy, Item,
    LocalId, ObjectClass, Param, SnippetId, SnippetResult, Snippets, Ty, TypeClass, TypeError, Typed,
};
use crate::stack::with_room;

/// Compiles C++ text to a snippet.
///
/// ```
/// use drrvm::internal::frontend::cxx::{self, Expected, NoResolver, Placeholder, Request, Text};
/// use drrvm::internal::snippet::{Snippets, Ty};
/// use drrvm::source::Span;
/// let mut snippets = Snippets::default();
/// let params = [Placeholder::new("$_self", Ty::TYPE)];
/// let request = Request { params: &params, expected: Expected::Predicate, resolver: &NoResolver };
/// let text = Text::new("$_self.isSignlessInteger(32)", Span::NONE);
/// let id = cxx::compile(&mut snippets, &text, &request).expect("well-typed");
/// assert!(snippets.get(id).pure);
/// let text = Text::new("$_self.getRank() == 2", Span::NONE);
/// assert!(cxx::compile(&mut snippets, &text, &request).is_err(), "a Type has no rank");
/// ```
///
/// # Errors
/// [`Failure::Outside`] if the expression language does not cover the text, [`Failure::Wrong`] if the text is malformed
/// or ill-typed. The diagnostic points at the place where the text was written.
pub fn compile(snippets: &mut Snippets, text: &Text, request: &Request<'_>) -> Result<SnippetId, Failure> {
    let failure = |fault: Fault| {
        let diagnostic = fault.diagnostic(text);
        if fault.outside { Failure::Outside(diagnostic) } else { Failure::Wrong(diagnostic) }
    };
    let stored = lower(snippets, text, request).map_err(failure);
    let calls_no_native = |snippets: &Snippets, id: SnippetId| snippets.natives_of(id).is_empty();
    if matches!(stored, Ok(id) if calls_no_native(snippets, id)) {
        return stored;
    }
    let mut with_natives = None;
    for params in readings(request.params) {
        let request = Request { params: &params, ..*request };
        match lower(snippets, text, &request) {
            Ok(id) if calls_no_native(snippets, id) => return Ok(id),
            Ok(id) => with_natives = with_natives.or(Some(id)),
            Err(_) => {}
        }
    }
    match (stored, with_natives) {
        (Err(Failure::Wrong(_)), Some(id)) => Ok(id),
        (stored, _) => stored,
    }
}

/// The lists of parameters to try if a text does not compile. In the first list, each parameter with a reading has the type of
/// the reading. In each further list, only one parameter has it.
fn readings(params: &[Placeholder]) -> Vec<Vec<Placeholder>> {
    let read = |param: &Placeholder| Placeholder { ty: param.reading.unwrap_or(param.ty), ..param.clone() };
    let with_reading = (0..params.len()).filter(|&i| params[i].reading.is_some());
    let with_reading: Vec<usize> = with_reading.collect();
    let one = |i: usize| {
        let mut params = params.to_vec();
        params[i] = read(&params[i]);
        params
    };
    match with_reading[..] {
        [] => Vec::new(),
        [only] => vec![one(only)],
        _ => std::iter::once(params.iter().map(read).collect())
            .chain(with_reading.into_iter().map(one))
            .collect(),
    }
}

fn lower(snippets: &mut Snippets, text: &Text, request: &Request<'_>) -> Result<SnippetId, Fault> {
    let tokens = lex::lex(text.as_str())?;
    let (ast, root) = parse::parse(&tokens)?;
    let params = request
        .params
        .iter()
        .map(|p| Param { name: snippets.intern(&p.name), ty: p.ty, out: p.out })
        .collect();
    let matching = request.expected == Expected::Predicate;
    let mut builder = Builder::new(snippets, params, text.whole_span(), matching);
    let mut lower = Lower {
        text: text.as_str(),
        changed: Changes::of(&ast, &|_| false),
        ..Lower::new(&ast, request, &mut builder)
    };
    let (lo, hi) = (ast[root].lo, ast[root].hi);
    let at = |e: TypeError| error::ill_typed(&e, lo, hi);
    let e = lower.body(root, None)?;
    let b = &mut *lower.b;
    let (e, result) = match request.expected {
        Expected::Predicate if e.ty == Ty::LOGICAL => {
            let e = b.function("succeeded", &[e], None).unwrap_or(Ok(e)).map_err(at)?;
            (e, SnippetResult::Predicate)
        }
        Expected::Predicate => (b.truth(e).map_err(at)?, SnippetResult::Predicate),
        Expected::Any => (e, SnippetResult::Value(e.ty)),
        Expected::Kind(kind) => {
            let e = to_kind(b, e, kind).map_err(at)?;
            (e, SnippetResult::Value(e.ty))
        }
        Expected::Property(ty) => (b.property_attr(e, ty).map_err(at)?, SnippetResult::Value(Ty::ATTR)),
        Expected::Nothing => {
            // Declares that a native at the root has no results.
            b.expect_many(e, 0);
            (e, SnippetResult::Nothing)
        }
        Expected::Many(count) => {
            if e.ty.form != Form::Range && !b.expect_many(e, count) {
                return Err(error::not_many(count, lo, hi));
            }
            (e, SnippetResult::Many(count))
        }
    };
    Ok(builder.finish(e, result, text.as_str()))
}

/// Converts an expression to a kind. The static type stays if it has the kind already.
pub(crate) fn to_kind(b: &mut Builder<'_>, e: Typed, kind: Kind) -> Result<Typed, TypeError> {
    let keeps_class = e.ty.kind() == Some(kind);
    if keeps_class { Ok(e) } else { b.convert(e, Ty::of_kind(kind)) }
}

pub(super) type Lowered = Result<Typed, Fault>;

/// The state of lowering a text.
pub(super) struct Lower<'a, 'b> {
    pub(super) text: &'b str,
    pub(super) ast: &'b Ast,
    pub(super) request: &'b Request<'b>,
    pub(super) b: &'b mut Builder<'a>,
    pub(super) scope: Vec<(String, Bound)>,
    /// The declared type classes of values that accessors return.
    pub(super) value_types: HashMap<ExprId, TypeClass>,
    /// The same for values in variables.
    pub(super) local_types: HashMap<LocalId, TypeClass>,
    pub(super) depth: u32,
    /// The number of inlined bodies around the current text.
    pub(super) inlined: u32,
    /// True in a function from a source file, which calls no natives.
    pub(super) in_function: bool,
    /// The number of functions that are being compiled.
    pub(super) nesting: u32,
    /// The number of statements around the current one, and before it in its body.
    pub(super) statements: u32,
    /// The result types of the functions and lambdas around the current statement; `None` if one is not known yet.
    pub(super) results: Vec<Option<Ty>>,
    /// The template arguments of the function.
    pub(super) templates: HashMap<String, Template>,
    /// The names of variables that the text changes.
    pub(super) changed: Changes,
    /// The places to which references refer.
    pub(super) places: Vec<Place>,
    /// The variables that hold sets without an order.
    pub(super) unordered: HashSet<LocalId>,
    /// The lambdas with a name.
    pub(super) named_lambdas: Vec<NamedLambda>,
    /// The variables that are pointers to numbers and the like. `*x` is their value.
    pub(super) pointers: HashSet<LocalId>,
    /// The result types of variables that hold lambdas.
    pub(super) callables: HashMap<LocalId, Ty>,
}

/// A template argument.
#[derive(Clone, Debug)]
pub(super) enum Template {
    /// A class as it is written at the call.
    Class(TypeName),
    /// The type of an argument.
    Ty(Ty),
    Number(i64),
    Bool(bool),
}

impl Template {
    /// A text that differs for different arguments.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Class(name) => written(&name.path, &name.args),
            other => format!("{other:?}"),
        }
    }
}

/// The limit of nested inlined bodies.
const INLINE_LIMIT: u32 = 8;

/// The limit of the depth of an expression's tree.
const DEPTH_LIMIT: u32 = 96;

/// The meaning of a name in scope.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    Local(LocalId),
    /// A lambda with a name, by its number.
    Lambda(usize),
    /// A reference, by the number of its place.
    Place(usize),
}

/// A lambda with a name, which is lowered again at each use.
#[derive(Clone, Debug)]
pub(super) struct NamedLambda {
    pub(super) node: NodeId,
    /// The number of names in scope of the lambda.
    pub(super) scope: usize,
    /// The copies of variables that are captured by value and change later.
    pub(super) copies: Vec<(String, LocalId)>,
}

/// The meaning of a class name.
enum Meaning {
    Object(ObjectClass),
    Enum(crate::snippet::EnumId),
    Scalar(Ty),
}

impl<'a, 'b> Lower<'a, 'b> {
    /// The state for a text without variables.
    pub(super) fn new(ast: &'b Ast, request: &'b Request<'b>, b: &'b mut Builder<'a>) -> Self {
        Lower {
            text: "",
            ast,
            request,
            b,
            scope: Vec::new(),
            value_types: HashMap::new(),
            local_types: HashMap::new(),
            depth: 0,
            inlined: 0,
            in_function: false,
            nesting: 0,
            statements: 0,
            results: Vec::new(),
            templates: HashMap::new(),
            changed: Changes::default(),
            places: Vec::new(),
            unordered: HashSet::new(),
            named_lambdas: Vec::new(),
            pointers: HashSet::new(),
            callables: HashMap::new(),
        }
    }
}

impl Lower<'_, '_> {
    pub(super) fn ill<T>(&self, node: NodeId, result: Result<T, TypeError>) -> Result<T, Fault> {
        result.map_err(|e| error::ill_typed(&e, self.ast[node].lo, self.ast[node].hi))
    }

    /// Lowers a node. `hint` is the expected type of a lambda parameter or of a braced list.
    pub(super) fn expression(&mut self, node: NodeId, hint: Option<Ty>) -> Lowered {
        // The parser's depth limit does not bound chains of operators and members.
        if self.depth >= DEPTH_LIMIT {
            return Err(error::too_deep(self.ast[node].lo));
        }
        self.depth += 1;
        let result = with_room(|| self.expression_inside(node, hint));
        self.depth -= 1;
        result
    }

    fn expression_inside(&mut self, node: NodeId, hint: Option<Ty>) -> Lowered {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let ast = self.ast;
        let result = match &ast[node].kind {
            // An inlined method body names its object by a placeholder.
            NodeKind::Placeholder(name, _) if self.scope.iter().any(|(bound, _)| bound == name) => {
                let name = TypeName { path: name.clone(), args: Vec::new(), passing: Passing::Value, lo, hi };
                return self.name(node, &name, hint);
            }
            NodeKind::Placeholder(name, _) => match self.b.find_param(name) {
                Some(index) => self.b.param(index),
                None if name == "$_builder" => self.b.opaque(Item::Builder),
                None => {
                    let bound: Vec<String> = self.request.params.iter().map(|p| p.name.clone()).collect();
                    return Err(error::unbound(name, lo, hi, &bound));
                }
            },
            NodeKind::Int { value, unsigned, long } => {
                let ty = match (*unsigned, *long || *value > u64::from(u32::MAX >> 1)) {
                    _ if *value > u64::MAX >> 1 => IntTy::U64,
                    (false, false) => IntTy::I32,
                    (false, true) => IntTy::I64,
                    (true, false) => IntTy::U32,
                    (true, true) => IntTy::U64,
                };
                self.b.int(i128::from(*value), ty)
            }
            NodeKind::Char(c) => self.b.int(i128::from(*c), IntTy::I32),
            NodeKind::Float(value, single) => {
                let ty = if *single { Ty::FLOAT } else { Ty::DOUBLE };
                self.b.double(*value).map(|e| Typed { ty, ..e })
            }
            NodeKind::Str(text) => self.b.str(text),
            NodeKind::Unary(sign, e) => {
                let e = self.expression(*e, None)?;
                self.b.unary(*sign, e)
            }
            NodeKind::Not(e) => {
                let e = self.expression(*e, None)?;
                self.b.not(e)
            }
            NodeKind::Deref(e) if self.variable(node).is_some() => return self.expression(*e, hint),
            NodeKind::Deref(e) => {
                let e = self.expression(*e, None)?;
                self.b.deref(e)
            }
            // A pointer is the same as its target, since values have no addresses.
            NodeKind::AddressOf(e) => return self.expression(*e, hint),
            NodeKind::Binary(op, a, b) => {
                let a = self.expression(*a, None)?;
                // A diagnostic is a failure, whatever is written to it.
                if *op == BinaryOp::Shl && a.ty == Ty::LOGICAL {
                    return Ok(a);
                }
                let b = self.expression(*b, Some(a.ty))?;
                self.b.binary(*op, a, b)
            }
            NodeKind::And(all) => return self.chain(node, all, true),
            NodeKind::Or(all) => return self.chain(node, all, false),
            NodeKind::Select(c, a, b) => {
                let c = self.expression(*c, None)?;
                let a = self.expression(*a, hint)?;
                let b = self.expression(*b, hint)?;
                self.b.select(c, a, b)
            }
            NodeKind::Comma(a, b) => {
                let a = self.expression(*a, None)?;
                let b = self.expression(*b, hint)?;
                self.b.then(a, b)
            }
            NodeKind::Assign(to, e) => return self.assign(node, *to, *e),
            NodeKind::Compound(op, to, by) => return self.compound(node, *op, *to, *by),
            NodeKind::Increment(of, up, postfix) => return self.increment(node, *of, *up, *postfix),
            NodeKind::Block(_)
            | NodeKind::Declare { .. }
            | NodeKind::Unpack { .. }
            | NodeKind::If { .. }
            | NodeKind::Loop { .. }
            | NodeKind::DoWhile(..)
            | NodeKind::ForEach { .. }
            | NodeKind::Switch(..)
            | NodeKind::Return(_)
            | NodeKind::Break
            | NodeKind::Continue => return Err(error::statement("a statement", lo, hi)),
            NodeKind::Index(e, index) => {
                let e = self.expression(*e, None)?;
                let index = self.expression(*index, None)?;
                self.b.index(e, index)
            }
            NodeKind::Braces(nodes) => {
                let mut items = self.items(nodes, hint)?;
                if let Some(element @ Ty { item: Item::Tuple(_), form: Form::One }) = hint {
                    for (item, &node) in items.iter_mut().zip(nodes) {
                        if matches!(ast[node].kind, NodeKind::Braces(_))
                            && item.ty.form == Form::Range
                            && let Ok(tuple) = self.b.returned(*item, element)
                        {
                            *item = tuple;
                        }
                    }
                }
                if self.in_function && items.iter().any(|item| item.ty.form == Form::Range) && hint.is_none()
                {
                    return Err(error::statement("a list of ranges", lo, hi));
                }
                self.b.list_or_tuple(&items, self.in_function)
            }
            NodeKind::Cast(ty, e) => {
                let e = self.expression(*e, None)?;
                return self.value_cast(node, ty, e);
            }
            NodeKind::Lambda(params, result, body, _) => {
                let types = vec![hint.unwrap_or(Ty::UNKNOWN); params.len()];
                return self.lambda_of(node, params, result.as_ref(), *body, &types);
            }
            NodeKind::Let(name, value, rest) => {
                if matches!(ast[*value].kind, NodeKind::Lambda(..)) {
                    self.bind_lambda(name, *value, Vec::new());
                    let rest = self.expression(*rest, hint);
                    self.scope.pop();
                    return rest;
                }
                let value = self.expression(*value, None)?;
                let local = self.b.new_local(value.ty);
                let local = self.ill(node, local)?;
                self.scope.push((name.clone(), Bound::Local(local)));
                let rest = self.expression(*rest, hint);
                self.scope.pop();
                self.b.bind(local, value, rest?)
            }
            NodeKind::Name(name) => return self.name(node, name, hint),
            NodeKind::Construct(ty, items) => return self.construct(node, ty, items, true),
            NodeKind::Call(callee, args) => return self.call(node, *callee, args, hint),
            NodeKind::Member { object, name, .. } => {
                // Data members are read by natives, because no class is known to have any.
                let object = self.expression(*object, None)?;
                let through = match object.ty.form {
                    Form::Optional | Form::Iterator => self.b.deref(object),
                    _ => Ok(object),
                };
                let through = self.ill(node, through)?;
                if let Some(field) = self.b.field(through, name) {
                    return self.ill(node, field);
                }
                return self.native_method(node, object, name, &[]);
            }
        };
        self.ill(node, result)
    }

    fn chain(&mut self, node: NodeId, all: &[NodeId], conjunction: bool) -> Lowered {
        let mut parts = Vec::with_capacity(all.len());
        for &part in all {
            let e = self.expression(part, None)?;
            let truth = self.b.truth(e);
            parts.push(self.ill(part, truth)?);
        }
        // The chain nests to the right, so that its evaluation does not recurse.
        let mut parts = parts.into_iter().rev();
        let Some(mut result) = parts.next() else {
            let nothing = self.b.bool(true);
            return self.ill(node, nothing);
        };
        for part in parts {
            let joined = if conjunction { self.b.and(part, result) } else { self.b.or(part, result) };
            result = self.ill(node, joined)?;
        }
        Ok(result)
    }

    /// Arguments or list elements.
    pub(super) fn items(&mut self, nodes: &[NodeId], hint: Option<Ty>) -> Result<Vec<Typed>, Fault> {
        let mut items: Vec<Typed> = Vec::with_capacity(nodes.len());
        for &node in nodes {
            // A lambda takes elements of the range that precedes it in the argument list.
            let hint = if matches!(self.ast[node].kind, NodeKind::Lambda(..) | NodeKind::Name(_)) {
                items
                    .iter()
                    .rev()
                    .find(|e| e.ty.form == Form::Range || matches!(e.ty.item, Item::Attr(_)))
                    .copied()
                    .map(|range| self.b.element(range))
                    .or(hint)
            } else {
                hint
            };
            items.push(self.expression(node, hint)?);
        }
        Ok(items)
    }

    /// A lambda. `types` are those of `auto` parameters.
    pub(super) fn lambda_of(
        &mut self,
        node: NodeId,
        params: &[(TypeName, String)],
        result: Option<&TypeName>,
        body: NodeId,
        types: &[Ty],
    ) -> Lowered {
        let mut locals = Vec::with_capacity(params.len());
        for (index, (ty, _)) in params.iter().enumerate() {
            let ty = if ty.path == "auto" {
                types.get(index).copied().unwrap_or(Ty::UNKNOWN)
            } else {
                self.static_type(ty).unwrap_or(Ty::UNKNOWN)
            };
            let local = self.b.new_local(ty);
            locals.push(self.ill(node, local)?);
        }
        let scope = self.scope.len();
        let names = params.iter().map(|(_, name)| name.clone());
        self.scope.extend(names.zip(locals.iter().copied().map(Bound::Local)));
        let result = match result {
            Some(name) if name.path == "void" => Some(Ty::NULL),
            Some(name) => self.static_type(name),
            None => None,
        };
        let value = self.body(body, result);
        self.scope.truncate(scope);
        let mut value = value?;
        if let Some(ty) = result.filter(|&ty| ty != Ty::NULL && ty != value.ty) {
            let converted = self.b.returned(value, ty);
            value = self.ill(node, converted)?;
        }
        let lambda = self.b.lambda(&locals, value);
        self.ill(node, lambda)
    }

    /// Gives a lambda a name.
    pub(super) fn bind_lambda(&mut self, name: &str, node: NodeId, copies: Vec<(String, LocalId)>) {
        let scope = self.scope.len();
        self.named_lambdas.push(NamedLambda { node, scope, copies });
        self.scope.push((name.to_owned(), Bound::Lambda(self.named_lambdas.len() - 1)));
    }

    /// A lambda with a name, in the scope of its definition.
    pub(super) fn named_lambda(&mut self, lambda: usize, types: &[Ty]) -> Lowered {
        let NamedLambda { node, scope, copies } = self.named_lambdas[lambda].clone();
        let hidden = self.scope.split_off(scope.min(self.scope.len()));
        self.scope.extend(copies.into_iter().map(|(name, local)| (name, Bound::Local(local))));
        let lowered = match &self.ast[node].kind {
            NodeKind::Lambda(params, result, body, _) => {
                self.lambda_of(node, params, result.as_ref(), *body, types)
            }
            _ => self.expression(node, types.first().copied()),
        };
        self.scope.truncate(scope);
        self.scope.extend(hidden);
        lowered
    }

    fn name(&mut self, node: NodeId, name: &TypeName, hint: Option<Ty>) -> Lowered {
        let path = name.path.as_str();
        if let Some((_, bound)) = self.scope.iter().rev().find(|(n, _)| n == path) {
            return match *bound {
                Bound::Local(local) => {
                    let read = self.b.local(local);
                    let read = self.ill(node, read)?;
                    if let Some(&class) = self.local_types.get(&local) {
                        self.value_types.insert(read.id, class);
                    }
                    Ok(read)
                }
                Bound::Lambda(lambda) => {
                    let types = [hint.unwrap_or(Ty::UNKNOWN); 4];
                    self.named_lambda(lambda, &types)
                }
                Bound::Place(place) => {
                    let place = self.places[place].clone();
                    self.read_place(node, &place)
                }
            };
        }
        if let Some(index) = self.b.find_param(path) {
            let param = self.b.param(index);
            return self.ill(node, param);
        }
        match self.templates.get(path) {
            Some(Template::Number(value)) => {
                let value = self.b.int(i128::from(*value), IntTy::I64);
                return self.ill(node, value);
            }
            Some(Template::Bool(value)) => {
                let value = self.b.bool(*value);
                return self.ill(node, value);
            }
            _ => {}
        }
        if let Some(constant) = self.source_constant(node, name)? {
            return Ok(constant);
        }
        let result = match path {
            "true" => self.b.bool(true),
            "false" => self.b.bool(false),
            "nullptr" | "nullopt" | "NULL" => self.b.null(Ty::NULL),
            "ShapedType::kDynamic" => self.b.int(i128::from(i64::MIN), IntTy::I64),
            "StringRef::npos" | "string::npos" => self.b.int(-1, IntTy::U64),
            "M_PI" => self.b.double(std::f64::consts::PI),
            "NAN" => self.b.double(f64::NAN),
            "INFINITY" => self.b.double(f64::INFINITY),
            // Generated rules and builders name `$_builder` by these variables.
            "rewriter" | "odsBuilder" => self.b.opaque(Item::Builder),
            _ => return self.enumerator_or_native(node, path),
        };
        self.ill(node, result)
    }

    fn enumerator_or_native(&mut self, node: NodeId, path: &str) -> Lowered {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        if let Some((of, case)) = path.rsplit_once("::")
            && let Some(Named::Enum(id)) = self.request.resolver.name(self.b.snippets(), of)
        {
            let snippets = self.b.snippets();
            let value = snippets
                .enumeration(id)
                .cases
                .iter()
                .find(|c| snippets.str(c.symbol) == case)
                .map(|c| c.value);
            let Some(value) = value else { return Err(error::no_case(case, of, lo, hi)) };
            let case = self.b.enum_case(id, value);
            return self.ill(node, case);
        }
        self.native_call(node, path, &[])
    }

    /// Records the result type of a parameter that is a lambda.
    pub(super) fn declare_callable(&mut self, local: LocalId, declared: &TypeName, ty: Ty) {
        if ty == Ty::one(Item::Lambda) {
            let result = declared.args.first().and_then(|result| self.static_type(result));
            self.callables.insert(local, result.unwrap_or(Ty::UNKNOWN));
        }
    }

    fn class(&mut self, path: &str) -> Option<Meaning> {
        if let Some(Template::Class(class)) = self.templates.get(path) {
            let path = class.path.clone();
            let outer = std::mem::take(&mut self.templates);
            let meaning = self.class(&path);
            self.templates = outer;
            return meaning;
        }
        if let Some(Template::Ty(ty)) = self.templates.get(path) {
            return Some(match ty.item {
                _ if ty.form != Form::One => return None,
                Item::Type(class) => Meaning::Object(ObjectClass::Type(class)),
                Item::Attr(class) => Meaning::Object(ObjectClass::Attr(class)),
                Item::Op(Some(class)) => Meaning::Object(ObjectClass::Op(class)),
                Item::Op(None) => Meaning::Object(ObjectClass::AnyOp),
                Item::Value => Meaning::Object(ObjectClass::Value),
                Item::Enum(id) => Meaning::Enum(id),
                _ => Meaning::Scalar(*ty),
            });
        }
        // Rules for quantised models use these types with and without their namespace.
        let quantized = path.ends_with("QuantizedType") || path.ends_with("QuantizedPerAxisType");
        let type_path =
            if quantized && !path.contains("::") { format!("quant::{path}") } else { path.to_owned() };
        if let Some(class) = TypeClass::from_cxx(&type_path) {
            return Some(Meaning::Object(ObjectClass::Type(class)));
        }
        if let Some(class) = AttrClass::from_cxx(path) {
            return Some(Meaning::Object(ObjectClass::Attr(class)));
        }
        let scalar = match path {
            "Operation" => return Some(Meaning::Object(ObjectClass::AnyOp)),
            "Value" | "TypedValue" => return Some(Meaning::Object(ObjectClass::Value)),
            "OpResult" => return Some(Meaning::Object(ObjectClass::OpResult)),
            "BlockArgument" => return Some(Meaning::Object(ObjectClass::BlockArgument)),
            "bool" => Ty::BOOL,
            "float" if self.in_function => Ty::FLOAT,
            "float" | "double" => Ty::DOUBLE,
            "StringLiteral" => Ty::STR,
            "APInt" | "APSInt" => Ty::AP_INT,
            "APFloat" => Ty::AP_FLOAT,
            "StringRef" | "string" | "Twine" | "string_view" => Ty::STR,
            "Location" => Ty::LOCATION,
            "AffineMap" => Ty::one(Item::AffineMap),
            "OpOperand" => Ty::one(Item::Use),
            "LogicalResult" => Ty::LOGICAL,
            _ => match int_type(path) {
                Some(int) => Ty::one(Item::Int(int)),
                None => {
                    return Some(match self.request.resolver.name(self.b.snippets(), path)? {
                        Named::Enum(id) => Meaning::Enum(id),
                        Named::Class(id) => Meaning::Object(object_class(id, self.b.snippets().class(id))?),
                    });
                }
            },
        };
        Some(Meaning::Scalar(scalar))
    }

    /// The static type of a C++ type name; `None` if it is unknown.
    pub(super) fn static_type(&mut self, name: &TypeName) -> Option<Ty> {
        match self.templates.get(&name.path).cloned() {
            Some(Template::Ty(ty)) => return Some(ty),
            Some(Template::Class(class)) => {
                // A class has its own name only outside of the template.
                let outer = std::mem::take(&mut self.templates);
                let ty = self.static_type(&class);
                self.templates = outer;
                return ty;
            }
            _ => {}
        }
        if name.path == "char" && name.passing == Passing::Pointer {
            return Some(Ty::STR);
        }
        let form = match name.path.as_str() {
            "ArrayRef" | "SmallVector" | "SmallVectorImpl" | "vector" | "MutableArrayRef"
            | "iterator_range" | "initializer_list" | "array" => Form::Range,
            // Sets keep the order of insertion, and bodies cannot iterate over sets with another order.
            "SmallDenseSet" | "DenseSet" | "SmallSet" | "set" | "unordered_set" | "SetVector"
            | "SmallSetVector" | "SmallPtrSet" | "StringSet"
                if self.in_function =>
            {
                Form::Range
            }
            "NamedAttribute" => return Some(self.named_attribute()),
            "pair" | "tuple" if self.in_function => {
                let types: Option<Vec<Ty>> = name.args.iter().map(|arg| self.static_type(arg)).collect();
                return self.tuple_type(&types?);
            }
            "optional" | "FailureOr" => Form::Optional,
            "PatternRewriter" | "RewriterBase" | "OpBuilder" | "Builder" | "ConversionPatternRewriter"
                if self.in_function =>
            {
                return Some(Ty::BUILDER);
            }
            "MLIRContext" => return Some(Ty::one(Item::Context)),
            "function_ref" | "function" => return Some(Ty::one(Item::Lambda)),
            "ValueRange" | "OperandRange" | "ResultRange" => return Some(Ty::range(Item::Value)),
            "TypeRange" => return Some(Ty::range(Item::Type(TypeClass::Any))),
            path => {
                let Some(meaning) = self.class(path) else {
                    return self.source_class(path).filter(|_| self.in_function).map(|(ty, _)| ty);
                };
                return Some(match meaning {
                    Meaning::Object(class) => Ty::one(class.item()),
                    Meaning::Enum(id) => Ty::one(Item::Enum(id)),
                    Meaning::Scalar(ty) => ty,
                });
            }
        };
        // Evaluation knows the types of nested ranges.
        let element = name.args.first().and_then(|arg| self.static_type(arg));
        let item = element.filter(|ty| ty.form == Form::One).map_or(Item::Unknown, |ty| ty.item);
        Some(Ty { item, form })
    }

    fn value_cast(&mut self, node: NodeId, ty: &TypeName, e: Typed) -> Lowered {
        let Some(to) = self.static_type(ty) else {
            // A cast to an unknown type is the identity, because only natives can use the result.
            return Ok(e);
        };
        let result = match to.item {
            Item::Enum(_) if matches!(e.ty.item, Item::Int(_) | Item::Bool | Item::Enum(_)) => {
                Ok(Typed { ty: to, ..e })
            }
            _ => self.b.convert(e, to),
        };
        self.ill(node, result)
    }

    /// `T(args)` and `T{args}`.
    pub(super) fn construct(
        &mut self,
        node: NodeId,
        ty: &TypeName,
        args: &[NodeId],
        braces: bool,
    ) -> Lowered {
        let Some(to) = self.static_type(ty) else {
            let args = self.items(args, None)?;
            return self.native_call(node, &written(&ty.path, &ty.args), &args);
        };
        if let [only] = args
            && let NodeKind::Placeholder(_, true) = self.ast[*only].kind
        {
            let range = self.expression(*only, None)?;
            let range = self.b.convert(range, to);
            return self.ill(node, range);
        }
        let items = self.items(args, Some(Ty::one(to.item)))?;
        if let Ty { item: Item::Tuple(id), form: Form::One } = to {
            if items.is_empty() {
                return self.default_value(node, to);
            }
            let tuple = match items[..] {
                [one] if one.ty == to => Ok(one),
                _ => self.b.tuple(id, &items),
            };
            return self.ill(node, tuple);
        }
        let result = match (items.as_slice(), to.form) {
            ([], Form::Range) => self.b.list(&[]).map(|list| Typed { ty: to, ..list }),
            ([], _) => match to.item {
                Item::Int(int) => self.b.int(0, int),
                Item::Bool => self.b.bool(false),
                Item::Double => self.b.double(0.0),
                Item::Str => self.b.str(""),
                _ => self.b.null(to),
            },
            ([one], Form::Range) if braces && one.ty.form == Form::One => {
                self.b.list(&[*one]).and_then(|list| self.b.convert(list, to))
            }
            ([one], _) if matches!(to.item, Item::Enum(_)) => return self.value_cast(node, ty, *one),
            ([one], _) => self.b.convert(*one, to),
            (many, Form::Range) if braces => self.b.list(many).and_then(|list| self.b.convert(list, to)),
            // Constructors with several arguments are built-in functions or natives.
            _ => return self.function(node, ty, &items),
        };
        self.ill(node, result)
    }

    fn call(&mut self, node: NodeId, callee: NodeId, args: &[NodeId], hint: Option<Ty>) -> Lowered {
        let ast = self.ast;
        match &ast[callee].kind {
            NodeKind::Name(name) => self.call_name(node, callee, name, args, hint),
            NodeKind::Member { object, name, template, .. } => {
                self.call_member(node, *object, name, template, args)
            }
            _ => {
                let lambda = self.expression(callee, None)?;
                let args = self.items(args, None)?;
                let result = self.b.call_lambda(lambda, &args);
                self.ill(node, result)
            }
        }
    }

    fn call_name(
        &mut self,
        node: NodeId,
        callee: NodeId,
        name: &TypeName,
        args: &[NodeId],
        hint: Option<Ty>,
    ) -> Lowered {
        let ast = self.ast;
        let path = name.path.as_str();
        if let Some((_, bound)) = self.scope.iter().rev().find(|(n, _)| n == path) {
            let bound = *bound;
            let values = self.items(args, None)?;
            // The arguments determine the types of `auto` parameters.
            let types: Vec<Ty> = values.iter().map(|value| value.ty).collect();
            let lambda = match bound {
                Bound::Lambda(lambda) => self.named_lambda(lambda, &types)?,
                _ => self.expression(callee, types.first().copied())?,
            };
            if let Some(local) = self.variable(callee) {
                let result = self.callables.get(&local).copied().unwrap_or(Ty::UNKNOWN);
                let e = self.b.apply(lambda, &values, result);
                return self.ill(node, e);
            }
            let result = self.b.call_lambda(lambda, &values);
            return self.ill(node, result);
        }
        if let Some(mode) = class_function(path) {
            return self.class_call(node, mode, path, &name.args, args);
        }
        if let ("move" | "forward", &[only]) = (path, args) {
            return self.expression(only, hint);
        }
        if ARITHMETIC.contains(&path) {
            return self.construct(node, name, args, false);
        }
        if let Some(e) = self.helper_call(node, name, args)? {
            return Ok(e);
        }
        if let Some(e) = self.body_call(node, name, args)? {
            return Ok(e);
        }
        if let Some(e) = self.algorithm(node, name, args)? {
            return Ok(e);
        }
        if path == "APFloat"
            && let &[value] = args
        {
            let value = self.expression(value, None)?;
            let e = if value.ty == Ty::FLOAT {
                self.b.algorithm(Builtin::FloatOfSingle, &[value], Ty::AP_FLOAT)
            } else if value.ty == Ty::AP_FLOAT {
                Ok(value)
            } else {
                return self.function(node, name, &[value]);
            };
            return self.ill(node, e);
        }
        if let Some((class, "create")) = path.rsplit_once("::") {
            return self.create(node, class, args);
        }
        if let Some((class, "get")) = path.rsplit_once("::")
            && let Some(result) = self.static_get(node, class, args)?
        {
            return Ok(result);
        }
        if let &[begin, end, ..] = args
            && matches!(path, "all_of" | "any_of" | "none_of" | "count_if" | "is_sorted")
            && let Some(range) = self.whole_range(begin, end)
        {
            let args = [&[range], &args[2..]].concat();
            return self.call_name(node, callee, name, &args, hint);
        }
        if path == "m_Constant" && args.len() == 1 {
            let target = self.expression(args[0], None)?;
            if let Some(output) = self.b.as_output(target) {
                let matcher = self.b.constant_matcher(output);
                return self.ill(node, matcher);
            }
        }
        if let Some(result) = self.enum_function(node, name, args)? {
            return Ok(result);
        }
        if let ("matchPattern", &[on, matcher]) = (path, args)
            && let NodeKind::Call(any, matchers) = &ast[matcher].kind
            && matches!(&ast[*any].kind, NodeKind::Name(name) if name.path == "m_AnyAttrOf")
        {
            return self.match_any(node, on, matchers);
        }
        let constructs = matches!(
            path,
            "ArrayRef"
                | "SmallVector"
                | "vector"
                | "ValueRange"
                | "TypeRange"
                | "optional"
                | "Value"
                | "Operation"
        ) || (path != "APInt"
            && path != "APFloat"
            && !matches!(path, "StringRef" | "string" | "Twine")
            && !path.contains("::get")
            && self.class(path).is_some());
        if constructs {
            return self.construct(node, name, args, false);
        }
        let values = self.items(args, None)?;
        self.function(node, name, &values)
    }

    /// A call of a generated enumeration function, or of a template over enumerations.
    fn enum_function(
        &mut self,
        node: NodeId,
        name: &TypeName,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let short = name.path.rsplit("::").next().unwrap_or(&name.path);
        let result = match (short, args) {
            (
                "bitEnumContains" | "bitEnumContainsAll" | "bitEnumContainsAny" | "bitEnumClear",
                &[value, bits],
            )
            | ("bitEnumSet", &[value, bits]) => {
                let (value, bits) = (self.expression(value, None)?, self.expression(bits, None)?);
                if !matches!(value.ty.item, Item::Enum(_)) {
                    return Ok(None);
                }
                match short {
                    "bitEnumSet" | "bitEnumClear" => self.b.enum_with(value, bits, short == "bitEnumSet"),
                    _ => self.b.enum_contains(value, bits, short != "bitEnumContainsAny"),
                }
            }
            ("bitEnumSet", &[value, bits, on]) => {
                let (value, bits) = (self.expression(value, None)?, self.expression(bits, None)?);
                if !matches!(value.ty.item, Item::Enum(_)) {
                    return Ok(None);
                }
                let on = self.expression(on, None)?;
                let (with, without) =
                    (self.b.enum_with(value, bits, true), self.b.enum_with(value, bits, false));
                let (with, without) = (self.ill(node, with)?, self.ill(node, without)?);
                self.b.select(on, with, without)
            }
            ("stringifyEnum", &[value]) => {
                let value = self.expression(value, None)?;
                let Item::Enum(id) = value.ty.item else { return Ok(None) };
                self.b.enum_text(id, value)
            }
            ("symbolizeEnum", &[of]) => {
                let Some(class) = name.args.first() else { return Ok(None) };
                let Some(Meaning::Enum(id)) = self.class(&class.path) else { return Ok(None) };
                let of = self.expression(of, None)?;
                self.b.enum_value(id, of)
            }
            _ => {
                let found = self.request.resolver.enum_function(self.b.snippets(), &name.path);
                match (found, args) {
                    (Some((id, EnumFunction::Max)), []) => self.b.enum_max(id),
                    (Some((id, function)), &[arg]) => {
                        let arg = self.expression(arg, None)?;
                        match function {
                            EnumFunction::Stringify => self.b.enum_text(id, arg),
                            _ => self.b.enum_value(id, arg),
                        }
                    }
                    _ => return Ok(None),
                }
            }
        };
        self.ill(node, result).map(Some)
    }

    /// The range of the argument pair `range.begin(), range.end()` of an algorithm of `std`.
    pub(super) fn whole_range(&self, begin: NodeId, end: NodeId) -> Option<NodeId> {
        let object = |node: NodeId, method: &str| match &self.ast[node].kind {
            NodeKind::Call(callee, args) if args.is_empty() => match &self.ast[*callee].kind {
                NodeKind::Member { object, name, .. } if name == method => Some(*object),
                _ => None,
            },
            _ => None,
        };
        let (range, other) = (object(begin, "begin")?, object(end, "end")?);
        let text = |node: NodeId| self.text.get(self.ast[node].lo..self.ast[node].hi);
        (text(range)? == text(other)?).then_some(range)
    }

    /// `matchPattern(on, m_AnyAttrOf(matchers…))`.
    fn match_any(&mut self, node: NodeId, on: NodeId, matchers: &[NodeId]) -> Lowered {
        let none = self.b.bool(false);
        let mut result = self.ill(node, none)?;
        for &matcher in matchers.iter().rev() {
            let args = [self.expression(on, None)?, self.expression(matcher, None)?];
            let Some(matched) = self.b.function("matchPattern", &args, None) else { continue };
            let matched = self.ill(node, matched)?;
            let either = self.b.or(matched, result);
            result = self.ill(node, either)?;
        }
        Ok(result)
    }

    /// A call of a built-in function or of a native.
    fn function(&mut self, node: NodeId, name: &TypeName, args: &[Typed]) -> Lowered {
        let template = name.args.first().and_then(|t| self.static_type(t));
        let outputs: Vec<u32> = args.iter().filter_map(|a| self.b.as_output(*a)).collect();
        let qualified = written(&name.path, &name.args);
        if outputs.is_empty() {
            // `detail::foo` refers to the built-in function `foo` if there is one.
            let short = name.path.rsplit("::").next().unwrap_or(&name.path);
            for candidate in [name.path.as_str(), short] {
                if let Some(result) = self.b.function(candidate, args, template) {
                    return self.ill(node, result);
                }
            }
            return self.native_call(node, &qualified, args);
        }
        let inputs: Vec<Typed> = args.iter().copied().filter(|a| self.b.as_output(*a).is_none()).collect();
        if self.in_function {
            return Err(error::unknown_function(&qualified, self.ast[node].lo, self.ast[node].hi));
        }
        let native = self.b.native(&qualified, &inputs, &outputs, Ty::UNKNOWN);
        self.ill(node, native)
    }

    fn native_call(&mut self, node: NodeId, name: &str, args: &[Typed]) -> Lowered {
        if self.in_function {
            return Err(error::unknown_function(name, self.ast[node].lo, self.ast[node].hi));
        }
        let native = self.b.native(name, args, &[], Ty::UNKNOWN);
        self.ill(node, native)
    }

    fn native_method(&mut self, node: NodeId, object: Typed, name: &str, args: &[Typed]) -> Lowered {
        let qualified = match object.ty.item {
            Item::Builder | Item::Unknown => name.to_owned(),
            _ => format!("{}::{name}", self.b.show(Ty::one(object.ty.item)).trim_end_matches(" *")),
        };
        let mut all = vec![object];
        all.extend_from_slice(args);
        self.native_call(node, &qualified, &all)
    }

    /// `isa<A, B>(x)`, `cast<A>(x)` and related functions.
    fn class_call(
        &mut self,
        node: NodeId,
        mode: ClassFunction,
        path: &str,
        classes: &[TypeName],
        args: &[NodeId],
    ) -> Lowered {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let [arg] = args else { return Err(error::args(path, "one argument", lo, hi)) };
        let e = self.expression(*arg, None)?;
        self.class_test(node, mode, path, classes, e)
    }

    fn class_test(
        &mut self,
        node: NodeId,
        mode: ClassFunction,
        path: &str,
        classes: &[TypeName],
        e: Typed,
    ) -> Lowered {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let mut objects = Vec::new();
        for class in classes {
            objects.push(self.object_class(class, e)?);
        }
        let result = match (mode, objects.as_slice()) {
            (ClassFunction::IsA { null_is_false }, [_, ..]) => self.b.isa(e, &objects, null_is_false),
            (ClassFunction::Cast(mode), [class]) => self.b.cast(e, *class, mode),
            _ => return Err(error::template_args(path, "a class", lo, hi)),
        };
        self.ill(node, result)
    }

    /// `isa<A, B>` of a value.
    pub(super) fn isa_of(&mut self, node: NodeId, classes: &[TypeName], e: Typed) -> Lowered {
        self.class_test(node, ClassFunction::IsA { null_is_false: false }, "isa", classes, e)
    }

    fn object_class(&mut self, name: &TypeName, of: Typed) -> Result<ObjectClass, Fault> {
        match self.class(&name.path) {
            Some(Meaning::Object(class)) => Ok(class),
            Some(_) => Err(error::not_a_class(&name.path, name.lo, name.hi)),
            None => {
                // No definition is known, so a native decides which values are of this class.
                let kind = match of.ty.item {
                    Item::Type(_) => Kind::Type,
                    Item::Attr(_) => Kind::Attr,
                    Item::Op(_) | Item::Value => Kind::Op,
                    _ if name.path.ends_with("Type") => Kind::Type,
                    _ if name.path.ends_with("Attr") => Kind::Attr,
                    _ => Kind::Op,
                };
                let class = match (kind, foreign_namespace(&name.path)) {
                    (Kind::Type | Kind::Attr, Some(namespace)) => {
                        Ok(self.b.foreign_class(&name.path, namespace, kind))
                    }
                    // A function from a source file calls no natives.
                    _ if self.in_function => return Err(error::unknown_type(&name.path, name.lo, name.hi)),
                    _ => self.b.native_class_named(&name.path, kind),
                };
                let class = class.map_err(|e| error::ill_typed(&e, name.lo, name.hi))?;
                Ok(match kind {
                    Kind::Type => ObjectClass::Type(TypeClass::Named(class)),
                    Kind::Attr => ObjectClass::Attr(AttrClass::Named(class)),
                    _ => ObjectClass::Op(class),
                })
            }
        }
    }

    /// `X::get(…)` of a dialect class; `None` if it is a call of a built-in or a native.
    fn static_get(&mut self, node: NodeId, class: &str, args: &[NodeId]) -> Result<Option<Typed>, Fault> {
        match self.class(class) {
            Some(Meaning::Object(ObjectClass::Type(TypeClass::FloatOf(format)))) => {
                let e = self.b.type_of_class(TypeClass::FloatOf(format));
                self.ill(node, e).map(Some)
            }
            Some(Meaning::Object(ObjectClass::Type(TypeClass::Named(id)))) => {
                let values = self.items(args, None)?;
                if values.iter().all(|v| matches!(v.ty.item, Item::Context | Item::Builder)) {
                    let e = self.b.type_of_class(TypeClass::Named(id));
                    return self.ill(node, e).map(Some);
                }
                let e = self.b.make(ObjectClass::Type(TypeClass::Named(id)), &values);
                e.map(|e| self.ill(node, e)).transpose()
            }
            Some(Meaning::Object(ObjectClass::Attr(AttrClass::Named(id)))) => {
                let values = self.items(args, None)?;
                let e = self.b.make(ObjectClass::Attr(AttrClass::Named(id)), &values);
                let e = e.or_else(|| self.b.enum_attr(id, &values));
                e.map(|e| self.ill(node, e)).transpose()
            }
            _ => Ok(None),
        }
    }

    fn create(&mut self, node: NodeId, class: &str, args: &[NodeId]) -> Lowered {
        let mut values = self.items(args, None)?;
        values.retain(|v| !matches!(v.ty.item, Item::Builder));
        if let Some(Meaning::Object(ObjectClass::Op(id))) = self.class(class)
            && let Some((&loc, rest)) = values.split_first()
        {
            let types: Vec<Ty> = rest.iter().map(|v| v.ty).collect();
            if let Some(plan) = self.request.resolver.create(self.b.snippets(), id, &types) {
                let e = self.b.create(id, plan, loc, rest);
                return self.ill(node, e);
            }
            if let Some(e) = self.create_by_builder(node, id, loc, rest)? {
                return Ok(e);
            }
        }
        self.native_call(node, &format!("{class}::create"), &values)
    }

    /// Creates an operation by the body of one of its builders; `None` if no readable body takes these arguments.
    fn create_by_builder(
        &mut self,
        node: NodeId,
        id: ClassId,
        loc: Typed,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let Some(inline) = self.request.resolver.builder(self.b.snippets(), id, args.len()) else {
            return Ok(None);
        };
        self.inline(node, &inline, args, |this, passed| {
            let types: Vec<Ty> = passed.iter().map(|v| v.ty).collect();
            let plan = this.request.resolver.create(this.b.snippets(), id, &types)?;
            Some(this.b.create(id, plan, loc, passed))
        })
    }

    /// Evaluates the expressions of an inlined body with its parameters bound, and passes their values to `make`.
    fn inline(
        &mut self,
        node: NodeId,
        inline: &InlineBody,
        args: &[Typed],
        make: impl FnOnce(&mut Self, &[Typed]) -> Option<Result<Typed, TypeError>>,
    ) -> Result<Option<Typed>, Fault> {
        if self.inlined >= INLINE_LIMIT {
            return Ok(None);
        }
        let mut scope = Vec::new();
        for (name, arg) in inline.params.iter().zip(args) {
            let local = self.b.new_local(arg.ty);
            scope.push((name.clone(), Bound::Local(self.ill(node, local)?)));
        }
        let mut passed = Vec::new();
        for text in &inline.texts {
            let Ok(tokens) = lex::lex(text) else { return Ok(None) };
            let Ok((ast, root)) = parse::parse(&tokens) else { return Ok(None) };
            let mut inner = Lower {
                text,
                scope: scope.clone(),
                depth: self.depth,
                inlined: self.inlined + 1,
                in_function: self.in_function,
                nesting: self.nesting,
                changed: Changes::of(&ast, &|_| false),
                ..Lower::new(&ast, self.request, &mut *self.b)
            };
            // A body that does not compile is replaced by a native.
            let Ok(value) = inner.expression(root, None) else { return Ok(None) };
            passed.push(value);
        }
        let Some(made) = make(self, &passed) else { return Ok(None) };
        let mut made = self.ill(node, made)?;
        for ((_, bound), arg) in scope.iter().zip(args).rev() {
            if let Bound::Local(local) = *bound {
                let bound = self.b.bind(local, *arg, made);
                made = self.ill(node, bound)?;
            }
        }
        Ok(Some(made))
    }

    fn call_member(
        &mut self,
        node: NodeId,
        object: NodeId,
        name: &str,
        template: &[TypeName],
        args: &[NodeId],
    ) -> Lowered {
        if let Some(e) = self.changing_method(node, object, name, args)? {
            return Ok(e);
        }
        if let Some(e) = self.overflowing(node, object, name, args)? {
            return Ok(e);
        }
        let on = self.expression(object, None)?;
        if matches!(name, "emitError" | "emitOpError" | "emitWarning" | "emitRemark")
            && matches!(on.ty.item, Item::Op(_))
        {
            let failure = self.b.function("failure", &[], None).unwrap_or_else(|| self.b.bool(false));
            return self.ill(node, failure);
        }
        let arrow_through = matches!(on.ty.form, Form::Optional | Form::Iterator)
            && !matches!(name, "has_value" | "value" | "value_or");
        let on = if arrow_through {
            let through = self.b.deref(on);
            self.ill(object, through)?
        } else {
            on
        };
        if on.ty.item == Item::Builder {
            return self.builder_method(node, on, name, template, args);
        }
        if let Some(mode) = class_function(name)
            && !template.is_empty()
        {
            return self.class_test(node, mode, name, template, on);
        }
        if name == "mapValues"
            && let Some(e) = self.map_values(node, on, args)?
        {
            return Ok(e);
        }
        if name == "getAsInteger"
            && let Some(e) = self.parse_integer(node, on, args)?
        {
            return Ok(e);
        }
        if name == "hasTrait" {
            return self.has_trait(node, on, template);
        }
        let mut values = vec![];
        let hint = self.b.element(on);
        for &arg in args {
            values.push(self.expression(arg, Some(hint))?);
        }
        // An accessor of a numbered group resolves like a named accessor.
        let mut numbered = None;
        if let ("getODSOperands" | "getODSResults", &[arg]) = (name, args)
            && let NodeKind::Int { value, .. } = self.ast[arg].kind
        {
            numbered = Some(format!("{name}({value})"));
            values.clear();
        }
        let name = numbered.as_deref().unwrap_or(name);
        if let Item::Op(Some(class))
        | Item::Attr(AttrClass::Named(class))
        | Item::Type(TypeClass::Named(class)) = on.ty.item
            && values.is_empty()
            && on.ty.form == Form::One
            && let Some((member, ty)) = self.request.resolver.member(self.b.snippets(), class, name)
        {
            let e = self.b.member(on, member, ty);
            let e = self.ill(node, e)?;
            if let Some(declared) = self.request.resolver.value_type(self.b.snippets(), class, name) {
                self.value_types.insert(e.id, declared);
            }
            return Ok(e);
        }
        if let Item::Op(Some(class))
        | Item::Attr(AttrClass::Named(class))
        | Item::Type(TypeClass::Named(class)) = on.ty.item
            && on.ty.form == Form::One
            && let Some(inline) = self.request.resolver.method(self.b.snippets(), class, name, values.len())
        {
            let all: Vec<Typed> = std::iter::once(on).chain(values.iter().copied()).collect();
            if let Some(e) = self.inline(node, &inline, &all, |_, given| given.first().copied().map(Ok))? {
                return Ok(e);
            }
        }
        if values.is_empty()
            && let Some(field) = self.b.field(on, name)
        {
            return self.ill(node, field);
        }
        if let Some(e) = self.attribute_method(node, on, name, &values)? {
            return Ok(e);
        }
        if let Some(e) = self.range_method(node, on, name, &values)? {
            return Ok(e);
        }
        if let (Ty::STR, "split" | "rsplit", &[by]) = (on.ty, name, &values[..])
            && let Some(pair) = self.tuple_type(&[Ty::STR, Ty::STR])
        {
            let op = if name == "split" { Builtin::StrSplit } else { Builtin::StrRsplit };
            let e = self.b.algorithm(op, &[on, by], pair);
            return self.ill(node, e);
        }
        if name == "getDefiningOp" && !template.is_empty() {
            let op = self.b.method(on, name, &[], None).unwrap_or(Ok(on));
            let op = self.ill(node, op)?;
            return self.class_test(node, ClassFunction::Cast(CastMode::TryIfPresent), name, template, op);
        }
        let template_type = template.first().and_then(|t| self.static_type(t));
        if let Some(result) = self.b.method(on, name, &values, template_type) {
            let result = self.ill(node, result)?;
            return Ok(self.of_declared_type(on, name, result));
        }
        self.native_method(node, on, &written(name, template), &values)
    }

    /// Refines the result types of `getType()` and `getResult()` to the declared type class.
    fn of_declared_type(&mut self, on: Typed, method: &str, result: Typed) -> Typed {
        let declared = match on.ty.item {
            Item::Op(Some(class)) => self.request.resolver.value_type(self.b.snippets(), class, "getResult"),
            _ => self.value_types.get(&on.id).copied(),
        };
        match (method, declared, result.ty) {
            ("getType", Some(class), Ty::TYPE) => Typed { ty: Ty::ty(class), ..result },
            ("getResult", Some(class), Ty::VALUE) => {
                self.value_types.insert(result.id, class);
                result
            }
            _ => result,
        }
    }

    fn has_trait(&mut self, node: NodeId, on: Typed, template: &[TypeName]) -> Lowered {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let [name] = template else { return Err(error::template_args("hasTrait", "a trait", lo, hi)) };
        if name.path == "ValueSemantics" && matches!(on.ty.item, Item::Type(_)) {
            let e = self.b.has_value_semantics(on);
            return self.ill(node, e);
        }
        if name.path == "OpTrait::ConstantLike" && matches!(on.ty.item, Item::Op(_)) {
            let value = self.b.constant_value(on, Ty::ATTR);
            let value = self.ill(node, value)?;
            let is_constant = self.b.truth(value);
            return self.ill(node, is_constant);
        }
        self.native_call(node, &format!("hasTrait<{}>", name.path), &[on])
    }

    fn builder_method(
        &mut self,
        node: NodeId,
        on: Typed,
        name: &str,
        template: &[TypeName],
        args: &[NodeId],
    ) -> Lowered {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        match (name, template) {
            ("create" | "createOrFold", [class]) => self.create(node, &class.path, args),
            ("getType", [class]) => {
                if args.is_empty()
                    && let Some(Meaning::Object(ObjectClass::Type(class))) = self.class(&class.path)
                {
                    let e = self.b.type_of_class(class);
                    return self.ill(node, e);
                }
                self.get_with_context(node, class, args)
            }
            ("getAttr", [class]) => match self.static_get(node, &class.path, args)? {
                Some(e) => Ok(e),
                None => self.get_with_context(node, class, args),
            },
            ("modifyOpInPlace", _) => {
                let &[of, by] = args else {
                    return Err(error::args(name, "an operation and a lambda", lo, hi));
                };
                let of = self.expression(of, None)?;
                let by = self.expression(by, None)?;
                let call = self.b.call_lambda(by, &[]);
                let call = self.ill(node, call)?;
                let both = self.b.then(of, call);
                self.ill(node, both)
            }
            // Listeners are notified of each change anyway.
            ("startOpModification" | "finalizeOpModification", _) => {
                let nothing = self.b.null(Ty::NULL);
                self.ill(node, nothing)
            }
            ("notifyMatchFailure", _) => {
                let failure = self.b.function("failure", &[], None).unwrap_or_else(|| self.b.bool(false));
                self.ill(node, failure)
            }
            ("create" | "getType" | "getAttr", _) => Err(error::template_args(name, "a class", lo, hi)),
            _ => {
                let values = self.items(args, None)?;
                match self.b.method(on, name, &values, None) {
                    Some(result) => self.ill(node, result),
                    None => self.native_method(node, on, name, &values),
                }
            }
        }
    }

    /// `X::get(context, args…)`, or `X::get(args…)` for classes that take no context.
    fn get_with_context(&mut self, node: NodeId, class: &TypeName, args: &[NodeId]) -> Lowered {
        let get = TypeName { path: format!("{}::get", class.path), ..class.clone() };
        let values = self.items(args, None)?;
        let context = self.b.opaque(Item::Context);
        let context = self.ill(node, context)?;
        let mut all = vec![context];
        all.extend_from_slice(&values);
        if let Some(Ok(e)) = self.b.function(&get.path, &all, None) {
            return Ok(e);
        }
        self.function(node, &get, &values)
    }
}

/// The namespace that states the dialect of a type or attribute class (`TF` in `mlir::TF::RefType`); `None` for an interface,
/// which objects of any dialect may implement, and without a namespace.
fn foreign_namespace(path: &str) -> Option<&str> {
    let (outer, class) = path.rsplit_once("::")?;
    let is_class = class.ends_with("Type") || class.ends_with("Attr");
    is_class.then(|| outer.rsplit("::").next()).flatten()
}

/// The name under which a native is registered, with template arguments: `f<A, B<C>>`.
fn written(path: &str, args: &[TypeName]) -> String {
    if args.is_empty() {
        return path.to_owned();
    }
    let args: Vec<String> = args.iter().map(|arg| written(&arg.path, &arg.args)).collect();
    format!("{path}<{}>", args.join(", "))
}

/// The test or conversion of `isa`, `cast` and related functions.
#[derive(Clone, Copy)]
enum ClassFunction {
    IsA { null_is_false: bool },
    Cast(CastMode),
}

fn class_function(name: &str) -> Option<ClassFunction> {
    Some(match name {
        "isa" => ClassFunction::IsA { null_is_false: false },
        "isa_and_nonnull" | "isa_and_present" => ClassFunction::IsA { null_is_false: true },
        "cast" => ClassFunction::Cast(CastMode::Must),
        "dyn_cast" => ClassFunction::Cast(CastMode::Try),
        "cast_or_null" | "cast_if_present" => ClassFunction::Cast(CastMode::MustIfPresent),
        "dyn_cast_or_null" | "dyn_cast_if_present" => ClassFunction::Cast(CastMode::TryIfPresent),
        _ => return None,
    })
}

fn int_type(name: &str) -> Option<IntTy> {
    Some(match name {
        "int" | "int32_t" | "signed" => IntTy::I32,
        "unsigned" | "uint32_t" => IntTy::U32,
        "int64_t" | "long" | "ptrdiff_t" | "ssize_t" => IntTy::I64,
        "uint64_t" | "size_t" => IntTy::U64,
        "int8_t" | "char" => IntTy { bits: 8, signed: true },
        "uint8_t" => IntTy { bits: 8, signed: false },
        "int16_t" | "short" => IntTy { bits: 16, signed: true },
        "uint16_t" => IntTy { bits: 16, signed: false },
        _ => return None,
    })
}

fn object_class(id: ClassId, class: &Class) -> Option<ObjectClass> {
    Some(match class.kind {
        ClassKind::Op(_) | ClassKind::OneOf(Kind::Op, _) => ObjectClass::Op(id),
        ClassKind::OneOf(Kind::Type, _) | ClassKind::Foreign(Kind::Type, _) => {
            ObjectClass::Type(TypeClass::Named(id))
        }
        ClassKind::OneOf(..) | ClassKind::Foreign(..) => ObjectClass::Attr(AttrClass::Named(id)),
        ClassKind::Type(_) => ObjectClass::Type(TypeClass::Named(id)),
        ClassKind::Attr(_) | ClassKind::EnumAttr(..) | ClassKind::IntEnumAttr(..) => {
            ObjectClass::Attr(AttrClass::Named(id))
        }
        ClassKind::Native(_) => return None,
    })
}
