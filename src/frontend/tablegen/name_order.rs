//! The order by name that `!instances` and MLIR's generators use for lists of records.

use std::cmp::Ordering;

/// Compares record names like LLVM's `StringRef::compare_numeric`. If both names have digits at the same position, the
/// name with the longer run of digits is greater, and runs of equal length compare as text.
pub(super) fn compare_names(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let run = |s: &[u8]| s.iter().take_while(|c| c.is_ascii_digit()).count();
    let mut i = 0;
    while i < a.len().min(b.len()) {
        let (digits, other) = (run(&a[i..]), run(&b[i..]));
        if digits > 0 && other > 0 {
            let order = digits.cmp(&other).then_with(|| a[i..i + digits].cmp(&b[i..i + digits]));
            if order != Ordering::Equal {
                return order;
            }
            i += digits;
        } else {
            if a[i] != b[i] {
                return a[i].cmp(&b[i]);
            }
            i += 1;
        }
    }
    a.len().cmp(&b.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digit_runs_compare_as_numbers() {
        let mut names = ["anonymous_10", "anonymous_9", "B", "a10b", "a9c", "A", "a9b", "a"];
        names.sort_by(|a, b| compare_names(a, b));
        assert_eq!(names, ["A", "B", "a", "a9b", "a9c", "a10b", "anonymous_9", "anonymous_10"]);
    }
}
