//! Compares a host's operations with the definitions that the rules were compiled against.

use crate::bytecode::Program;
use crate::host::{Arity, Bind, OpSignature};
use crate::pdl::OpDef;
use crate::source::{Diagnostic, Span};

/// An operation that the host defines differently from the definition that the rules were compiled against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureDifference {
    /// The name of the operation.
    pub op: String,
    /// The definition that the program was compiled against.
    pub compiled: OpSignature,
    /// The host's definition.
    pub host: OpSignature,
    /// The place of the definition that the program was compiled against.
    pub span: Span,
}

impl SignatureDifference {
    /// An error that lists the differences.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = format!(
            "the host defines '{}' differently from the definition that the rules were compiled against",
            self.op
        );
        let mut diagnostic = Diagnostic::error(message);
        if !self.span.is_none() {
            diagnostic = diagnostic.at(self.span, "the rules' definition");
        }
        let (compiled, host) = (&self.compiled, &self.host);
        for (list, ours, theirs) in
            [("operands", &compiled.operands, &host.operands), ("results", &compiled.results, &host.results)]
        {
            if ours != theirs {
                diagnostic = diagnostic.with_note(format!(
                    "{list}: {} in the rules, {} in the host",
                    groups(ours),
                    groups(theirs)
                ));
            }
        }
        for (one, other, owner) in [(compiled, host, "the rules"), (host, compiled, "the host")] {
            for name in one.attributes.iter().filter(|name| !other.attributes.contains(name)) {
                diagnostic = diagnostic.with_note(format!("attribute '{name}': only in {owner}"));
            }
        }
        diagnostic.help("compile the rules against the host's definitions")
    }
}

fn groups(groups: &[Arity]) -> String {
    if groups.is_empty() {
        return "none".to_owned();
    }
    let word = |arity: &Arity| match arity {
        Arity::One => "one",
        Arity::Optional => "optional",
        Arity::Variadic => "variadic",
    };
    format!("({})", groups.iter().map(word).collect::<Vec<_>>().join(", "))
}

/// The operations that rules match or create and that the host defines differently.
pub(super) fn differences<H: Bind>(program: &Program, host: &H) -> Vec<SignatureDifference> {
    let mut found = Vec::new();
    for &name in program.op_names.iter() {
        let text = &program.strings[name];
        let Some((def, host)) = program.ops.find(name).zip(host.op_signature(text)) else { continue };
        let compiled = signature(program, def);
        let mut names = [&compiled, &host].map(|s| s.attributes.iter().collect::<Vec<_>>());
        names.iter_mut().for_each(|names| names.sort_unstable());
        if (&compiled.operands, &compiled.results) != (&host.operands, &host.results) || names[0] != names[1]
        {
            found.push(SignatureDifference { op: text.to_owned(), compiled, host, span: def.span });
        }
    }
    found
}

fn signature(program: &Program, def: &OpDef) -> OpSignature {
    OpSignature {
        operands: def.operands.iter().map(|operand| operand.arity).collect(),
        results: def.results.iter().map(|result| result.arity).collect(),
        attributes: def.attributes.iter().map(|a| program.strings[a.name].to_owned()).collect(),
    }
}
