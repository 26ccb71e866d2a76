//! The texts of rules that the generated file contains as C++.
//!
//! Specification: a text that calls a method outside the snippet language, or that passes a braced list to a helper,
//! becomes the body of a native, as if the whole text were outside the language. C++ then compiles the text as it is.

use std::collections::BTreeMap;

use crate::host::Kind;
use crate::pdl::{Callee, MissingNative, RuleSet, Step};
use crate::snippet::{Param, SnippetId, Snippets};

/// The snippets that become natives. The name of each native is its text.
pub(super) type Texts = BTreeMap<String, SnippetId>;

/// Replaces the snippets whose texts must be C++ by natives. `unknown` lists the natives that are not built in.
pub(super) fn extract(rules: &mut RuleSet, unknown: &[MissingNative]) -> Texts {
    let mut texts = Texts::new();
    let RuleSet { patterns, snippets, strings, .. } = rules;
    for pattern in patterns.iter_mut() {
        let constraints = pattern.matcher.constraints.iter_mut().map(|call| &mut call.callee);
        let calls = pattern.rewrite.steps.iter_mut().filter_map(|step| match step {
            Step::Call { callee, .. } => Some(callee),
            _ => None,
        });
        for callee in constraints.chain(calls) {
            if let Callee::Snippet(id) = *callee
                && must_be_cxx(snippets, id, unknown)
            {
                let text = snippets.str(snippets.get(id).text).to_owned();
                *callee = Callee::Native(strings.intern(&text));
                texts.insert(text, id);
            }
        }
    }
    texts
}

/// True if a snippet calls an unknown method, or an unknown function with a braced list. A snippet with an output stays
/// a snippet. A snippet over an operation also stays a snippet, because an operation has another class in the output of
/// `mlir-tblgen`.
fn must_be_cxx(snippets: &Snippets, id: SnippetId, unknown: &[MissingNative]) -> bool {
    let snippet = snippets.get(id);
    let text = snippets.str(snippet.text);
    let needs_cxx = |name: &str, params: &[Option<Kind>]| {
        let method = name.rsplit("::").next().unwrap_or(name);
        let is_method = text.contains(&format!(".{method}(")) || text.contains(&format!("->{method}("));
        let has_list = params.contains(&None) && text.contains('{');
        (is_method || has_list) && unknown.iter().any(|other| other.call.name == name)
    };
    let is_plain = |param: &Param| !param.out && param.ty.kind() != Some(Kind::Op);
    snippet.params.iter().all(is_plain)
        && snippets.natives_of(id).into_iter().any(|native| {
            let used = &snippets.natives[native];
            needs_cxx(snippets.str(used.name), &used.params)
        })
}
