//! Ranks the conversions of the arguments of a call, as overload resolution does.
//!
//! Specification: of two conversions of one argument, the better one in C++ has the lower rank. The static type of a
//! string, a range or an SSA value does not state its class in C++. If the class is unknown, the rank is an interval.

use super::head::result_type;
use crate::frontend::cxx::ast::{NodeId, NodeKind, TypeName};
use crate::frontend::cxx::lower::{Bound, Lower, is_number};
use crate::frontend::cxx::request::ClassInCxx;
use crate::snippet::{AttrClass, Form, IntTy, Item, Ty, Typed};

/// The distance of a conversion by a constructor or a conversion function. It is greater than the distances of all
/// conversions that need neither.
const BY_USER: u32 = 6;

/// The distance of a conversion that C++ does not have for the static type of the argument. The conversion exists only
/// if the argument has another type in C++.
const DOUBTFUL: u32 = 7;

/// The interval of a conversion's distance. One static type can represent several classes of C++, and the distance
/// depends on the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rank {
    /// The least distance.
    pub(super) least: u32,
    /// The greatest distance.
    most: u32,
}

impl Rank {
    /// The rank of a conversion with this distance.
    pub(super) fn exactly(distance: u32) -> Self {
        Self { least: distance, most: distance }
    }

    /// True if the conversion is certainly not worse than another conversion.
    pub(super) fn is_at_most(self, other: Self) -> bool {
        self.most <= other.least
    }

    /// True if the conversion is certainly better than another conversion.
    pub(super) fn is_less(self, other: Self) -> bool {
        self.most < other.least
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
    if !converts_enumeration(arg.ty.item, want.item) {
        return None;
    }
    if arg.ty.form == want.form {
        match (arg.ty.item, want.item) {
            (Item::Type(from), Item::Type(to)) => {
                let ancestors = std::iter::successors(Some(from), |class| class.parent());
                return steps(ancestors, to, to.is_interface());
            }
            (Item::Attr(from), Item::Attr(to)) if from.is_a(to) => {
                let ancestors = std::iter::successors(Some(from), |class| class.parent());
                return steps(
                    ancestors,
                    to,
                    to.is_interface() || from == AttrClass::Bool && to == AttrClass::Integer,
                );
            }
            (Item::Int(from), Item::Int(to)) if from.enumeration.is_some() && to == from.underlying() => {
                return Some(1);
            }
            (Item::Int(from), Item::Int(IntTy::I32)) if from.bits < 32 => return Some(1),
            (Item::Bool, Item::Int(IntTy::I32)) | (Item::Float, Item::Double) => return Some(1),
            (
                Item::Int(_) | Item::Bool | Item::Float | Item::Double,
                Item::Int(_) | Item::Bool | Item::Float | Item::Double,
            ) if arg.ty.form == Form::One => return Some(2),
            // The conversion of these classes to `bool` is explicit.
            (
                Item::Type(_) | Item::Attr(_) | Item::AffineMap | Item::Value | Item::FoldResult,
                Item::Bool,
            ) => {
                return lower.b.returned(arg, want).is_ok().then_some(DOUBTFUL);
            }
            // A range of integers does not convert to a range of other integers. A list in braces does, because it has
            // no type.
            (Item::Int(from), Item::Int(to)) if from != to && lower.b.listed(arg).is_none() => {
                return lower.b.returned(arg, want).is_ok().then_some(DOUBTFUL);
            }
            // C++ converts a string literal to `bool`. The snippet language does not, but the conversion takes part in
            // overload resolution.
            (Item::Str, Item::Bool) if lower.b.is_literal(arg) => return Some(2),
            (Item::Op(_), Item::Op(None)) => return Some(1),
            _ => {}
        }
    }
    lower.b.returned(arg, want).is_ok().then_some(BY_USER)
}

/// False if one of these items is an enumeration of the source files, and C++ does not convert the first item to the
/// second.
fn converts_enumeration(from: Item, to: Item) -> bool {
    let enumeration = |item: Item| match item {
        Item::Int(int) => int.enumeration,
        _ => None,
    };
    match (enumeration(from), enumeration(to)) {
        (from, to) if from == to => true,
        (_, Some(_)) => matches!(from, Item::Null),
        (Some(from), None) => !from.is_scoped || !is_number(Ty::one(to)),
        (None, None) => true,
    }
}

/// The distance from the first of these classes to the class `to`, or [`BY_USER`] if `by_user` is true; `None` if `to`
/// is not one of these classes.
fn steps<C: PartialEq>(ancestors: impl Iterator<Item = C>, to: C, by_user: bool) -> Option<u32> {
    let (_, steps) = ancestors.zip(1..).find(|(class, _)| *class == to)?;
    Some(if by_user { BY_USER } else { steps })
}

/// True for the classes of SSA values.
fn is_value(class: &str) -> bool {
    matches!(class, "Value" | "OpResult" | "BlockArgument")
}

/// The distance between two classes of C++ with the same static type; `None` if it is unknown.
fn distance_of_classes(from: &str, to: &str) -> Option<u32> {
    const LISTS: [&str; 3] = ["SmallVector", "SmallVectorImpl", "vector"];
    let is_text =
        |class| matches!(class, "StringRef" | "string" | "SmallString" | "Twine" | "string_view" | "char");
    let is_range = |class| LISTS.contains(&class) || matches!(class, "ArrayRef" | "MutableArrayRef");
    Some(match (from, to) {
        _ if from == to => 0,
        ("SmallVector", "SmallVectorImpl") | ("MutableArrayRef", "ArrayRef") => 1,
        ("OpResult" | "BlockArgument", "Value") => 1,
        ("ArrayRef" | "MutableArrayRef", "vector") => BY_USER,
        _ if is_value(from) && is_value(to) => DOUBTFUL,
        _ if is_text(from) && is_text(to) => BY_USER,
        _ if is_range(from) && is_range(to) && LISTS.contains(&to) => DOUBTFUL,
        _ if is_range(from) && is_range(to) => BY_USER,
        _ => return None,
    })
}

impl Lower<'_, '_> {
    /// The rank of the conversion of an argument to a parameter that is declared with the type `declared` and has the
    /// static type `want`; `None` if there is no conversion. If `names_class` is true, `declared` is the class of the
    /// parameter in C++.
    pub(super) fn rank(
        &mut self,
        arg: Option<NodeId>,
        value: Typed,
        declared: &TypeName,
        want: Ty,
        names_class: bool,
    ) -> Option<Rank> {
        let in_cxx = Typed { ty: self.type_in_cxx(arg, value), ..value };
        let doubtful = |distance: u32| distance.max(DOUBTFUL);
        let distance = match distance(self, in_cxx, want) {
            None if in_cxx.ty != value.ty => distance(self, value, want).map(doubtful),
            distance => distance,
        }?;
        let has_classes =
            matches!((want.form, want.item), (Form::One, Item::Str | Item::Value) | (Form::Range, _));
        if distance > 0 || !names_class || !has_classes {
            return Some(Rank::exactly(distance));
        }
        if arg.is_some_and(|arg| self.is_any_value(arg)) && is_value(&declared.path) {
            let most = if declared.path == "Value" { 1 } else { DOUBTFUL };
            return Some(Rank { least: 0, most });
        }
        let from = arg.and_then(|arg| self.class_in_cxx(arg));
        Some(match from.and_then(|from| distance_of_classes(&from, &declared.path)) {
            Some(distance) => Rank::exactly(distance),
            None => Rank { least: 0, most: BY_USER },
        })
    }

    /// The class in C++ of the elements of a range; `None` if this class is not known to be `BlockArgument`.
    pub(super) fn element_class(&self, range: NodeId) -> Option<&'static str> {
        let NodeKind::Call(callee, _) = &self.ast[range].kind else { return None };
        match &self.ast[*callee].kind {
            NodeKind::Member { name, .. } if name == "getArguments" => Some("BlockArgument"),
            _ => None,
        }
    }

    /// The class in C++ of a placeholder of a rule.
    fn class_of_placeholder(&self, name: &str) -> ClassInCxx {
        let mut params = self.request.params.iter();
        params.find(|param| param.name == name).map_or(ClassInCxx::default(), |param| param.class)
    }

    /// True for a placeholder whose class in C++ may be derived from `Value`.
    fn is_any_value(&self, node: NodeId) -> bool {
        match &self.ast[node].kind {
            NodeKind::Placeholder(name, _) => self.class_of_placeholder(name) == ClassInCxx::AnyValue,
            _ => false,
        }
    }

    /// The static type of an argument in C++. It is less precise than the static type of the value if the argument is
    /// `$_self` of a constraint on attributes.
    pub(super) fn type_in_cxx(&self, arg: Option<NodeId>, value: Typed) -> Ty {
        let is_attribute = arg.is_some_and(|arg| match &self.ast[arg].kind {
            NodeKind::Placeholder(name, _) => self.class_of_placeholder(name) == ClassInCxx::Attribute,
            _ => false,
        });
        let is_wider = is_attribute && value.ty.form == Form::One && matches!(value.ty.item, Item::Attr(_));
        if is_wider { Ty::ATTR } else { value.ty }
    }

    /// The class in C++ of an argument, without its namespace and template arguments; `None` if it is unknown.
    pub(in crate::frontend::cxx) fn class_in_cxx(&self, node: NodeId) -> Option<String> {
        let class = |ty: &TypeName| Some(ty.path.clone()).filter(|path| !self.templates.contains_key(path));
        match &self.ast[node].kind {
            NodeKind::Str(_) => Some("char".to_owned()),
            NodeKind::Placeholder(name, _) => Some(match self.class_of_placeholder(name) {
                ClassInCxx::OfType | ClassInCxx::AnyValue => "Value".to_owned(),
                ClassInCxx::Attribute => "Attribute".to_owned(),
                ClassInCxx::OpResult => "OpResult".to_owned(),
            }),
            NodeKind::Construct(ty, _) | NodeKind::Cast(ty, _) => class(ty),
            NodeKind::Name(name) => match self.scope.iter().rev().find(|(bound, _)| *bound == name.path)?.1 {
                Bound::Local(local) => self.classes.get(&local).cloned(),
                _ => None,
            },
            NodeKind::Index(of, _) => self.element_class(*of).map(str::to_owned),
            NodeKind::Call(callee, args) => match &self.ast[*callee].kind {
                NodeKind::Name(name) if is_cast(&name.path) => name.args.first().and_then(class),
                NodeKind::Name(name) => {
                    let functions = self.functions()?;
                    let [only] = functions.named(&name.path)[..] else { return None };
                    result_type(functions, only).and_then(|ty| class(&ty))
                }
                NodeKind::Member { name, template, .. } if is_cast(name) => template.first().and_then(class),
                NodeKind::Member { name, .. } => match name.as_str() {
                    "getResult" if !args.is_empty() => Some("OpResult"),
                    "getOpResult" => Some("OpResult"),
                    "getArgument" => Some("BlockArgument"),
                    "getDialect" => Some("Dialect"),
                    "getOperand" => Some("Value"),
                    "getShape" | "asArrayRef" | "drop_front" | "drop_back" | "take_front" | "take_back" => {
                        Some("ArrayRef")
                    }
                    "str" => Some("string"),
                    "strref" => Some("StringRef"),
                    _ => None,
                }
                .map(str::to_owned),
                _ => None,
            },
            _ => None,
        }
    }
}

/// True for `cast`, `dyn_cast` and similar functions and methods.
fn is_cast(name: &str) -> bool {
    matches!(
        name,
        "cast" | "dyn_cast" | "cast_if_present" | "cast_or_null" | "dyn_cast_if_present" | "dyn_cast_or_null"
    )
}
