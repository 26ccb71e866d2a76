//! The host's ids for the names, constants and natives of rules.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::host::{AttrNameId, Bind, ConstraintFn, Facets, Kind, OpNameId};
use crate::intern::StrId;
use crate::pdl::constants::ConstantValues;
use crate::pdl::link::{Caller, Linker, NativeCall, NativeRole};
use crate::pdl::match_part::{Arg, Call, Callee, Constant, GroupSplit, MatchPart, Node, NodeId, Presence};
use crate::pdl::rule_set::{PatternId, RuleSet};
use crate::snippet::{Linked, SnippetId};
use crate::source::Span;

/// The name of a native, and the kinds of the arguments and results of a call.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct CallSignature {
    name: StrId,
    params: Vec<Kind>,
    results: Vec<Kind>,
}

impl CallSignature {
    pub(super) fn new(name: StrId, call: &Call, part: &MatchPart) -> Self {
        let kind = |node: NodeId| part[node].kind();
        let params = call.args.iter().filter_map(|arg| arg.kind(kind)).collect();
        Self { name, params, results: call.results.iter().map(|&node| kind(node)).collect() }
    }
}

/// The host's ids for the names, constants and natives of rules.
pub(super) struct Links<H: Facets> {
    pub(super) op_names: HashMap<StrId, OpNameId>,
    pub(super) attr_names: HashMap<StrId, AttrNameId>,
    pub(super) attrs: HashMap<Constant, Option<H::Attr>>,
    pub(super) types: HashMap<Constant, Option<H::Type>>,
    /// Native constraints, by the signature of the call.
    pub(super) constraints: HashMap<CallSignature, Arc<ConstraintFn<H>>>,
    pub(super) snippets: Linked<H>,
    /// The rule that is being linked.
    pub(super) rule: PatternId,
    /// The place of the node or call that is being linked, for messages.
    pub(super) at: Span,
}

impl<H: Facets + Bind> Links<H> {
    pub(super) fn new(snippets: Linked<H>) -> Self {
        Self {
            op_names: HashMap::new(),
            attr_names: HashMap::new(),
            attrs: HashMap::new(),
            types: HashMap::new(),
            constraints: HashMap::new(),
            snippets,
            rule: PatternId::from_raw(0),
            at: Span::NONE,
        }
    }

    fn rule_name(&self, rules: &RuleSet) -> String {
        rules.strings[rules.patterns[self.rule].name].to_owned()
    }

    pub(super) fn snippet(&self, rules: &RuleSet, id: SnippetId, linker: &mut Linker<'_, H>) -> bool {
        let name = &|| self.rule_name(rules);
        let caller = Caller { rule: self.rule, name };
        linker.snippet(&rules.snippets, &self.snippets, id, &caller, self.at)
    }

    /// True if the natives that a constant needs are registered with fitting signatures.
    fn has_natives(&self, rules: &RuleSet, constant: Constant, linker: &mut Linker<'_, H>) -> bool {
        match constant {
            Constant::Text(_) => true,
            Constant::Snippet(id) => self.snippet(rules, id, linker),
        }
    }

    pub(super) fn node(&mut self, rules: &RuleSet, node: &Node, linker: &mut Linker<'_, H>) {
        match node {
            Node::Operation(op) => {
                if let Some(name) = op.name {
                    self.op_names.insert(name, linker.op_name(&rules.strings[name]));
                }
                for split in [op.operand_split, op.result_split] {
                    if let GroupSplit::Attribute(name) = split {
                        self.attr_names.insert(name, linker.attr_name(&rules.strings[name]));
                    }
                }
                for edge in &op.attributes {
                    self.attr_names.insert(edge.name, linker.attr_name(&rules.strings[edge.name]));
                    if let Some(storage) = edge.storage {
                        self.snippet(rules, storage, linker);
                    }
                    if let Presence::Default(default) = edge.presence {
                        self.attr(rules, default, linker);
                    }
                }
            }
            Node::Attribute { value: Some(value), .. } => self.attr(rules, *value, linker),
            Node::Type { value: Some(value) } => self.ty(rules, *value, linker),
            Node::Types { values: Some(values) } => {
                values.iter().for_each(|&value| self.ty(rules, value, linker));
            }
            _ => {}
        }
    }

    fn attr(&mut self, rules: &RuleSet, constant: Constant, linker: &mut Linker<'_, H>) {
        let values = ConstantValues::new(rules, &self.snippets);
        let attr =
            self.has_natives(rules, constant, linker).then(|| values.attr(constant, linker.host())).flatten();
        self.attrs.insert(constant, attr);
    }

    fn ty(&mut self, rules: &RuleSet, constant: Constant, linker: &mut Linker<'_, H>) {
        let values = ConstantValues::new(rules, &self.snippets);
        let ty =
            self.has_natives(rules, constant, linker).then(|| values.ty(constant, linker.host())).flatten();
        self.types.insert(constant, ty);
    }

    pub(super) fn call(
        &mut self,
        rules: &RuleSet,
        part: &MatchPart,
        call: &Call,
        linker: &mut Linker<'_, H>,
    ) {
        for arg in &call.args {
            match *arg {
                Arg::Attr(constant) => self.attr(rules, constant, linker),
                Arg::Type(constant) => self.ty(rules, constant, linker),
                _ => {}
            }
        }
        let name = match call.callee {
            Callee::Native(name) => name,
            Callee::Snippet(id) => {
                self.snippet(rules, id, linker);
                return;
            }
        };
        let signature = CallSignature::new(name, call, part);
        let wanted = NativeCall {
            name: rules.strings[name].to_owned(),
            role: NativeRole::Constraint,
            params: signature.params.iter().copied().map(Some).collect(),
            results: signature.results.iter().copied().map(Some).collect(),
        };
        let name = &|| self.rule_name(rules);
        if let Some(native) = linker.constraint(wanted, &Caller { rule: self.rule, name }, call.span) {
            self.constraints.insert(signature, native.run);
        }
    }
}
