//! The order and names of rules, as in `mlir-tblgen`.

use crate::frontend::tablegen::{RecordId, Records};

/// All `Pattern` records with the names of their rules, sorted by record name; runs of digits are compared as numbers.
/// Anonymous records are numbered in this order.
pub(super) fn patterns(records: &Records) -> Vec<(RecordId, String)> {
    let mut all = records.derived_definitions("Pattern");
    records.sort_by_name(&mut all);
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
