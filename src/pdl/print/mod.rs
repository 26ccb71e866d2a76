//! Rules as text of the `pdl` dialect.
//!
//! Specification: `mlir-opt` parses and verifies the printed text. Reading it back gives rules that match and rewrite
//! in the same way. A condition or step that `pdl` lacks is a native call with a comment, or an attribute.
//! [`extension`] documents the names of these calls and attributes.
//!
//! [`extension`]: super::extension

mod matching;
mod rewriting;
mod text;

use hashbrown::HashSet;

use crate::pdl::benefits::{Benefit, whole};
use crate::pdl::extension as ext;
use crate::pdl::match_part::Callee;
use crate::pdl::rule_set::{Pattern, PatternId, RuleSet};
use matching::print_match_part;
use rewriting::print_steps;
use text::{Text, is_bare, quoted};

/// Prints all rules as one module, in rule-list order. The rules must be verified.
///
/// ```
/// use drrvm::pdl::{RuleSet, print};
/// # fn main() -> Result<(), drrvm::source::Diagnostics> {
/// let mut rules = RuleSet::default();
/// let mut rule = rules.pattern("drop", 1);
/// let op = rule.op("t.nop").no_operands().no_results().matched();
/// rule.erase(op);
/// rule.finish()?;
/// assert_eq!(print(&rules), r#"module {
///   pdl.pattern @drop : benefit(1) {
///     %0 = pdl.operation "t.nop"
///     pdl.rewrite %0 {
///       pdl.erase %0
///     }
///   }
/// }
/// "#);
/// # Ok(()) }
/// ```
pub fn print(rules: &RuleSet) -> String {
    let mut out = String::from("module {\n");
    let mut symbols = HashSet::new();
    let patterns = rules.patterns.as_slice();
    let mut next = 0;
    while let Some(pattern) = patterns.get(next) {
        // The instances of a rule with several benefits are printed as one rule.
        let count = pattern.choice.map_or(1, |choice| choice.count);
        let instances = patterns.get(next..).and_then(|rest| rest.get(..count)).unwrap_or_default();
        if let Some((rule, benefits)) = whole(instances) {
            print_into(&mut out, rules, &rule, &benefits, &mut symbols);
            next += count;
        } else {
            print_into(&mut out, rules, pattern, &[], &mut symbols);
            next += 1;
        }
    }
    out.push_str("}\n");
    out
}

/// Prints one rule, indented as in a module. For a rule with several benefits, prints one instance.
///
/// ```
/// use drrvm::{RuleSet, internal::pdl::print_pattern};
/// let mut rules = RuleSet::default();
/// let mut rule = rules.pattern("swap", 1);
/// let (a, b) = (rule.value(), rule.value());
/// let root = rule.op("t.add").operand(a).operand(b).matched();
/// let swapped = rule.create("t.add").operand(b).operand(a).created();
/// rule.replace_by_op(root, swapped);
/// let swap = rule.finish()?;
/// assert!(print_pattern(&rules, swap).contains("pdl.pattern @swap : benefit(1)"));
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
pub fn print_pattern(rules: &RuleSet, pattern: PatternId) -> String {
    let mut out = String::new();
    print_into(&mut out, rules, &rules.patterns[pattern], &[], &mut HashSet::new());
    out
}

/// Prints one rule. `symbols` are the symbols of the module so far.
fn print_into<'r>(
    out: &mut String,
    rules: &'r RuleSet,
    pattern: &Pattern,
    benefits: &[Benefit],
    symbols: &mut HashSet<&'r str>,
) {
    let mut text = Text::new(rules);
    let mut attributes = Vec::new();
    let name = &rules.strings[pattern.name];
    let mut symbol = String::new();
    if !name.is_empty() {
        // The symbols of a module are distinct, but rule names may be equal. A repeated name is an attribute.
        if symbols.insert(name) {
            symbol = format!(" @{}", if is_bare(name) { name.to_owned() } else { quoted(name) });
        } else {
            attributes.push(format!("{} = {}", ext::NAME, quoted(name)));
        }
    }
    let benefit = pattern.benefit.min(i16::MAX.unsigned_abs());
    if benefit != pattern.benefit {
        attributes.push(format!("{} = {} : i32", ext::BENEFIT, pattern.benefit));
    }
    if !pattern.labels.is_empty() {
        let labels: Vec<String> = pattern.labels.iter().map(|&label| text.quoted(label)).collect();
        attributes.push(format!("{} = [{}]", ext::LABELS, labels.join(", ")));
    }
    if !benefits.is_empty() {
        let benefits: Vec<String> = benefits.iter().map(|benefit| benefit_attr(&text, benefit)).collect();
        attributes.push(format!("{} = [{}]", ext::BENEFITS, benefits.join(", ")));
    }
    if pattern.recursive {
        attributes.push(ext::RECURSIVE.to_owned());
    }
    let attributes = match &attributes[..] {
        [] => String::new(),
        list => format!(" attributes {{{}}}", list.join(", ")),
    };
    text.line(&format!("pdl.pattern{symbol} : benefit({benefit}){attributes} {{"));
    text.depth += 1;
    let nodes = print_match_part(&mut text, pattern, benefits);
    let root = nodes[pattern.matcher.roots[0]].as_deref().expect("all nodes are printed");
    text.line(&format!("pdl.rewrite {root} {{"));
    if pattern.rewrite.steps.is_empty() {
        // Without a label the region would have no block.
        text.line("^bb0:");
    }
    text.depth += 1;
    print_steps(&mut text, pattern, &nodes);
    text.depth -= 1;
    text.line("}");
    text.depth -= 1;
    text.line("}");
    out.push_str(&text.out);
}

/// A benefit, with the name of its constraint, as an attribute.
fn benefit_attr(text: &Text<'_>, benefit: &Benefit) -> String {
    let name = benefit.constraint.as_ref().map(|call| match call.callee {
        Callee::Native(name) => format!("{}, ", text.quoted(name)),
        Callee::Snippet(_) => format!("{}, ", quoted(ext::SNIPPET)),
    });
    format!("[{}{} : i32]", name.unwrap_or_default(), benefit.benefit)
}

#[cfg(test)]
mod tests;
