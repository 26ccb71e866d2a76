//! Cases that are generated from the operations of a host.
//!
//! Specification: each case uses only the given operations, with the operands, results and attributes that an
//! [`Operation`] states. For each operation, there is a rule that matches it without further requirements. For each
//! operand, there are up to four rules, one for each result of the operand's type; each requires that the operand is
//! this result. If an earlier operand has the same type, a further rule requires the same value for both operands. For
//! each value of each attribute, there is a rule that requires this value. Each rule has a case, whose IR contains the
//! operations that the rule matches, and other operations around them. The last case has all rules. The same operations
//! give the same cases.

use std::fmt::Write;

use crate::corpus::Case;

/// An operation of a host.
///
/// ```
/// use drrvm::conformance::Operation;
/// let add = Operation::new("calc.add").operands(["i32", "i32"]).results(["i32"]);
/// let number = Operation::new("calc.number").attribute("value", ["0 : i32", "7 : i32"]).results(["i32"]);
/// # let _ = (add, number);
/// ```
#[derive(Clone, Debug)]
pub struct Operation {
    name: String,
    operands: Vec<String>,
    results: Vec<String>,
    attributes: Vec<(String, Vec<String>)>,
}

impl Operation {
    /// An operation without operands, results and attributes.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), operands: Vec::new(), results: Vec::new(), attributes: Vec::new() }
    }

    /// Sets the types of the operands, as MLIR text.
    #[must_use]
    pub fn operands<'t>(self, types: impl IntoIterator<Item = &'t str>) -> Self {
        Self { operands: types.into_iter().map(str::to_owned).collect(), ..self }
    }

    /// Sets the types of the results, as MLIR text.
    #[must_use]
    pub fn results<'t>(self, types: impl IntoIterator<Item = &'t str>) -> Self {
        Self { results: types.into_iter().map(str::to_owned).collect(), ..self }
    }

    /// Adds an attribute that every such operation has, with some of its values as MLIR text. The values must be
    /// different.
    #[must_use]
    pub fn attribute<'t>(mut self, name: &str, values: impl IntoIterator<Item = &'t str>) -> Self {
        self.attributes.push((name.to_owned(), values.into_iter().map(str::to_owned).collect()));
        self
    }
}

/// For each operand, the maximum number of results that rules match as this operand. Further results have no rule.
const PRODUCERS: usize = 4;
/// The number of times that [`Module::fill`] adds each operation.
const ROUNDS: usize = 2;
/// The name of a native that always refuses.
pub(super) const REFUSE: &str = "conformance.refuse";

/// The generated cases.
///
/// # Errors
/// One message for each operation that no IR can contain. Such an operation has an operand of a type that no operation
/// produces, or that only other operations of this kind produce.
pub(super) fn cases(operations: &[Operation]) -> Result<Vec<Case>, Vec<String>> {
    let unreachable = unreachable(operations);
    if !unreachable.is_empty() {
        return Err(unreachable);
    }
    let mut rules: Vec<Rule<'_>> = Vec::new();
    for op in operations {
        rules.push(Rule::alone(op, "alone"));
        for (name, values) in &op.attributes {
            for (number, value) in values.iter().enumerate() {
                let attribute = Some((name.as_str(), value.as_str()));
                rules.push(Rule { attribute, ..Rule::alone(op, &format!("{name}{number}")) });
            }
        }
        for (at, ty) in op.operands.iter().enumerate() {
            if let Some(other) = op.operands[..at].iter().position(|before| before == ty) {
                let shape = format!("same{at}");
                rules.push(Rule { repeated: Some((other, at)), ..Rule::alone(op, &shape) });
            }
            let producers = operations.iter().flat_map(|producer| {
                let results = producer.results.iter().enumerate().filter(|(_, result)| *result == ty);
                results.map(move |(result, _)| (producer, result))
            });
            for (producer, result) in producers.take(PRODUCERS) {
                let shape = format!("operand{at}_{}_{result}", producer.name);
                rules.push(Rule { nested: Some((at, producer, result)), ..Rule::alone(op, &shape) });
            }
        }
    }
    let mut cases: Vec<Case> = Vec::new();
    for rule in &rules {
        let mut module = Module::new(operations);
        module.fill();
        module.instance(rule);
        module.fill();
        cases.push(case(&rule.name, rule.text(1), module.text));
    }
    let mut module = Module::new(operations);
    module.fill();
    rules.iter().for_each(|rule| module.instance(rule));
    let all = rules.iter().zip((1..=5).cycle()).map(|(rule, benefit)| rule.text(benefit)).collect();
    cases.push(case("all", all, module.text));
    Ok(cases)
}

fn case(name: &str, rules: String, ir: String) -> Case {
    Case {
        name: format!("operations: {name}"),
        rules: vec![("rules.mlir".to_owned(), rules)],
        ir,
        ..Case::default()
    }
}

/// Returns an error message for each operation that no IR can contain.
fn unreachable(operations: &[Operation]) -> Vec<String> {
    let mut types: Vec<&str> = Vec::new();
    loop {
        let possible =
            operations.iter().filter(|op| op.operands.iter().all(|ty| types.contains(&ty.as_str())));
        let results = possible.flat_map(|op| &op.results).map(String::as_str);
        let Some(new) = results.into_iter().find(|ty| !types.contains(ty)) else { break };
        types.push(new);
    }
    let missing = operations.iter().filter_map(|op| {
        let ty = op.operands.iter().find(|ty| !types.contains(&ty.as_str()))?;
        Some(format!(
            "'{}' cannot be generated, because no operation that can be generated produces a value of type {ty}",
            op.name
        ))
    });
    missing.collect()
}

/// A rule about one operation.
struct Rule<'o> {
    name: String,
    op: &'o Operation,
    /// An attribute with the value that it must have.
    attribute: Option<(&'o str, &'o str)>,
    /// Two operands that are the same value.
    repeated: Option<(usize, usize)>,
    /// An operand, the operation that must define it, and the number of the result.
    nested: Option<(usize, &'o Operation, usize)>,
}

impl<'o> Rule<'o> {
    fn alone(op: &'o Operation, shape: &str) -> Self {
        Self { name: format!("{}.{shape}", op.name), op, attribute: None, repeated: None, nested: None }
    }

    /// The rule as `pdl` text.
    fn text(&self, benefit: u32) -> String {
        let Self { name, op, nested, .. } = self;
        let mut body = String::new();
        if let Some((at, producer, result)) = nested {
            let operands = values("p", producer.operands.len());
            declare(&mut body, "p", producer.operands.len(), "operand");
            operation(&mut body, "producer", producer, &operands, None);
            let _ = writeln!(body, "  %x{at} = result {result} of %producer");
        }
        let mut operands = values("x", op.operands.len());
        if let Some((first, second)) = self.repeated {
            operands[second] = operands[first].clone();
        }
        for at in 0..op.operands.len() {
            let nested = nested.is_some_and(|(nested, ..)| nested == at);
            let repeated = self.repeated.is_some_and(|(_, second)| second == at);
            if !nested && !repeated {
                let _ = writeln!(body, "  %x{at} = operand");
            }
        }
        operation(&mut body, "root", op, &operands, self.attribute);
        format!(
            "pdl.pattern @\"{name}\" : benefit({benefit}) {{\n{body}  rewrite %root {{\n{}  }}\n}}\n",
            self.rewrite(&operands)
        )
    }

    /// The steps of the rewrite. So that rewriting ends, they remove the root, replace an operand by an operand of its
    /// producer, set an attribute to the next value in its list, or refuse.
    fn rewrite(&self, operands: &[String]) -> String {
        let Self { op, .. } = self;
        let mut steps = String::new();
        if let Some((at, producer, _)) = self.nested
            && let Some(of) = producer.operands.iter().position(|ty| *ty == op.operands[at])
        {
            let mut operands = operands.to_vec();
            operands[at] = format!("%p{of}");
            create(&mut steps, op, &operands, None);
        } else if let Some((name, value)) = self.attribute
            && let Some(next) = op.next_value(name, value)
        {
            create(&mut steps, op, operands, Some((name, next)));
        } else if op.results.is_empty() {
            steps += "    erase %root\n";
        } else if let [ty] = &op.results[..]
            && let Some(at) = op.operands.iter().position(|operand| operand == ty)
        {
            let _ = writeln!(steps, "    replace %root with ({} : !pdl.value)", operands[at]);
        } else {
            let _ = writeln!(
                steps,
                "    apply_native_rewrite {REFUSE:?}(%root : !pdl.operation)\n    erase %root"
            );
        }
        steps
    }
}

impl Operation {
    /// The value after `value` in the list of an attribute.
    fn next_value(&self, attribute: &str, value: &str) -> Option<&str> {
        let (_, values) = self.attributes.iter().find(|(name, _)| name == attribute)?;
        let at = values.iter().position(|other| other == value)?;
        values.get(at + 1).map(String::as_str)
    }
}

fn values(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|i| format!("%{prefix}{i}")).collect()
}

fn declare(body: &mut String, prefix: &str, count: usize, what: &str) {
    for i in 0..count {
        let _ = writeln!(body, "  %{prefix}{i} = {what}");
    }
}

/// Writes the lines that match an operation with all its operands, attributes and result types.
fn operation(
    body: &mut String,
    variable: &str,
    op: &Operation,
    operands: &[String],
    value: Option<(&str, &str)>,
) {
    for (i, (name, _)) in op.attributes.iter().enumerate() {
        let constant =
            value.filter(|(of, _)| of == name).map_or_else(String::new, |(_, v)| format!(" = {v}"));
        let _ = writeln!(body, "  %{variable}_a{i} = attribute{constant}");
    }
    declare(body, &format!("{variable}_t"), op.results.len(), "type");
    let _ = writeln!(body, "  %{variable} = {}", operation_text(op, variable, operands, None));
}

/// Writes the steps that create an operation with the attributes and result types of the root, and replace the root by
/// it. `value` is the attribute that gets another value.
fn create(steps: &mut String, op: &Operation, operands: &[String], value: Option<(&str, &str)>) {
    if let Some((_, value)) = value {
        let _ = writeln!(steps, "    %value = attribute = {value}");
    }
    let _ = writeln!(
        steps,
        "    %new = {}\n    replace %root with %new",
        operation_text(op, "root", operands, value.map(|(name, _)| name))
    );
}

/// The text `operation "name"(…) {…} -> (…)`, with the attributes and types of a matched operation. `changed` is the
/// attribute whose value is `%value`.
fn operation_text(op: &Operation, variable: &str, operands: &[String], changed: Option<&str>) -> String {
    let typed = |values: &[String], ty: &str| {
        format!("({} : {})", values.join(", "), vec![ty; values.len()].join(", "))
    };
    let mut text = format!("operation {:?}", op.name);
    if !operands.is_empty() {
        text += &typed(operands, "!pdl.value");
    }
    if !op.attributes.is_empty() {
        let attributes = op.attributes.iter().enumerate().map(|(i, (name, _))| {
            let value = if changed == Some(name) { "%value".to_owned() } else { format!("%{variable}_a{i}") };
            format!("{name:?} = {value}")
        });
        let _ = write!(text, " {{{}}}", attributes.collect::<Vec<_>>().join(", "));
    }
    if !op.results.is_empty() {
        let _ =
            write!(text, " -> {}", typed(&values(&format!("{variable}_t"), op.results.len()), "!pdl.type"));
    }
    text
}

/// The IR of a case.
struct Module<'o> {
    operations: &'o [Operation],
    text: String,
    /// The values so far, with their types.
    values: Vec<(&'o str, String)>,
    /// The number of choices so far, from which the next choice is derived.
    choices: usize,
    /// The number of operations so far.
    count: usize,
}

impl<'o> Module<'o> {
    fn new(operations: &'o [Operation]) -> Self {
        Self { operations, text: String::new(), values: Vec::new(), choices: 0, count: 0 }
    }

    /// Adds each operation [`ROUNDS`] times, as soon as there are values for its operands.
    fn fill(&mut self) {
        for _ in 0..ROUNDS {
            let mut open: Vec<&'o Operation> = self.operations.iter().collect();
            while !open.is_empty() {
                let before = open.len();
                open.retain(|op| self.add(op, &[], None).is_none());
                // Every operation is reachable, so each pass adds at least one operation.
                if open.len() == before {
                    break;
                }
            }
        }
    }

    /// Adds the operations that a rule matches.
    fn instance(&mut self, rule: &Rule<'o>) {
        let given = match (rule.nested, rule.repeated) {
            (Some((at, producer, result)), _) => {
                self.add(producer, &[], None).map(|results| vec![(at, results[result].clone())])
            }
            (None, Some((first, second))) => {
                let value = self.value(&rule.op.operands[first]);
                value.map(|value| vec![(first, value.clone()), (second, value)])
            }
            (None, None) => Some(Vec::new()),
        };
        if let Some(given) = given {
            self.add(rule.op, &given, rule.attribute);
        }
    }

    fn choose(&mut self, count: usize) -> usize {
        self.choices += 1;
        // Multiples of 7/3 vary the choice more than a plain counter.
        (self.choices * 7 / 3) % count.max(1)
    }

    /// Chooses a value of a type; `None` if no operation has produced one.
    fn value(&mut self, ty: &str) -> Option<String> {
        let fitting: Vec<String> =
            self.values.iter().filter(|(of, _)| *of == ty).map(|(_, value)| value.clone()).collect();
        let at = self.choose(fitting.len());
        fitting.get(at).cloned()
    }

    /// Adds an operation. `given` has the operands that are already chosen. Returns the results, or `None` if a value
    /// for an operand is missing.
    fn add(
        &mut self,
        op: &'o Operation,
        given: &[(usize, String)],
        attribute: Option<(&str, &str)>,
    ) -> Option<Vec<String>> {
        let mut operands = Vec::new();
        for (at, ty) in op.operands.iter().enumerate() {
            let given = given.iter().find(|(of, _)| *of == at).map(|(_, value)| value.clone());
            operands.push(match given {
                Some(value) => value,
                None => self.value(ty)?,
            });
        }
        let mut attributes = Vec::new();
        for (name, values) in &op.attributes {
            let wanted = attribute.filter(|(of, _)| of == name).map(|(_, value)| value);
            let at = self.choose(values.len());
            if let Some(value) = wanted.or_else(|| values.get(at).map(String::as_str)) {
                attributes.push(format!("{name:?} = {value}"));
            }
        }
        let number = self.count;
        self.count += 1;
        let results: Vec<String> = match op.results.len() {
            1 => vec![format!("%{number}")],
            several => (0..several).map(|i| format!("%{number}#{i}")).collect(),
        };
        match op.results.len() {
            0 => {}
            1 => {
                let _ = write!(self.text, "%{number} = ");
            }
            several => {
                let _ = write!(self.text, "%{number}:{several} = ");
            }
        }
        let _ = write!(self.text, "{:?}({})", op.name, operands.join(", "));
        if !attributes.is_empty() {
            let _ = write!(self.text, " {{{}}}", attributes.join(", "));
        }
        let _ = writeln!(self.text, " : ({}) -> ({})", op.operands.join(", "), op.results.join(", "));
        self.values.extend(op.results.iter().map(String::as_str).zip(results.iter().cloned()));
        Some(results)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Context, parse_module};
    use crate::source::SourceMap;

    fn calculator() -> Vec<Operation> {
        vec![
            Operation::new("calc.number").attribute("value", ["0 : i32", "7 : i32"]).results(["i32"]),
            Operation::new("calc.add").operands(["i32", "i32"]).results(["i32"]),
            Operation::new("calc.split").operands(["i32"]).results(["i32", "f32"]),
            Operation::new("calc.print").operands(["f32"]),
        ]
    }

    /// Each operation has one case whose rule matches it alone, one case for each attribute value, one for each operand
    /// that has the type of an earlier operand, and one for each of up to four producers of each operand.
    #[test]
    fn cases_load_and_cover_each_operation() {
        let cases = cases(&calculator()).expect("all operations are reachable");
        let names: Vec<&str> =
            cases.iter().filter_map(|case| case.name.strip_prefix("operations: calc.")).collect();
        assert_eq!(
            names,
            [
                "number.alone",
                "number.value0",
                "number.value1",
                "add.alone",
                "add.operand0_calc.number_0",
                "add.operand0_calc.add_0",
                "add.operand0_calc.split_0",
                "add.same1",
                "add.operand1_calc.number_0",
                "add.operand1_calc.add_0",
                "add.operand1_calc.split_0",
                "split.alone",
                "split.operand0_calc.number_0",
                "split.operand0_calc.add_0",
                "split.operand0_calc.split_0",
                "print.alone",
                "print.operand0_calc.split_1",
            ]
        );
        assert_eq!(cases.last().map(|case| &*case.name), Some("operations: all"));
        for case in &cases {
            let mut sources = SourceMap::default();
            assert!(case.load(&mut sources).is_ok(), "{}:\n{}", case.name, case.rules[0].1);
            let file = sources.add("ir", case.ir.as_str()).expect("the text is short");
            let module = parse_module(&mut Context::new(), sources.file(file));
            assert!(module.is_ok(), "{}:\n{}", case.name, case.ir);
        }
    }

    #[test]
    fn operations_with_an_operand_that_nothing_produces_are_reported() {
        let lonely = Operation::new("calc.drop").operands(["i64"]);
        let all = [calculator(), vec![lonely]].concat();
        let text = "'calc.drop' cannot be generated, because no operation that can be generated produces a value of \
                    type i64";
        assert_eq!(cases(&all).map(|cases| cases.len()), Err(vec![text.to_owned()]));
    }
}
