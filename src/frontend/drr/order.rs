//! The order and names of rules, as `mlir-tblgen` gives them.

use crate::frontend::tablegen::{RecordId, Records, compare_names};

/// All `Pattern` records with the names their rules have: sorted by record name, digit runs compared
/// as numbers; anonymous ones are numbered in that order.
pub(super) fn patterns(records: &Records) -> Vec<(RecordId, String)> {
    let mut all = records.derived_definitions("Pattern");
    all.sort_by(|&a, &b| compare_names(records.record(a).name(), records.record(b).name()));
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
