//! The validator's messages for programs that are assembled by hand.

use super::*;
use crate::bytecode::ids::{Address, OpNumber, Register, RewriteCallId, SourceWord};
use crate::bytecode::program::{Location, PatternCall, PatternInfo, TableRange};
use crate::matcher_tree::{self, Config, predicate::ConstraintCall};
use crate::pdl::{Callee, LocalId, Pattern, PatternId, RuleSet};
use crate::source::SourceMap;

fn word(opcode: Opcode, small: u8) -> u32 {
    u32::from_le_bytes([opcode as u8, small, 0, 0])
}

/// The message for a program of one rule with the match code `code`, which starts at address 1.
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
    program.patterns[PatternId::from_raw(0)].rewrite = Address::try_new(code.len() + 1).unwrap();
    (program.any, program.choices) = (Address::from_raw(1), 1);
    (program.entries, program.items) = (Vec::new(), Default::default());
    program.debug = Default::default();
    let sources = SourceMap::default();
    let loaded = Program::from_bytes(&program.to_bytes(&sources), &mut SourceMap::default());
    loaded.map_or_else(|error| error.to_string(), |_| "the program is valid".to_owned())
}

#[test]
fn limits_are_reported() {
    let of = |opcode: Opcode, times: usize| {
        let mut code = [word(opcode, 0), 0, 0][..if opcode == Opcode::Either { 1 } else { 3 }].repeat(times);
        code.push(word(Opcode::Fail, 0));
        message(&code)
    };
    assert_eq!(of(Opcode::Either, 27), "the program is valid");
    let expected = "it is invalid: in section 'code', matching may take more than 268435456 instructions";
    assert_eq!(of(Opcode::Either, 28), expected);
    assert_eq!(of(Opcode::EachUser, 65_536), "the program is valid");
    let expected = "it is invalid: in section 'code', matching may open more than 65536 alternatives";
    assert_eq!(of(Opcode::EachUser, 65_537), expected);
}

#[test]
fn operands_that_may_not_exist_are_rejected() {
    let fail = word(Opcode::Fail, 0);
    let count = |register: u8| [u32::from_le_bytes([Opcode::OperandCountIs as u8, register, 1, 0]), 0];
    assert_eq!(message(&[&count(0)[..], &[fail]].concat()), "the program is valid");
    let unloaded = message(&[&count(1)[..], &[fail]].concat());
    assert!(
        unloaded.contains("Op 1 in the instruction at 1 is out of range: it must be less than 1"),
        "{unloaded}"
    );
    let same = [u32::from_le_bytes([Opcode::SameOperands as u8, 0, 0, 0]), 0, 0];
    assert_eq!(message(&[&count(0)[..], &same, &[fail]].concat()), "the program is valid");
    // Only one of the two paths to the comparison tests the number of operands.
    let after_try = [&[word(Opcode::Try, 0), 5], &count(0)[..], &same, &[fail]].concat();
    let expected =
        "it is invalid: in section 'code', 'operands.same' at 5 reads operand 0, which may not exist";
    assert_eq!(message(&after_try), expected);
    assert_eq!(
        message(&[word(Opcode::Try, 0), 1, fail]),
        "the program is valid",
        "a target at its own instruction is written as the distance 0, which is read as the instruction `fail`"
    );
    assert!(message(&[word(Opcode::Jump, 0), 9]).contains("there is no instruction at 9"));
    assert!(message(&[word(Opcode::Done, 0)]).contains("is not an instruction of match code"));
    assert!(message(&count(0)).contains("'done' at 3 is not an instruction of match code"));
}

#[test]
fn switches_may_have_no_cases() {
    let fail = word(Opcode::Fail, 0);
    assert_eq!(message(&[word(Opcode::NameSwitch, 0), 0, 0, fail]), "the program is valid");
    assert_eq!(message(&[word(Opcode::ConstantSwitch, 0), 0, 0, 0, fail]), "the program is valid");
}

#[test]
fn choices_are_limited_by_the_words_of_code() {
    let of = |choices: u32| message_after(|program| program.choices = choices);
    assert_eq!(of(2), "the program is valid");
    for choices in [3, u32::MAX] {
        let expected =
            format!("it is invalid: in section 'head', there are {choices} choices, but 2 words of code");
        assert_eq!(of(choices), expected);
    }
}

/// The kinds of locals. Each kind has two locals: one that is defined, and one that is not.
const KINDS: [Kind; 8] =
    [Kind::Op, Kind::Value, Kind::Values, Kind::Type, Kind::Types, Kind::Attr, Kind::Attrs, Kind::Location];

/// A program of one rule, whose rewrite defines a local of each kind and then runs further steps.
struct Rewriting {
    program: Program,
    /// The steps that define the locals.
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
        program.patterns[rule].locals = TableRange::new(0, 16).unwrap();
        program.patterns[rule].calls = TableRange::default();
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

    /// The message for a rewrite with further steps.
    fn message(&self, steps: &[u32]) -> String {
        let mut program = self.program.clone();
        let start = Address::try_new(program.code.len()).unwrap();
        program.patterns[PatternId::from_raw(0)].rewrite = start;
        program.code.extend([&self.made[..], steps, &[word(Opcode::Done, 0)]].concat());
        load_message(&mut program)
    }
}

/// The message when a program is loaded.
fn load_message(program: &mut Program) -> String {
    program.debug = Default::default();
    let loaded = Program::from_bytes(&program.to_bytes(&SourceMap::default()), &mut SourceMap::default());
    loaded.map_or_else(|error| error.to_string(), |_| "the program is valid".to_owned())
}

fn local(local: u32) -> u32 {
    SourceWord::local(LocalId::from_raw(local)).unwrap().raw()
}

/// The code that creates an operation.
fn create(to: u32, attributes: &[u32], operands: &[u32], results: &[u32]) -> Vec<u32> {
    let count = |list: &[u32]| u32::try_from(list.len()).unwrap();
    let mut words = vec![word(Opcode::Create, 0), 0, to, 0, 0, 0, 0];
    words.extend([count(attributes), count(operands), count(results)]);
    words.extend(attributes.iter().flat_map(|&attribute| [0, attribute, 0]));
    words.extend([operands, results].concat());
    words
}

/// A function that returns the code of a step. The argument is the source that the step uses, or the local that it
/// defines.
type StepCode = fn(u32) -> Vec<u32>;

#[test]
fn each_step_accepts_the_right_kinds_of_defined_sources() {
    use Kind::{Attr, Op, Type, Types, Value, Values};
    let rewriting = Rewriting::new();
    // A step cannot use the local that it defines, because the use precedes the definition.
    let steps: [(&[Kind], StepCode); 12] = [
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
    let created: [(&[Kind], StepCode); 4] = [
        (&[Attr], |of| create(8, &[local(5), of], &[], &[])),
        (&[Op, Value, Values], |of| create(8, &[], &[local(1), of], &[])),
        (&[Type, Types], |of| create(8, &[], &[], &[local(3), of])),
        (&[Op], |of| vec![word(Opcode::ReplaceByOp, 0), of, 0]),
    ];
    for (i, (kinds, step)) in steps.into_iter().chain(created).enumerate() {
        for (at, kind) in (0u32..).zip(KINDS) {
            let good = kinds.contains(&kind);
            let text = rewriting.message(&step(local(at)));
            assert_eq!(text == "the program is valid", good, "step {i} of a {kind}: {text}");
            assert!(good || text.contains("the rewrite of rule 0 is wrong: it "), "{text}");
            let text = rewriting.message(&step(local(at + 8)));
            assert!(text.contains("it uses a local before its definition"), "step {i} of a {kind}: {text}");
        }
        let past = rewriting.message(&step(local(16)));
        assert!(past.contains("there is no such local"), "step {i}: {past}");
        let positions = u32::try_from(rewriting.program.positions.len()).unwrap();
        let past = rewriting.message(&step(2 * positions));
        assert!(past.contains("there is no such position"), "step {i}: {past}");
        let last = rewriting.message(&step(2 * (positions - 1)));
        assert!(!last.contains("there is no such position"), "step {i}: {last}");
    }
}

#[test]
fn each_step_defines_a_local_of_the_right_kind() {
    let rewriting = Rewriting::new();
    let steps: [(Kind, StepCode); 9] = [
        (Kind::Type, |to| vec![word(Opcode::TypeOf, 0), local(1), to]),
        (Kind::Types, |to| vec![word(Opcode::TypeOf, 0), local(2), to]),
        (Kind::Value, |to| vec![word(Opcode::GetResult, 0), 0, 0, to]),
        (Kind::Values, |to| vec![word(Opcode::GetResults, 0), 0, 0, 1, to]),
        (Kind::Values, |to| vec![word(Opcode::GetAllResults, 0), 0, to]),
        (Kind::Location, |to| vec![word(Opcode::MakeLocation, 0), 0, to]),
        (Kind::Op, |to| create(to, &[], &[], &[])),
        (Kind::Op, |to| create(to, &[], &[local(1)], &[local(3)])),
        // The first constant is the type of the operand.
        (Kind::Type, |to| vec![word(Opcode::MakeConstant, 0), 0, to]),
    ];
    for (i, (made, step)) in steps.into_iter().enumerate() {
        for (at, kind) in (8u32..).zip(KINDS) {
            let text = rewriting.message(&step(at));
            let expected = if kind == made {
                "the program is valid".to_owned()
            } else {
                format!(
                    "it is invalid: in section 'rules', the rewrite of rule 0 is wrong: it gives a local of kind '{kind}' an entity of kind '{made}'"
                )
            };
            assert_eq!(text, expected, "step {i}");
        }
        assert!(rewriting.message(&step(16)).contains("there is no such local"), "step {i}");
    }
    // The kind of the local decides the kind of a range. Only locals of ranges are accepted.
    for (at, kind) in (8u32..).zip(KINDS) {
        let text = rewriting.message(&[word(Opcode::MakeRange, 0), at, 0]);
        let is_range = matches!(kind, Kind::Values | Kind::Types | Kind::Attrs);
        assert_eq!(text == "the program is valid", is_range, "{kind}: {text}");
    }
    let two_steps = [vec![word(Opcode::GetResult, 0), 0, 0, 9], vec![word(Opcode::TypeOf, 0), local(9), 11]];
    assert_eq!(
        rewriting.message(&two_steps.concat()),
        "the program is valid",
        "a step uses the local that the step before defines"
    );
}

#[test]
fn calls_of_rewrites_have_the_results_that_they_state() {
    let good = Rewriting::new();
    let call = [word(Opcode::CallRewrite, 0), 0];
    let with = |args: Vec<u32>, to: &[u32], kinds: &[Kind]| {
        let mut rewriting = Rewriting { program: good.program.clone(), made: good.made.clone() };
        let changed = &mut rewriting.program.rewrite_calls[RewriteCallId::from_raw(0)];
        changed.args = args.into_iter().map(|word| Arg::Of(SourceWord::from_raw(word))).collect();
        changed.to = to.iter().copied().map(LocalId::from_raw).collect();
        changed.kinds = kinds.to_vec();
        rewriting
    };
    for (at, kind) in (0u32..).zip(KINDS) {
        assert_eq!(
            with(vec![local(at)], &[at + 8], &[kind]).message(&call),
            "the program is valid",
            "{kind}"
        );
        let other = KINDS[(at as usize + 1) % 8];
        let text = with(vec![], &[at + 8], &[other]).message(&call);
        assert!(text.contains("a call has results of other kinds"), "{kind}: {text}");
        let text = with(vec![local(at + 8)], &[], &[]).message(&call);
        assert!(text.contains("it uses a local before its definition"), "{kind}: {text}");
    }
    let two = with(vec![], &[8, 9], &[Kind::Op, Kind::Value]);
    let call_and_use = [&call[..], &[word(Opcode::TypeOf, 0), local(9), 11]].concat();
    assert_eq!(two.message(&call_and_use), "the program is valid", "a step uses the result of a call");
    for (to, kinds) in [(&[8, 9][..], &[Kind::Op][..]), (&[8], &[Kind::Op, Kind::Value]), (&[], &[Kind::Op])]
    {
        let text = with(vec![], to, kinds).message(&call);
        assert!(text.contains("a call has a different number of results than it states"), "{text}");
    }
    assert!(with(vec![local(16)], &[], &[]).message(&call).contains("there is no such local"));
    // The calls that a rule lists must fit its locals, even if no step runs them.
    for (args, to, good) in [(vec![local(15)], 15, true), (vec![local(16)], 15, false), (vec![], 16, false)] {
        let mut rewriting = with(args, &[to], &[Kind::Location]);
        rewriting.program.calls = vec![PatternCall::Rewrite(RewriteCallId::from_raw(0))];
        rewriting.program.patterns[PatternId::from_raw(0)].calls = TableRange::new(0, 1).unwrap();
        assert_eq!(rewriting.message(&[]) == "the program is valid", good, "{to}");
    }
}

#[test]
fn locations_refer_to_defined_entities() {
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
        let fused = |local: u32| Location::Fused { of: vec![SourceWord::from_raw(local)], metadata: None };
        let named = |local: u32| Location::Named { name, child: Some(SourceWord::from_raw(local)) };
        let good = matches!(kind, Kind::Location | Kind::Op | Kind::Value | Kind::Values);
        for text in with(fused(local(at))).into_iter().chain(with(named(local(at)))) {
            assert_eq!(text == "the program is valid", good, "{kind}: {text}");
        }
        for text in with(fused(local(at + 8))).into_iter().chain(with(named(local(at + 8)))) {
            assert!(text.contains("it uses a local before its definition"), "{kind}: {text}");
        }
    }
    assert_eq!(with(Location::Named { name, child: None }), ["the program is valid"; 2]);
}

#[test]
fn a_rewrite_consists_of_steps_up_to_its_end() {
    let rewriting = Rewriting::new();
    assert_eq!(rewriting.message(&[]), "the program is valid");
    assert!(rewriting.message(&[word(Opcode::Accept, 0), 0]).contains("there is no step at"));
    let mut open = rewriting.program.clone();
    open.patterns[PatternId::from_raw(0)].rewrite = Address::try_new(open.code.len()).unwrap();
    assert!(load_message(&mut open).contains("there is no instruction at the rewrite of rule 0"));
    open.code.extend(&rewriting.made);
    let text = load_message(&mut open);
    assert!(text.contains("the rewrite of rule 0 is wrong: there is no step at"), "{text}");
    for (benefit, good) in [(Pattern::MAX_BENEFIT, true), (Pattern::MAX_BENEFIT + 1, false)] {
        let mut program = rewriting.program.clone();
        program.patterns[PatternId::from_raw(0)].benefit = benefit;
        let start = Address::try_new(program.code.len()).unwrap();
        program.patterns[PatternId::from_raw(0)].rewrite = start;
        program.code.push(word(Opcode::Done, 0));
        assert_eq!(load_message(&mut program) == "the program is valid", good, "{benefit}");
    }
}

/// Rules may share a rewrite. It is validated once for each of these rules, and the total time is bounded.
#[test]
fn the_number_of_rules_that_share_a_long_rewrite_is_limited() {
    let shared = |rules: u32, steps: usize| {
        let mut program = Rewriting::new().program;
        let rule = program.patterns[PatternId::from_raw(0)];
        let start = Address::try_new(program.code.len()).unwrap();
        program.code.extend([word(Opcode::Erase, 0), 0].repeat(steps));
        program.code.push(word(Opcode::Done, 0));
        program.patterns = (0..rules).map(|_| PatternInfo { rewrite: start, ..rule }).collect();
        program.debug = Default::default();
        let words = program.code.len();
        (load_message(&mut program), words)
    };
    // The limit is 64 steps for each word of code, plus 64 steps for each rule, plus 1024 steps.
    let (_, words) = shared(1, 1000);
    let most = (64 * words + 1024) / (1001 - 64);
    let most = u32::try_from(most).unwrap();
    assert_eq!(shared(most, 1000).0, "the program is valid");
    let (bad, _) = shared(most + 1, 1000);
    assert!(bad.contains("too many rules share long rewrites"), "{bad}");
}

/// The message for a program after a change.
fn message_after(change: impl FnOnce(&mut Program)) -> String {
    let mut program = Rewriting::new().program;
    program.code = vec![word(Opcode::Fail, 0), word(Opcode::Done, 0)];
    program.patterns[PatternId::from_raw(0)].rewrite = Address::from_raw(1);
    program.entries = vec![(OpNumber::from_raw(0), Address::FAIL)];
    (program.any, program.items) = (Address::FAIL, Default::default());
    change(&mut program);
    load_message(&mut program)
}

fn operand(program: &Program) -> PositionId {
    let mut positions = program.positions.iter();
    positions.find(|(_, position)| matches!(position, Position::Operand { .. })).expect("there is one").0
}

#[test]
fn registers_hold_operations_and_the_first_holds_the_root() {
    assert_eq!(message_after(|_| {}), "the program is valid");
    let no_op = "in section 'tables', an operation register does not hold an operation";
    let no_root = "in section 'tables', register 0 does not hold the root";
    assert!(message_after(|program| program.registers.truncate(0)).contains(no_root));
    assert!(message_after(|program| program.registers[Register::ROOT] = operand(program)).contains(no_root));
    assert!(message_after(|program| _ = program.registers.push(operand(program))).contains(no_op));
    let below = |program: &mut Program| {
        let below = program.positions.intern(Position::DefiningOp(operand(program))).unwrap();
        program.registers.push(below);
        below
    };
    assert_eq!(message_after(|program| _ = below(program)), "the program is valid");
    assert!(message_after(|program| program.registers[Register::ROOT] = below(program)).contains(no_root));
}

#[test]
fn roots_are_names_of_the_program() {
    let root = |past: u32| {
        message_after(|program| {
            let names = u32::try_from(program.op_names.len()).unwrap();
            program.entries[0].0 = OpNumber::from_raw(names - 1 + past);
        })
    };
    assert_eq!(root(0), "the program is valid");
    assert!(root(1).contains("root name 2 is out of range: it must be less than 2"), "{}", root(1));
}

#[test]
fn positions_refer_to_existing_choices_and_results_of_calls() {
    let choice = |choices: u32, position: fn(&Program, u32) -> Position, choice: u32| {
        message_after(|program| {
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
        assert_eq!(choice(2, position, 1), "the program is valid");
        for past in [2, 3] {
            let text = choice(2, position, past);
            assert!(
                text.contains(&format!("belongs to choice {past}, but the number of choices is 2")),
                "{text}"
            );
        }
    }
    let call = |results: &[Kind], index: u32, kind: Kind| {
        message_after(|program| {
            let call = constraint(program, vec![], results);
            program.positions.intern(Position::CallResult { call, index, kind });
        })
    };
    let both = [Kind::Attr, Kind::Type];
    assert_eq!(call(&both, 0, Kind::Attr), "the program is valid");
    assert_eq!(call(&both, 1, Kind::Type), "the program is valid");
    for (index, kind) in [(0, Kind::Type), (1, Kind::Attr), (2, Kind::Attr), (2, Kind::Type)] {
        assert!(call(&both, index, kind).contains("is not a result of its call"), "{index} {kind}");
    }
}

fn constraint(program: &mut Program, args: Vec<Arg<PositionId>>, results: &[Kind]) -> CallId {
    let callee = Callee::Native(crate::intern::StrId::from_raw(0));
    let call = ConstraintCall { callee, args, results: results.to_vec(), chosen: false };
    program.predicates.intern_call(call, crate::source::Span::NONE)
}

#[test]
fn calls_use_the_results_of_earlier_calls() {
    // The first of three calls has no arguments. `by_second` and `by_third` are the numbers of the calls whose results
    // the second and the third call take. If `below` is true, they take the types of these results.
    let takes = |by_second: u32, by_third: u32, below: bool| {
        message_after(|program| {
            let taken = [by_second, by_third].map(|call| {
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
        assert_eq!(takes(0, 0, below), "the program is valid");
        assert_eq!(takes(0, 1, below), "the program is valid");
        for (by_second, by_third, wrong) in [(1, 1, 1), (2, 1, 1), (0, 2, 2)] {
            let text = takes(by_second, by_third, below);
            let expected =
                format!("constraint call {wrong} takes the result of this call or of a later call");
            assert!(text.contains(&expected), "{by_second} {by_third}: {text}");
        }
    }
}

#[test]
fn constants_are_existing_texts_and_snippets() {
    use crate::pdl::Constant;
    let with = |constant: fn(&Program) -> Constant| {
        message_after(|program| {
            let constant = constant(program);
            program.positions.intern_constant(Kind::Attr, constant);
        })
    };
    assert_eq!(with(|program| Constant::Text(last_string(program, 0))), "the program is valid");
    let past = with(|program| Constant::Text(last_string(program, 1)));
    assert!(past.contains("refers to no string or snippet"), "{past}");
    let snippet = with(|program| {
        assert_eq!(program.snippets.len(), 0);
        Constant::Snippet(crate::snippet::SnippetId::from_raw(0))
    });
    assert!(snippet.contains("refers to no string or snippet"), "{snippet}");
    let list = |kind: Kind| {
        message_after(|program| {
            let constant = Constant::Text(last_string(program, 0));
            let constant = program.positions.intern_constant(kind, constant);
            let list = program.positions.intern_list(vec![constant]);
            program.positions.intern(Position::Constants(list));
        })
    };
    assert_eq!(list(Kind::Type), "the program is valid");
    assert!(list(Kind::Attr).contains("a list of types has an attribute"));
}

#[test]
fn argument_lists_lie_in_the_table() {
    let message = message_after(|program| program.snippets.add_arguments_outside());
    assert!(message.contains("a list of an expression is outside of the table of lists"), "{message}");
}

fn last_string(program: &Program, past: usize) -> crate::intern::StrId {
    crate::intern::StrId::from_raw(u32::try_from(program.strings.len() - 1 + past).unwrap())
}

#[test]
fn positions_belong_to_positions_of_the_right_kind() {
    // The root is not a value, and the operand is not an operation.
    let root = PositionId::from_raw(0);
    for position in [Position::DefiningOp(root), Position::TypeOf(root), Position::AttrType(root)] {
        let text = message_after(|program| _ = program.positions.intern(position));
        assert!(text.contains("refers to an entity of the wrong kind"), "{text}");
    }
    let text = message_after(|program| {
        let op = operand(program);
        program.positions.intern(Position::Operand { op, index: 0 });
    });
    assert!(text.contains("refers to an entity of the wrong kind"), "{text}");
}

/// An instruction, with the index of its target.
#[derive(Clone, Copy, Debug)]
enum Step {
    Fail,
    Jump(usize),
    Try(usize),
    /// Tests the number of operands of the operation in a register.
    Counted(usize, u32, usize),
    /// Loads a register from the operand that [`LOADED`] states for it.
    Load(usize, usize),
    Named(usize, usize),
    Same([usize; 2], [u32; 2], usize),
}

/// The register and the operand from which each register is loaded. The first register holds the root.
const LOADED: [(usize, u32); 4] = [(0, 0), (0, 0), (1, 0), (0, 1)];

/// True if some path from an instruction reads an entity that may not exist. `known` has the minimum number of operands
/// for each loaded register.
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

/// The message for a program with this match code and the registers of [`LOADED`].
fn message_for_match_code(steps: &[Step]) -> String {
    message_after(|program| {
        let mut registers = vec![PositionId::from_raw(0)];
        for &(from, index) in &LOADED[1..] {
            let operand = Position::Operand { op: registers[from], index };
            let operand = program.positions.intern(operand).unwrap();
            registers.push(program.positions.intern(Position::DefiningOp(operand)).unwrap());
        }
        assert_eq!(program.positions[registers[0]], Position::Root);
        program.registers = registers.into();
        program.code = [vec![word(Opcode::Fail, 0)], encoded(steps), vec![word(Opcode::Done, 0)]].concat();
        program.patterns[PatternId::from_raw(0)].rewrite = Address::try_new(program.code.len() - 1).unwrap();
        program.any = Address::from_raw(1);
    })
}

/// Compares the validator with a search through all paths of random programs.
#[test]
fn a_program_is_valid_if_all_its_paths_are() {
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
            let text = message_for_match_code(&steps);
            assert_eq!(text != "the program is valid", wrong, "{steps:?}: {text}");
        }
    }
}
