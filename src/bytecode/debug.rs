//! Data of a program that only messages and tools use: names, labels, predicates in source order, and the nodes that
//! instructions test.
//!
//! Specification: a loaded program has the same debug data as the program that was written.
//!
//! In a file, debug data is a section of its own. Loading copies the section, and the first use decodes it. The
//! checksum has already rejected corruption. If a forged section does not fit the program, names and source positions
//! are unavailable.

use std::sync::OnceLock;

use crate::id::{Id, IdVec};
use crate::intern::{Interner, StrId};
use crate::matcher_tree::{Answer, Guard, Predicates, Question, RowStep};
use crate::pdl::{NodeId, Origin, PatternId};
use crate::source::Span;
use crate::wire::{Invalid, Limits, PlaceSpans, Reader, Section, Wire, Writer};

use super::ids::Address;

/// The debug data of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternDebug {
    pub(crate) name: StrId,
    pub(crate) labels: Vec<StrId>,
    /// The symbols of the nodes.
    pub(crate) names: IdVec<NodeId, Option<StrId>>,
    /// The place of the rule in the source.
    pub origin: Origin,
    /// The name of the root, a string of [`Program::strings`](super::Program::strings); `None` for any name.
    pub root: Option<StrId>,
    /// The predicates, in source order.
    pub steps: Vec<RowStep>,
}

/// A node of a rule that an instruction tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The address of the instruction.
    pub at: Address,
    /// The rule.
    pub pattern: PatternId,
    /// The node.
    pub node: NodeId,
    /// The place of the node in the source.
    pub span: Span,
}

/// The parts of a program that its debug data refers to.
pub(crate) struct ProgramShape<'a> {
    /// The number of nodes of each rule.
    pub(super) nodes: IdVec<PatternId, u32>,
    pub(super) predicates: &'a Predicates,
    pub(super) strings: usize,
    pub(super) constants: usize,
    pub(super) choices: u32,
    pub(super) code: usize,
}

/// The debug data of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Debug {
    pub(crate) strings: Interner,
    pub(crate) patterns: IdVec<PatternId, PatternDebug>,
    pub(crate) decisions: Vec<Decision>,
}

/// [`Debug`], which is decoded on first use.
#[derive(Clone, Debug, Default)]
pub(crate) struct DebugMap {
    decoded: OnceLock<Debug>,
    bytes: Vec<u8>,
    limits: Limits,
    places: PlaceSpans,
}

impl From<Debug> for DebugMap {
    fn from(debug: Debug) -> Self {
        Self { decoded: OnceLock::from(debug), ..Self::default() }
    }
}

impl DebugMap {
    /// Stores the bytes of the debug section of a file, without decoding them.
    pub(super) fn packed(bytes: &[u8], limits: Limits, places: PlaceSpans) -> Self {
        Self { decoded: OnceLock::new(), bytes: bytes.to_vec(), limits, places }
    }

    /// The debug data of `program`. The first call decodes it.
    pub(super) fn get(&self, program: &ProgramShape<'_>) -> &Debug {
        self.decoded.get_or_init(|| self.decode(program).unwrap_or_else(|_| Debug::unavailable(program)))
    }

    fn decode(&self, program: &ProgramShape<'_>) -> Result<Debug, Invalid> {
        let mut streams: Vec<&[u8]> = vec![&[]; Section::ALL.len()];
        streams[Section::Debug as usize] = &self.bytes;
        let mut from = Reader::new(streams, Section::Debug, self.places);
        from.limits = self.limits.clone();
        let debug = Debug::read(&mut from)?;
        from.finish(&[Section::Debug])?;
        if debug.fits(program) { Ok(debug) } else { Err(from.invalid("it does not fit the rules")) }
    }
}

impl Debug {
    /// The debug data of a program whose debug section is invalid.
    fn unavailable(program: &ProgramShape<'_>) -> Self {
        let mut strings = Interner::default();
        let name = strings.intern("?");
        let rule = |&nodes: &u32| PatternDebug {
            name,
            labels: Vec::new(),
            names: (0..nodes).map(|_| None).collect(),
            origin: Origin::Span(Span::NONE),
            root: None,
            steps: Vec::new(),
        };
        Self { strings, patterns: program.nodes.iter().map(rule).collect(), decisions: Vec::new() }
    }

    /// The strings of the program that predicates and roots refer to.
    pub(super) fn needed_strings(&self, predicates: &Predicates) -> impl Iterator<Item = StrId> {
        let required_name = |row: &RowStep| match row.step {
            Guard::Test { question, answer, .. } => match predicates[question] {
                Question::Name(_) => Some(StrId::from_raw(answer.0)),
                _ => None,
            },
            _ => None,
        };
        self.patterns
            .iter()
            .flat_map(move |rule| rule.steps.iter().filter_map(required_name).chain(rule.root))
    }

    fn fits(&self, program: &ProgramShape<'_>) -> bool {
        let rule = |(debug, &nodes): (&PatternDebug, &u32)| {
            let nodes = nodes as usize;
            debug.names.len() == nodes
                && debug.steps.iter().all(|asked| guard_fits(program, nodes, &asked.step))
                && debug.root.is_none_or(|root| root.index() < program.strings)
        };
        let decision = |decision: &Decision| {
            program.nodes.get(decision.pattern).is_some_and(|&nodes| decision.node.raw() < nodes)
                && decision.at.index() < program.code
        };
        self.patterns.len() == program.nodes.len()
            && self.patterns.iter().zip(program.nodes.iter()).all(rule)
            && self.decisions.iter().all(decision)
    }
}

/// True if the table entries that a predicate refers to exist.
fn guard_fits(program: &ProgramShape<'_>, nodes: usize, step: &Guard) -> bool {
    match *step {
        Guard::Test { question, answer: Answer(answer), node } => {
            let answers = match program.predicates[question] {
                Question::Name(_) => Some(program.strings),
                Question::Constant(_) => Some(program.constants),
                _ => None,
            };
            answers.is_none_or(|answers| (answer as usize) < answers) && node.index() < nodes
        }
        Guard::EachUser { choice, .. } | Guard::Either { choice } => choice < program.choices,
        Guard::Call { .. } => true,
    }
}

/// The names of operations are strings of the program. All other strings belong to the debug data.
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
        self.steps.write(out);
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
        Ok(Self { name, labels, names, origin, root: root.map(StrId::from_raw), steps: Wire::read(from)? })
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
                out.number(u64::from(decision.at.raw().saturating_sub(before)));
                decision.pattern.write(out);
                decision.node.write(out);
                decision.span.write(out);
                before = decision.at.raw();
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
            decisions.push(Decision { at: Address::from_raw(at), pattern, node, span: Wire::read(from)? });
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
    fn predicates_with_references_outside_the_tables_are_rejected() {
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
            program.predicates.iter().find(|(_, question)| is(question)).expect("the rule tests it").0
        };
        let count = |count: usize| u32::try_from(count).unwrap();
        let (strings, constants) = (count(program.strings.len()), count(program.positions.constants().len()));
        let name = question(|question| matches!(question, Question::Name(_)));
        let constant = question(|question| matches!(question, Question::Constant(_)));
        let other = question(|question| matches!(question, Question::Count { .. }));
        let fits = |question, answer, node| {
            let node = NodeId::from_raw(node);
            guard_fits(&program.shape(), 3, &Guard::Test { question, answer: Answer(answer), node })
        };
        for (question, answers) in [(name, strings), (constant, constants)] {
            assert!(fits(question, answers - 1, 2));
            assert!(!fits(question, answers, 2));
            assert!(!fits(question, answers - 1, 3));
        }
        assert!(fits(other, u32::MAX, 2) && !fits(other, 0, 3), "counts are unlimited, nodes are not");
        for (choice, good) in [(1, true), (2, false), (3, false)] {
            assert_eq!(guard_fits(&program.shape(), 3, &Guard::Either { choice }), good, "{choice}");
        }
    }
}
