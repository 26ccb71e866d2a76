//! Finds pairs of predicates that exclude each other. Each predicate tests one type, or the type of one value.
//!
//! Specification: if two predicates are found to exclude each other, no type satisfies both. The analysis is
//! incomplete: it may miss an exclusion.
//!
//! Method: a predicate becomes a disjunction of alternatives. An alternative is a set of possible classes of the type
//! and a set of possible classes of its element type. An expression that the analysis does not understand narrows
//! neither set.

use super::data::{Builtin, ClassKind, Expr, ExprId, LocalId, ObjectClass, SnippetId, Snippets, TypeClass};
use crate::host::Kind;
use crate::number::FloatFormat;

/// A set of disjoint classes of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Classes(u64);

const WIDTHS: [i128; 5] = [1, 8, 16, 32, 64];
/// The classes of the integers of one signedness: one for each of the widths above, and one for all other widths.
const OF_ONE_SIGNEDNESS: u64 = (1 << (WIDTHS.len() + 1)) - 1;
const SIGNLESS: Classes = Classes(OF_ONE_SIGNEDNESS);
const SIGNED: Classes = Classes(OF_ONE_SIGNEDNESS << 6);
const UNSIGNED: Classes = Classes(OF_ONE_SIGNEDNESS << 12);
const INTEGERS: Classes = SIGNLESS.or(SIGNED).or(UNSIGNED);
const INDEX: Classes = Classes(1 << 18);
/// The built-in floats.
const FLOATS: Classes = Classes(0xff << 19);
const NONE: Classes = Classes(1 << 27);
const COMPLEX: Classes = Classes(1 << 28);
const FIXED_VECTOR: Classes = Classes(1 << 29);
const SCALABLE_VECTOR: Classes = Classes(1 << 30);
const RANKED_TENSOR: Classes = Classes(1 << 31);
const UNRANKED_TENSOR: Classes = Classes(1 << 32);
const MEMREF: Classes = Classes(1 << 33);
const UNRANKED_MEMREF: Classes = Classes(1 << 34);
const FUNCTION: Classes = Classes(1 << 35);
const TUPLE: Classes = Classes(1 << 36);
const OTHER: Classes = Classes(1 << 37);
const VECTOR: Classes = FIXED_VECTOR.or(SCALABLE_VECTOR);
const TENSOR: Classes = RANKED_TENSOR.or(UNRANKED_TENSOR);
const BASE_MEMREF: Classes = MEMREF.or(UNRANKED_MEMREF);
const SHAPED: Classes = VECTOR.or(TENSOR).or(BASE_MEMREF);
const ALL: Classes = Classes((1 << 38) - 1);

impl Classes {
    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    const fn but(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The classes in this set that contain integers of the given width. Returns the whole set if the width is not
    /// known.
    fn of_width(self, width: Option<i128>) -> Self {
        let Some(width) = width else { return self };
        let bit = WIDTHS.iter().position(|&listed| listed == width).unwrap_or(WIDTHS.len());
        self.and(Self((1 | 1 << 6 | 1 << 12) << bit))
    }

    fn of_format(format: FloatFormat) -> Self {
        let named = ["f16", "bf16", "f32", "f64", "f80", "f128", "tf32"];
        let is_it = |name: &&str| FloatFormat::from_name(name) == Some(format);
        Self(1 << (19 + named.iter().position(is_it).unwrap_or(named.len())))
    }

    /// A superset of the types of a C++ class. `floats` is a superset of the types of `FloatType`.
    fn of_class(class: TypeClass, floats: Self) -> Self {
        match class {
            TypeClass::Any => ALL,
            TypeClass::Integer => INTEGERS,
            TypeClass::Index => INDEX,
            TypeClass::Float => floats,
            TypeClass::FloatOf(format) => Self::of_format(format),
            TypeClass::None => NONE,
            TypeClass::Complex => COMPLEX,
            // Includes the types of dialects, because they may declare the interface.
            TypeClass::Shaped => SHAPED.or(OTHER),
            TypeClass::Vector => VECTOR,
            TypeClass::FixedVector => FIXED_VECTOR,
            TypeClass::ScalableVector => SCALABLE_VECTOR,
            TypeClass::Tensor => TENSOR,
            TypeClass::RankedTensor => RANKED_TENSOR,
            TypeClass::UnrankedTensor => UNRANKED_TENSOR,
            TypeClass::BaseMemRef => BASE_MEMREF,
            TypeClass::MemRef => MEMREF,
            TypeClass::UnrankedMemRef => UNRANKED_MEMREF,
            TypeClass::Function => FUNCTION,
            TypeClass::Tuple => TUPLE,
            TypeClass::Quantized
            | TypeClass::UniformQuantized
            | TypeClass::QuantizedPerAxis
            | TypeClass::AnyQuantized => OTHER,
            // Includes all types, because the class may be an interface that any type can implement.
            TypeClass::Named(_) => ALL,
        }
    }
}

/// A requirement on a type: the type is in the set `ty` and, unless `element` is [`ALL`], has an element type in the
/// set `element`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Alternative {
    ty: Classes,
    element: Classes,
}

const ANYTHING: Alternative = Alternative { ty: ALL, element: ALL };

/// A superset of the types that satisfy a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alternatives(Vec<Alternative>);

/// The maximum number of alternatives of a disjunction. A disjunction with more alternatives is replaced by one that
/// allows all types.
const ALTERNATIVE_LIMIT: usize = 64;
/// The maximum depth of expressions that the analysis visits.
const DEPTH_LIMIT: u32 = 64;

impl Alternatives {
    /// True if the two sets of types are disjoint.
    pub(crate) fn exclude(&self, other: &Self) -> bool {
        let none = Classes(0);
        self.0
            .iter()
            .all(|a| other.0.iter().all(|b| a.ty.and(b.ty) == none || a.element.and(b.element) == none))
    }

    fn any() -> Self {
        Self(vec![ANYTHING])
    }

    fn and(&self, other: &Self) -> Self {
        let pairs = self.0.iter().flat_map(|a| {
            let both =
                |b: &Alternative| Alternative { ty: a.ty.and(b.ty), element: a.element.and(b.element) };
            other.0.iter().map(both)
        });
        let possible = |both: &Alternative| both.ty != Classes(0) && both.element != Classes(0);
        Self::bounded(pairs.filter(possible))
    }

    fn or(&self, other: &Self) -> Self {
        Self::bounded(self.0.iter().chain(&other.0).copied())
    }

    fn bounded(all: impl Iterator<Item = Alternative>) -> Self {
        let mut kept: Vec<Alternative> = Vec::new();
        for alternative in all {
            if kept.contains(&alternative) {
                continue;
            }
            if kept.len() == ALTERNATIVE_LIMIT {
                return Self::any();
            }
            kept.push(alternative);
        }
        Self(kept)
    }
}

/// The type that a part of a predicate tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    /// The parameter, or its type if it is a value.
    Param,
    /// The element type of `Param`.
    Element,
    /// The element type of `Param`, or `Param` itself if `Param` has no element type.
    ElementOrParam,
}

impl Snippets {
    /// A superset of the types that satisfy a predicate, or of the types of the values that satisfy it. `of` is the
    /// kind of its only parameter; results for different kinds cannot be compared. Returns `None` if the predicate does
    /// not have exactly one parameter, or if this parameter is an output.
    pub(crate) fn alternatives(&self, snippet: SnippetId, of: Kind) -> Option<Alternatives> {
        let snippet = &self.snippets[snippet];
        let [param] = &snippet.params[..] else { return None };
        let floats = self.floats();
        let mut analysis = Analysis { snippets: self, param_kind: of, floats, locals: Vec::new() };
        (!param.out).then(|| analysis.holds(snippet.root, DEPTH_LIMIT))
    }

    /// A superset of the types of `FloatType`. Includes the types of dialects if one of them declares this interface.
    fn floats(&self) -> Classes {
        let declares =
            |name: &str| !name.is_empty() && !name.starts_with('-') && !name.starts_with("!builtin.");
        match self.find_class("FloatType").map(|class| self.class(class).kind) {
            Some(ClassKind::OneOf(_, names)) if self.str(names).split(',').any(declares) => FLOATS.or(OTHER),
            _ => FLOATS,
        }
    }
}

struct Analysis<'s> {
    snippets: &'s Snippets,
    /// The kind of the parameter: a type or a value.
    param_kind: Kind,
    floats: Classes,
    locals: Vec<(LocalId, Option<Subject>)>,
}

impl Analysis<'_> {
    fn holds(&mut self, at: ExprId, depth: u32) -> Alternatives {
        let Some(depth) = depth.checked_sub(1) else { return Alternatives::any() };
        match self.snippets.exprs[at] {
            Expr::Bool(false) => Alternatives(Vec::new()),
            Expr::Truth(inner, _) | Expr::Function(_, inner) | Expr::Then(_, inner) => {
                self.holds(inner, depth)
            }
            Expr::And(a, b) => self.holds(a, depth).and(&self.holds(b, depth)),
            Expr::Or(a, b) => self.holds(a, depth).or(&self.holds(b, depth)),
            Expr::Let(local, value, rest) => {
                let subject = self.subject(value, depth);
                self.locals.push((local, subject));
                let held = self.holds(rest, depth);
                self.locals.pop();
                held
            }
            Expr::IsA(of, ObjectClass::Type(class)) => {
                let subject = self.subject(of, depth);
                Self::is(subject, Classes::of_class(class, self.floats))
            }
            Expr::Builtin(builtin, list) => {
                let list = self.snippets.list(list);
                let (Some(classes), Some(&of)) = (self.classes(builtin, list), list.first()) else {
                    return Alternatives::any();
                };
                let subject = self.subject(of, depth);
                Self::is(subject, classes)
            }
            _ => Alternatives::any(),
        }
    }

    /// A superset of the types that satisfy a built-in predicate; `None` if the analysis does not know the built-in.
    fn classes(&self, builtin: Builtin, list: &[ExprId]) -> Option<Classes> {
        let width = match list.get(1).map(|&width| self.snippets.exprs[width]) {
            Some(Expr::Int(width)) => Some(width),
            Some(Expr::Convert(inner, _)) => match self.snippets.exprs[inner] {
                Expr::Int(width) => Some(width),
                _ => None,
            },
            _ => None,
        };
        let float = |name: &str| FloatFormat::from_name(name).map(Classes::of_format);
        Some(match builtin {
            Builtin::IsInteger => INTEGERS.of_width(width),
            Builtin::IsSignlessInteger => SIGNLESS.of_width(width),
            Builtin::IsSignedInteger => SIGNED.of_width(width),
            Builtin::IsUnsignedInteger => UNSIGNED.of_width(width),
            Builtin::IsSignless => SIGNLESS,
            Builtin::IsSigned => SIGNED,
            Builtin::IsUnsigned => UNSIGNED,
            Builtin::IsIndex => INDEX,
            Builtin::IsF16 => float("f16")?,
            Builtin::IsBF16 => float("bf16")?,
            Builtin::IsF32 => float("f32")?,
            Builtin::IsF64 => float("f64")?,
            Builtin::IsF80 => float("f80")?,
            Builtin::IsF128 => float("f128")?,
            Builtin::IsTF32 => float("tf32")?,
            Builtin::IsIntOrIndex => INTEGERS.or(INDEX),
            Builtin::IsIntOrFloat => INTEGERS.or(self.floats),
            Builtin::IsIntOrIndexOrFloat => INTEGERS.or(INDEX).or(self.floats),
            Builtin::IsSignlessIntOrIndex => SIGNLESS.or(INDEX),
            Builtin::IsSignlessIntOrFloat => SIGNLESS.or(self.floats),
            Builtin::IsSignlessIntOrIndexOrFloat => SIGNLESS.or(INDEX).or(self.floats),
            _ => return None,
        })
    }

    fn is(subject: Option<Subject>, classes: Classes) -> Alternatives {
        match subject {
            Some(Subject::Param) => Alternatives(vec![Alternative { ty: classes, ..ANYTHING }]),
            // Reading the element type of any other type fails.
            Some(Subject::Element) => {
                Alternatives(vec![Alternative { ty: SHAPED.or(COMPLEX).or(OTHER), element: classes }])
            }
            // A dialect's type may have an element type.
            Some(Subject::ElementOrParam) => Alternatives(vec![
                Alternative { ty: classes.but(SHAPED), ..ANYTHING },
                Alternative { ty: SHAPED.or(OTHER), element: classes },
            ]),
            None => Alternatives::any(),
        }
    }

    /// True if the expression is the parameter, possibly dereferenced or converted.
    fn is_param(&self, at: ExprId, depth: u32) -> bool {
        match (self.snippets.exprs[at], depth.checked_sub(1)) {
            (Expr::Param(0), _) => true,
            (Expr::Deref(inner) | Expr::Convert(inner, _), Some(depth)) => self.is_param(inner, depth),
            _ => false,
        }
    }

    fn subject(&self, at: ExprId, depth: u32) -> Option<Subject> {
        let depth = depth.checked_sub(1)?;
        match self.snippets.exprs[at] {
            Expr::Param(0) if self.param_kind == Kind::Type => Some(Subject::Param),
            Expr::Builtin(Builtin::TypeOf, list) if self.param_kind == Kind::Value => {
                self.is_param(*self.snippets.list(list).first()?, depth).then_some(Subject::Param)
            }
            Expr::Local(local) => self.locals.iter().rev().find(|binding| binding.0 == local)?.1,
            Expr::Cast(inner, ..)
            | Expr::Deref(inner)
            | Expr::Convert(inner, _)
            | Expr::Function(_, inner)
            | Expr::Then(_, inner) => self.subject(inner, depth),
            Expr::Builtin(Builtin::ElementType, list) => {
                let inner = self.subject(*self.snippets.list(list).first()?, depth)?;
                (inner == Subject::Param).then_some(Subject::Element)
            }
            Expr::Builtin(Builtin::ElementTypeOrSelf, list) => {
                let inner = self.subject(*self.snippets.list(list).first()?, depth)?;
                (inner == Subject::Param).then_some(Subject::ElementOrParam)
            }
            _ => None,
        }
    }
}
