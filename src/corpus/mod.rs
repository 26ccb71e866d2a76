//! Cases for which every engine must give the expected result, in every configuration and on every host.
//!
//! Specification: a case states the matches of rules in some IR, their order, the bindings of symbols and the rewritten
//! IR, or the diagnostics of the rules. Its expectation is derived by hand or comes from MLIR, never from this crate.
//!
//! [`Case::parse`] documents the format of the files in `tests/corpus`. With the feature `conformance`, the files are
//! part of the library. This module does not run them; `tests/it/vm/corpus.rs` runs them with the engines of this
//! crate.

mod case;
mod natives;

pub use case::{Case, CaseError, ExpectedMatch};
pub use natives::natives;

/// The cases as `(name, text)`.
macro_rules! texts {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../tests/corpus/", $name, ".case")))),*]
    };
}

const TEXTS: &[(&str, &str)] = texts! {
    "a-cycle"
    "all-results-twice-are-one-range"
    "any-operation-nested"
    "attribute-accessor-returns-apsint"
    "attribute-constant"
    "attribute-constants-of-every-kind"
    "attribute-constraint"
    "attribute-default"
    "attribute-optional"
    "attribute-repeated"
    "attribute-symbol-repeated"
    "attribute-typed"
    "attribute-unit"
    "attribute-unit-false"
    "attribute-without-a-type"
    "attributes-are-not-counted"
    "bad-pdl"
    "bad-tablegen"
    "benefit"
    "benefit-any-operation"
    "benefit-by-constraint"
    "benefit-equal"
    "benefit-is-the-size"
    "builder-of-the-definition"
    "builder-that-fills-the-state"
    "built-beside-the-replacement"
    "built-inside-out"
    "commutative-is-not-either"
    "constant-like"
    "constants-become-one"
    "constants-that-do-not-fit"
    "constants-written-differently"
    "constraint-negated"
    "constraint-on-a-variadic-list"
    "constraint-on-several"
    "dead-code"
    "either"
    "either-symbol-repeated"
    "either-takes-what-satisfies-all"
    "enum-case"
    "enumeration-helpers"
    "erased"
    "erased-in-any-order"
    "erased-operation-still-used"
    "identical-parts-share-a-symbol"
    "interface"
    "interfaces-of-types"
    "location-directive"
    "native-call-in-the-result"
    "native-constraint"
    "native-constraint-negated"
    "native-constraint-with-results"
    "native-missing"
    "native-rewrite"
    "native-rewrite-external"
    "nested"
    "nested-deep-and-shared"
    "no-results-are-an-empty-range"
    "one-list-of-types-twice-is-one-list"
    "one-result-twice-is-one-value"
    "one-value-twice"
    "open-group-before-others"
    "operands-none-or-any"
    "optional-operand"
    "optional-result"
    "order-of-names"
    "parameters-of-attributes-and-types"
    "property"
    "refused-then-the-next"
    "regions"
    "regions-taken"
    "regions-taken-from-an-operation-that-remains"
    "regions-taken-wrongly"
    "replaced-by-a-range"
    "result-by-index"
    "result-by-index-in-a-range"
    "result-types-inferred"
    "results-counted"
    "results-of-a-nested-operation"
    "results-swapped"
    "several-results-are-replaced"
    "several-roots"
    "several-roots-many-matches"
    "several-roots-three"
    "several-roots-through-results"
    "shaped-types-of-a-dialect"
    "symbol-repeated"
    "symbol-repeated-deep"
    "to-the-fixed-point"
    "two-files"
    "type-constant"
    "type-constraint"
    "type-symbol-shared"
    "types-constant"
    "types-of-results-are-stated"
    "unbound-symbol"
    "unreachable-blocks"
    "variables-of-the-generated-code"
    "variadic-directive"
    "variadic-first"
    "variadic-group-of-unknown-start"
    "variadic-in-the-middle"
    "variadic-not-bound"
    "variadic-results"
    "variadic-symbol-repeated"
    "variadic-two-by-segments"
    "variadic-two-of-one-size"
};

/// Returns all cases, sorted by name.
///
/// ```
/// let cases = drrvm::conformance::cases();
/// assert!(cases.iter().any(|case| case.name == "nested"));
/// ```
pub fn cases() -> Vec<Case> {
    let parsed = |&(name, text): &(&str, &str)| Case::parse(name, text).expect("a test parses every case");
    TEXTS.iter().map(parsed).collect()
}

#[cfg(test)]
mod tests {
    use super::{Case, TEXTS};

    /// Checks that the table lists every file of the folder, in order.
    #[test]
    fn every_case_is_in_the_table() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let names = files.filter_map(|file| Some(file.to_str()?.strip_suffix(".case")?.to_owned()));
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        assert_eq!(TEXTS.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names);
    }

    #[test]
    fn every_case_parses() {
        for (name, text) in TEXTS {
            if let Err(error) = Case::parse(name, text) {
                panic!("{name}: {error}");
            }
        }
    }
}
