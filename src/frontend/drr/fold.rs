//! Folds the computed constants of DRR rules to MLIR text.
//!
//! Specification: a constant that needs no native has the text that the built-in IR prints for it, which is the text of
//! the same constant in `pdl`. Rules of both languages therefore ask the same questions.
//!
//! A constant stays a snippet if a native can change its value, or if the built-in IR cannot build it.

use hashbrown::HashMap;

use crate::host::{Entity, Kind, Natives};
use crate::id::Id;
use crate::intern::Interner;
use crate::ir::{AttrId, Context, IrHost, Module};
use crate::pdl::{Constant, ConstantValues, Node, Presence, RuleSet, is_plain};
use crate::snippet::{Linked, SnippetId, Snippets};

/// Folds the constants of all rules and operation definitions.
pub(super) fn fold(rules: &mut RuleSet) {
    let mut has_snippets = false;
    rules.visit_constants(&mut |_, constant| has_snippets |= matches!(constant, Constant::Snippet(_)));
    if !has_snippets {
        return;
    }
    let mut context = Context::new();
    let module = Module::new(&mut context);
    let mut host = IrHost::new(context, module);
    let snippets = std::mem::take(&mut rules.snippets);
    let mut strings = std::mem::take(&mut rules.strings);
    let linked = Linked::link(&snippets, &mut host, &Natives::default());
    let mut texts: HashMap<(Kind, SnippetId), Option<Constant>> = HashMap::new();
    rules.visit_constants(&mut |kind, constant| {
        let Constant::Snippet(id) = *constant else { return };
        let folded = *texts.entry((kind, id)).or_insert_with(|| {
            if snippets.depends_on_natives(id) {
                return None;
            }
            let values = ConstantValues { strings: &strings, snippets: &snippets, linked: &linked };
            let text = text(&values, kind, Constant::Snippet(id), &mut host)?;
            Some(Constant::Text(strings.intern(&text)))
        });
        *constant = folded.unwrap_or(*constant);
    });
    (rules.snippets, rules.strings) = (snippets, strings);
    StorageTests { linked, host, attrs: HashMap::new(), holds: HashMap::new() }.remove(rules);
}

/// The text from which the built-in IR reads a constant; `None` if there is none.
fn text(
    values: &ConstantValues<'_, IrHost>,
    kind: Kind,
    constant: Constant,
    host: &mut IrHost,
) -> Option<String> {
    if kind == Kind::Type {
        let ty = values.ty(constant, host)?;
        let text = host.context.exact_type_text(ty);
        return (host.context.parse_type(&text).ok() == Some(ty)).then_some(text);
    }
    let attr = values.attr(constant, host)?;
    let text = host.context.exact_attr_text(attr);
    (host.context.parse_attr(&text).ok() == Some(attr)).then_some(text)
}

/// A pass that simplifies the tests of attributes that must equal a constant. It removes the test of the attribute's
/// storage class and, if the attribute has a default, requires that the attribute is present. An attribute stays
/// unchanged if the constant may be outside the storage class, or if the default may equal the constant.
struct StorageTests {
    linked: Linked<IrHost>,
    host: IrHost,
    attrs: HashMap<Constant, Option<AttrId>>,
    holds: HashMap<(SnippetId, AttrId), bool>,
}

impl StorageTests {
    fn remove(&mut self, rules: &mut RuleSet) {
        let RuleSet { strings, snippets, patterns, .. } = rules;
        for pattern in patterns.iter_mut() {
            let constants: Vec<Option<Constant>> = pattern.matcher.iter().map(required).collect();
            for node in pattern.matcher.iter_mut() {
                let Node::Operation(op) = node else { continue };
                for edge in &mut op.attributes {
                    let Some(constant) = constants[edge.node.index()] else { continue };
                    let default = match edge.presence {
                        Presence::Default(default) => Some(default),
                        Presence::Required | Presence::Optional => None,
                    };
                    if default.is_some_and(|default| !differ(strings, default, constant)) {
                        continue;
                    }
                    let superfluous = match edge.storage {
                        Some(storage) => self.holds(strings, snippets, storage, constant),
                        None => true,
                    };
                    if superfluous {
                        edge.storage = None;
                        if default.is_some() {
                            edge.presence = Presence::Required;
                        }
                    }
                }
            }
        }
    }

    /// True if a constant belongs to the storage class `storage` on every host.
    fn holds(
        &mut self,
        strings: &Interner,
        snippets: &Snippets,
        storage: SnippetId,
        constant: Constant,
    ) -> bool {
        if snippets.depends_on_natives(storage) {
            return false;
        }
        let Self { linked, host, attrs, holds } = self;
        let values = ConstantValues { strings, snippets, linked };
        let Some(attr) = *attrs.entry(constant).or_insert_with(|| values.attr(constant, host)) else {
            return false;
        };
        *holds.entry((storage, attr)).or_insert_with(|| {
            matches!(linked.holds(snippets, storage, host, &[Entity::Attr(Some(attr))]), Ok(Some(_)))
        })
    }
}

/// The folded constant that an attribute node requires.
fn required(node: &Node) -> Option<Constant> {
    match *node {
        Node::Attribute { value: Some(constant @ Constant::Text(_)), .. } => Some(constant),
        _ => None,
    }
}

/// True if two constants differ on every host.
fn differ(strings: &Interner, a: Constant, b: Constant) -> bool {
    let is_plain =
        |constant| matches!(constant, Constant::Text(text) if is_plain(Kind::Attr, &strings[text]));
    a != b && is_plain(a) && is_plain(b)
}
