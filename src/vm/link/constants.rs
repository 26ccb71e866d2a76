//! Binds a program's constants to a host's types and attributes.

use std::hash::Hash;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use rustc_hash::FxBuildHasher;

use super::error;
use crate::bytecode::Program;
use crate::host::{Bind, Facets, Kind};
use crate::matcher_tree::ConstantId;
use crate::pdl::{Arg, Constant, ConstantValues, TypeRecipe, is_plain};
use crate::snippet::Linked;
use crate::source::Diagnostics;
use crate::vm::linked::{BoundConstant, Constants};

/// Binds the constants of a program. Warns of plain constants that the host does not distinguish.
///
/// The constants that rules match are numbered in the order in which the rules are tried. If the host reads two
/// constants as one entity, the entity belongs to the first constant, so the rule that is tried first matches.
pub(super) fn bind<H: Facets + Bind>(
    program: &Program,
    snippets: &Linked<H>,
    host: &mut H,
) -> (Constants<H>, Diagnostics) {
    let mut warnings = Diagnostics::default();
    let mut binder = Binder { program, snippets, all: HashMap::default() };
    binder.all(host);
    let mut constants = Constants {
        attrs: Vec::with_capacity(program.positions.constants().len()),
        types: Vec::with_capacity(program.positions.constants().len()),
        attr_keys: HashMap::default(),
        type_keys: HashMap::default(),
        all: binder.all,
    };
    for (id, &(kind, constant)) in program.positions.constants().iter_enumerated() {
        let plain = matches!(constant, Constant::Text(text) if is_plain(kind, &program.strings[text]));
        let (attr, ty) = match constants.all.get(&(kind, constant)) {
            Some(&BoundConstant::Attr(attr)) => (Some(attr), None),
            Some(&BoundConstant::Type(ty)) => (None, Some(ty)),
            None => (None, None),
        };
        if plain {
            let same_attr = attr.and_then(|attr| first_of(&mut constants.attr_keys, attr, id));
            let same_type = ty.and_then(|ty| first_of(&mut constants.type_keys, ty, id));
            if let Some(first) = same_attr.or(same_type) {
                let text = |id| match program.positions.constants()[id].1 {
                    Constant::Text(text) => &program.strings[text],
                    Constant::Snippet(_) => "",
                };
                warnings.push(error::same_constant(kind, text(first), text(id)));
            }
        }
        constants.attrs.push(attr);
        constants.types.push(ty);
    }
    (constants, warnings)
}

/// Stores the constant of an entity. If the entity already has a constant, returns that constant instead.
fn first_of<E: Eq + Hash>(
    keys: &mut HashMap<E, ConstantId, FxBuildHasher>,
    entity: E,
    constant: ConstantId,
) -> Option<ConstantId> {
    match keys.entry(entity) {
        Entry::Occupied(first) => Some(*first.get()),
        Entry::Vacant(place) => {
            place.insert(constant);
            None
        }
    }
}

struct Binder<'a, H: Facets> {
    program: &'a Program,
    snippets: &'a Linked<H>,
    all: HashMap<(Kind, Constant), BoundConstant<H>, FxBuildHasher>,
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
        if self.all.contains_key(&(kind, constant)) {
            return;
        }
        let Self { program, snippets: linked, .. } = self;
        let values = ConstantValues { strings: &program.strings, snippets: &program.snippets, linked };
        let bound = match kind {
            Kind::Type => values.ty(constant, host).map(BoundConstant::Type),
            _ => values.attr(constant, host).map(BoundConstant::Attr),
        };
        self.all.extend(bound.map(|bound| ((kind, constant), bound)));
    }
}

fn constant_of<N>(arg: &Arg<N>) -> Option<(Kind, Constant)> {
    match *arg {
        Arg::Attr(constant) => Some((Kind::Attr, constant)),
        Arg::Type(constant) => Some((Kind::Type, constant)),
        _ => None,
    }
}
