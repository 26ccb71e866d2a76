//! Random `pdl` modules with IR that they match.
//!
//! Every decision comes from a tape of bytes, so that `proptest` can shrink failing cases. Each rule keeps the data
//! that an instance of it needs. The IR consists of instances, most of them exact, and of other operations.
//!
//! drrvm and MLIR must end with the same IR. Therefore benefits differ, and each rule removes an operation whose name
//! no rule creates, so that rewriting ends.
//!
//! Inputs on which MLIR's PDL byte code is wrong are not generated, and have separate tests. The byte code has four
//! errors:
//! - If a pattern uses a result or a list of types twice, the byte code does not test that both places hold the same
//!   entity.
//! - For an unregistered operation, the byte code assumes that the last group is the one of variable size.
//! - The byte code matches an attribute without a type even if the pattern uses the type of the attribute.
//! - The byte code does not match an empty range of results.

use std::fmt::Write;

use crate::common::pdl_pass::Case;

/// A sequence of bytes that determines random decisions. After its end, each decision is the first choice.
struct Tape<'a>(std::slice::Iter<'a, u8>);

impl Tape<'_> {
    /// Draws a number below `n`.
    fn draw(&mut self, n: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % n
    }

    /// Returns true with probability `k / n`, and false at the end of the tape.
    fn chance(&mut self, k: usize, n: usize) -> bool {
        self.draw(n) >= n - k
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.draw(of.len())]
    }
}

/// The names of operations that rules remove; no rule creates any of them.
const NAMES: [&str; 6] = ["t.a", "t.b", "t.c", "test.op", "test.success_op", "t.d"];
/// The names of operations that rules create.
const CREATED: [&str; 3] = ["u.a", "u.b", "u.c"];
const TYPES: [&str; 4] = ["i32", "i64", "f32", "tensor<2xi32>"];
const ATTRS: [&str; 8] = [
    "0 : i32",
    "1 : i32",
    "1 : i64",
    "1.5 : f32",
    "\"s\"",
    "unit",
    "[i32, 2 : i8]",
    "dense<1> : tensor<2xi32>",
];
const ATTR_NAMES: [&str; 3] = ["v", "w", "x"];

/// Returns the first or the second attribute of a type.
fn attr_of_type(ty: &str, second: bool) -> String {
    let (one, two) = match ty {
        "f32" => ("1.5", "2.5"),
        "tensor<2xi32>" => ("dense<1>", "dense<2>"),
        _ => ("1", "2"),
    };
    format!("{} : {ty}", if second { two } else { one })
}

/// The tapes of a case: one for each rule, and one for each piece of IR.
pub(crate) type Tapes = (Vec<Vec<u8>>, Vec<Vec<u8>>);

#[derive(Clone)]
enum Attr {
    Any,
    Constant(&'static str),
    Typed(usize),
}

#[derive(Clone, Copy)]
enum Value {
    Operand { ty: Option<usize> },
    Result { op: usize, index: usize },
}

#[derive(Clone, Copy)]
enum Range {
    Operands {
        types: Option<usize>,
    },
    /// All results.
    Results {
        op: usize,
    },
    /// The last result group, after `first` single results.
    Group {
        op: usize,
        first: usize,
    },
}

#[derive(Clone, Default)]
struct Op {
    name: Option<&'static str>,
    values: Vec<usize>,
    range: Option<usize>,
    attrs: Vec<(&'static str, usize)>,
    types: Vec<usize>,
    type_range: Option<usize>,
}

/// A rule under construction. Its parts are numbered by kind: `%v0`, `%r0`, `%t0`, `%l0`, `%a0`, `%o0`.
#[derive(Default)]
struct Rule {
    values: Vec<Value>,
    ranges: Vec<Range>,
    /// The constant of each type variable, if it has one.
    types: Vec<Option<&'static str>>,
    /// The type variables of values. Only these can be the type of an attribute pattern. Every value has a type, so an
    /// attribute without a type does not match, also in MLIR.
    value_types: Vec<usize>,
    type_lists: Vec<Option<Vec<&'static str>>>,
    attrs: Vec<Attr>,
    ops: Vec<Op>,
    text: String,
}

impl Rule {
    fn line(&mut self, text: &str) {
        self.text.push_str("  ");
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn ty(&mut self, tape: &mut Tape<'_>) -> usize {
        if !self.types.is_empty() && tape.chance(1, 2) {
            return tape.draw(self.types.len());
        }
        let constant = tape.chance(1, 3).then(|| tape.pick(&TYPES));
        let id = self.types.len();
        self.types.push(constant);
        self.line(&format!("%t{id} = type{}", constant.map(|ty| format!(" : {ty}")).unwrap_or_default()));
        id
    }

    fn type_list(&mut self, tape: &mut Tape<'_>) -> usize {
        let constant =
            tape.chance(1, 4).then(|| (0..tape.draw(3)).map(|_| tape.pick(&TYPES)).collect::<Vec<_>>());
        let id = self.type_lists.len();
        let text = constant.as_ref().map(|types| format!(" : [{}]", types.join(", ")));
        self.type_lists.push(constant);
        self.line(&format!("%l{id} = types{}", text.unwrap_or_default()));
        id
    }

    fn attr(&mut self, tape: &mut Tape<'_>) -> usize {
        if !self.attrs.is_empty() && tape.chance(1, 4) {
            return tape.draw(self.attrs.len());
        }
        let attr = match tape.draw(4) {
            0 | 1 => Attr::Constant(tape.pick(&ATTRS)),
            2 if !self.value_types.is_empty() => Attr::Typed(tape.pick(&self.value_types)),
            _ => Attr::Any,
        };
        let id = self.attrs.len();
        let text = match attr {
            Attr::Any => String::new(),
            Attr::Constant(text) => format!(" = {text}"),
            Attr::Typed(ty) => format!(" : %t{ty}"),
        };
        self.attrs.push(attr);
        self.line(&format!("%a{id} = attribute{text}"));
        id
    }

    fn operand(&mut self, tape: &mut Tape<'_>) -> usize {
        let ty = tape.chance(1, 2).then(|| self.ty(tape));
        self.value_types.extend(ty);
        let id = self.values.len();
        self.values.push(Value::Operand { ty });
        self.line(&format!("%v{id} = operand{}", ty.map(|ty| format!(" : %t{ty}")).unwrap_or_default()));
        id
    }

    /// Adds a variable for a result of an operation. Returns `None` if the operation has no results.
    fn result(&mut self, tape: &mut Tape<'_>, op: usize) -> Option<usize> {
        let Op { types, type_range, .. } = &self.ops[op];
        let id = self.values.len();
        let index = if types.is_empty() {
            // The number of results is variable, so any index is possible.
            type_range.as_ref()?;
            tape.draw(2)
        } else {
            tape.draw(types.len())
        };
        self.values.push(Value::Result { op, index });
        self.line(&format!("%v{id} = result {index} of %o{op}"));
        Some(id)
    }

    fn value(&mut self, tape: &mut Tape<'_>, depth: usize) -> usize {
        let operands: Vec<usize> =
            (0..self.values.len()).filter(|&v| matches!(self.values[v], Value::Operand { .. })).collect();
        match tape.draw(8) {
            1..=4 if depth > 0 => {
                let op = self.op(tape, depth - 1, true);
                match self.result(tape, op) {
                    Some(value) => value,
                    None => self.operand(tape),
                }
            }
            5 if !operands.is_empty() => tape.pick(&operands),
            6 if !self.ops.is_empty() => {
                // A single result is not taken from an operation whose results are also a range, because this range can
                // be empty in the IR, and MLIR does not match an empty range of results.
                let op = tape.draw(self.ops.len());
                let is_range = self.ranges.iter().any(|range| match *range {
                    Range::Results { op: of } | Range::Group { op: of, .. } => of == op,
                    Range::Operands { .. } => false,
                });
                if is_range {
                    return self.operand(tape);
                }
                match self.result(tape, op) {
                    Some(value) => value,
                    None => self.operand(tape),
                }
            }
            _ => self.operand(tape),
        }
    }

    fn range(&mut self, tape: &mut Tape<'_>, depth: usize) -> usize {
        let operands: Vec<usize> =
            (0..self.ranges.len()).filter(|&r| matches!(self.ranges[r], Range::Operands { .. })).collect();
        match tape.draw(6) {
            1 | 2 if depth > 0 => {
                let op = self.op(tape, depth - 1, true);
                let first = self.ops[op].types.len();
                let id = self.ranges.len();
                if self.ops[op].type_range.is_some() && first > 0 && tape.chance(1, 2) {
                    self.ranges.push(Range::Group { op, first });
                    self.line(&format!("%r{id} = results {first} of %o{op} -> !pdl.range<value>"));
                } else {
                    self.ranges.push(Range::Results { op });
                    self.line(&format!("%r{id} = results of %o{op}"));
                }
                id
            }
            3 if !operands.is_empty() => tape.pick(&operands),
            _ => {
                let types = tape.chance(1, 3).then(|| self.type_list(tape));
                let id = self.ranges.len();
                self.ranges.push(Range::Operands { types });
                let text = types.map(|types| format!(" : %l{types}"));
                self.line(&format!("%r{id} = operands{}", text.unwrap_or_default()));
                id
            }
        }
    }

    /// Adds an operation; `used` is true if other operations use its results.
    fn op(&mut self, tape: &mut Tape<'_>, depth: usize, used: bool) -> usize {
        self.op_with(tape, depth, used, None)
    }

    /// Adds an operation with `required` as one of its operands.
    fn op_with(
        &mut self,
        tape: &mut Tape<'_>,
        depth: usize,
        used: bool,
        required: Option<Required>,
    ) -> usize {
        let name = (!(used && tape.chance(1, 5))).then(|| tape.pick(&NAMES));
        let mut op = Op { name, ..Op::default() };
        let count = tape.draw(4);
        let place = tape.draw(count + 1);
        for i in 0..=count {
            if let (true, Some(Required::Value(value))) = (i == place, required) {
                op.values.push(value);
            }
            if i < count {
                let value = self.value(tape, depth);
                op.values.push(value);
            }
        }
        if let Some(Required::Range(range)) = required {
            op.range = Some(range);
        } else if tape.chance(1, 4) {
            op.range = Some(self.range(tape, depth));
        }
        for name in ATTR_NAMES {
            if tape.chance(1, 4) {
                let attr = self.attr(tape);
                op.attrs.push((name, attr));
            }
        }
        let count = if used { 1 + tape.draw(2) } else { tape.draw(3) };
        let open = tape.chance(1, 4);
        for _ in 0..count - usize::from(open && count > 0 && tape.chance(1, 2)) {
            let ty = self.ty(tape);
            self.value_types.push(ty);
            op.types.push(ty);
        }
        if open {
            op.type_range = Some(self.type_list(tape));
        }
        let id = self.ops.len();
        let mut text = format!("%o{id} = operation");
        if let Some(name) = op.name {
            write!(text, " \"{name}\"").unwrap();
        }
        let names = op.values.iter().map(|v| (format!("%v{v}"), "!pdl.value"));
        let names = names.chain(op.range.iter().map(|r| (format!("%r{r}"), "!pdl.range<value>")));
        text.push_str(&typed(names, "(", ")"));
        if !op.attrs.is_empty() {
            let attrs: Vec<String> = op.attrs.iter().map(|(name, a)| format!("\"{name}\" = %a{a}")).collect();
            write!(text, " {{{}}}", attrs.join(", ")).unwrap();
        }
        let types = op.types.iter().map(|t| (format!("%t{t}"), "!pdl.type"));
        let types = types.chain(op.type_range.iter().map(|l| (format!("%l{l}"), "!pdl.range<type>")));
        text.push_str(&typed(types, " -> (", ")"));
        self.line(&text);
        self.ops.push(op);
        id
    }

    /// The operation and those that define its operands, transitively.
    fn below(&self, op: usize) -> Vec<usize> {
        let (mut found, mut todo) = (Vec::new(), vec![op]);
        while let Some(op) = todo.pop() {
            if found.contains(&op) {
                continue;
            }
            found.push(op);
            for &value in &self.ops[op].values {
                if let Value::Result { op, .. } = self.values[value] {
                    todo.push(op);
                }
            }
            if let Some(Range::Results { op } | Range::Group { op, .. }) =
                self.ops[op].range.map(|r| self.ranges[r])
            {
                todo.push(op);
            }
        }
        found
    }
}

/// An operand that an operation of the match part must have.
#[derive(Clone, Copy)]
enum Required {
    Value(usize),
    Range(usize),
}

fn typed(named: impl Iterator<Item = (String, &'static str)>, open: &str, close: &str) -> String {
    let (names, types): (Vec<String>, Vec<&str>) = named.unzip();
    if names.is_empty() {
        return String::new();
    }
    format!("{open}{} : {}{close}", names.join(", "), types.join(", "))
}

/// Draws a rule. Returns it with the number of its roots.
fn rule(tape: &mut Tape<'_>) -> (Rule, usize) {
    let mut rule = Rule::default();
    let depth = [1, 2, 3, 5][tape.draw(4)];
    let is_used = tape.chance(1, 2);
    let first = rule.op(tape, depth, is_used);
    if rule.ops[first].name.is_none() {
        // A rule may remove only an operation with a name.
        rule = Rule::default();
        rule.op(tape, 1, false);
    }
    let first = rule.ops.len() - 1;
    let mut roots = vec![first];
    // Rules with ranges of results have one root, because MLIR does not match an empty range of results, even for a
    // known operation.
    let of_results = rule.ranges.iter().any(|range| !matches!(range, Range::Operands { .. }));
    let more = if of_results { 0 } else { [0, 0, 0, 1, 1, 2][tape.draw(6)] };
    for _ in 0..more {
        // Adds a direct user of an existing value, and sometimes a user of that user.
        let ranges: Vec<usize> =
            (0..rule.ranges.len()).filter(|&r| matches!(rule.ranges[r], Range::Operands { .. })).collect();
        let required = if !ranges.is_empty() && tape.chance(1, 4) {
            Required::Range(tape.pick(&ranges))
        } else {
            let op = tape.draw(rule.ops.len());
            let operands: Vec<usize> =
                (0..rule.values.len()).filter(|&v| matches!(rule.values[v], Value::Operand { .. })).collect();
            let result = if tape.chance(1, 2) { rule.result(tape, op) } else { None };
            match result {
                Some(value) => Required::Value(value),
                None if operands.is_empty() => continue,
                None => Required::Value(tape.pick(&operands)),
            }
        };
        let has_second_user = tape.chance(1, 3);
        let mut user = rule.op_with(tape, 1, has_second_user, Some(required));
        if has_second_user && let Some(value) = rule.result(tape, user) {
            user = rule.op_with(tape, 0, false, Some(Required::Value(value)));
        }
        roots.push(user);
    }
    // An operation that defines a direct or indirect operand of another root is not a root.
    let taken = |op: usize| roots.iter().any(|&root| root != op && rule.below(root).contains(&op));
    let roots: Vec<usize> = roots.iter().copied().filter(|&op| !taken(op)).collect();
    constraints(tape, &mut rule);
    let named: Vec<usize> = roots.iter().copied().filter(|&op| rule.ops[op].name.is_some()).collect();
    let target = if named.is_empty() { rule.ops.len() - 1 } else { tape.pick(&named) };
    let names_root = roots.len() == 1 || tape.chance(1, 2);
    rewrite(tape, &mut rule, target, names_root, &roots);
    (rule, roots.len())
}

fn constraints(tape: &mut Tape<'_>, rule: &mut Rule) {
    if tape.chance(1, 5) {
        let op = tape.draw(rule.ops.len());
        let negated = if tape.chance(1, 2) { " {isNegated = true}" } else { "" };
        rule.line(&format!(
            "apply_native_constraint \"single_entity_constraint\"(%o{op} : !pdl.operation){negated}"
        ));
    }
    if tape.chance(1, 8) {
        let (a, b) = (tape.draw(rule.ops.len()), tape.draw(rule.ops.len()));
        let negated = if tape.chance(1, 2) { " {isNegated = true}" } else { "" };
        rule.line(&format!(
            "apply_native_constraint \"multi_entity_constraint\"(%o{a}, %o{b} : !pdl.operation, !pdl.operation){negated}"
        ));
    }
    if tape.chance(1, 3) && !rule.ranges.is_empty() && !rule.type_lists.is_empty() {
        let (r, l) = (tape.draw(rule.ranges.len()), tape.draw(rule.type_lists.len()));
        let negated = if tape.chance(1, 2) { " {isNegated = true}" } else { "" };
        rule.line(&format!(
            "apply_native_constraint \"multi_entity_var_constraint\"(%r{r}, %l{l} : !pdl.range<value>, !pdl.range<type>){negated}"
        ));
    }
}

fn rewrite(tape: &mut Tape<'_>, rule: &mut Rule, target: usize, names_root: bool, roots: &[usize]) {
    let op = rule.ops[target].clone();
    // The operands of the target and of the operations below it.
    let below: Vec<usize> = rule.below(target);
    let mut values: Vec<String> = op.values.iter().map(|v| format!("%v{v}")).collect();
    let mut ranges: Vec<String> = op.range.iter().map(|r| format!("%r{r}")).collect();
    for &op in below.iter().filter(|&&op| op != target) {
        values.extend(rule.ops[op].values.iter().map(|v| format!("%v{v}")));
        ranges.extend(rule.ops[op].range.iter().map(|r| format!("%r{r}")));
    }
    let mut types: Vec<String> = (0..rule.types.len()).map(|t| format!("%t{t}")).collect();
    let type_lists: Vec<String> = (0..rule.type_lists.len()).map(|l| format!("%l{l}")).collect();
    let mut attrs: Vec<String> = (0..rule.attrs.len()).map(|a| format!("%a{a}")).collect();
    let root = if names_root { format!(" %o{target}") } else { String::new() };
    let closed = op.types.is_empty() && op.type_range.is_none();
    if names_root && roots.len() == 1 && closed && !values.is_empty() && tape.chance(1, 4) {
        let value = &values[tape.draw(values.len())];
        let text = format!("rewrite{root} with \"rewriter\"({value} : !pdl.value)");
        rule.line(&text);
        return;
    }
    rule.line(&format!("rewrite{root} {{"));
    // Roots other than the target must be used in the rewrite.
    for &root in roots.iter().filter(|&&root| root != target) {
        rule.line(&format!(
            "  %s{root} = apply_native_rewrite \"creator\"(%o{root} : !pdl.operation) : !pdl.operation"
        ));
    }
    if tape.chance(1, 4) {
        rule.line("  %nt = apply_native_rewrite \"type_creator\" : !pdl.type");
        types.push("%nt".to_owned());
    }
    if tape.chance(1, 4) {
        rule.line("  %na = apply_native_rewrite \"str_creator\" : !pdl.attribute");
        attrs.push("%na".to_owned());
    }
    if tape.chance(1, 4) {
        let text = tape.pick(&TYPES);
        rule.line(&format!("  %ct = type : {text}"));
        types.push("%ct".to_owned());
    }
    if tape.chance(1, 4) {
        let text = tape.pick(&ATTRS);
        rule.line(&format!("  %ca = attribute = {text}"));
        attrs.push("%ca".to_owned());
    }
    if tape.chance(1, 5) && !values.is_empty() {
        let parts = (0..1 + tape.draw(2)).map(|_| (values[tape.draw(values.len())].clone(), "!pdl.value"));
        let mut parts: Vec<_> = parts.collect();
        if let Some(range) = ranges.first() {
            parts.push((range.clone(), "!pdl.range<value>"));
        }
        rule.line(&format!("  %cr = range {}", typed(parts.into_iter(), "", "")));
        ranges.push("%cr".to_owned());
    }
    for new in 0..tape.draw(3) {
        let name = tape.pick(&CREATED);
        let head = created(tape, name, &values, &ranges, &attrs);
        let mut of = Vec::new();
        if !types.is_empty() {
            of.extend((0..tape.draw(3)).map(|_| (types[tape.draw(types.len())].clone(), "!pdl.type")));
        }
        let count = of.len();
        if !type_lists.is_empty() && tape.chance(1, 4) {
            of.push((type_lists[tape.draw(type_lists.len())].clone(), "!pdl.range<type>"));
        }
        let open = of.len() > count;
        rule.line(&format!("  %n{new} = {head}{}", typed(of.into_iter(), " -> (", ")")));
        if count > 0 && tape.chance(2, 3) {
            let index = tape.draw(count);
            rule.line(&format!("  %nv{new} = result {index} of %n{new}"));
            values.push(format!("%nv{new}"));
        }
        if (count > 0 || open) && tape.chance(1, 3) {
            rule.line(&format!("  %nr{new} = results of %n{new}"));
            ranges.push(format!("%nr{new}"));
        }
    }
    if closed && tape.chance(2, 3) {
        rule.line(&format!("  erase %o{target}"));
    } else if op.type_range.is_some() || values.is_empty() || tape.chance(1, 2) {
        let name = tape.pick(&CREATED);
        let head = created(tape, name, &values, &ranges, &attrs);
        // The types of the new operation are stated, or taken from the replaced operation.
        let mut of = Vec::new();
        if tape.chance(1, 2) {
            of.extend(op.types.iter().map(|t| (format!("%t{t}"), "!pdl.type")));
            of.extend(op.type_range.iter().map(|l| (format!("%l{l}"), "!pdl.range<type>")));
        }
        rule.line(&format!("  %new = {head}{}", typed(of.into_iter(), " -> (", ")")));
        rule.line(&format!("  replace %o{target} with %new"));
    } else if op.types.is_empty() {
        rule.line(&format!("  erase %o{target}"));
    } else {
        let with = op.types.iter().map(|_| (values[tape.draw(values.len())].clone(), "!pdl.value"));
        let with: Vec<_> = with.collect();
        rule.line(&format!("  replace %o{target} with{}", typed(with.into_iter(), " (", ")")));
    }
    rule.line("}");
}

fn created(
    tape: &mut Tape<'_>,
    name: &str,
    values: &[String],
    ranges: &[String],
    attrs: &[String],
) -> String {
    let mut operands = Vec::new();
    if !values.is_empty() {
        operands.extend((0..tape.draw(3)).map(|_| (values[tape.draw(values.len())].clone(), "!pdl.value")));
    }
    if !ranges.is_empty() && tape.chance(1, 2) {
        operands.push((ranges[tape.draw(ranges.len())].clone(), "!pdl.range<value>"));
    }
    let mut text = format!("operation \"{name}\"{}", typed(operands.into_iter(), "(", ")"));
    if !attrs.is_empty() && tape.chance(1, 2) {
        write!(text, " {{\"v\" = {}}}", attrs[tape.draw(attrs.len())]).unwrap();
    }
    text
}

/// IR under construction.
#[derive(Default)]
struct Ir {
    text: String,
    /// The name and type of each value.
    values: Vec<(String, String)>,
    ops: usize,
}

impl Ir {
    fn op(
        &mut self,
        name: &str,
        operands: &[(String, String)],
        attrs: &[(String, String)],
        types: &[String],
    ) -> Vec<(String, String)> {
        let id = self.ops;
        self.ops += 1;
        let mut text = String::from("    ");
        match types.len() {
            0 => {}
            1 => write!(text, "%x{id} = ").unwrap(),
            n => write!(text, "%x{id}:{n} = ").unwrap(),
        }
        let names: Vec<&str> = operands.iter().map(|o| o.0.as_str()).collect();
        write!(text, "\"{name}\"({})", names.join(", ")).unwrap();
        if !attrs.is_empty() {
            let attrs: Vec<String> = attrs.iter().map(|(n, v)| format!("{n} = {v}")).collect();
            write!(text, " {{{}}}", attrs.join(", ")).unwrap();
        }
        let inputs: Vec<&str> = operands.iter().map(|o| o.1.as_str()).collect();
        writeln!(text, " : ({}) -> ({})", inputs.join(", "), types.join(", ")).unwrap();
        self.text.push_str(&text);
        let name = |i| if types.len() == 1 { format!("%x{id}") } else { format!("%x{id}#{i}") };
        let results: Vec<_> = types.iter().enumerate().map(|(i, ty)| (name(i), ty.clone())).collect();
        self.values.extend(results.iter().cloned());
        results
    }

    fn of_type(&mut self, tape: &mut Tape<'_>, ty: &str) -> (String, String) {
        let found: Vec<usize> =
            (0..self.values.len()).rev().filter(|&v| self.values[v].1 == ty).take(4).collect();
        if !found.is_empty() && tape.chance(2, 3) {
            return self.values[tape.pick(&found)].clone();
        }
        self.op("t.src", &[], &[], &[ty.to_owned()]).remove(0)
    }

    /// Adds an operation that rules may or may not match.
    fn other(&mut self, tape: &mut Tape<'_>) {
        let name = tape.pick(&NAMES);
        let operands: Vec<_> = (0..tape.draw(4))
            .map(|_| self.values[self.values.len() - 1 - tape.draw(self.values.len().min(6))].clone())
            .collect();
        let mut attrs = Vec::new();
        for name in ATTR_NAMES {
            if tape.chance(1, 3) {
                attrs.push((name.to_owned(), tape.pick(&ATTRS).to_owned()));
            }
        }
        let types: Vec<String> = (0..tape.draw(3)).map(|_| tape.pick(&TYPES).to_owned()).collect();
        self.op(name, &operands, &attrs, &types);
    }

    /// Adds an instance of a rule. An operation of the instance deviates from the rule with a probability of at most
    /// 5/48.
    fn instance(&mut self, tape: &mut Tape<'_>, rule: &Rule) {
        let types: Vec<String> =
            rule.types.iter().map(|ty| ty.unwrap_or_else(|| tape.pick(&TYPES)).to_owned()).collect();
        let type_lists: Vec<Vec<String>> = rule
            .type_lists
            .iter()
            .map(|list| match list {
                Some(list) => list.iter().map(|&ty| ty.to_owned()).collect(),
                None => (0..tape.draw(4)).map(|_| tape.pick(&TYPES).to_owned()).collect(),
            })
            .collect();
        let attrs: Vec<String> = rule
            .attrs
            .iter()
            .map(|attr| match attr {
                Attr::Any => tape.pick(&ATTRS).to_owned(),
                Attr::Constant(text) => (*text).to_owned(),
                Attr::Typed(ty) => attr_of_type(&types[*ty], tape.chance(1, 4)),
            })
            .collect();
        let mut values: Vec<Option<(String, String)>> = vec![None; rule.values.len()];
        let mut ranges: Vec<Option<Vec<(String, String)>>> = vec![None; rule.ranges.len()];
        let mut results_by_op: Vec<Vec<(String, String)>> = Vec::new();
        for op in &rule.ops {
            let mut operands = Vec::new();
            for &v in &op.values {
                let value = match (&values[v], rule.values[v]) {
                    (Some(value), _) => value.clone(),
                    (None, Value::Operand { ty: Some(ty) }) => self.of_type(tape, &types[ty]),
                    (None, Value::Operand { ty: None }) => {
                        let ty = tape.pick(&TYPES);
                        self.of_type(tape, ty)
                    }
                    (None, Value::Result { op, index }) => match results_by_op[op].get(index) {
                        Some(value) => value.clone(),
                        None => self.of_type(tape, "i32"),
                    },
                };
                values[v] = Some(value.clone());
                operands.push(value);
            }
            if let Some(r) = op.range {
                let range = match (&ranges[r], rule.ranges[r]) {
                    (Some(range), _) => range.clone(),
                    (None, Range::Operands { types: Some(list) }) => {
                        type_lists[list].iter().map(|ty| self.of_type(tape, ty)).collect()
                    }
                    (None, Range::Operands { types: None }) => (0..tape.draw(4))
                        .map(|_| {
                            let ty = tape.pick(&TYPES);
                            self.of_type(tape, ty)
                        })
                        .collect(),
                    (None, Range::Results { op }) => results_by_op[op].clone(),
                    (None, Range::Group { op, first }) => {
                        results_by_op[op].get(first..).unwrap_or_default().to_vec()
                    }
                };
                ranges[r] = Some(range.clone());
                operands.extend(range);
            }
            let mut pairs: Vec<_> =
                op.attrs.iter().map(|&(name, a)| (name.to_owned(), attrs[a].clone())).collect();
            let mut results: Vec<String> = op.types.iter().map(|&t| types[t].clone()).collect();
            if let Some(list) = op.type_range {
                results.extend(type_lists[list].iter().cloned());
            }
            let name = op.name.unwrap_or_else(|| tape.pick(&NAMES));
            match tape.draw(48) {
                47 if !operands.is_empty() => drop(operands.pop()),
                46 => pairs.push(("y".to_owned(), "unit".to_owned())),
                45 if !pairs.is_empty() => drop(pairs.pop()),
                44 => results.push("i32".to_owned()),
                43 if operands.len() > 1 => operands.swap(0, 1),
                _ => {}
            }
            let results = self.op(name, &operands, &pairs, &results);
            results_by_op.push(results);
        }
    }
}

/// Builds a case from its tapes. Returns the case and the largest number of roots of a rule.
pub(crate) fn case((rules, pieces): &Tapes) -> (Case, usize) {
    let rules: Vec<(Rule, usize)> = rules.iter().map(|tape| rule(&mut Tape(tape.iter()))).collect();
    let mut patterns = String::new();
    for (i, (rule, _)) in rules.iter().enumerate() {
        // Benefits are distinct and in no order.
        let benefit = (i * 7 + 3) % 11;
        write!(patterns, "pdl.pattern @p{i} : benefit({benefit}) {{\n{}}}\n", rule.text).unwrap();
    }
    let mut ir = Ir::default();
    for ty in TYPES {
        ir.op("t.src", &[], &[], &[ty.to_owned()]);
    }
    for tape in pieces {
        let tape = &mut Tape(tape.iter());
        let which = tape.draw(rules.len() + 2);
        match rules.get(which) {
            Some((rule, _)) => ir.instance(tape, rule),
            None => ir.other(tape),
        }
    }
    // The last values get a user.
    let last: Vec<_> = ir.values.iter().rev().take(3).cloned().collect();
    ir.op("t.sink", &last, &[], &[]);
    let roots = rules.iter().map(|(_, roots)| *roots).max().unwrap_or(0);
    (Case { patterns, ir: ir.text }, roots)
}
