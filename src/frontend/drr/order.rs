//! The order and names of rules, as `mlir-tblgen` gives them.

use std::cmp::Ordering;

use crate::frontend::tablegen::{RecordId, Records};

/// All `Pattern` records with the names their rules have: sorted by record name, digit runs compared
/// as numbers; anonymous ones are numbered in that order.
pub(super) fn patterns(records: &Records) -> Vec<(RecordId, String)> {
    let mut all = records.derived_definitions("Pattern");
    all.sort_by(|&a, &b| compare_numeric(records.record(a).name(), records.record(b).name()));
    let mut anonymous = 0;
    all.into_iter()
        .map(|id| {
            let record = records.record(id);
            let name = if record.is_anonymous() {
                anonymous += 1;
                format!("GeneratedConvert{}", anonymous - 1)
            } else {
                record.name().to_owned()
            };
            (id, name)
        })
        .collect()
}

/// Compares as LLVM's `StringRef::compare_numeric` does: where both have digits, the longer run of
/// digits is larger, and runs of equal length compare as text.
fn compare_numeric(a: &str, b: &str) -> Ordering {
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
        names.sort_by(|a, b| compare_numeric(a, b));
        assert_eq!(names, ["A", "B", "a", "a9b", "a9c", "a10b", "anonymous_9", "anonymous_10"]);
    }
}
