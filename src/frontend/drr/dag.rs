//! Classifies the heads and arguments of dags in patterns.

use crate::frontend::tablegen::{Dag, DagArg, Record, Records, Value};
use crate::source::Span;

/// The head of a dag.
#[derive(Clone, Copy, Debug)]
pub(super) enum Head<'a> {
    /// A record to which no other variant applies; in a valid pattern, an operation.
    Op(Record<'a>),
    /// A `NativeCodeCall`.
    Native(Record<'a>),
    /// `replaceWithValue`.
    ReplaceWithValue,
    /// `location`.
    Location,
    /// `returnType`.
    ReturnType,
    /// `either`.
    Either,
    /// `variadic`.
    Variadic,
    /// Anything other than a record.
    Nothing,
}

/// A leaf of a dag.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leaf<'a> {
    /// A symbol without a constraint.
    Unspecified,
    /// A type constraint.
    Type(Record<'a>),
    /// A `ConstantAttr`, which is an attribute constraint as well.
    ConstantAttr(Record<'a>),
    /// An enum case that is an attribute constraint as well.
    EnumCase(Record<'a>),
    /// An attribute constraint.
    Attr(Record<'a>),
    /// A `ConstantProp`, which is a property constraint as well.
    ConstantProp(Record<'a>),
    /// A property constraint.
    Prop(Record<'a>),
    /// A `NativeCodeCall`.
    Native(Record<'a>),
    /// A string.
    Text(&'a str),
    /// Anything that patterns cannot contain.
    Other,
}

/// An argument of a dag.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item<'a> {
    /// A dag.
    Dag(Dag<'a>),
    /// A leaf.
    Leaf(Leaf<'a>),
}

/// Classifies the head of a dag.
pub(super) fn head<'a>(records: &'a Records, dag: &Dag<'a>) -> Head<'a> {
    let Value::Def(id) = dag.operator() else { return Head::Nothing };
    let record = records.record(id);
    if record.is_subclass_of("NativeCodeCall") {
        return Head::Native(record);
    }
    match record.name() {
        "replaceWithValue" => Head::ReplaceWithValue,
        "location" => Head::Location,
        "returnType" => Head::ReturnType,
        "either" => Head::Either,
        "variadic" => Head::Variadic,
        _ => Head::Op(record),
    }
}

/// Classifies an argument of a dag.
pub(super) fn item<'a>(records: &'a Records, arg: &DagArg<'a>) -> Item<'a> {
    match arg.value {
        Value::Dag(dag) => Item::Dag(records.dag(dag)),
        Value::Unset => Item::Leaf(Leaf::Unspecified),
        Value::String(text) => Item::Leaf(Leaf::Text(records.str(text))),
        Value::Def(id) => Item::Leaf(leaf(records.record(id))),
        _ => Item::Leaf(Leaf::Other),
    }
}

fn leaf(record: Record<'_>) -> Leaf<'_> {
    if record.is_subclass_of("NativeCodeCall") {
        Leaf::Native(record)
    } else if record.is_subclass_of("ConstantAttr") {
        Leaf::ConstantAttr(record)
    } else if record.is_subclass_of("EnumCase") && record.is_subclass_of("AttrConstraint") {
        Leaf::EnumCase(record)
    } else if record.is_subclass_of("AttrConstraint") {
        Leaf::Attr(record)
    } else if record.is_subclass_of("ConstantProp") {
        Leaf::ConstantProp(record)
    } else if record.is_subclass_of("PropConstraint") {
        Leaf::Prop(record)
    } else if record.is_subclass_of("TypeConstraint") {
        Leaf::Type(record)
    } else {
        Leaf::Other
    }
}

/// The number of operations in a pattern, without native calls and directives.
///
/// Bang operators can build deep dags, so this function does not recurse.
pub(super) fn count_ops<'a>(records: &'a Records, dag: Dag<'a>) -> usize {
    let mut pending = vec![dag];
    let mut count = 0;
    while let Some(dag) = pending.pop() {
        count += usize::from(matches!(head(records, &dag), Head::Op(_)));
        for arg in dag.args() {
            if let Item::Dag(inner) = item(records, &arg) {
                pending.push(inner);
            }
        }
    }
    count
}

/// The span of an argument, or `around` if it has none.
pub(super) fn span_of(arg: &DagArg<'_>, around: Span) -> Span {
    if arg.span.is_none() { around } else { arg.span }
}

/// The symbol of an argument, unless it is `$_`.
pub(super) fn binder<'a>(arg: &DagArg<'a>) -> Option<&'a str> {
    arg.name.filter(|name| *name != "_")
}

/// The trailing `location` and `returnType` directives of a dag, and the regions that it takes.
pub(super) struct Directives<'a> {
    /// The first of the trailing `location` directives.
    pub(super) location: Option<Dag<'a>>,
    /// The first of the trailing `returnType` directives.
    pub(super) return_type: Option<Dag<'a>>,
    /// The calls of `takeRegion(op, index)`, in order.
    pub(super) regions: Vec<(Dag<'a>, Record<'a>)>,
    /// A directive that occurs twice.
    pub(super) duplicate: Option<(&'static str, Span)>,
    /// The number of arguments before the directives and the taken regions.
    pub(super) rest: usize,
}

/// Finds the trailing directives of a dag.
pub(super) fn directives<'a>(records: &'a Records, dag: &Dag<'a>) -> Directives<'a> {
    let mut found = Directives {
        location: None,
        return_type: None,
        regions: Vec::new(),
        duplicate: None,
        rest: dag.len(),
    };
    let args: Vec<DagArg<'a>> = dag.args().collect();
    for arg in args.iter().rev() {
        let Item::Dag(inner) = item(records, arg) else { break };
        let (slot, name) = match head(records, &inner) {
            Head::Location => (&mut found.location, "location"),
            Head::ReturnType => (&mut found.return_type, "returnType"),
            Head::Native(record) if taken_region(record).is_some() => {
                found.regions.push((inner, record));
                found.rest -= 1;
                continue;
            }
            _ => break,
        };
        if slot.is_some() {
            found.duplicate = Some((name, inner.span()));
        }
        *slot = Some(inner);
        found.rest -= 1;
    }
    found.regions.reverse();
    found
}

/// The arguments of `takeRegion(op, index)`, if the text of a `NativeCodeCall` is such a call. A call with another
/// number of arguments is an ordinary native call.
pub(super) fn taken_region<'a>(native: Record<'a>) -> Option<(&'a str, &'a str)> {
    let text = native.string_field("expression").ok()?.trim();
    let args = text.strip_prefix("takeRegion")?.trim_start().strip_prefix('(')?.strip_suffix(')')?;
    let (op, index) = args.split_once(',')?;
    (!index.contains(',')).then_some((op.trim(), index.trim()))
}
