//! Reports of `prove` as JSON, and their cache.
//!
//! An entry is valid for one text of a rule, one set of options (with the described operations) and one version of
//! drrvm. The file of an entry holds its whole key, so two keys with the same hash never share an entry. Unknown
//! verdicts are not stored.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::options::user_cache;
use crate::pdl::print::print_pattern;
use crate::pdl::{PatternId, RuleSet};
use crate::prove::{After, Counterexample, Options, Report, Verdict};

/// The version of the meanings of operations. It changes with each change of `semantics` or `prove` that can change a
/// verdict.
const MEANING: u32 = 2;

/// A directory of verdicts.
pub(super) struct Cache {
    dir: PathBuf,
}

impl Cache {
    /// Opens the cache in `dir` or, by default, in the user's cache directory, and creates the directory. Returns
    /// `None` if the environment names no cache directory, or if the directory cannot be created.
    pub(super) fn open(dir: Option<&Path>) -> Option<Self> {
        let dir = match dir {
            Some(dir) => dir.to_owned(),
            None => user_cache("prove")?,
        };
        std::fs::create_dir_all(&dir).ok()?;
        Some(Self { dir })
    }

    fn key(rules: &RuleSet, rule: PatternId, options: &Options) -> String {
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "{version} {MEANING} {:?} {:?} {} {:?}\n{}\n{}",
            options.widths,
            options.index_widths,
            options.solver.name(),
            options.timeout,
            options.operations.texts().collect::<Vec<_>>().join("\n"),
            print_pattern(rules, rule)
        )
    }

    fn path(&self, key: &str) -> PathBuf {
        let mut hasher = rustc_hash::FxHasher::default();
        key.hash(&mut hasher);
        self.dir.join(format!("{:016x}.json", hasher.finish()))
    }

    /// The stored report about a rule.
    pub(super) fn find(&self, rules: &RuleSet, rule: PatternId, options: &Options) -> Option<Report> {
        let key = Self::key(rules, rule, options);
        let text = std::fs::read_to_string(self.path(&key)).ok()?;
        let entry: Value = serde_json::from_str(&text).ok()?;
        if entry.get("key")?.as_str()? != key {
            return None;
        }
        let name = rules.strings()[rules.patterns()[rule].name].to_owned();
        from_json(entry.get("report")?).filter(|report| report.rule == name)
    }

    /// Stores a report. An entry that cannot be written is left out.
    pub(super) fn store(&self, rules: &RuleSet, rule: PatternId, options: &Options, report: &Report) {
        if matches!(report.verdict, Verdict::Unknown(_)) {
            return;
        }
        let key = Self::key(rules, rule, options);
        let entry = json!({ "key": key, "report": to_json(report) });
        // A reader finds either no entry or a complete entry.
        let Ok(mut file) = tempfile::NamedTempFile::new_in(&self.dir) else { return };
        if std::io::Write::write_all(&mut file, entry.to_string().as_bytes()).is_ok() {
            let _ = file.persist(self.path(&key));
        }
    }
}

/// A report as JSON.
pub(super) fn to_json(report: &Report) -> Value {
    let mut object = json!({
        "rule": report.rule,
        "verdict": report.verdict.word(),
        "proved": report.proved,
        "all_widths": report.all_widths,
        "seconds": report.time.as_secs_f64(),
    });
    match &report.verdict {
        Verdict::Proved => {}
        Verdict::Refuted(found) => {
            let pairs = |list: &[(String, String)]| -> Vec<Value> {
                list.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
            };
            let after = match &found.after {
                After::Results(results) => json!({ "results": results }),
                After::Undefined => json!({ "undefined": true }),
                After::Invalid(reason) => json!({ "invalid": reason }),
            };
            object["counterexample"] = json!({
                "types": found.types,
                "attributes": pairs(&found.attributes),
                "operands": pairs(&found.operands),
                "before": found.before,
                "after": after,
                "module": found.module,
            });
        }
        Verdict::Unknown(reasons) => object["reasons"] = json!(reasons),
    }
    object
}

fn from_json(value: &Value) -> Option<Report> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let texts = |value: &Value| value.as_array()?.iter().map(text).collect::<Option<Vec<String>>>();
    let verdict = match value.get("verdict")?.as_str()? {
        "proved" => Verdict::Proved,
        "refuted" => {
            let found = value.get("counterexample")?;
            let pairs = |name: &str| {
                let list = found.get(name)?.as_array()?;
                list.iter()
                    .map(|pair| Some((text(pair.get("name")?)?, text(pair.get("value")?)?)))
                    .collect::<Option<Vec<_>>>()
            };
            let after = found.get("after")?;
            let after = match (after.get("results"), after.get("invalid")) {
                (Some(results), _) => After::Results(texts(results)?),
                (_, Some(reason)) => After::Invalid(text(reason)?),
                _ => After::Undefined,
            };
            Verdict::Refuted(Box::new(Counterexample {
                types: text(found.get("types")?)?,
                attributes: pairs("attributes")?,
                operands: pairs("operands")?,
                before: texts(found.get("before")?)?,
                after,
                module: text(found.get("module")?)?,
            }))
        }
        _ => return None,
    };
    Some(Report {
        rule: text(value.get("rule")?)?,
        verdict,
        proved: texts(value.get("proved")?)?,
        all_widths: value.get("all_widths")?.as_bool()?,
        time: Duration::try_from_secs_f64(value.get("seconds")?.as_f64()?).ok()?,
    })
}
