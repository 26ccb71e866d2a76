//! Warnings about questions that rules ask and that a host answers with "unknown".
//!
//! Linking succeeds even if a host leaves a method of [`Facets`] at its default, but the predicates that need an answer
//! of this method then never hold. Linking asks the host about types and attributes that most hosts have, and about the
//! constants of the rules. For lookups of types and attributes by their parts, it only tries `i32` and `0 : i32`. If
//! the host answers none of the questions of a kind, linking assumes that the host does not implement the method for
//! this kind.

use std::collections::BTreeMap;

use crate::bytecode::{PatternCall, Program};
use crate::host::{AttrKind, AttrSpec, Bind, Facets, Signedness, TypeKind, TypeSpec};
use crate::id::Id;
use crate::number::ApInt;
use crate::pdl::{Callee, PatternId};
use crate::snippet::{FacetKind, Linked, SnippetId};
use crate::source::Diagnostics;
use crate::vm::linked::{BoundConstant, Constants};

use super::error;

/// Types that most hosts have.
const TYPES: [&str; 4] = ["i32", "f32", "index", "vector<2xi32>"];
/// Attributes that most hosts have.
const ATTRS: [&str; 5] = ["0 : i32", "0", "\"\"", "unit", "true"];

/// The rules that ask questions of one kind, and one expression that asks such a question.
struct Askers {
    rules: Vec<PatternId>,
    example: SnippetId,
}

/// One warning for each kind of question that rules ask and the host does not answer.
pub(super) fn unanswered<H: Facets + Bind>(
    program: &Program,
    linked: &Linked<H>,
    constants: &Constants<H>,
    dropped: &[bool],
    host: &mut H,
) -> Diagnostics {
    let mut warnings = Diagnostics::default();
    for (kind, askers) in askers(program, linked, dropped) {
        if !answers(kind, constants, host) {
            let names: Vec<&str> = askers.rules.iter().map(|&rule| program.pattern_name(rule)).collect();
            let example = program.snippets.str(program.snippets.get(askers.example).text);
            warnings.push(error::unanswered(kind, &names, example));
        }
    }
    warnings
}

fn askers<H: Facets>(program: &Program, linked: &Linked<H>, dropped: &[bool]) -> BTreeMap<FacetKind, Askers> {
    let mut all: BTreeMap<FacetKind, Askers> = BTreeMap::new();
    for rule in program.patterns.ids().filter(|rule| !dropped[rule.index()]) {
        for call in program.calls(rule) {
            let snippet = match *call {
                PatternCall::Snippet(snippet) => snippet,
                PatternCall::Constraint(call) => match program.predicates.calls()[call].callee {
                    Callee::Snippet(snippet) => snippet,
                    Callee::Native(_) => continue,
                },
                PatternCall::Rewrite(_) | PatternCall::Inference { .. } => continue,
            };
            if linked.is_replaced(snippet) {
                continue;
            }
            for kind in program.snippets.facets_of(snippet) {
                let askers =
                    all.entry(kind).or_insert_with(|| Askers { rules: Vec::new(), example: snippet });
                if askers.rules.last() != Some(&rule) {
                    askers.rules.push(rule);
                }
            }
        }
    }
    all
}

/// True if the host answers a kind of question about at least one type or attribute. For lookups, also true if the host
/// has no `i32` or no `0 : i32`.
fn answers<H: Facets + Bind>(kind: FacetKind, constants: &Constants<H>, host: &mut H) -> bool {
    match kind {
        FacetKind::Types | FacetKind::TypeTexts => {
            let mut types: Vec<H::Type> = TYPES.iter().filter_map(|text| host.bind_type(text)).collect();
            types.extend(constants.all.values().filter_map(|constant| match constant {
                BoundConstant::Type(ty) => Some(*ty),
                BoundConstant::Attr(_) => None,
            }));
            types.into_iter().any(|ty| match kind {
                FacetKind::Types => host.type_kind(ty) != TypeKind::Dialect,
                _ => !host.type_text(ty).is_empty(),
            })
        }
        FacetKind::Attrs | FacetKind::AttrTexts => {
            let mut attrs: Vec<H::Attr> = ATTRS.iter().filter_map(|text| host.bind_attr(text)).collect();
            attrs.extend(constants.all.values().filter_map(|constant| match constant {
                BoundConstant::Attr(attr) => Some(*attr),
                BoundConstant::Type(_) => None,
            }));
            attrs.into_iter().any(|attr| match kind {
                FacetKind::Attrs => {
                    host.attr_kind(attr) != AttrKind::Other
                        || host.attr_int(attr).is_some()
                        || host.attr_string(attr).is_some()
                        || host.attr_float(attr).is_some()
                }
                _ => !host.attr_text(attr).is_empty(),
            })
        }
        FacetKind::FindTypes => {
            let spec = TypeSpec::Integer { width: 32, signedness: Signedness::Signless };
            host.bind_type("i32").is_none() || host.find_type(&spec).is_some()
        }
        FacetKind::FindAttrs => match (host.bind_attr("0 : i32"), host.bind_type("i32")) {
            (Some(_), Some(ty)) => host.find_attr(&AttrSpec::Integer(ApInt::from_i64(32, 0), ty)).is_some(),
            _ => true,
        },
    }
}

#[cfg(all(test, feature = "frontend"))]
mod tests {
    use std::sync::Arc;

    use crate::compile::{self, Options};
    use crate::host::mock::Mock;
    use crate::host::{Bind, Facets, Natives};
    use crate::ir::{Context, IrHost, Module};
    use crate::source::SourceMap;
    use crate::vm::{LinkOptions, Matcher};

    const DEFINITIONS: &str = r#"include "mlir/IR/PatternBase.td"
include "mlir/IR/CommonAttrConstraints.td"
def T : Dialect { let name = "t"; }
def Any : Op<T, "any"> { let arguments = (ins AnyType:$x, AnyAttr:$a); let results = (outs AnyType:$r); }
"#;

    /// Links rules for the operation `Any` to a host, and returns the warnings.
    fn warnings<H: Facets + Bind>(host: &mut H, rules: &str) -> Vec<String> {
        let mut sources = SourceMap::default();
        let file = sources.add("rules.td", format!("{DEFINITIONS}{rules}")).expect("the file is short");
        let (rules, loaded) = compile::load_added(&mut sources, &[file], &Options::default());
        assert!(!loaded.diagnostics.has_errors(), "{:?}", loaded.diagnostics);
        let program = Arc::new(compile::program(&rules).expect("the rules compile"));
        let matcher = Matcher::link(program, host, &Natives::new(), &LinkOptions::default());
        let matcher = matcher.expect("the rules call no natives");
        matcher.warnings().iter().map(|warning| warning.message.clone()).collect()
    }

    fn builtin() -> IrHost {
        let mut context = Context::new();
        let module = Module::new(&mut context);
        IrHost::new(context, module)
    }

    /// The mock answers no questions about types and integers. Each kind of question gives one warning, with the rules
    /// that ask.
    #[test]
    fn unanswered_questions_are_warnings() {
        let rules = "def A : Pat<(Any I32:$x, $a), (replaceWithValue $x)>;\n\
                     def B : Pat<(Any F32:$x, I32Attr:$a), (replaceWithValue $x)>;\n";
        assert_eq!(
            warnings(&mut Mock::default(), rules),
            [
                "rules 'A', 'B' ask for the kinds of types, which the host does not know",
                "rule 'B' asks for the kinds and values of attributes, which the host does not know"
            ]
        );
        assert_eq!(warnings(&mut builtin(), rules), [""; 0]);
        let plain = "def C : Pat<(Any $x, $_), (replaceWithValue $x)>;\n";
        assert_eq!(warnings(&mut Mock::default(), plain), [""; 0]);
    }
}
