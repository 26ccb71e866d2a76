//! Names and forms from older MLIR manuals, with advice for the user.
//!
//! TableGen reports them as unknown names or wrong types. The callers that report such errors pass them through
//! [`advise`] first.

use crate::source::{Diagnostic, Diagnostics, SourceMap};

/// Names that MLIR renamed or removed, with the advice for the user.
const RENAMED: &[(&str, &str)] = &[
    ("NoSideEffect", "'NoSideEffect' is now 'Pure' (include \"mlir/Interfaces/SideEffectInterfaces.td\")"),
    ("Confined", "'Confined' is now 'ConfinedAttr'"),
    ("verifier", "'verifier' was removed: set 'hasVerifier = 1' and write the check in C++"),
    ("printer", "'printer' was removed: use 'assemblyFormat' or 'hasCustomAssemblyFormat = 1'"),
    ("parser", "'parser' was removed: use 'assemblyFormat' or 'hasCustomAssemblyFormat = 1'"),
    ("OpBuilderDAG", "'OpBuilderDAG' is now 'OpBuilder'"),
    ("StructEnumAttr", "'StructEnumAttr' was removed: use an 'AttrDef'"),
    ("StructAttr", "'StructAttr' was removed: use an 'AttrDef'"),
    ("emitAccessorPrefix", "'emitAccessorPrefix' was removed: accessors are always called 'getX'"),
    ("InferTypeOpInterfaceTrait", "use 'DeclareOpInterfaceMethods<InferTypeOpInterface>'"),
    ("ConstantStrAttrValue", "use 'ConstantStrAttr'"),
    ("HasCanonicalizer", "set 'hasCanonicalizer = 1'"),
    ("IntegerProperty", "'IntegerProperty' is now 'IntProp'"),
    ("TypesMatchWithOptional", "'TypesMatchWithOptional' is now 'OptionalTypesMatchWith'"),
];

/// Adds advice to errors about names and forms from older manuals.
pub fn advise(errors: Diagnostics, sources: &SourceMap) -> Diagnostics {
    let mut advised = Diagnostics::default();
    for error in errors {
        advised.push(match advice(&error, sources) {
            Some(advice) => error.help(advice),
            None => error,
        });
    }
    advised
}

fn advice(error: &Diagnostic, sources: &SourceMap) -> Option<&'static str> {
    // In these messages, the value or the name of a template argument identifies the old form.
    if error.message.contains(" is of type dag; expected type list<dag>: (addBenefit") {
        return Some(
            "the benefit is the fifth argument of 'Pat' and 'Pattern' today: write '[], (addBenefit …)'",
        );
    }
    if error.message.contains("'OpBuilder:p' is of type string") {
        return Some("an 'OpBuilder' takes a dag of parameters today: OpBuilder<(ins \"Type\":$name)>");
    }
    error.labels.iter().find_map(|label| {
        let text = sources.snippet(label.span).trim_start();
        let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        RENAMED.iter().find(|(old, _)| *old == word).map(|(_, advice)| *advice)
    })
}
