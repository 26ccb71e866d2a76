//! Infers the kinds of the results of native calls from the uses of the results.
//!
//! The C++ text that calls a native does not state the kind of its result. The uses of the result restrict the kind: an
//! operand is a value, and a C++ text that uses the result compiles only with results of some kinds.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::names::Reference;
use super::plan::{
    Argument, ArgumentValue, Creation, Located, Location, NativeCall, Producer, ReturnType, Role, TopPattern,
    TypesOf,
};
use super::resolve::Classes;
use super::session::Try;
use super::symbols::CallId;
use crate::frontend::cxx::{self, Expected, Failure, Helpers, Placeholder, Request, Text};
use crate::frontend::ods::{ArgKind, Definitions};
use crate::host::Kind;
use crate::pdl::Arity;
use crate::snippet::{Snippets, Ty};
use crate::source::Span;
use crate::stack::with_room;

/// The kinds that a result may have, the most frequent first.
const KINDS: [Kind; 5] = [Kind::Attr, Kind::Value, Kind::Type, Kind::Op, Kind::Values];

/// A use of a result.
#[derive(Clone)]
enum Use<'a> {
    /// A use that requires this kind.
    Kind(Kind),
    /// A C++ text with a number of arguments, in which a placeholder stands for the result.
    Text { text: &'a str, placeholder: String, arguments: usize },
}

/// The uses of the results of a rule's native calls.
pub(super) struct Uses<'a> {
    of: HashMap<CallId, Vec<Use<'a>>>,
    /// The C++ text of each call.
    texts: HashMap<CallId, &'a str>,
}

impl<'a> Uses<'a> {
    /// Collects the uses in a plan.
    pub(super) fn new(defs: &Definitions<'a>, plan: &[Try<TopPattern<'a>>]) -> Self {
        let mut collector = Collector { defs, uses: Uses { of: HashMap::new(), texts: HashMap::new() } };
        for pattern in plan.iter().flatten() {
            let place = match pattern.role {
                Role::Auxiliary => None,
                Role::Replacement(Some(Arity::One)) => Some(Use::Kind(Kind::Value)),
                Role::Replacement(_) => Some(Use::Kind(Kind::Values)),
            };
            collector.producer(&pattern.producer, place);
        }
        collector.uses
    }

    /// The kind of the result of a call with one result, found from the uses of the result. If these uses do not decide
    /// the kind, the uses of another call with the same text do, because equal texts have results of one kind. `None`
    /// if no kind is found.
    pub(super) fn kind(&self, defs: &Definitions<'a>, helpers: &Helpers, call: CallId) -> Option<Kind> {
        let kind = |call: &CallId| kind_of_uses(defs, helpers, self.of.get(call)?);
        kind(&call).or_else(|| {
            let text = self.texts.get(&call)?;
            let same = self.texts.iter().filter(|&(_, of)| of == text).map(|(&id, _)| id);
            same.collect::<BTreeSet<_>>().iter().find_map(kind)
        })
    }
}

/// The first of [`KINDS`] that all uses admit, or, if there is no such kind, the first kind that a use requires. `None`
/// if no kind is found, or if all uses admit all kinds.
fn kind_of_uses(defs: &Definitions<'_>, helpers: &Helpers, uses: &[Use<'_>]) -> Option<Kind> {
    let fitting: Vec<[bool; KINDS.len()]> =
        uses.iter().map(|place| fitting_kinds(defs, helpers, place)).collect();
    if fitting.iter().flatten().all(|&fits| fits) {
        return None;
    }
    let kind = (0..KINDS.len()).find(|&kind| fitting.iter().all(|fits| fits[kind]));
    let required = || {
        uses.iter().find_map(|place| match place {
            Use::Kind(kind) => Some(*kind),
            Use::Text { .. } => None,
        })
    };
    kind.map(|kind| KINDS[kind]).or_else(required)
}

/// For each of [`KINDS`], true if a use admits it. A text that compiles with none of the kinds admits all kinds.
fn fitting_kinds(defs: &Definitions<'_>, helpers: &Helpers, place: &Use<'_>) -> [bool; KINDS.len()] {
    match place {
        Use::Kind(required) => KINDS.map(|kind| kind == *required),
        Use::Text { text, placeholder, arguments } => {
            let fits = KINDS.map(|kind| compiles(defs, helpers, text, placeholder, *arguments, kind));
            if fits.contains(&true) { fits } else { [true; KINDS.len()] }
        }
    }
}

/// False if a text is malformed or ill-typed when a placeholder has this kind and the other arguments have unknown
/// types. True for a text outside the snippet language.
fn compiles(
    defs: &Definitions<'_>,
    helpers: &Helpers,
    text: &str,
    placeholder: &str,
    arguments: usize,
    kind: Kind,
) -> bool {
    // Each attempt compiles into a new table of snippets.
    let helpers = &helpers.restarted();
    let others = (0..arguments).map(|i| format!("${i}")).filter(|name| name != placeholder);
    let mut params: Vec<Placeholder> = others.map(|name| Placeholder::new(name, Ty::UNKNOWN)).collect();
    params.push(Placeholder::new(placeholder, Ty::of_kind(kind)));
    params.push(Placeholder::new("$_loc", Ty::LOCATION));
    let request = Request { params: &params, expected: Expected::Any, resolver: &Classes { defs, helpers } };
    let compiled = cxx::compile(&mut Snippets::default(), &Text::new(text, Span::NONE), &request);
    !matches!(compiled, Err(Failure::Wrong(_)))
}

struct Collector<'d, 'a> {
    defs: &'d Definitions<'a>,
    uses: Uses<'a>,
}

impl<'a> Collector<'_, 'a> {
    fn add(&mut self, call: CallId, place: Option<Use<'a>>) {
        self.uses.of.entry(call).or_default().extend(place);
    }

    fn reference(&mut self, reference: &Reference, place: Option<Use<'a>>) {
        if let Reference::Called { call, index: None | Some(0) } = reference {
            self.add(*call, place);
        }
    }

    /// Collects the uses in a pattern. `place` is the use of the pattern itself.
    fn producer(&mut self, producer: &Producer<'a>, place: Option<Use<'a>>) {
        with_room(|| match producer {
            Producer::Create(creation) => self.creation(creation),
            Producer::Call(call) => {
                self.call(call);
                self.add(call.id, place);
            }
            Producer::Symbol(reference) => self.reference(reference, place),
            Producer::Range(items) => {
                for item in items {
                    self.argument(item, Use::Kind(Kind::Value));
                }
            }
        });
    }

    fn argument(&mut self, argument: &Argument<'a>, place: Use<'a>) {
        match &argument.value {
            ArgumentValue::Nested(producer) => self.producer(producer, Some(place)),
            ArgumentValue::Symbol(reference) => self.reference(reference, Some(place)),
            ArgumentValue::Mapped(native, subject) => {
                let placeholder = "$_self".to_owned();
                self.reference(
                    subject,
                    Some(Use::Text { text: native.expression, placeholder, arguments: 0 }),
                );
            }
            ArgumentValue::Constant(_) | ArgumentValue::PropertyConstant(_) => {}
        }
    }

    fn creation(&mut self, creation: &Creation<'a>) {
        let op = &self.defs.ops[creation.op];
        for (arg, argument) in op.args.iter().zip(&creation.arguments) {
            let kind = match arg.kind {
                ArgKind::Operand(index) if op.operands[index].arity == Arity::Variadic => Kind::Values,
                ArgKind::Operand(_) => Kind::Value,
                ArgKind::Attribute(_) | ArgKind::Property(_) => Kind::Attr,
            };
            self.argument(argument, Use::Kind(kind));
        }
        if let TypesOf::Directive(items) = &creation.types {
            for item in items {
                if let ReturnType::Call(call, _) = item {
                    self.call(call);
                    self.add(call.id, Some(Use::Kind(Kind::Type)));
                }
            }
        }
        self.location(&creation.location);
    }

    fn call(&mut self, call: &NativeCall<'a>) {
        let (text, arguments) = (call.native.expression, call.arguments.len());
        self.uses.texts.insert(call.id, text);
        for (i, argument) in call.arguments.iter().enumerate() {
            self.argument(argument, Use::Text { text, placeholder: format!("${i}"), arguments });
        }
        self.location(&call.location);
    }

    fn location(&mut self, location: &Location) {
        let Location::Fused { of, .. } = location else { return };
        for located in of {
            if let Located::Value(reference, _) = located {
                self.reference(reference, Some(Use::Kind(Kind::Value)));
            }
        }
    }
}
