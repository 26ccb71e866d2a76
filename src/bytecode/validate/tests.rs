//! Programs that were put together by hand: what is said of those that cannot be run.

use super::*;
use crate::bytecode::program::{
    Location, Part as ProgramPart, PatternCall, PatternInfo, RewriteCallId, SourceWord,
};
use crate::matcher_tree::{self, Config, ConstraintCall};
use crate::pdl::{Callee, LocalId, Pattern, PatternId, RuleSet};
use crate::source::SourceMap;

fn word(opcode: Opcode, small: u8) -> u32 {
    u32::from_le_bytes([opcode as u8, small, 0, 0])
}

/// What is said of a program of one rule whose match part is this code, which starts at 1.
fn message(code: &[u32]) -> String {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("rule", 1);
    let root = rule.op("t.op").matched();
    rule.erase(root);
    rule.finish().unwrap();
    let rules = rules.verify().unwrap();
    let tree = matcher_tree::build(rules, &Config::new()).unwrap();
    let mut program = crate::bytecode::compile(rules, &tree).unwrap();
    program.code = [&[word(Opcode::Fail, 0)], code, &[word(Opcode::Done, 0)]].concat();
    program.patterns[PatternId::from_raw(0)].rewrite = u32::try_from(code.len() + 1).unwrap();
    (program.any, program.choices) = (1, 1);
    (program.entries, program.bottom_up) = (Vec::new(), Default::default());
    program.debug = Default::default();
    let sources = SourceMap::default();
    let loaded = Program::from_bytes(&program.to_bytes(&sources), &mut SourceMap::default());
    loaded.map_or_else(|error| error.to_string(), |_| "it is good".to_owned())
}

#[test]
fn limits_are_said() {
    let of = |opcode: Opcode, times: usize| {
        let mut code = [word(opcode, 0), 0, 0][..if opcode == Opcode::Either { 1 } else { 3 }].repeat(times);
        code.push(word(Opcode::Fail, 0));
        message(&code)
    };
    assert_eq!(of(Opcode::Either, 27), "it is good");
    let expected = "it is invalid: in section 'code', matching may take more than 268435456 instructions";
    assert_eq!(of(Opcode::Either, 28), expected);
    assert_eq!(of(Opcode::EachUser, 65_536), "it is good");
    let expected = "it is invalid: in section 'code', matching may open more than 65536 alternatives";
    assert_eq!(of(Opcode::EachUser, 65_537), expected);
}

#[test]
fn what_is_not_known_on_all_paths_is_not_taken() {
    let fail = word(Opcode::Fail, 0);
    let count = |register: u8| [u32::from_le_bytes([Opcode::OperandCountIs as u8, register, 1, 0]), 0];
    assert_eq!(message(&[&count(0)[..], &[fail]].concat()), "it is good");
    let unloaded = message(&[&count(1)[..], &[fail]].concat());
    assert!(unloaded.contains("Op 1 of 1 in the instruction at 1"), "{unloaded}");
    // Same operands: one path has asked how many there are, the other has not.
    let same = [u32::from_le_bytes([Opcode::SameOperands as u8, 0, 0, 0]), 0, 0];
    assert_eq!(message(&[&count(0)[..], &same, &[fail]].concat()), "it is good");
    let after_try = [&[word(Opcode::Try, 0), 5], &count(0)[..], &same, &[fail]].concat();
    let expected =
        "it is invalid: in section 'code', 'operands.same' at 5 takes operand 0, which may not be there";
    assert_eq!(message(&after_try), expected);
    assert_eq!(
        message(&[word(Opcode::Try, 0), 1, fail]),
        "it is good",
        "back to itself is written as the end"
    );
    assert!(message(&[word(Opcode::Jump, 0), 9]).contains("there is no instruction at 9"));
    assert!(message(&[word(Opcode::Done, 0)]).contains("is no instruction of the match part"));
    assert!(message(&count(0)).contains("'done' at 3 is no instruction of the match part"));
}

#[test]
fn switches_may_have_no_cases() {
    let fail = word(Opcode::Fail, 0);
    assert_eq!(message(&[word(Opcode::NameSwitch, 0), 0, 0, fail]), "it is good");
    assert_eq!(message(&[word(Opcode::ConstantSwitch, 0), 0, 0, 0, fail]), "it is good");
}

#[test]
fn there_are_no_more_choices_than_words_of_code() {
    let of = |choices: u32| said_of_changed(|program| program.choices = choices);
    assert_eq!(of(2), "it is good");
    for choices in [3, u32::MAX] {
        let expected =
            format!("it is invalid: in section 'head', {choices} choices are announced for 2 words of code");
        assert_eq!(of(choices), expected);
    }
}

/// The kinds of what rewrites make, each twice: as a local that has been made, and as one that has not.
const KINDS: [Kind; 8] =
    [Kind::Op, Kind::Value, Kind::Values, Kind::Type, Kind::Types, Kind::Attr, Kind::Attrs, Kind::Location];

/// A program of one rule, whose rewrite makes a local of each kind and then does this.
struct Rewriting {
    program: Program,
    /// Makes the locals.
    made: Vec<u32>,
}

impl Rewriting {
    fn new() -> Self {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("rule", 1);
        let (ty, value) = (rule.type_constant("i32"), rule.attr_constant("1 : i32"));
        let x = rule.value_of(ty);
        let root = rule.op("t.op").operand(x).attr("v", value).matched();
        rule.make_type("i64");
        rule.make_attr("2 : i32");
        let new = rule.create("t.new").created();
        rule.rewrite_call("native", [new], &[Kind::Op]);
        rule.erase(root);
        rule.finish().unwrap();
        let rules = rules.verify().unwrap();
        let tree = matcher_tree::build(rules, &Config::new()).unwrap();
        let mut program = crate::bytecode::compile(rules, &tree).unwrap();
        program.locals = [KINDS, KINDS].concat();
        let rule = PatternId::from_raw(0);
        program.patterns[rule].locals = ProgramPart::new(0, 16).unwrap();
        program.patterns[rule].calls = ProgramPart::default();
        let constant = |kind| {
            let constants = program.positions.constants();
            let of_kind = constants.iter_enumerated().find(|(_, constant)| constant.0 == kind);
            of_kind.expect("the rule has both").0.raw()
        };
        let (root, [op, value, values, ty, types, attr, attrs, location]) =
            (0, [0, 1, 2, 3, 4, 5, 6, 7].map(|local: u32| local));
        let made = [
            vec![word(Opcode::MakeConstant, 0), constant(Kind::Type), ty],
            vec![word(Opcode::MakeConstant, 0), constant(Kind::Attr), attr],
            vec![word(Opcode::MakeLocation, 0), 0, location],
            vec![word(Opcode::GetResult, 0), root, 0, value],
            vec![word(Opcode::GetAllResults, 0), root, values],
            vec![word(Opcode::TypeOf, 0), local(values), types],
            vec![word(Opcode::MakeRange, 0), attrs, 1, local(attr)],
            create(op, &[], &[], &[]),
        ];
        Self { program, made: made.concat() }
    }

    /// What is said of it with some more steps.
    fn message(&self, steps: &[u32]) -> String {
        let mut program = self.program.clone();
        let start = u32::try_from(program.code.len()).unwrap();
        program.patterns[PatternId::from_raw(0)].rewrite = start;
        program.code.extend([&self.made[..], steps, &[word(Opcode::Done, 0)]].concat());
        said(&mut program)
    }
}

/// What is said of a program when it is loaded.
fn said(program: &mut Program) -> String {
    program.debug = Default::default();
    let loaded = Program::from_bytes(&program.to_bytes(&SourceMap::default()), &mut SourceMap::default());
    loaded.map_or_else(|error| error.to_string(), |_| "it is good".to_owned())
}

fn local(local: u32) -> u32 {
    SourceWord::local(LocalId::from_raw(local)).unwrap().0
}

/// Makes an operation of attributes, operands and result types.
fn create(to: u32, attributes: &[u32], operands: &[u32], results: &[u32]) -> Vec<u32> {
    let count = |list: &[u32]| u32::try_from(list.len()).unwrap();
    let mut words = vec![word(Opcode::Create, 0), 0, to, 0, 0, 0];
    words.extend([count(attributes), count(operands), count(results)]);
    words.extend(attributes.iter().flat_map(|&attribute| [0, attribute, 0]));
    words.extend([operands, results].concat());
    words
}

/// A step that takes a source.
type Taking = fn(u32) -> Vec<u32>;

#[test]
fn each_step_takes_what_it_can_be_of_and_what_was_made() {
    use Kind::{Attr, Op, Type, Types, Value, Values};
    let rewriting = Rewriting::new();
    // The local that the step makes is none that is taken.
    let steps: [(&[Kind], Taking); 12] = [
        (&[Value, Attr], |of| vec![word(Opcode::TypeOf, 0), of, 11]),
        (&[Values], |of| vec![word(Opcode::TypeOf, 0), of, 12]),
        (&[Op], |of| vec![word(Opcode::GetResult, 0), of, 0, 9]),
        (&[Op], |of| vec![word(Opcode::GetResults, 0), of, 0, 1, 10]),
        (&[Op], |of| vec![word(Opcode::GetAllResults, 0), of, 10]),
        (&[Value, Values], |of| vec![word(Opcode::MakeRange, 0), 10, 1, of]),
        (&[Type, Types], |of| vec![word(Opcode::MakeRange, 0), 12, 1, of]),
        (&[Attr, Kind::Attrs], |of| vec![word(Opcode::MakeRange, 0), 14, 1, of]),
        (&[Op, Value, Values], |of| vec![word(Opcode::Replace, 0), 0, 1, of]),
        (&[Op], |of| vec![word(Opcode::Replace, 0), of, 0]),
        (&[Op], |by| vec![word(Opcode::ReplaceByOp, 0), 0, by]),
        (&[Op], |of| vec![word(Opcode::Erase, 0), of]),
    ];
    let created: [(&[Kind], Taking); 4] = [
        (&[Attr], |of| create(8, &[local(5), of], &[], &[])),
        (&[Op, Value, Values], |of| create(8, &[], &[local(1), of], &[])),
        (&[Type, Types], |of| create(8, &[], &[], &[local(3), of])),
        (&[Op], |of| vec![word(Opcode::ReplaceByOp, 0), of, 0]),
    ];
    for (i, (kinds, step)) in steps.into_iter().chain(created).enumerate() {
        for (at, kind) in (0u32..).zip(KINDS) {
            let good = kinds.contains(&kind);
            let said = rewriting.message(&step(local(at)));
            assert_eq!(said == "it is good", good, "step {i} of a {kind}: {said}");
            assert!(good || said.contains("rule 0 rewrites wrongly: it "), "{said}");
            let said = rewriting.message(&step(local(at + 8)));
            assert!(said.contains("it takes what it has not made"), "step {i} of a {kind}: {said}");
        }
        let past = rewriting.message(&step(local(16)));
        assert!(past.contains("it has no such local"), "step {i}: {past}");
        let positions = u32::try_from(rewriting.program.positions.len()).unwrap();
        let past = rewriting.message(&step(2 * positions));
        assert!(past.contains("there is no such position"), "step {i}: {past}");
        let last = rewriting.message(&step(2 * (positions - 1)));
        assert!(!last.contains("there is no such position"), "step {i}: {last}");
    }
}

#[test]
fn each_step_makes_what_it_is_said_to_make() {
    let rewriting = Rewriting::new();
    let steps: [(Kind, Taking); 9] = [
        (Kind::Type, |to| vec![word(Opcode::TypeOf, 0), local(1), to]),
        (Kind::Types, |to| vec![word(Opcode::TypeOf, 0), local(2), to]),
        (Kind::Value, |to| vec![word(Opcode::GetResult, 0), 0, 0, to]),
        (Kind::Values, |to| vec![word(Opcode::GetResults, 0), 0, 0, 1, to]),
        (Kind::Values, |to| vec![word(Opcode::GetAllResults, 0), 0, to]),
        (Kind::Location, |to| vec![word(Opcode::MakeLocation, 0), 0, to]),
        (Kind::Op, |to| create(to, &[], &[], &[])),
        (Kind::Op, |to| create(to, &[], &[local(1)], &[local(3)])),
        // The first constant is the type that the operand is to have.
        (Kind::Type, |to| vec![word(Opcode::MakeConstant, 0), 0, to]),
    ];
    for (i, (made, step)) in steps.into_iter().enumerate() {
        for (at, kind) in (8u32..).zip(KINDS) {
            let said = rewriting.message(&step(at));
            let expected = if kind == made {
                "it is good".to_owned()
            } else {
                format!(
                    "it is invalid: in section 'rules', rule 0 rewrites wrongly: it makes a {made} where there is to be a {kind}"
                )
            };
            assert_eq!(said, expected, "step {i}");
        }
        assert!(rewriting.message(&step(16)).contains("it has no such local"), "step {i}");
    }
    // What a range is of, its local says; what is none takes values and so is none.
    for (at, kind) in (8u32..).zip(KINDS) {
        let said = rewriting.message(&[word(Opcode::MakeRange, 0), at, 0]);
        let is_range = matches!(kind, Kind::Values | Kind::Types | Kind::Attrs);
        assert_eq!(said == "it is good", is_range, "{kind}: {said}");
    }
    let taken_then = [vec![word(Opcode::GetResult, 0), 0, 0, 9], vec![word(Opcode::TypeOf, 0), local(9), 11]];
    assert_eq!(rewriting.message(&taken_then.concat()), "it is good", "what a step made the next one takes");
}

#[test]
fn calls_of_rewrites_give_what_they_say() {
    let good = Rewriting::new();
    let call = [word(Opcode::CallRewrite, 0), 0];
    let with = |args: Vec<u32>, to: &[u32], kinds: &[Kind]| {
        let mut rewriting = Rewriting { program: good.program.clone(), made: good.made.clone() };
        let changed = &mut rewriting.program.rewrite_calls[RewriteCallId::from_raw(0)];
        changed.args = args.into_iter().map(|word| Arg::Of(SourceWord::from_word(word))).collect();
        changed.to = to.iter().copied().map(LocalId::from_raw).collect();
        changed.kinds = kinds.to_vec();
        rewriting
    };
    for (at, kind) in (0u32..).zip(KINDS) {
        assert_eq!(with(vec![local(at)], &[at + 8], &[kind]).message(&call), "it is good", "{kind}");
        let other = KINDS[(at as usize + 1) % 8];
        let said = with(vec![], &[at + 8], &[other]).message(&call);
        assert!(said.contains("a call gives things of other kinds"), "{kind}: {said}");
        let said = with(vec![local(at + 8)], &[], &[]).message(&call);
        assert!(said.contains("it takes what it has not made"), "{kind}: {said}");
    }
    let two = with(vec![], &[8, 9], &[Kind::Op, Kind::Value]);
    let takes_it = [&call[..], &[word(Opcode::TypeOf, 0), local(9), 11]].concat();
    assert_eq!(two.message(&takes_it), "it is good", "what a call gave the next step takes");
    for (to, kinds) in [(&[8, 9][..], &[Kind::Op][..]), (&[8], &[Kind::Op, Kind::Value]), (&[], &[Kind::Op])]
    {
        let said = with(vec![], to, kinds).message(&call);
        assert!(said.contains("a call gives other things than it says"), "{said}");
    }
    assert!(with(vec![local(16)], &[], &[]).message(&call).contains("it has no such local"));
    // A call that the rule is said to make has to be one that it could make, also if it is not made.
    for (args, to, good) in [(vec![local(15)], 15, true), (vec![local(16)], 15, false), (vec![], 16, false)] {
        let mut rewriting = with(args, &[to], &[Kind::Location]);
        rewriting.program.calls = vec![PatternCall::Rewrite(RewriteCallId::from_raw(0))];
        rewriting.program.patterns[PatternId::from_raw(0)].calls = ProgramPart::new(0, 1).unwrap();
        assert_eq!(rewriting.message(&[]) == "it is good", good, "{to}");
    }
}

#[test]
fn locations_are_of_what_has_been_made() {
    let rewriting = Rewriting::new();
    let with = |location: Location| {
        let mut rewriting = Rewriting { program: rewriting.program.clone(), made: rewriting.made.clone() };
        let location = rewriting.program.locations.push(location).raw();
        [vec![word(Opcode::MakeLocation, 0), location, 15], {
            let mut words = create(8, &[], &[], &[]);
            words[3] = location;
            words
        }]
        .map(|steps| rewriting.message(&steps))
    };
    let name = crate::intern::StrId::from_raw(0);
    for (at, kind) in (0u32..).zip(KINDS) {
        let fused = |local: u32| Location::Fused { of: vec![SourceWord::from_word(local)], metadata: None };
        let named = |local: u32| Location::Named { name, child: Some(SourceWord::from_word(local)) };
        let good = matches!(kind, Kind::Location | Kind::Op | Kind::Value | Kind::Values);
        for said in with(fused(local(at))).into_iter().chain(with(named(local(at)))) {
            assert_eq!(said == "it is good", good, "{kind}: {said}");
        }
        for said in with(fused(local(at + 8))).into_iter().chain(with(named(local(at + 8)))) {
            assert!(said.contains("it takes what it has not made"), "{kind}: {said}");
        }
    }
    assert_eq!(with(Location::Named { name, child: None }), ["it is good"; 2]);
}

#[test]
fn a_rewrite_is_code_to_its_end() {
    let rewriting = Rewriting::new();
    assert_eq!(rewriting.message(&[]), "it is good");
    assert!(rewriting.message(&[word(Opcode::Accept, 0), 0]).contains("there is no step at"));
    let mut open = rewriting.program.clone();
    open.patterns[PatternId::from_raw(0)].rewrite = u32::try_from(open.code.len()).unwrap();
    assert!(said(&mut open).contains("there is no instruction at the rewrite of rule 0"));
    open.code.extend(&rewriting.made);
    let said_of = said(&mut open);
    assert!(said_of.contains("rule 0 rewrites wrongly: there is no step at"), "{said_of}");
    for (benefit, good) in [(Pattern::MAX_BENEFIT, true), (Pattern::MAX_BENEFIT + 1, false)] {
        let mut program = rewriting.program.clone();
        program.patterns[PatternId::from_raw(0)].benefit = benefit;
        let start = u32::try_from(program.code.len()).unwrap();
        program.patterns[PatternId::from_raw(0)].rewrite = start;
        program.code.push(word(Opcode::Done, 0));
        assert_eq!(said(&mut program) == "it is good", good, "{benefit}");
    }
}

/// Rules may share a rewrite, but not so that to look at it for each of them takes for ever.
#[test]
fn rules_that_share_a_long_rewrite_are_few() {
    let shared = |rules: u32, steps: usize| {
        let mut program = Rewriting::new().program;
        let rule = program.patterns[PatternId::from_raw(0)];
        let start = u32::try_from(program.code.len()).unwrap();
        program.code.extend([word(Opcode::Erase, 0), 0].repeat(steps));
        program.code.push(word(Opcode::Done, 0));
        program.patterns = (0..rules).map(|_| PatternInfo { rewrite: start, ..rule }).collect();
        program.debug = Default::default();
        let words = program.code.len();
        (said(&mut program), words)
    };
    // 64 times as many steps as there are words and rules, and some.
    let (_, words) = shared(1, 1000);
    let most = (64 * words + 1024) / (1001 - 64);
    let most = u32::try_from(most).unwrap();
    assert_eq!(shared(most, 1000).0, "it is good");
    let (bad, _) = shared(most + 1, 1000);
    assert!(bad.contains("too many rules share too long rewrites"), "{bad}");
}

/// What is said of a program in which something was changed.
fn said_of_changed(change: impl FnOnce(&mut Program)) -> String {
    let mut program = Rewriting::new().program;
    program.code = vec![word(Opcode::Fail, 0), word(Opcode::Done, 0)];
    program.patterns[PatternId::from_raw(0)].rewrite = 1;
    program.entries = vec![(0, 0)];
    (program.any, program.bottom_up) = (0, Default::default());
    change(&mut program);
    said(&mut program)
}

fn operand(program: &Program) -> PositionId {
    let mut positions = program.positions.iter();
    positions.find(|(_, position)| matches!(position, Position::Operand { .. })).expect("there is one").0
}

#[test]
fn registers_are_for_operations_and_the_first_for_the_root() {
    assert_eq!(said_of_changed(|_| {}), "it is good");
    let no_op = "in section 'tables', an operation register is for no operation";
    assert!(said_of_changed(|program| program.registers.clear()).contains(no_op));
    assert!(said_of_changed(|program| program.registers[0] = operand(program)).contains(no_op));
    assert!(said_of_changed(|program| program.registers.push(operand(program))).contains(no_op));
    let below = |program: &mut Program| {
        let below = program.positions.intern(Position::DefiningOp(operand(program))).unwrap();
        program.registers.push(below);
        below
    };
    assert_eq!(said_of_changed(|program| _ = below(program)), "it is good");
    assert!(said_of_changed(|program| program.registers[0] = below(program)).contains(no_op));
}

#[test]
fn roots_are_names_of_the_program() {
    let root = |past: u32| {
        said_of_changed(|program| {
            let names = u32::try_from(program.op_names.len()).unwrap();
            program.entries[0].0 = names - 1 + past;
        })
    };
    assert_eq!(root(0), "it is good");
    assert!(root(1).contains("root name 2 of 2"), "{}", root(1));
}

#[test]
fn positions_are_of_choices_and_calls_that_are_there() {
    let choice = |choices: u32, position: fn(&Program, u32) -> Position, choice: u32| {
        said_of_changed(|program| {
            program.choices = choices;
            program.positions.intern(position(program, choice));
        })
    };
    let either = |program: &Program, choice| Position::Either {
        choice,
        first: operand(program),
        second: operand(program),
    };
    for position in [either as fn(&Program, u32) -> Position, |_, choice| Position::User { choice }] {
        assert_eq!(choice(2, position, 1), "it is good");
        for past in [2, 3] {
            let said = choice(2, position, past);
            assert!(said.contains(&format!("is of choice {past} of 2")), "{said}");
        }
    }
    let call = |results: &[Kind], index: u32, kind: Kind| {
        said_of_changed(|program| {
            let call = constraint(program, vec![], results);
            program.positions.intern(Position::CallResult { call, index, kind });
        })
    };
    let both = [Kind::Attr, Kind::Type];
    assert_eq!(call(&both, 0, Kind::Attr), "it is good");
    assert_eq!(call(&both, 1, Kind::Type), "it is good");
    for (index, kind) in [(0, Kind::Type), (1, Kind::Attr), (2, Kind::Attr), (2, Kind::Type)] {
        assert!(call(&both, index, kind).contains("is no result of its call"), "{index} {kind}");
    }
}

fn constraint(program: &mut Program, args: Vec<Arg<PositionId>>, results: &[Kind]) -> CallId {
    let callee = Callee::Native(crate::intern::StrId::from_raw(0));
    let call = ConstraintCall { callee, args, results: results.to_vec(), chosen: false };
    program.predicates.intern_call(call, crate::source::Span::NONE)
}

#[test]
fn calls_take_what_calls_before_them_give() {
    // Each of two calls takes the result of one of them, or what is below it.
    let takes = |by_first: u32, by_second: u32, below: bool| {
        said_of_changed(|program| {
            let taken = [by_first, by_second].map(|call| {
                let call = CallId::from_raw(call);
                let result = Position::CallResult { call, index: 0, kind: Kind::Value };
                let result = program.positions.intern(result).unwrap();
                if below { program.positions.intern(Position::TypeOf(result)).unwrap() } else { result }
            });
            constraint(program, vec![], &[Kind::Value]);
            constraint(program, vec![Arg::Of(taken[0])], &[Kind::Value]);
            constraint(program, vec![Arg::Bool(true), Arg::Of(taken[1])], &[Kind::Value]);
        })
    };
    for below in [false, true] {
        assert_eq!(takes(0, 0, below), "it is good");
        assert_eq!(takes(0, 1, below), "it is good");
        for (first, second, wrong) in [(1, 1, 1), (2, 1, 1), (0, 2, 2)] {
            let said = takes(first, second, below);
            let expected = format!("constraint call {wrong} takes the result of a later one");
            assert!(said.contains(&expected), "{first} {second}: {said}");
        }
    }
}

#[test]
fn constants_are_texts_and_snippets_that_are_there() {
    use crate::pdl::Constant;
    let with = |constant: fn(&Program) -> Constant| {
        said_of_changed(|program| {
            let constant = constant(program);
            program.positions.intern_constant(Kind::Attr, constant);
        })
    };
    assert_eq!(with(|program| Constant::Text(last_string(program, 0))), "it is good");
    let past = with(|program| Constant::Text(last_string(program, 1)));
    assert!(past.contains("is none"), "{past}");
    let snippet = with(|program| {
        assert_eq!(program.snippets.len(), 0);
        Constant::Snippet(crate::snippet::SnippetId::from_raw(0))
    });
    assert!(snippet.contains("is none"), "{snippet}");
    let list = |kind: Kind| {
        said_of_changed(|program| {
            let constant = Constant::Text(last_string(program, 0));
            let constant = program.positions.intern_constant(kind, constant);
            let list = program.positions.intern_list(vec![constant]);
            program.positions.intern(Position::Constants(list));
        })
    };
    assert_eq!(list(Kind::Type), "it is good");
    assert!(list(Kind::Attr).contains("a list of types has an attribute"));
}

#[test]
fn argument_lists_lie_in_the_table() {
    let message = said_of_changed(|program| program.snippets.add_arguments_outside());
    assert!(message.contains("an expression has arguments outside of the table"), "{message}");
}

fn last_string(program: &Program, past: usize) -> crate::intern::StrId {
    crate::intern::StrId::from_raw(u32::try_from(program.strings.len() - 1 + past).unwrap())
}

#[test]
fn positions_are_of_what_they_can_be_of() {
    // The root is no value, and the operand is no operation.
    let root = PositionId::from_raw(0);
    for position in [Position::DefiningOp(root), Position::TypeOf(root), Position::AttrType(root)] {
        let said = said_of_changed(|program| _ = program.positions.intern(position));
        assert!(said.contains("is of something of another kind"), "{said}");
    }
    let said = said_of_changed(|program| {
        let op = operand(program);
        program.positions.intern(Position::Operand { op, index: 0 });
    });
    assert!(said.contains("is of something of another kind"), "{said}");
}

/// An instruction with the number of the one that it leads to besides the next, if it leads on.
#[derive(Clone, Copy, Debug)]
enum Step {
    Fail,
    Jump(usize),
    Try(usize),
    /// That the operation of a register has so many operands.
    Counted(usize, u32, usize),
    /// Loads the register of this number from its operand.
    Load(usize, usize),
    Named(usize, usize),
    Same([usize; 2], [u32; 2], usize),
}

/// From which register and operand each register is loaded; the first is the root's.
const LOADED: [(usize, u32); 4] = [(0, 0), (0, 0), (1, 0), (0, 1)];

/// Whether on some way from an instruction on something is read that is not known to be there: of each register how many
/// operands its operation has at least, if it is loaded.
fn goes_wrong(steps: &[Step], at: usize, known: [Option<u32>; 4]) -> bool {
    let learnt = |register: usize, operands: u32| {
        let mut known = known;
        known[register] = known[register].max(Some(operands));
        known
    };
    let has = |register: usize, operand: u32| known[register].is_some_and(|operands| operand < operands);
    let both =
        |to: usize, next: [Option<u32>; 4]| goes_wrong(steps, to, known) || goes_wrong(steps, at + 1, next);
    match steps[at] {
        Step::Fail => false,
        Step::Jump(to) => goes_wrong(steps, to, known),
        Step::Try(to) => both(to, known),
        Step::Counted(register, operands, to) => {
            known[register].is_none() || both(to, learnt(register, operands))
        }
        Step::Load(register, to) => {
            let (from, operand) = LOADED[register];
            !has(from, operand) || both(to, learnt(register, 0))
        }
        Step::Named(register, to) => known[register].is_none() || both(to, known),
        Step::Same(registers, operands, to) => {
            (0..2).any(|i| !has(registers[i], operands[i])) || both(to, known)
        }
    }
}

/// The words of instructions that start at address 1.
fn encoded(steps: &[Step]) -> Vec<u32> {
    let small = |opcode: Opcode, operands: [usize; 3]| {
        let [a, b, c] = operands.map(|n| u8::try_from(n).unwrap());
        u32::from_le_bytes([opcode as u8, a, b, c])
    };
    let number = |n: u32| usize::try_from(n).unwrap();
    let words = |step: &Step, address: &dyn Fn(usize) -> u32| match *step {
        Step::Fail => vec![small(Opcode::Fail, [0; 3])],
        Step::Jump(to) => vec![small(Opcode::Jump, [0; 3]), address(to)],
        Step::Try(to) => vec![small(Opcode::Try, [0; 3]), address(to)],
        Step::Counted(op, count, to) => {
            vec![small(Opcode::OperandCountIs, [op, number(count), 0]), address(to)]
        }
        Step::Load(register, to) => {
            let (from, operand) = LOADED[register];
            vec![small(Opcode::OperandOp, [from, number(operand), register]), address(to)]
        }
        Step::Named(op, to) => vec![small(Opcode::NameIs, [op, 0, 0]), 0, address(to)],
        Step::Same([a, b], [i, j], to) => {
            vec![small(Opcode::SameOperands, [a, number(i), b]), j, address(to)]
        }
    };
    let mut addresses = vec![1];
    for step in steps {
        let last = addresses.last().copied().unwrap();
        addresses.push(last + u32::try_from(words(step, &|_| 0).len()).unwrap());
    }
    steps.iter().flat_map(|step| words(step, &|to| addresses[to])).collect()
}

/// What is said of a program whose match part is this, with registers as in [`LOADED`].
fn said_of_match_part(steps: &[Step]) -> String {
    said_of_changed(|program| {
        let mut registers = vec![PositionId::from_raw(0)];
        for &(from, index) in &LOADED[1..] {
            let operand = Position::Operand { op: registers[from], index };
            let operand = program.positions.intern(operand).unwrap();
            registers.push(program.positions.intern(Position::DefiningOp(operand)).unwrap());
        }
        assert_eq!(program.positions[registers[0]], Position::Root);
        program.registers = registers;
        program.code = [vec![word(Opcode::Fail, 0)], encoded(steps), vec![word(Opcode::Done, 0)]].concat();
        program.patterns[PatternId::from_raw(0)].rewrite = u32::try_from(program.code.len() - 1).unwrap();
        program.any = 1;
    })
}

/// A program is taken if on no way through it something is read that is not known, all ways being tried one by one.
#[test]
fn what_is_known_is_what_is_known_on_each_way() {
    let mut state = 0x1234_5678_9abc_def0_u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % n
    };
    let (mut good, mut bad) = (0, 0);
    while good < 400 || bad < 400 {
        let count = 4 + random(9);
        let mut steps = Vec::new();
        for i in 0..count {
            let to = i + 1 + random((count - i).min(4));
            let register = [0, 0, 1, 1, 2, 3][random(6)];
            let operands = [1, 2, 2, 0][random(4)];
            steps.push(match random(12) {
                0 => Step::Fail,
                1 => Step::Jump(to),
                2 | 3 => Step::Try(to),
                4..7 => Step::Counted(register, operands, to),
                7..10 => Step::Load(1 + random(3), to),
                10 => Step::Named(register, to),
                _ => Step::Same([register, random(4)], [0, 0], to),
            });
        }
        steps.push(Step::Fail);
        let wrong = goes_wrong(&steps, 0, [Some(0), None, None, None]);
        let counted = if wrong { &mut bad } else { &mut good };
        *counted += 1;
        if *counted <= 400 {
            let said = said_of_match_part(&steps);
            assert_eq!(said != "it is good", wrong, "{steps:?}: {said}");
        }
    }
}
