//! Fills the operation table of a rule set from ODS definitions.
//!
//! The table omits constraints and traits that do not compile to snippets. This is not an error. If a rule itself uses
//! such a constraint, the lowering of the rule reports a malformed text as an error, and makes a native of a text
//! outside the snippet language.

use super::classes::{attribute_class, constant_value, op_class, type_class};
use super::session::{Session, small};
use crate::frontend::cxx::{Expected, Placeholder};
use crate::frontend::ods::{
    ArgKind, Op, OpId, Recipe, RegionOrSuccessor, SELF, Sizes, TraitKind, ValueSpec, cxx_trait, trait_kind,
};
use crate::frontend::tablegen::{Record, RecordId, Value};
use crate::host::Kind;
use crate::intern::StrId;
use crate::pdl::{
    Arity, AttrDef, Check, Constant, Constraint, Count, OpDef, RegionDef, Segments, Trait, TypeRecipe,
    ValueDef,
};
use crate::snippet::{Form, Item, SnippetId, Ty};

/// Upstream operations with the trait `ConstantLike`, each with the attribute to which it folds. A matcher such as
/// `m_Constant` matches these operations even if the rule file does not include their definitions.
const UPSTREAM_CONSTANTS: [(&str, &str); 18] = [
    ("arith.constant", "value"),
    ("complex.constant", "value"),
    ("emitc.constant", "value"),
    ("func.constant", "value"),
    ("index.bool.constant", "value"),
    ("index.constant", "value"),
    ("llvm.mlir.constant", "value"),
    ("ptr.constant", "value"),
    ("shape.const_shape", "shape"),
    ("shape.const_size", "value"),
    ("shape.const_witness", "passing"),
    ("smt.bv.constant", "value"),
    ("smt.constant", "value"),
    ("smt.int.constant", "value"),
    ("spirv.Constant", "value"),
    ("tosa.const", "values"),
    ("tosa.const_shape", "values"),
    ("ub.poison", "value"),
];

impl Session<'_, '_> {
    /// Adds the operations of a dialect, or of all dialects.
    pub(super) fn fill_op_table(&mut self, dialect: Option<&str>) {
        let defs = self.defs;
        for (op, value) in UPSTREAM_CONSTANTS {
            self.rules.snippets.add_constant_op(op, value);
        }
        for op in defs.ops.iter() {
            if op.has(Trait::ConstantLike)
                && let Some(value) = constant_value(op)
            {
                self.rules.snippets.add_constant_op(&op.name, value);
            }
        }
        for definition in defs.attributes.iter() {
            attribute_class(&mut self.rules.snippets, defs, definition);
        }
        for definition in defs.types.iter() {
            type_class(&mut self.rules.snippets, defs, definition);
        }
        let is_wanted = |op: &Op<'_>| dialect.is_none_or(|name| defs.dialects[op.dialect].name == name);
        for (id, op) in defs.ops.iter_enumerated().filter(|(_, op)| is_wanted(op)) {
            let def = self.op_def(id, op, dialect.is_some());
            self.rules.ops.insert(def);
        }
    }

    /// The definition of an operation. If `in_text` is true, the definition is used for IR in MLIR's text. Properties
    /// may be absent there, because an omitted property has the value that its C++ type has by default.
    fn op_def(&mut self, id: OpId, op: &Op<'_>, in_text: bool) -> OpDef {
        let operands = self.values(&op.operands);
        let results = self.values(&op.results);
        let attributes = op.args.iter().filter_map(|arg| match arg.kind {
            ArgKind::Operand(_) => None,
            ArgKind::Attribute(i) => {
                let spec = op.attributes[i].spec;
                let ty = self.attr_ty(spec.storage);
                Some(AttrDef {
                    name: self.rules.strings.intern(arg.name),
                    optional: spec.optional || !spec.default.is_empty(),
                    default: None,
                    storage: self.storage_test(spec.storage, op.span),
                    constraint: self.snippet_constraint(spec.record, ty),
                })
            }
            ArgKind::Property(i) => {
                let property = &op.properties[i];
                let ty = self.property_ty(property);
                let storage = property_storage(self.defs.records.record(property.record), ty);
                Some(AttrDef {
                    name: self.rules.strings.intern(arg.name),
                    optional: !property.default.is_empty() || in_text,
                    default: None,
                    storage: storage.and_then(|class| self.storage_test(class, op.span)),
                    constraint: self.snippet_constraint(property.record, ty),
                })
            }
        });
        let attributes = attributes.collect();
        let regions = op.regions.iter().map(|region| self.region(region)).collect();
        let successors = match op.successors.as_slice() {
            [before @ .., RegionOrSuccessor { variadic: true, .. }] => Count::at_least(small(before.len())),
            all => Count::exactly(small(all.len())),
        };
        let mut segments = |sizes: Sizes, attribute: &str| match sizes {
            Sizes::OneVariable => Segments::Rest,
            Sizes::Equal => Segments::Equal,
            Sizes::Attribute => Segments::Attribute(self.rules.strings.intern(attribute)),
        };
        let operand_segments = segments(op.operand_sizes, "operandSegmentSizes");
        let result_segments = segments(op.result_sizes, "resultSegmentSizes");
        OpDef {
            name: self.rules.strings.intern(&op.name),
            operands,
            operand_segments,
            attributes,
            has_properties: self.defs.dialects[op.dialect].uses_properties,
            results,
            result_segments,
            regions,
            successors,
            traits: op.traits.clone(),
            cxx_traits: self.cxx_traits(op),
            checks: self.checks(id, op),
            result_types: self.recipes(op),
            same_types: self.same_types(op),
            infers_types: op.infers_in_cpp,
            span: op.span,
        }
    }

    /// The C++ names of those traits and interfaces of an operation for which natives can be registered.
    fn cxx_traits(&mut self, op: &Op<'_>) -> Vec<StrId> {
        let records = self.defs.records;
        let names = op.trait_records.iter().filter_map(|&record| cxx_trait(records.record(record)));
        names.map(|name| self.rules.strings.intern(&name)).collect()
    }

    fn values(&mut self, specs: &[ValueSpec<'_>]) -> Vec<ValueDef> {
        let value = |spec: &ValueSpec<'_>| ValueDef {
            name: self.rules.strings.intern(spec.name),
            arity: spec.arity,
            constraint: self.snippet_constraint(spec.constraint, Ty::TYPE),
            segments: spec.segments.map(|name| self.rules.strings.intern(name)),
        };
        specs.iter().map(value).collect()
    }

    fn region(&mut self, region: &RegionOrSuccessor<'_>) -> RegionDef {
        let condition = self.defs.condition(region.constraint).unwrap_or_default();
        let condition = condition.trim();
        let bare = condition.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(condition);
        let number = |name: &str| -> Option<u32> {
            let inside = bare.trim().strip_prefix("::llvm::")?.strip_prefix(name)?;
            inside.strip_prefix("($_self, ")?.strip_suffix(')')?.parse().ok()
        };
        let blocks = if let Some(number) = number("hasNItems") {
            Count::exactly(number)
        } else if let Some(number) = number("hasNItemsOrMore") {
            Count::at_least(number)
        } else if let Some(number) = number("hasNItemsOrLess") {
            Count { least: 0, most: Some(number) }
        } else {
            Count::at_least(0)
        };
        let summary = self.defs.summary(region.constraint);
        let strings = &mut self.rules.strings;
        let (name, summary) = (strings.intern(region.name), strings.intern(summary));
        RegionDef { name, variadic: region.variadic, blocks, summary }
    }

    /// The checks of an operation's verifier, in MLIR's order.
    fn checks(&mut self, id: OpId, op: &Op<'_>) -> Vec<Check> {
        let records = self.defs.records;
        let (mut first, mut conditions, mut last) = (Vec::new(), Vec::new(), Vec::new());
        for &record in &op.trait_records {
            let record = records.record(record);
            let check = match trait_kind(record) {
                TraitKind::Known(builtin) => Check::Trait(builtin),
                TraitKind::Predicate => {
                    conditions.extend(self.condition_of(id, record).map(Check::Holds));
                    continue;
                }
                TraitKind::Parent(classes) => match self.op_names(op, classes) {
                    Some(parents) => Check::Parent(parents),
                    None => continue,
                },
                TraitKind::RegionTerminator(class) => match self.op_names(op, class).as_deref() {
                    Some([terminator]) => Check::RegionTerminator(*terminator),
                    _ => continue,
                },
                _ => continue,
            };
            let structural = record.is_subclass_of("StructuralOpTrait");
            if structural { first.push(check) } else { last.push(check) }
        }
        if op.inferred.is_some() {
            last.push(Check::Trait(Trait::InferredResultTypes));
        }
        first.push(Check::Constraints);
        first.append(&mut conditions);
        first.push(Check::Regions);
        first.append(&mut last);
        first
    }

    /// Returns the operation names for a comma-separated list of C++ classes; `None` if a class is unknown.
    fn op_names(&mut self, op: &Op<'_>, classes: &str) -> Option<Vec<crate::intern::StrId>> {
        classes
            .split(',')
            .map(|class| {
                let class = class.trim();
                let name = match self.defs.op_class_beside(op, class) {
                    Some(op) => self.defs.ops[op].name.as_str(),
                    None => match class.trim_start_matches("::").trim_start_matches("mlir::") {
                        "ModuleOp" => "builtin.module",
                        "func::FuncOp" => "func.func",
                        _ => return None,
                    },
                };
                Some(self.rules.strings.intern(name))
            })
            .collect()
    }

    /// The predicate of a trait over the operation.
    fn condition_of(&mut self, id: OpId, record: Record<'_>) -> Option<Constraint> {
        let condition = self.defs.condition(record.id()).ok()?;
        let class = op_class(&mut self.rules.snippets, self.defs, id);
        let holds = self.snippet_predicate(&condition, record, Ty::one(Item::Op(Some(class))), "$_op")?;
        let summary = self.rules.strings.intern(self.defs.summary(record.id()));
        Some(Constraint { holds, summary })
    }

    fn snippet_constraint(&mut self, record: RecordId, ty: Ty) -> Option<Constraint> {
        let condition = self.defs.condition(record).ok()?;
        let record = self.defs.records.record(self.defs.constraint_of(record));
        let holds = self.snippet_predicate(&condition, record, ty, "$_self")?;
        let summary = self.rules.strings.intern(self.defs.summary(record.id()));
        Some(Constraint { holds, summary })
    }

    /// The snippet of a predicate over an entity of a static type. `None` if the predicate is `true`, or if it does not
    /// compile to a snippet.
    fn snippet_predicate(&mut self, text: &str, record: Record<'_>, ty: Ty, name: &str) -> Option<SnippetId> {
        if text.trim() == "true" {
            return None;
        }
        self.compile(text, record.span(), &[Placeholder::new(name, ty)], Expected::Predicate).ok()
    }

    /// The sets of operands that `AllTypesMatch` traits require to have the same type. Operands of variable size are
    /// left out.
    fn same_types(&self, op: &Op<'_>) -> Vec<Vec<u32>> {
        let records = self.defs.records;
        let operand = |value: Value| {
            let Value::String(name) = value else { return None };
            let arg = op.args.iter().find(|arg| arg.name == records.str(name))?;
            match arg.kind {
                ArgKind::Operand(index) if op.operands[index].arity == Arity::One => Some(small(index)),
                _ => None,
            }
        };
        let traits = op.trait_records.iter().map(|&record| records.record(record));
        let named = traits.filter(|record| record.is_subclass_of("AllTypesMatch"));
        let lists = named.filter_map(|record| record.list_field("values").ok());
        let sets = lists.map(|values| values.filter_map(operand).collect::<Vec<u32>>());
        sets.filter(|set| set.len() > 1).collect()
    }

    /// The type recipes of an operation, if all of them compile to snippets.
    fn recipes(&mut self, op: &Op<'_>) -> Option<Vec<TypeRecipe>> {
        let recipes = op.inferred.as_ref()?;
        (0..recipes.len()).map(|result| self.recipe(op, recipes, result, MAX_CHAIN)).collect()
    }

    /// The recipe for a result's type. If the type depends on a later result, the recipe of that result is expanded.
    fn recipe(
        &mut self,
        op: &Op<'_>,
        recipes: &[Recipe<'_>],
        result: usize,
        left: u32,
    ) -> Option<TypeRecipe> {
        let left = left.checked_sub(1)?;
        let (from, transform) = match recipes[result] {
            Recipe::Fixed(text) => {
                let fixed = self.compile(text, op.span, &[], Expected::Kind(Kind::Type)).ok()?;
                return Some(TypeRecipe::Fixed(Constant::Snippet(fixed)));
            }
            Recipe::Arg { arg, transform } => match op.args[arg].kind {
                ArgKind::Operand(index) => (TypeRecipe::Operand(small(index)), transform),
                ArgKind::Attribute(index) => {
                    let attribute = &op.attributes[index];
                    let name = self.rules.strings.intern(attribute.name);
                    let held = attribute.spec.is_type;
                    (if held { TypeRecipe::HeldType(name) } else { TypeRecipe::AttrType(name) }, transform)
                }
                ArgKind::Property(_) => return None,
            },
            Recipe::Result { result: from, transform } if from < result => {
                (TypeRecipe::Result(small(from)), transform)
            }
            Recipe::Result { result: from, transform } => (self.recipe(op, recipes, from, left)?, transform),
        };
        if transform.trim() == SELF {
            return Some(from);
        }
        let given = [Placeholder::new(SELF, Ty::TYPE)];
        let transform = self.compile(transform, op.span, &given, Expected::Kind(Kind::Type)).ok()?;
        Some(TypeRecipe::Transform(transform, Box::new(from)))
    }
}

/// The class of the attribute that stores an integer, Boolean or string property; `None` for other properties, and if
/// the definition has C++ code that converts attributes.
fn property_storage(property: Record<'_>, ty: Ty) -> Option<&'static str> {
    let conversion = property.string_field("convertFromAttribute").ok()?;
    let mut base = property;
    // A chain of wrappers is finite, because records cannot refer to themselves.
    while let Ok(inner) = base.def_field("baseProperty") {
        base = inner;
    }
    let is_simple = base.is_subclass_of("IntProp") || base.name() == "StringProp";
    if !is_simple || conversion.trim() != "return convertFromAttribute($_storage, $_attr, $_diag);" {
        return None;
    }
    match ty {
        Ty::STR => Some("::mlir::StringAttr"),
        Ty::BOOL => Some("::mlir::BoolAttr"),
        Ty { item: Item::Int(_), form: Form::One } => Some("::mlir::IntegerAttr"),
        _ => None,
    }
}

/// The maximum length of a chain of results whose types depend on each other.
const MAX_CHAIN: u32 = 64;
