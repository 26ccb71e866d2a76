//! Filling the neutral operation table from ODS.

use super::resolve::constant_value;
use super::rule::{Session, small};
use crate::frontend::ods::{ArgKind, Op, Recipe, Sizes, ValueSpec};
use crate::pdl::{AttrDef, OpDef, Segments, Trait, TypeRecipe, ValueDef};

impl Session<'_, '_> {
    /// Adds every operation that ODS knows. Constraints are left out: they speak of verification,
    /// which rules do not ask for, and may call C++ that no rule needs.
    pub(super) fn fill_op_table(&mut self) {
        let defs = self.defs;
        for op in defs.ops.iter() {
            if op.has(Trait::ConstantLike)
                && let Some(value) = constant_value(op)
            {
                self.rules.snippets.add_constant_op(&op.name, value);
            }
            let def = self.op_def(op);
            self.rules.ops.insert(def);
        }
    }

    fn op_def(&mut self, op: &Op<'_>) -> OpDef {
        let strings = &mut self.rules.strings;
        let mut values = |specs: &[ValueSpec<'_>]| {
            let value = |spec: &ValueSpec<'_>| ValueDef {
                name: strings.intern(spec.name),
                arity: spec.arity,
                constraint: None,
            };
            specs.iter().map(value).collect::<Vec<_>>()
        };
        let (operands, results) = (values(&op.operands), values(&op.results));
        let attributes = op.args.iter().filter_map(|arg| {
            let (name, optional) = match arg.kind {
                ArgKind::Operand(_) => return None,
                ArgKind::Attribute(i) => {
                    let attribute = &op.attributes[i];
                    let spec = attribute.spec;
                    (attribute.name, spec.optional || !spec.default.is_empty())
                }
                ArgKind::Property(i) => (op.properties[i].name, !op.properties[i].default.is_empty()),
            };
            Some(AttrDef { name: strings.intern(name), optional, default: None, constraint: None })
        });
        let attributes = attributes.collect();
        let mut segments = |sizes: Sizes, attribute: &str| match sizes {
            Sizes::Rest => Segments::Rest,
            Sizes::Equal => Segments::Equal,
            Sizes::Attribute => Segments::Attribute(strings.intern(attribute)),
        };
        let operand_segments = segments(op.operand_sizes, "operandSegmentSizes");
        let result_segments = segments(op.result_sizes, "resultSegmentSizes");
        OpDef {
            name: strings.intern(&op.name),
            operands,
            operand_segments,
            attributes,
            results,
            result_segments,
            regions: op.regions,
            successors: op.successors,
            traits: op.traits.clone(),
            result_types: self.recipes(op),
            infers_types: op.infers_in_cpp,
            span: op.span,
        }
    }

    /// The recipes of an operation, if they need no C++.
    fn recipes(&mut self, op: &Op<'_>) -> Option<Vec<TypeRecipe>> {
        let recipes = op.inferred.as_ref()?;
        recipes
            .iter()
            .map(|recipe| match *recipe {
                Recipe::Arg { arg, transform: "$_self" } => match op.args[arg].kind {
                    ArgKind::Operand(index) => Some(TypeRecipe::Operand(small(index))),
                    ArgKind::Attribute(index) => {
                        let attribute = &op.attributes[index];
                        let name = self.rules.strings.intern(attribute.name);
                        let held = attribute.spec.is_type;
                        Some(if held { TypeRecipe::HeldType(name) } else { TypeRecipe::AttrType(name) })
                    }
                    ArgKind::Property(_) => None,
                },
                Recipe::Result { result, transform: "$_self" } => Some(TypeRecipe::Result(small(result))),
                _ => None,
            })
            .collect()
    }
}
