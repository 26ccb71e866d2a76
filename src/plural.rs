//! Numbers with nouns in messages.

use std::fmt::Display;

/// A number with a noun: `1 rule`, `2 rules`.
pub(crate) fn count<N: Display + From<u8> + PartialEq>(count: N, noun: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn only_one_is_singular() {
        assert_eq!(count(1_u64, "rule"), "1 rule");
        assert_eq!([count(0_usize, "rule"), count(2_usize, "rule")], ["0 rules", "2 rules"]);
    }
}
