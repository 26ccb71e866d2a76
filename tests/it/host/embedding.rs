//! Tests that the code in `docs/EMBEDDING.md` is part of the example `embed_expr`.

/// The Rust blocks of a page.
fn blocks(page: &str) -> impl Iterator<Item = &str> {
    page.split("```rust\n").skip(1).filter_map(|rest| rest.split_once("```").map(|(block, _)| block))
}

#[test]
fn walk_through_quotes_the_example() {
    let example = include_str!("../../../examples/embed_expr.rs");
    let mut shown = 0;
    for block in blocks(include_str!("../../../docs/EMBEDDING.md")) {
        assert!(example.contains(block), "the example lacks these lines:\n{block}");
        shown += 1;
    }
    assert!(shown > 5);
}
