//! The parameters of a dialect's attributes and types, and their declarative format.

use super::types::{EnumId, IntTy, Item, Ty};
use crate::intern::StrId;

/// The text after `#dialect.name` or `!dialect.name`: the parameters and their syntax.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The parameters, in the order of the definition.
    pub params: Vec<BodyParam>,
    /// The format.
    pub format: Vec<BodyPart<StrId>>,
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyParam {
    /// The name.
    pub name: StrId,
    /// The kind of the parameter, or of its elements if it is a list.
    pub kind: ParamKind,
    /// True if the parameter is a list.
    pub range: bool,
    /// True if the C++ type is `std::optional`. Its parser accepts the absence of a value.
    pub optional: bool,
    /// True if the printer writes the class of the type or attribute. The reader also accepts a text without the class.
    pub qualified: bool,
    /// The value if the text omits the parameter; `None` if the parameter is mandatory.
    pub default: Option<ParamDefault>,
}

/// The kind of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// An integer.
    Int(IntTy),
    /// `true` or `false`.
    Bool,
    /// A string in quotes.
    Str,
    /// A type. If a class (`!dialect.name`) is stated here, the text of the parameter can omit this name.
    Type(Option<StrId>),
    /// An attribute. If a class (`#dialect.name`) is stated here, the text of the parameter can omit this name.
    Attr(Option<StrId>),
    /// A type of the builtin class with this C++ name.
    TypeOf(StrId),
    /// An attribute of the builtin class with this C++ name.
    AttrOf(StrId),
    /// An entry of an enumeration.
    Enum(EnumId),
    /// The type after the attribute: `#dialect.name<…> : type`.
    SelfType,
    /// A parameter that only C++ code can parse.
    Cxx,
}

/// The value of a parameter that the text omits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamDefault {
    /// Null, `std::nullopt`, or an empty list.
    Null,
    /// A number, Boolean or entry of an enumeration.
    Int(i64),
    /// A string, or the text of a type or attribute with its class.
    Str(StrId),
    /// A value that only C++ code can compute.
    Cxx,
}

/// A part of a format. `S` is the type of its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyPart<S> {
    /// A keyword or punctuation.
    Literal(S),
    /// White space to print.
    Blank(S),
    /// A parameter.
    Param(u32),
    /// Comma-separated parameters.
    Params(Vec<u32>),
    /// Comma-separated `name = value` pairs, in any order.
    Struct(Vec<u32>),
    /// An optional group. The first `present` parts after this one are its content; the next `absent` parts stand
    /// in its place if the group is absent.
    Group {
        /// The number of parts of the content.
        present: u32,
        /// The number of parts of the alternative.
        absent: u32,
        /// The parameters of the anchor. If `inverted` is false, the content is printed if one of these parameters is
        /// printed. If `inverted` is true, the content is printed if none of them is printed.
        anchor: Vec<u32>,
        /// True if the anchor belongs to the alternative.
        inverted: bool,
    },
    /// A part that only C++ code can parse.
    Custom,
}

impl BodyParam {
    /// The static type of the parameter in snippets.
    pub fn ty(&self) -> Ty {
        match (self.range, self.default, self.kind) {
            (true, ..) => Ty::range(self.kind.item()),
            (false, Some(ParamDefault::Null), ParamKind::Int(_) | ParamKind::Bool | ParamKind::Enum(_)) => {
                Ty::optional(self.kind.item())
            }
            _ => Ty::one(self.kind.item()),
        }
    }

    /// The kind of the text that the printer writes.
    pub(crate) fn printed_kind(&self) -> ParamKind {
        match self.kind {
            ParamKind::Type(_) if self.qualified => ParamKind::Type(None),
            ParamKind::Attr(_) if self.qualified => ParamKind::Attr(None),
            kind => kind,
        }
    }
}

impl ParamKind {
    /// The item of the static type of the parameter in snippets.
    pub fn item(self) -> Item {
        match self {
            Self::Bool => Item::Bool,
            Self::Int(int) => Item::Int(int),
            Self::Str => Ty::STR.item,
            Self::Type(_) | Self::TypeOf(_) | Self::SelfType => Ty::TYPE.item,
            Self::Attr(_) | Self::AttrOf(_) => Ty::ATTR.item,
            Self::Enum(id) => Item::Enum(id),
            Self::Cxx => Item::Unknown,
        }
    }
}

impl Body {
    /// True if each parameter of the format exists.
    pub(crate) fn is_well_formed(&self) -> bool {
        self.format.iter().flat_map(BodyPart::params).all(|&param| (param as usize) < self.params.len())
    }
}

impl<S> BodyPart<S> {
    /// The parameters of the part. For a group, these are the parameters of its anchor.
    pub fn params(&self) -> &[u32] {
        match self {
            Self::Param(param) => std::slice::from_ref(param),
            Self::Params(params) | Self::Struct(params) | Self::Group { anchor: params, .. } => params,
            Self::Literal(_) | Self::Blank(_) | Self::Custom => &[],
        }
    }

    /// The same part with another representation of texts.
    pub fn map<T>(&self, text: impl FnOnce(&S) -> T) -> BodyPart<T> {
        match self {
            Self::Literal(literal) => BodyPart::Literal(text(literal)),
            Self::Blank(blank) => BodyPart::Blank(text(blank)),
            &Self::Param(param) => BodyPart::Param(param),
            Self::Params(params) => BodyPart::Params(params.clone()),
            Self::Struct(params) => BodyPart::Struct(params.clone()),
            Self::Group { present, absent, anchor, inverted } => BodyPart::Group {
                present: *present,
                absent: *absent,
                anchor: anchor.clone(),
                inverted: *inverted,
            },
            Self::Custom => BodyPart::Custom,
        }
    }
}

type Parts<'a, S> = &'a [BodyPart<S>];

/// The content of a group, its alternative, and the parts after both.
pub(in crate::snippet) fn split_group<S>(
    parts: &[BodyPart<S>],
    present: u32,
    absent: u32,
) -> (Parts<'_, S>, Parts<'_, S>, Parts<'_, S>) {
    let (first, rest) = parts.split_at((present as usize).min(parts.len()));
    let (second, rest) = rest.split_at((absent as usize).min(rest.len()));
    (first, second, rest)
}
