//! The state of lowering a text: the variables in scope, and facts about them.

use hashbrown::{HashMap, HashSet};

use crate::frontend::cxx::ast::{Ast, NodeId, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::function::{Applied, Changes, Place};
use crate::frontend::cxx::parse::LocalUsing;
use crate::frontend::cxx::request::Request;
use crate::snippet::{
    BinaryOp, Builder, ExprId, Form, IntTy, Item, LocalId, Ty, TypeClass, TypeError, Typed,
};

pub(in crate::frontend::cxx) type Lowered = Result<Typed, Fault>;

/// The state of lowering a text.
pub(in crate::frontend::cxx) struct Lower<'a, 'b> {
    pub(in crate::frontend::cxx) text: &'b str,
    pub(in crate::frontend::cxx) ast: &'b Ast,
    pub(in crate::frontend::cxx) request: &'b Request<'b>,
    pub(in crate::frontend::cxx) b: &'b mut Builder<'a>,
    pub(in crate::frontend::cxx) scope: Vec<(String, Bound)>,
    /// The declared type classes of values that accessors return.
    pub(in crate::frontend::cxx) value_types: HashMap<ExprId, TypeClass>,
    /// The declared type classes of values in variables.
    pub(in crate::frontend::cxx) local_types: HashMap<LocalId, TypeClass>,
    /// The C++ classes of variables, without namespaces and template arguments.
    pub(in crate::frontend::cxx) classes: HashMap<LocalId, String>,
    pub(in crate::frontend::cxx) depth: u32,
    /// The number of inlined bodies around the current text.
    pub(in crate::frontend::cxx) inlined: u32,
    /// True in a function from a source file, which calls no natives.
    pub(in crate::frontend::cxx) in_function: bool,
    /// The class whose member function is being compiled.
    pub(in crate::frontend::cxx) class_scope: Option<String>,
    /// The names of the namespaces, classes and functions around the text.
    pub(in crate::frontend::cxx) enclosing: Vec<String>,
    /// Each `using namespace` in the function.
    pub(in crate::frontend::cxx) usings: Vec<LocalUsing>,
    /// For each variable and reference of a function, true if it is `const`, and `None` if this is not known.
    pub(in crate::frontend::cxx) constants: HashMap<String, Option<bool>>,
    /// The number of functions that are being compiled.
    pub(in crate::frontend::cxx) nesting: u32,
    /// The nesting of the current statement. In a body that becomes one expression, a statement counts as nested in the
    /// statement before it.
    pub(in crate::frontend::cxx) statements: u32,
    /// The result types of the functions and lambdas around the current statement; `None` for a type that is not known
    /// yet.
    pub(in crate::frontend::cxx) results: Vec<Option<Ty>>,
    /// The insertion points that insertion guards restore at the end of the blocks around the current statement.
    pub(in crate::frontend::cxx) guards: Vec<LocalId>,
    /// The number of insertion guards around the innermost loop.
    pub(in crate::frontend::cxx) loop_guards: usize,
    /// The template arguments of the function.
    pub(in crate::frontend::cxx) templates: HashMap<String, Template>,
    /// The variables that the text changes, with the places of the changes.
    pub(in crate::frontend::cxx) changed: Changes,
    /// The places to which references refer.
    pub(in crate::frontend::cxx) places: Vec<Place>,
    /// The elements of loops over `enumerate(range)`.
    pub(in crate::frontend::cxx) elements: Vec<NumberedElement>,
    /// The classes of the ranges in variables.
    pub(in crate::frontend::cxx) containers: HashMap<LocalId, Container>,
    /// The iterators over a variable that changes, each with the variable.
    pub(in crate::frontend::cxx) iterators: HashMap<LocalId, LocalId>,
    /// The iterators that must not be used after a change of the variables to whose elements they may point. Each has
    /// the byte at which its declaration ends, and the names of these variables.
    pub(in crate::frontend::cxx) fixed_iterators: HashMap<LocalId, (usize, Vec<String>)>,
    /// The variables whose values are views of other variables, or contain views or iterators. The flag is true if the
    /// elements of the other variable can change through the view.
    pub(in crate::frontend::cxx) views: HashMap<LocalId, bool>,
    /// The variables that own their text, such as those of the type `std::string`.
    pub(in crate::frontend::cxx) strings: HashSet<LocalId>,
    /// The lambdas with a name.
    pub(in crate::frontend::cxx) named_lambdas: Vec<NamedLambda>,
    /// The template arguments of the classes of variables.
    pub(in crate::frontend::cxx) class_args: HashMap<LocalId, Vec<TypeName>>,
    /// The variables that are pointers to values. `*x` is the value.
    pub(in crate::frontend::cxx) pointers: HashSet<LocalId>,
    /// The signatures of the variables that hold functions.
    pub(in crate::frontend::cxx) callables: HashMap<LocalId, Signature>,
    /// The parameters that are functions and whose types are template parameters, each with its number.
    pub(in crate::frontend::cxx) function_params: HashMap<LocalId, usize>,
    /// The calls of the parameters in `function_params`.
    pub(in crate::frontend::cxx) applied: Vec<Applied>,
    /// The result types of the lambdas in parameters whose types are template parameters.
    pub(in crate::frontend::cxx) lambda_results: HashMap<LocalId, Ty>,
    /// For an expression whose value is a range, the class of the range; for a lambda, the class of the range that it
    /// returns.
    pub(in crate::frontend::cxx) container_values: HashMap<ExprId, Container>,
    /// The class of the range that the function or lambda returns.
    pub(in crate::frontend::cxx) returned_container: Container,
    /// For an optional range that an accessor returns, the attribute that holds the elements. Natives take the attribute,
    /// because no kind of argument is an optional range.
    pub(in crate::frontend::cxx) holders: HashMap<ExprId, Typed>,
    /// The reference parameters of the lambda that is called next: the number of each parameter, and the place to which
    /// it refers, or `None` for a new value.
    pub(in crate::frontend::cxx) references: Vec<(usize, Option<Place>)>,
    /// The classes of the arguments of the lambda that is called next.
    pub(in crate::frontend::cxx) argument_containers: Vec<Container>,
}

/// The properties of a C++ container that the static type of a range does not state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::frontend::cxx) struct Container {
    pub(in crate::frontend::cxx) kind: ContainerKind,
    pub(in crate::frontend::cxx) order: Order,
    /// For a range of ranges, the type of the inner ranges.
    pub(in crate::frontend::cxx) inner: Option<Ty>,
    /// For an optional that holds a range, the type of the range.
    pub(in crate::frontend::cxx) held: Option<Ty>,
    pub(in crate::frontend::cxx) counts: Counts,
}

/// The types of the results of `size()` and `count(x)` of a container.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::frontend::cxx) enum Counts {
    /// Both are `size_t`.
    #[default]
    Long,
    /// `size()` is an `unsigned`, and `count(x)` is a `size_t`.
    ShortSize,
    /// Both are `unsigned`.
    Short,
}

impl Counts {
    /// The types for a class of C++.
    pub(in crate::frontend::cxx) fn of_class(class: &str) -> Self {
        match class {
            "StringMap" | "StringSet" => Self::ShortSize,
            "DenseMap" | "SmallDenseMap" | "DenseSet" | "SmallDenseSet" | "SmallPtrSet" | "BitVector" => {
                Self::Short
            }
            _ => Self::Long,
        }
    }

    /// The type of `size()`.
    pub(in crate::frontend::cxx) fn size(self) -> Ty {
        if self == Self::Long { Ty::U64 } else { Ty::U32 }
    }

    /// The type of `count(x)`.
    pub(in crate::frontend::cxx) fn count(self) -> Ty {
        if self == Self::Short { Ty::U32 } else { Ty::U64 }
    }
}

/// A kind of range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::frontend::cxx) enum ContainerKind {
    /// A range that can contain equal elements.
    #[default]
    List,
    Set,
    /// A range of pairs, with one pair for each key.
    Map,
}

/// The order of the elements of a range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::frontend::cxx) enum Order {
    /// The elements are in the order in which they were added.
    #[default]
    Insertion,
    Ascending,
    /// C++ does not state the order.
    Unstated,
}

impl Container {
    /// A range whose order C++ does not state.
    pub(in crate::frontend::cxx) const UNORDERED: Self = Self {
        kind: ContainerKind::List,
        order: Order::Unstated,
        inner: None,
        held: None,
        counts: Counts::Long,
    };

    /// True if reading a value of this class differs from reading a list.
    pub(in crate::frontend::cxx) fn is_special(self) -> bool {
        self.kind == ContainerKind::Map || self.order != Order::Insertion
    }

    /// The class of a value that has one of two classes. C++ allows two different classes only if one of them is the
    /// class of a list in braces.
    pub(in crate::frontend::cxx) fn or(self, other: Self) -> Self {
        if self.is_special() || !other.is_special() { self } else { other }
    }
}

/// A template argument.
#[derive(Clone, Debug)]
pub(in crate::frontend::cxx) enum Template {
    /// A class as it is written at the call.
    Class(TypeName),
    /// The type of an argument.
    Ty(Ty),
    /// A number, and its type.
    Number(i64, IntTy),
    Bool(bool),
}

impl Template {
    /// A text that differs for different arguments.
    pub(in crate::frontend::cxx) fn text(&self) -> String {
        match self {
            Self::Class(name) => written(&name.path, &name.args),
            other => format!("{other:?}"),
        }
    }
}

/// The meaning of a name in scope.
#[derive(Clone, Copy)]
pub(in crate::frontend::cxx) enum Bound {
    Local(LocalId),
    /// A lambda with a name, by its number.
    Lambda(usize),
    /// A reference, by the number of its place.
    Place(usize),
    /// The element of a loop over `enumerate(range)`, by its number.
    Element(usize),
}

/// The element of a loop over `enumerate(range)`.
#[derive(Clone, Debug)]
pub(in crate::frontend::cxx) struct NumberedElement {
    /// The variable that holds the number of the element.
    pub(in crate::frontend::cxx) index: LocalId,
    /// The place of the element.
    pub(in crate::frontend::cxx) value: Place,
}

/// A lambda with a name, which is lowered again at each use.
#[derive(Clone, Debug)]
pub(in crate::frontend::cxx) struct NamedLambda {
    pub(in crate::frontend::cxx) node: NodeId,
    /// The number of names that are in scope where the lambda is defined.
    pub(in crate::frontend::cxx) scope: usize,
    /// The copies of variables that are captured by value and change later.
    pub(in crate::frontend::cxx) copies: Vec<(String, LocalId)>,
    /// The signature in the declared type of the variable; `None` for `auto`.
    pub(in crate::frontend::cxx) signature: Option<Signature>,
}

/// The signature of a variable that holds a function. A call converts an argument or the result only if its type in the
/// signature is a number.
#[derive(Clone, Debug)]
pub(in crate::frontend::cxx) struct Signature {
    pub(in crate::frontend::cxx) result: Ty,
    pub(in crate::frontend::cxx) params: Vec<Ty>,
    /// For each parameter, true if it is a reference, pointer or view.
    pub(in crate::frontend::cxx) by_reference: Vec<bool>,
    /// True if the variable is a parameter. The function in a parameter refers only to variables of the caller.
    pub(in crate::frontend::cxx) of_parameter: bool,
}

impl Signature {
    /// The static type of the result before its conversion. The function in the variable may return a number of another
    /// type.
    pub(in crate::frontend::cxx) fn raw_result(&self) -> Ty {
        if is_number(self.result) { Ty::UNKNOWN } else { self.result }
    }

    /// True if a parameter or the result is a number. Calls convert numbers.
    pub(in crate::frontend::cxx) fn has_numbers(&self) -> bool {
        self.params.iter().chain([&self.result]).any(|&ty| is_number(ty))
    }
}

/// True for `bool`, integers and floats.
pub(in crate::frontend::cxx) fn is_number(ty: Ty) -> bool {
    ty.form == Form::One && matches!(ty.item, Item::Int(_) | Item::Bool | Item::Float | Item::Double)
}

impl<'a, 'b> Lower<'a, 'b> {
    /// The state for a text without variables.
    pub(in crate::frontend::cxx) fn new(
        ast: &'b Ast,
        request: &'b Request<'b>,
        b: &'b mut Builder<'a>,
    ) -> Self {
        Lower {
            text: "",
            ast,
            request,
            b,
            scope: Vec::new(),
            value_types: HashMap::new(),
            local_types: HashMap::new(),
            classes: HashMap::new(),
            class_args: HashMap::new(),
            depth: 0,
            inlined: 0,
            in_function: false,
            class_scope: None,
            enclosing: Vec::new(),
            usings: Vec::new(),
            constants: HashMap::new(),
            nesting: 0,
            statements: 0,
            results: Vec::new(),
            guards: Vec::new(),
            loop_guards: 0,
            templates: HashMap::new(),
            changed: Changes::default(),
            places: Vec::new(),
            elements: Vec::new(),
            containers: HashMap::new(),
            iterators: HashMap::new(),
            fixed_iterators: HashMap::new(),
            views: HashMap::new(),
            strings: HashSet::new(),
            named_lambdas: Vec::new(),
            pointers: HashSet::new(),
            callables: HashMap::new(),
            function_params: HashMap::new(),
            applied: Vec::new(),
            lambda_results: HashMap::new(),
            container_values: HashMap::new(),
            holders: HashMap::new(),
            returned_container: Container::default(),
            references: Vec::new(),
            argument_containers: Vec::new(),
        }
    }
}

impl<'a> Lower<'a, '_> {
    /// The fault of a type that is not known. If the name is a template parameter, the message names the template
    /// argument. An optional of an optional is reported as unsupported.
    pub(in crate::frontend::cxx) fn unknown_type(&mut self, name: &TypeName) -> Fault {
        let resolved = |name: &TypeName| match self.templates.get(&name.path) {
            Some(Template::Class(argument)) => argument.clone(),
            _ => name.clone(),
        };
        let is_optional = |name: &TypeName| matches!(name.path.as_str(), "optional" | "FailureOr");
        let named = resolved(name);
        match named.args.first().map(resolved).filter(|_| is_optional(&named)) {
            Some(held) if is_optional(&held) => {
                let what = format!("'{}' of '{}'", named.path, held.path);
                error::unsupported(&what, name.lo, name.hi)
            }
            _ => {
                // The type of a range is not known if that of its elements is not known.
                let is_number =
                    |arg: &TypeName| arg.path.starts_with(|c: char| c.is_ascii_digit() || c == '-');
                let mut args = named.args.iter().filter(|arg| !is_number(arg));
                match args.find(|arg| self.static_type(arg).is_none()) {
                    Some(arg) => self.unknown_type(&TypeName { lo: name.lo, hi: name.hi, ..arg.clone() }),
                    None => {
                        let reason = self.unread(&named.path, name.lo).unwrap_or_default();
                        error::unknown_type(&named.path, &reason, name.lo, name.hi)
                    }
                }
            }
        }
    }

    /// The value to which an optional, iterator or pointer refers.
    pub(in crate::frontend::cxx) fn through(&mut self, node: NodeId, e: Typed) -> Lowered {
        // An optional that holds a range is represented by the range.
        if e.ty.form == Form::Range && self.container_of(e).held.is_some() {
            return Ok(e);
        }
        let value = self.build(node, |b| b.deref(e))?;
        let held = self.container_of(e).held.filter(|_| value.ty.is_unknown());
        Ok(Typed { ty: held.unwrap_or(value.ty), ..value })
    }

    /// The result of `make`. A type error becomes a fault at the node.
    pub(in crate::frontend::cxx) fn build<T>(
        &mut self,
        node: NodeId,
        make: impl FnOnce(&mut Builder<'a>) -> Result<T, TypeError>,
    ) -> Result<T, Fault> {
        let made = make(self.b);
        self.at_node(node, made)
    }

    /// Records the types of the arguments in a call of a parameter that is a function.
    pub(in crate::frontend::cxx) fn record_applied(&mut self, function: LocalId, types: &[Ty]) {
        if let Some(&number) = self.function_params.get(&function) {
            self.applied.push(Applied { number, types: types.to_vec() });
        }
    }

    /// In a function from a source file, returns an error if the type of an operand is not known and the result of the
    /// operator depends on this type.
    pub(in crate::frontend::cxx) fn require_known(
        &self,
        node: NodeId,
        op: BinaryOp,
        operands: [Typed; 2],
    ) -> Result<(), Fault> {
        let is_equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let is_unclear = |e: Typed, other: Typed| {
            e.ty == Ty::UNKNOWN && (is_number(other.ty) || other.ty == Ty::UNKNOWN && !is_equality)
        };
        let [a, b] = operands;
        match self.in_function && (is_unclear(a, b) || is_unclear(b, a)) {
            true => Err(error::unknown_operand(self.ast[node].lo, self.ast[node].hi)),
            false => Ok(()),
        }
    }

    /// A call of a library method on an object that has the method.
    pub(in crate::frontend::cxx) fn library_method(
        &mut self,
        node: NodeId,
        on: Typed,
        name: &str,
        args: &[Typed],
    ) -> Lowered {
        let made = self.b.method(on, name, args, None);
        self.of_library(node, name, made)
    }

    /// A call of a function of the library.
    pub(in crate::frontend::cxx) fn library_function(
        &mut self,
        node: NodeId,
        name: &str,
        args: &[Typed],
    ) -> Lowered {
        let made = self.b.function(name, args, None);
        self.of_library(node, name, made)
    }

    fn of_library(&self, node: NodeId, name: &str, made: Option<Result<Typed, TypeError>>) -> Lowered {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        made.map_or_else(|| Err(error::unknown_function(name, lo, hi)), |made| self.at_node(node, made))
    }

    /// Turns a type error into a fault at the text of a node.
    pub(in crate::frontend::cxx) fn at_node<T>(
        &self,
        node: NodeId,
        result: Result<T, TypeError>,
    ) -> Result<T, Fault> {
        result.map_err(|e| error::ill_typed(&e, self.ast[node].lo, self.ast[node].hi))
    }
}

/// The name under which a native is registered, with template arguments: `f<A, B<C>>`.
pub(super) fn written(path: &str, args: &[TypeName]) -> String {
    if args.is_empty() {
        return path.to_owned();
    }
    let args: Vec<String> = args.iter().map(|arg| written(&arg.path, &arg.args)).collect();
    format!("{path}<{}>", args.join(", "))
}
