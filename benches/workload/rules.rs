//! Reads rules in the workload's compact form: `index ops leaves (name @value child …)`.

use drrvm::pdl::{NodeId, PatternBuilder, RuleSet};

/// The first `count` rules of a file.
pub fn read(text: &str, count: usize) -> RuleSet {
    let mut rules = RuleSet::default();
    for line in text.lines().take(count) {
        let mut fields = line.splitn(4, ' ');
        let mut field = || fields.next().expect("a rule has four fields");
        let (index, ops, leaves) = (field(), field(), field());
        let tree = field().replace('(', " ( ").replace(')', " ) ");
        let mut tokens = tree.split_whitespace().peekable();
        let benefit = ops.parse().expect("a number of operations");
        let mut rule = rules.pattern(&format!("p{index}"), benefit);
        let leaves: usize = leaves.parse().expect("a number of leaves");
        let types: Vec<Option<&str>> = (0..leaves).map(|leaf| leaf_type(&tree, leaf)).collect();
        let leaves: Vec<NodeId> = types
            .into_iter()
            .map(|ty| match ty {
                None => rule.value(),
                Some(ty) => {
                    let ty = rule.type_constant(ty);
                    rule.value_of(ty)
                }
            })
            .collect();
        let (root, root_type) = node(&mut rule, &mut tokens, &leaves);
        let value = rule.make_attr(&format!("{index} : i32"));
        let mut fused = rule.create(&format!("t.fused{}", leaves.len()));
        for &leaf in &leaves {
            fused = fused.operand(leaf);
        }
        let fused = fused.attr("value", value).result_type(root_type).created();
        rule.replace_by_op(root, fused);
        rule.finish().expect("the workload's rules are valid");
    }
    rules
}

/// The type of a leaf at its first occurrence.
fn leaf_type(tree: &str, leaf: usize) -> Option<&str> {
    let prefix = format!("${leaf}:");
    tree.split_whitespace().find_map(|token| token.strip_prefix(&prefix))
}

fn node<'t>(
    rule: &mut PatternBuilder<'_>,
    tokens: &mut std::iter::Peekable<impl Iterator<Item = &'t str>>,
    leaves: &[NodeId],
) -> (NodeId, NodeId) {
    assert_eq!(tokens.next(), Some("("));
    let name = format!("t.op{}", tokens.next().expect("a name"));
    let mut value = None;
    let mut operands = Vec::new();
    loop {
        match *tokens.peek().expect("a node ends") {
            ")" => break,
            "(" => {
                let (op, _) = node(rule, tokens, leaves);
                operands.push(rule.result(op, 0));
            }
            token => {
                tokens.next();
                if let Some(constant) = token.strip_prefix('@') {
                    value = Some(rule.attr_constant(&format!("{constant} : i32")));
                } else {
                    let leaf = token[1..].split(':').next().expect("a leaf's number");
                    operands.push(leaves[leaf.parse::<usize>().expect("a leaf's number")]);
                }
            }
        }
    }
    tokens.next();
    let ty = rule.any_type();
    // If the text lists no operands, the rule does not constrain operands, as in the workload's `pdl` text.
    let mut op = rule.op(&name).result_type(ty);
    for operand in operands {
        op = op.operand(operand);
    }
    if let Some(value) = value {
        op = op.attr("value", value);
    }
    (op.matched(), ty)
}
