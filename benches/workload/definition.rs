//! The definition of the matching workload: the same rules and the same IR for every engine.
//!
//! Equal seeds give equal bytes. A rule is a tree of operations of depth 1 to 3. Some rules require a constant
//! attribute, a type, or the same operand twice. The distribution of operation names is skewed, so that deep rules
//! match. The benefit of a rule is its number of operations. The rewrite replaces the root by an operation `t.fusedN`
//! whose operands are the *N* leaves of the tree.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The seeds of rules and IR; the seed of a run is combined with each.
const MATCHED: u64 = 0xBEEF;
const REWRITTEN: u64 = 0xCAFE;
const IR: u64 = 0x1234;

/// The number of different operation names that rules match.
const NAMES: u64 = 64;
/// The number of rules in the files.
pub const RULES: usize = 4000;
/// The number of rules in a `.td` file.
pub const RULES_PER_FILE: usize = 500;
/// The numbers of rules in the `pdl` files.
const PDL_SIZES: [usize; 5] = [1, 10, 100, 1000, RULES];
/// The number of rewriting rules that require only a name and a constant of one operation.
const FALLBACKS: usize = 128;

/// A linear congruential generator.
struct Lcg(u64);

impl Lcg {
    fn draw(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    /// An index below `len`.
    fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.draw(len as u64)).expect("below a length")
    }

    fn name(&mut self) -> u64 {
        let (u, v) = (self.draw(NAMES), self.draw(NAMES));
        (u * (v + 1)) >> 6
    }
}

/// The number of operands of operation `t.op{name}`.
fn arity(name: u64) -> usize {
    [2, 1, 2, 0, 2, 1, 2, 1][(name & 7) as usize]
}

#[derive(Clone, Copy)]
enum Child {
    /// The index of an operation of the rule.
    Op(usize),
    /// The number of a leaf.
    Leaf(usize),
}

struct Node {
    name: u64,
    value: Option<u64>,
    children: Vec<Child>,
}

/// A rule. Its operations are in preorder; the first is the root.
pub struct Rule {
    ops: Vec<Node>,
    /// The required type of each leaf.
    leaves: Vec<Option<&'static str>>,
}

/// A variant of the `pdl` text of a rule.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pdl {
    /// The rule alone.
    Plain,
    /// The rule also requires the native constraint `rec(root, number)`.
    WithNative,
    /// The rule also requires that each operation has the attribute `value`, as in DRR, whose rules name all attributes
    /// of an operation.
    AttributesPresent,
}

impl Rule {
    fn draw(g: &mut Lcg, fallback: Option<usize>, rewritten: bool) -> Self {
        let mut rule = Self { ops: Vec::new(), leaves: Vec::new() };
        if let Some(index) = fallback {
            let name = (index / 2) as u64;
            let children: Vec<Child> = (0..arity(name)).map(Child::Leaf).collect();
            rule.leaves = vec![None; children.len()];
            rule.ops.push(Node { name, value: Some((index % 2) as u64), children });
            return rule;
        }
        let depth = match g.draw(8) {
            0 => 1,
            1..=3 => 2,
            _ => 3,
        };
        rule.grow(g, depth, 1, true);
        if rewritten {
            rule.ops[0].value = Some(g.draw(2));
        }
        if depth == 1 {
            let value = g.draw(10);
            rule.ops[0].value.get_or_insert(value);
        } else if g.draw(2) == 0 {
            let (at, value) = (g.index(rule.ops.len()), g.draw(10));
            rule.ops[at].value.get_or_insert(value);
        }
        let leaves = rule.leaves.len();
        if g.draw(4) == 0 && leaves > 0 {
            let leaf = g.index(leaves);
            rule.leaves[leaf] = Some(if g.draw(4) == 0 { "i64" } else { "i32" });
        }
        if g.draw(4) == 0 && leaves >= 2 {
            let (kept, mut replaced) = (g.index(leaves), g.index(leaves - 1));
            if replaced >= kept {
                replaced += 1;
            }
            rule.unify(kept, replaced);
        }
        rule.number_leaves();
        rule
    }

    /// Adds an operation and the operations below it; returns its index.
    fn grow(&mut self, g: &mut Lcg, depth: u32, level: u32, spine: bool) -> usize {
        let mut name = g.name();
        while spine && level < depth && arity(name) == 0 {
            name = g.name();
        }
        let at = self.ops.len();
        self.ops.push(Node { name, value: None, children: Vec::new() });
        for operand in 0..arity(name) {
            let on_spine = spine && operand == 0;
            let child = if level < depth && (on_spine || g.draw(2) == 0) {
                Child::Op(self.grow(g, depth, level + 1, on_spine))
            } else {
                self.leaves.push(None);
                Child::Leaf(self.leaves.len() - 1)
            };
            self.ops[at].children.push(child);
        }
        at
    }

    fn unify(&mut self, kept: usize, replaced: usize) {
        for child in self.ops.iter_mut().flat_map(|op| &mut op.children) {
            if matches!(*child, Child::Leaf(leaf) if leaf == replaced) {
                *child = Child::Leaf(kept);
            }
        }
        if let Some(ty) = self.leaves[replaced].take() {
            self.leaves[kept] = Some(ty);
        }
    }

    /// Numbers the leaves in the order of their first uses.
    fn number_leaves(&mut self) {
        let mut order = Vec::new();
        self.visit(0, &mut |leaf| {
            if !order.contains(&leaf) {
                order.push(leaf);
            }
        });
        self.leaves = order.iter().map(|&leaf| self.leaves[leaf]).collect();
        for child in self.ops.iter_mut().flat_map(|op| &mut op.children) {
            if let Child::Leaf(leaf) = child {
                *leaf = order.iter().position(|known| known == leaf).expect("each leaf was visited");
            }
        }
    }

    /// Visits the leaves below an operation from left to right.
    fn visit(&self, at: usize, each: &mut impl FnMut(usize)) {
        for &child in &self.ops[at].children {
            match child {
                Child::Op(op) => self.visit(op, each),
                Child::Leaf(leaf) => each(leaf),
            }
        }
    }

    /// Writes a tree. `seen` contains the leaves that were written before; only the first use of a leaf states its
    /// type.
    fn tree(&self, at: usize, text: &mut String, style: &Style, seen: &mut HashSet<usize>) {
        let op = &self.ops[at];
        let mut parts = Vec::new();
        let value = (style.value)(op.value);
        for &child in &op.children {
            let mut part = String::new();
            match child {
                Child::Op(op) => self.tree(op, &mut part, style, seen),
                Child::Leaf(leaf) => {
                    let ty = if seen.insert(leaf) { self.leaves[leaf] } else { None };
                    part = (style.leaf)(leaf, ty);
                }
            }
            parts.push(part);
        }
        let place = if style.value_first { 0 } else { parts.len() };
        parts.splice(place..place, value);
        let first = if parts.is_empty() { "" } else { " " };
        let _ = write!(text, "({}{}{first}{})", style.name, op.name, parts.join(style.separator));
    }

    fn text(&self, style: &Style) -> String {
        let mut text = String::new();
        self.tree(0, &mut text, style, &mut HashSet::new());
        text
    }

    /// The compact form. Equal rules have equal compact forms.
    fn compact(&self) -> String {
        self.text(&Style {
            name: "",
            separator: " ",
            value_first: true,
            value: |value| value.map(|value| format!("@{value}")),
            leaf: |leaf, ty| ty.map_or(format!("${leaf}"), |ty| format!("${leaf}:{ty}")),
        })
    }
}

/// A syntax for trees of operations.
struct Style {
    name: &'static str,
    separator: &'static str,
    value_first: bool,
    value: fn(Option<u64>) -> Option<String>,
    leaf: fn(usize, Option<&'static str>) -> String,
}

/// The rules to match, which are all different.
pub fn matched(count: usize, seed: u64) -> Vec<Rule> {
    rules(count, MATCHED ^ seed, false)
}

/// The rules to rewrite with, which are all different.
pub fn rewritten(count: usize, seed: u64) -> Vec<Rule> {
    rules(count, REWRITTEN ^ seed, true)
}

fn rules(count: usize, seed: u64, rewritten: bool) -> Vec<Rule> {
    let mut g = Lcg(seed);
    let (mut rules, mut known) = (Vec::new(), HashSet::new());
    while rules.len() < count {
        let fallback = (rewritten && rules.len() < FALLBACKS).then_some(rules.len());
        let rule = Rule::draw(&mut g, fallback, rewritten);
        if known.insert(rule.compact()) {
            rules.push(rule);
        }
    }
    rules
}

/// The rules in the compact form: index, number of operations, number of leaves, and tree.
pub fn compact(rules: &[Rule]) -> String {
    let line = |(i, rule): (usize, &Rule)| {
        format!("{i} {} {} {}\n", rule.ops.len(), rule.leaves.len(), rule.compact())
    };
    rules.iter().enumerate().map(line).collect()
}

/// The rules as `pdl` text.
pub fn pdl(rules: &[Rule], form: Pdl) -> String {
    let mut text = String::from("module {\n");
    for (i, rule) in rules.iter().enumerate() {
        let w = &mut text;
        let _ = writeln!(w, "pdl.pattern @p{i} : benefit({}) {{", rule.ops.len());
        for (leaf, ty) in rule.leaves.iter().enumerate() {
            let _ = match ty {
                Some(ty) => {
                    writeln!(w, "  %lt{leaf} = pdl.type : {ty}\n  %l{leaf} = pdl.operand : %lt{leaf}")
                }
                None => writeln!(w, "  %l{leaf} = pdl.operand"),
            };
        }
        pdl_op(rule, 0, form, w);
        if form == Pdl::WithNative {
            let _ = writeln!(w, "  %id = pdl.attribute = {i} : i32");
            let _ = writeln!(
                w,
                "  pdl.apply_native_constraint \"rec\"(%n0, %id : !pdl.operation, !pdl.attribute)"
            );
        }
        let leaves: Vec<String> = (0..rule.leaves.len()).map(|leaf| format!("%l{leaf}")).collect();
        let _ = writeln!(w, "  pdl.rewrite %n0 {{\n    %v = pdl.attribute = {i} : i32");
        let _ = writeln!(
            w,
            "    %f = pdl.operation \"t.fused{}\"{} {{\"value\" = %v}} -> (%t0 : !pdl.type)",
            leaves.len(),
            pdl_values(&leaves)
        );
        let _ = writeln!(w, "    pdl.replace %n0 with %f\n  }}\n}}");
    }
    text.push_str("}\n");
    text
}

fn pdl_op(rule: &Rule, at: usize, form: Pdl, text: &mut String) {
    let op = &rule.ops[at];
    let mut operands = Vec::new();
    for &child in &op.children {
        operands.push(match child {
            Child::Op(op) => {
                pdl_op(rule, op, form, text);
                format!("%r{op}")
            }
            Child::Leaf(leaf) => format!("%l{leaf}"),
        });
    }
    let attribute = match op.value {
        Some(value) => Some(format!(" = {value} : i32")),
        None => (form == Pdl::AttributesPresent).then(String::new),
    };
    if let Some(value) = &attribute {
        let _ = writeln!(text, "  %a{at} = pdl.attribute{value}");
    }
    let attribute = attribute.map_or(String::new(), |_| format!(" {{\"value\" = %a{at}}}"));
    let _ = writeln!(text, "  %t{at} = pdl.type");
    let _ = writeln!(
        text,
        "  %n{at} = pdl.operation \"t.op{}\"{}{attribute} -> (%t{at} : !pdl.type)",
        op.name,
        pdl_values(&operands)
    );
    if at > 0 {
        let _ = writeln!(text, "  %r{at} = pdl.result 0 of %n{at}");
    }
}

/// A list of values with their types in `pdl`.
fn pdl_values(values: &[String]) -> String {
    match values {
        [] => String::new(),
        _ => format!("({} : {})", values.join(", "), vec!["!pdl.value"; values.len()].join(", ")),
    }
}

/// The definitions of the operations.
pub fn ods() -> String {
    let mut text = String::from(
        "include \"mlir/IR/OpBase.td\"\n\
         def T_Dialect : Dialect { let name = \"t\"; let cppNamespace = \"::t\"; }\n\
         class T_Op<string m, list<Trait> tr = []> : Op<T_Dialect, m, tr>;\n",
    );
    let mut op = |class: String, name: String, operands: Vec<String>| {
        let _ = writeln!(
            text,
            "def T_{class} : T_Op<\"{name}\"> {{ let arguments = (ins {}); let results = (outs AnyType:$res); }}",
            [operands, vec!["I32Attr:$value".into()]].concat().join(", ")
        );
    };
    for k in 0..NAMES {
        let operands = ["AnyType:$a", "AnyType:$b"][..arity(k)].iter().map(|&o| o.to_owned()).collect();
        op(format!("Op{k}"), format!("op{k}"), operands);
    }
    for k in 0..9 {
        op(format!("Fused{k}"), format!("fused{k}"), (0..k).map(|i| format!("AnyType:$x{i}")).collect());
    }
    text
}

/// The rules as DRR; their numbers begin with `first`.
pub fn drr(rules: &[Rule], first: usize) -> String {
    let mut text = String::from("include \"mlir/IR/PatternBase.td\"\ninclude \"t.td\"\n");
    let constant = |value: u64| format!("ConstantAttr<I32Attr, \"{value}\">");
    let style = Style {
        name: "T_Op",
        separator: ", ",
        value_first: false,
        value: |value| {
            Some(value.map_or("$_".to_owned(), |value| format!("ConstantAttr<I32Attr, \"{value}\">")))
        },
        leaf: |leaf, ty| ty.map_or(format!("$x{leaf}"), |ty| format!("{}:$x{leaf}", ty.to_uppercase())),
    };
    for (i, rule) in rules.iter().enumerate().map(|(i, rule)| (i + first, rule)) {
        let mut args: Vec<String> = (0..rule.leaves.len()).map(|leaf| format!("$x{leaf}")).collect();
        args.push(constant(i as u64));
        let (source, leaves) = (rule.text(&style), rule.leaves.len());
        let _ = writeln!(text, "def P{i} : Pat<{source}, (T_Fused{leaves} {})>;", args.join(", "));
    }
    text
}

/// IR in the generic form, one operation a line.
pub fn ir(ops: usize, seed: u64, out: &mut impl Write) -> std::io::Result<()> {
    let mut g = Lcg(IR ^ seed);
    out.write_all(b"\"builtin.module\"() ({\n")?;
    for i in 0..ops {
        let drawn = g.name();
        // The first two operations have no operands.
        let name = if i < 2 { 3 } else { drawn };
        let operands: Vec<String> =
            (0..arity(name)).map(|_| format!("%{}", i - 1 - g.index(i.min(16)))).collect();
        let types = vec!["i32"; operands.len()].join(", ");
        let (operands, value) = (operands.join(", "), g.draw(10));
        writeln!(out, "  %{i} = \"t.op{name}\"({operands}) <{{value = {value} : i32}}> : ({types}) -> i32")?;
    }
    out.write_all(b"}) : () -> ()\n")
}

/// Writes all files of the workload to a folder.
pub fn write(folder: &Path, seed: u64) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let file = |name: &str, text: String| std::fs::write(folder.join(name), text);
    file("t.td", ods())?;
    for (set, rules) in [('m', matched(RULES, seed)), ('r', rewritten(RULES, seed))] {
        file(&format!("patterns_{set}_{RULES}.txt"), compact(&rules))?;
        for size in PDL_SIZES {
            file(&format!("pat_{set}_{size}.mlir"), pdl(&rules[..size], Pdl::Plain))?;
            if set == 'm' {
                file(&format!("pat_n_{size}.mlir"), pdl(&rules[..size], Pdl::WithNative))?;
            }
        }
        for (i, chunk) in rules.chunks(RULES_PER_FILE).enumerate() {
            file(&format!("drr_{set}_{i}.td"), drr(chunk, i * RULES_PER_FILE))?;
        }
    }
    // The largest file is written last, so its presence means that the workload is complete.
    for (name, ops) in [("20k", 20_000), ("100k", 100_000), ("1m", 1_000_000)] {
        let path = folder.join(format!("ir_{name}.mlir"));
        let unfinished = path.with_extension("part");
        let mut out = BufWriter::new(std::fs::File::create(&unfinished)?);
        ir(ops, seed, &mut out)?;
        out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        std::fs::rename(&unfinished, &path)?;
    }
    Ok(())
}
