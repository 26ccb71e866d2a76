//! Binding a program's constants to a host's types and attributes.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::bytecode::Program;
use crate::host::{Bind, Entity, Facets, Ir, Kind};
use crate::matcher_tree::{ConstantId, is_plain};
use crate::pdl::{Arg, Constant, TypeRecipe};
use crate::snippet::Linked;

/// A constant as the host has it.
pub(in crate::vm) enum Bound<H: Ir> {
    Attr(H::Attr),
    Type(H::Type),
}

impl<H: Ir> Clone for Bound<H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H: Ir> Copy for Bound<H> {}

pub(in crate::vm) type Known<H> = HashMap<(Kind, Constant), Bound<H>, FxBuildHasher>;

/// The constants of a program, bound.
pub(super) struct Constants<H: Ir> {
    /// By [`ConstantId`].
    pub(super) attrs: Vec<Option<H::Attr>>,
    pub(super) types: Vec<Option<H::Type>>,
    /// The plain ones by what they are.
    pub(super) attr_keys: HashMap<H::Attr, ConstantId, FxBuildHasher>,
    pub(super) type_keys: HashMap<H::Type, ConstantId, FxBuildHasher>,
    /// All, those of calls and definitions too.
    pub(super) known: Known<H>,
}

/// Binds the constants of a program.
pub(super) fn constants<H: Facets + Bind>(
    program: &Program,
    snippets: &Linked<H>,
    host: &mut H,
) -> Constants<H> {
    let mut binder = Binder { program, snippets, known: HashMap::default() };
    binder.all(host);
    let known = binder.known;
    let mut constants = Constants {
        attrs: Vec::with_capacity(program.positions.constants().len()),
        types: Vec::with_capacity(program.positions.constants().len()),
        attr_keys: HashMap::default(),
        type_keys: HashMap::default(),
        known,
    };
    for (id, &(kind, constant)) in program.positions.constants().iter_enumerated() {
        let plain = matches!(constant, Constant::Text(text) if is_plain(kind, &program.strings[text]));
        let (attr, ty) = match constants.known.get(&(kind, constant)) {
            Some(&Bound::Attr(attr)) => (Some(attr), None),
            Some(&Bound::Type(ty)) => (None, Some(ty)),
            None => (None, None),
        };
        constants.attr_keys.extend(attr.filter(|_| plain).map(|attr| (attr, id)));
        constants.type_keys.extend(ty.filter(|_| plain).map(|ty| (ty, id)));
        constants.attrs.push(attr);
        constants.types.push(ty);
    }
    constants
}

struct Binder<'a, H: Facets> {
    program: &'a Program,
    snippets: &'a Linked<H>,
    known: Known<H>,
}

impl<H: Facets + Bind> Binder<'_, H> {
    fn all(&mut self, host: &mut H) {
        let program = self.program;
        for &(kind, constant) in program.positions.constants().iter() {
            self.constant(host, kind, constant);
        }
        let calls = program.predicates.calls().iter();
        let args = calls.flat_map(|c| c.args.iter().map(constant_of));
        let rewrite_args = program.rewrite_calls.iter().flat_map(|c| c.args.iter().map(constant_of));
        for (kind, constant) in args.chain(rewrite_args).flatten() {
            self.constant(host, kind, constant);
        }
        for op in program.ops.iter() {
            for recipe in op.result_types.iter().flatten() {
                let mut recipe = recipe;
                while let TypeRecipe::Transform(_, inner) = recipe {
                    recipe = inner;
                }
                if let TypeRecipe::Fixed(constant) = recipe {
                    self.constant(host, Kind::Type, *constant);
                }
            }
        }
    }

    fn constant(&mut self, host: &mut H, kind: Kind, constant: Constant) {
        if self.known.contains_key(&(kind, constant)) {
            return;
        }
        let bound = match constant {
            Constant::Text(text) => {
                let text = &self.program.strings[text];
                match kind {
                    Kind::Type => host.bind_type(text).map(Bound::Type),
                    _ => host.bind_attr(text).map(Bound::Attr),
                }
            }
            Constant::Snippet(snippet) => {
                match (kind, self.snippets.make(&self.program.snippets, snippet, host)) {
                    (Kind::Type, Ok(Entity::Type(ty))) => Some(Bound::Type(ty)),
                    (Kind::Attr, Ok(Entity::Attr(Some(attr)))) => Some(Bound::Attr(attr)),
                    _ => None,
                }
            }
        };
        self.known.extend(bound.map(|bound| ((kind, constant), bound)));
    }
}

fn constant_of<N>(arg: &Arg<N>) -> Option<(Kind, Constant)> {
    match *arg {
        Arg::Attr(constant) => Some((Kind::Attr, constant)),
        Arg::Type(constant) => Some((Kind::Type, constant)),
        _ => None,
    }
}
