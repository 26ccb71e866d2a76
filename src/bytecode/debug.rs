//! What only messages and tools know of a program: names, labels, predicates in the order of the source,
//! and which rules the instructions decide on.
//!
//! Specification: what is told of a program that was loaded is what was told of the one that was written.
//!
//! In a file it is a section of its own, which is copied when the program is loaded and read when it is
//! first asked for. The checksum has told damage apart by then; of a section that was made up and does not
//! fit the program nothing is told: rules have no names and no places.

use std::sync::OnceLock;

use crate::id::{Id, IdVec};
use crate::intern::{Interner, StrId};
use crate::matcher_tree::{Answer, Guard, Question, RowStep};
use crate::pdl::{NodeId, Origin, PatternId};
use crate::source::Span;
use crate::wire::{Invalid, Limits, PlaceSpans, Reader, Section, Wire, Writer};

use super::program::{Decision, Program};

/// What messages and tools are told of one rule.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternDebug {
    pub(crate) name: StrId,
    pub(crate) labels: Vec<StrId>,
    /// What its nodes are called.
    pub(crate) names: IdVec<NodeId, Option<StrId>>,
    /// Where it was written.
    pub origin: Origin,
    /// The name of its root, a string of [`Program::strings`]; `None`: any.
    pub root: Option<StrId>,
    /// What it asks, in the order of the source.
    pub asks: Vec<RowStep>,
}

/// All that is told of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Debug {
    pub(crate) strings: Interner,
    pub(crate) patterns: IdVec<PatternId, PatternDebug>,
    pub(crate) decisions: Vec<Decision>,
}

/// [`Debug`], read when it is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct DebugMap {
    read: OnceLock<Debug>,
    bytes: Vec<u8>,
    limits: Limits,
    places: PlaceSpans,
}

impl From<Debug> for DebugMap {
    fn from(debug: Debug) -> Self {
        Self { read: OnceLock::from(debug), ..Self::default() }
    }
}

impl DebugMap {
    /// What is in these bytes of a file.
    pub(super) fn packed(bytes: &[u8], limits: Limits, places: PlaceSpans) -> Self {
        Self { read: OnceLock::new(), bytes: bytes.to_vec(), limits, places }
    }

    fn read(&self, program: &Program) -> Result<Debug, Invalid> {
        let mut streams: Vec<&[u8]> = vec![&[]; Section::ALL.len()];
        streams[Section::Debug as usize] = &self.bytes;
        let mut from = Reader::new(streams, Section::Debug, self.places);
        from.limits = self.limits.clone();
        let debug = Debug::read(&mut from)?;
        from.finish(&[Section::Debug])?;
        if debug.fits(program) { Ok(debug) } else { Err(from.invalid("it does not fit the rules")) }
    }
}

impl Program {
    /// What messages and tools are told.
    pub(crate) fn debug(&self) -> &Debug {
        self.debug.read.get_or_init(|| self.debug.read(self).unwrap_or_else(|_| Debug::nothing(self)))
    }
}

impl Debug {
    /// Nothing told of the rules of a program.
    fn nothing(program: &Program) -> Self {
        let mut strings = Interner::default();
        let name = strings.intern("?");
        let rule = |id| PatternDebug {
            name,
            labels: Vec::new(),
            names: program.bindings(id).iter().map(|_| None).collect(),
            origin: Origin::Span(Span::NONE),
            root: None,
            asks: Vec::new(),
        };
        Self { strings, patterns: program.patterns.ids().map(rule).collect(), decisions: Vec::new() }
    }

    /// The strings of the program that predicates and roots are about.
    pub(super) fn needed_strings(&self, program: &Program) -> impl Iterator<Item = StrId> {
        let asked = |asked: &RowStep| match asked.step {
            Guard::Test { question, answer, .. } => match program.predicates[question] {
                Question::Name(_) => Some(StrId::from_raw(answer.0)),
                _ => None,
            },
            _ => None,
        };
        self.patterns.iter().flat_map(move |rule| rule.asks.iter().filter_map(asked).chain(rule.root))
    }

    fn fits(&self, program: &Program) -> bool {
        let rule = |(id, debug): (PatternId, &PatternDebug)| {
            let nodes = program.bindings(id).len();
            debug.names.len() == nodes
                && debug.asks.iter().all(|asked| asked_fits(program, nodes, &asked.step))
                && debug.root.is_none_or(|root| root.index() < program.strings.len())
        };
        let decision = |decision: &Decision| {
            let nodes =
                program.patterns.get(decision.pattern).map(|_| program.bindings(decision.pattern).len());
            nodes.is_some_and(|nodes| decision.node.index() < nodes)
                && (decision.at as usize) < program.code.len()
        };
        self.patterns.len() == program.patterns.len()
            && self.patterns.iter_enumerated().all(rule)
            && self.decisions.iter().all(decision)
    }
}

/// Whether what a predicate names is there.
fn asked_fits(program: &Program, nodes: usize, step: &Guard) -> bool {
    match *step {
        Guard::Test { question, answer: Answer(answer), node } => {
            let answers = match program.predicates[question] {
                Question::Name(_) => program.strings.len(),
                Question::Constant(_) => program.positions.constants().len(),
                _ => usize::MAX,
            };
            (answer as usize) < answers && node.index() < nodes
        }
        Guard::EachUser { choice, .. } | Guard::Either { choice } => choice < program.choices,
        Guard::Call { .. } => true,
    }
}

/// The root is a string of the program; all others are of the map itself.
impl Wire for PatternDebug {
    fn write(&self, out: &mut Writer<'_>) {
        self.name.write(out);
        self.labels.write(out);
        out.number(self.names.len() as u64);
        for name in self.names.iter() {
            name.inspect(|&name| out.need(name));
            out.number(name.map_or(0, |name| u64::from(name.raw()) + 1));
        }
        self.origin.write(out);
        self.root.map(StrId::raw).write(out);
        self.asks.write(out);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let (name, labels) = Wire::read(from)?;
        let mut names = IdVec::default();
        for _ in 0..from.count()? {
            let most = from.limits.strings.saturating_add(1);
            names.push(from.below(most, "name")?.checked_sub(1).map(StrId::from_raw));
        }
        let (origin, root) = Wire::read(from)?;
        let root: Option<u32> = root;
        Ok(Self { name, labels, names, origin, root: root.map(StrId::from_raw), asks: Wire::read(from)? })
    }
}

impl Wire for Debug {
    fn write(&self, out: &mut Writer<'_>) {
        out.number(self.strings.len() as u64);
        out.with_strings(&self.strings, |out| {
            out.number(self.patterns.len() as u64);
            out.items(self.patterns.iter());
            out.number(self.decisions.len() as u64);
            let mut before = 0;
            for decision in &self.decisions {
                out.number(u64::from(decision.at.saturating_sub(before)));
                decision.pattern.write(out);
                decision.node.write(out);
                decision.span.write(out);
                before = decision.at;
            }
        });
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        from.limits.strings = from.count()?;
        let patterns = Wire::read(from)?;
        let mut at = 0u32;
        let mut decisions = Vec::new();
        for _ in 0..from.count()? {
            let step = from.u32()?;
            at = at.checked_add(step).ok_or_else(|| from.invalid("an address is too large"))?;
            let (pattern, node) = Wire::read(from)?;
            decisions.push(Decision { at, pattern, node, span: Wire::read(from)? });
        }
        let strings = from.strings(from.limits.strings)?;
        Ok(Self { strings, patterns, decisions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher_tree::{self, Config, QuestionId};
    use crate::pdl::RuleSet;

    #[test]
    fn a_predicate_that_names_what_is_not_there_does_not_fit() {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("rule", 1);
        let one = rule.attr_constant("1 : i32");
        let inner = rule.op("t.inner").attr("a", one).matched();
        let value = rule.result(inner, 0);
        let root = rule.op("t.op").operand(value).matched();
        rule.erase(root);
        rule.finish().unwrap();
        let rules = rules.verify().unwrap();
        let tree = matcher_tree::build(rules, &Config::new()).unwrap();
        let mut program = crate::bytecode::compile(rules, &tree).unwrap();
        program.choices = 2;
        let question = |is: fn(&Question) -> bool| -> QuestionId {
            program.predicates.iter().find(|(_, question)| is(question)).expect("the rule asks it").0
        };
        let count = |count: usize| u32::try_from(count).unwrap();
        let (strings, constants) = (count(program.strings.len()), count(program.positions.constants().len()));
        let name = question(|question| matches!(question, Question::Name(_)));
        let constant = question(|question| matches!(question, Question::Constant(_)));
        let other = question(|question| matches!(question, Question::Count { .. }));
        let fits = |question, answer, node| {
            let node = NodeId::from_raw(node);
            asked_fits(&program, 3, &Guard::Test { question, answer: Answer(answer), node })
        };
        for (question, answers) in [(name, strings), (constant, constants)] {
            assert!(fits(question, answers - 1, 2));
            assert!(!fits(question, answers, 2));
            assert!(!fits(question, answers - 1, 3));
        }
        assert!(fits(other, u32::MAX, 2) && !fits(other, 0, 3), "a count may be any");
        for (choice, good) in [(1, true), (2, false), (3, false)] {
            assert_eq!(asked_fits(&program, 3, &Guard::Either { choice }), good, "{choice}");
        }
    }
}
