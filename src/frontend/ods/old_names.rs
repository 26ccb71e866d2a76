//! Names and forms from older MLIR manuals, and their current spelling.
//!
//! TableGen reports them as unknown names or wrong types. Every caller that reports such errors passes them through
//! [`advise`] first.

use crate::source::{Diagnostic, Diagnostics, SourceMap};

/// Old names with their current spelling.
const RENAMED: &[(&str, &str)] = &[
    (
        "NoSideEffect",
        "'NoSideEffect' is called 'Pure' today (include \"mlir/Interfaces/SideEffectInterfaces.td\")",
    ),
    ("Confined", "'Confined' is called 'ConfinedAttr' today"),
    ("verifier", "'verifier' is gone: set 'hasVerifier = 1' and write the check in C++"),
    ("printer", "'printer' is gone: use 'assemblyFormat' or 'hasCustomAssemblyFormat = 1'"),
    ("parser", "'parser' is gone: use 'assemblyFormat' or 'hasCustomAssemblyFormat = 1'"),
    ("OpBuilderDAG", "'OpBuilderDAG' is called 'OpBuilder' today"),
    ("StructEnumAttr", "'StructEnumAttr' is gone: use an 'AttrDef'"),
    ("StructAttr", "'StructAttr' is gone: use an 'AttrDef'"),
    ("emitAccessorPrefix", "'emitAccessorPrefix' is gone: accessors are always called 'getX'"),
    ("InferTypeOpInterfaceTrait", "use 'DeclareOpInterfaceMethods<InferTypeOpInterface>'"),
    ("ConstantStrAttrValue", "use 'ConstantStrAttr'"),
    ("HasCanonicalizer", "set 'hasCanonicalizer = 1'"),
    ("IntegerProperty", "'IntegerProperty' is called 'IntProp' today"),
    ("TypesMatchWithOptional", "'TypesMatchWithOptional' is called 'OptionalTypesMatchWith' today"),
];

/// Adds the current spelling to errors about names and forms from older manuals.
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
    // The argument's name identifies the form that has the wrong type.
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
