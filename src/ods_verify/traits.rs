//! The checks of traits that MLIR implements in C++.

use super::definitions::Definitions;
use super::error::{self, CheckResult, Counted};
use super::shapes::{all_compatible, compatible, element_or_self, tensor_element_or_self};

use crate::host::{Signedness, broadcast_shape};
use crate::ir::{AttrKind, Context, DYNAMIC, IrHost, OpId, OpTraits, TypeId, TypeKind};
use crate::pdl::{OpDef, Segments, Trait, TypeRecipe};

/// The types of an operation's values.
struct Types {
    operands: Vec<TypeId>,
    results: Vec<TypeId>,
}

impl Types {
    fn of(host: &IrHost, op: OpId) -> Self {
        let module = &host.module;
        Self {
            operands: module.operands(op).iter().map(|&value| module.value_type(value)).collect(),
            results: module.results(op).map(|value| module.value_type(value)).collect(),
        }
    }

    fn all(&self) -> impl Iterator<Item = TypeId> {
        self.operands.iter().chain(&self.results).copied()
    }

    fn require_operands(&self) -> CheckResult {
        check_count(Counted::Operand, (1, None), self.operands.len())
    }

    fn require_both(&self) -> CheckResult {
        self.require_operands()?;
        check_count(Counted::Result, (1, None), self.results.len())
    }
}

/// Compares a number of operands, results, regions or successors with the least and the greatest allowed number.
pub(super) fn check_count(what: Counted, (least, most): (usize, Option<usize>), found: usize) -> CheckResult {
    if least <= found && most.is_none_or(|most| found <= most) {
        return Ok(());
    }
    Err(match most {
        Some(_) => error::exact_count(what, least, found),
        None => error::least_count(what, least, found),
    })
}

fn require(holds: bool, problem: &str) -> CheckResult {
    if holds { Ok(()) } else { Err(problem.to_owned()) }
}

fn all_equal<T: PartialEq>(mut items: impl Iterator<Item = T>) -> bool {
    let first = items.next();
    items.all(|item| Some(&item) == first.as_ref())
}

impl Definitions {
    /// Checks a trait of an operation.
    pub(super) fn check_trait(&self, host: &IrHost, op: OpId, def: &OpDef, wanted: Trait) -> CheckResult {
        let context = &host.context;
        let module = &host.module;
        let types = || Types::of(host, op);
        let element = |ty: TypeId| element_or_self(context, ty);
        let shaped = |types: &[TypeId]| -> Vec<TypeId> {
            types.iter().copied().filter(|&ty| self.knows_shape(host, ty)).collect()
        };
        match wanted {
            Trait::SameOperandsAndResultType => same_type(context, &types()),
            Trait::SameTypeOperands => {
                require(all_equal(types().operands.iter()), "requires all operands to have the same type")
            }
            Trait::SameOperandsShape => {
                let types = types();
                types.require_operands()?;
                let same = all_compatible(context, &shaped(&types.operands));
                require(same, "requires the same shape for all operands")
            }
            Trait::SameOperandsAndResultShape => {
                let types = types();
                types.require_both()?;
                let same = all_compatible(context, &shaped(&types.all().collect::<Vec<_>>()));
                require(same, "requires the same shape for all operands and results")
            }
            Trait::SameOperandsElementType => {
                let types = types();
                types.require_operands()?;
                let same = all_equal(shaped(&types.operands).into_iter().map(element));
                require(same, "requires the same element type for all operands")
            }
            Trait::SameOperandsAndResultElementType => {
                let types = types();
                types.require_both()?;
                let same = all_equal(shaped(&types.all().collect::<Vec<_>>()).into_iter().map(element));
                require(same, "requires the same element type for all operands and results")
            }
            Trait::SameOperandsAndResultRank => same_rank(context, &types()),
            Trait::ResultsAreBoolLike => {
                let bools = types()
                    .results
                    .iter()
                    .all(|&ty| context.type_kind(tensor_element_or_self(context, ty)).is_signless(1));
                require(bools, "requires a bool result type")
            }
            Trait::ResultsAreFloatLike => {
                require(all_floats(context, &types().results), "requires a floating point type")
            }
            Trait::OperandsAreFloatLike => {
                require(all_floats(context, &types().operands), "requires a float type")
            }
            Trait::ResultsAreSignlessIntegerLike => {
                require(all_integers(context, &types().results), "requires an integer or index type")
            }
            Trait::OperandsAreSignlessIntegerLike => {
                require(all_integers(context, &types().operands), "requires an integer type")
            }
            Trait::ResultsBroadcastableShape => broadcastable(context, &types()),
            Trait::Elementwise => elementwise(context, &types()),
            Trait::NoRegionArguments => {
                let entries = module.regions(op).iter().filter_map(|&region| module.first_block(region));
                let none = entries.into_iter().all(|block| module.args(block).is_empty());
                require(none, "region should have no arguments")
            }
            Trait::SingleBlock => self.check_single_block(host, op, def),
            Trait::SymbolTable => symbol_table(host, op),
            Trait::Symbol => symbol(host, op, def),
            Trait::AttrSizedOperandSegments => match def.operand_segments {
                Segments::Attribute(name) => {
                    let total = module.operands(op).len();
                    self.segments(host, op, Counted::Operand.word(), name, total).map(drop)
                }
                _ => Ok(()),
            },
            Trait::AttrSizedResultSegments => match def.result_segments {
                Segments::Attribute(name) => {
                    let total = module.results(op).count();
                    self.segments(host, op, Counted::Result.word(), name, total).map(drop)
                }
                _ => Ok(()),
            },
            Trait::InferredResultTypes => self.check_inferred_types(host, op, def),
            // These traits have no checks, or the IR's own verifier performs the checks.
            Trait::Pure
            | Trait::ReadsMemory
            | Trait::NestedEffects
            | Trait::Commutative
            | Trait::ConstantLike
            | Trait::Idempotent
            | Trait::Involution
            | Trait::NoTerminator
            | Trait::GraphRegion
            | Trait::RegionKind
            | Trait::OptionalSymbol
            | Trait::Terminator
            | Trait::IsolatedFromAbove => Ok(()),
        }
    }

    fn check_single_block(&self, host: &IrHost, op: OpId, def: &OpDef) -> CheckResult {
        let module = &host.module;
        for (index, &region) in module.regions(op).iter().enumerate() {
            let Some(block) = module.first_block(region) else { continue };
            if module.next_block(block).is_some() {
                return Err(error::region_blocks(index));
            }
            if module.last_op(block).is_none() && !def.traits.contains(&Trait::NoTerminator) {
                return Err("expects a non-empty block".to_owned());
            }
        }
        Ok(())
    }

    /// Checks that the result types are those that the definition infers. Accepts the operation if a type cannot be
    /// inferred here.
    fn check_inferred_types(&self, host: &IrHost, op: OpId, def: &OpDef) -> CheckResult {
        let Some(recipes) = &def.result_types else { return Ok(()) };
        let types = Types::of(host, op);
        let Ok(sizes) =
            self.sizes(host, op, Counted::Operand, &def.operands, def.operand_segments, types.operands.len())
        else {
            return Ok(());
        };
        let mut wanted = Vec::new();
        for recipe in recipes {
            let attr = |name| self.attr(host, op, name);
            let ty = match *recipe {
                TypeRecipe::Operand(group) => {
                    let start: usize = sizes.iter().take(group as usize).sum();
                    types.operands.get(start).copied()
                }
                TypeRecipe::AttrType(name) => attr(name).and_then(|attr| host.context.attr_type(attr)),
                TypeRecipe::HeldType(name) => {
                    attr(name).and_then(|attr| match *host.context.attr_kind(attr) {
                        AttrKind::Type(ty) => Some(ty),
                        _ => None,
                    })
                }
                TypeRecipe::Result(index) => wanted.get(index as usize).copied(),
                TypeRecipe::Fixed(_) | TypeRecipe::Transform(..) => None,
            };
            let Some(ty) = ty else { return Ok(()) };
            wanted.push(ty);
        }
        if wanted == types.results {
            return Ok(());
        }
        let text = |types: &[TypeId]| {
            let all: Vec<String> =
                types.iter().map(|&ty| format!("'{}'", host.context.brief_type(ty))).collect();
            all.join(", ")
        };
        Err(error::inferred_types(&text(&wanted), &text(&types.results)))
    }
}

fn same_type(context: &Context, types: &Types) -> CheckResult {
    types.require_both()?;
    let first = types.results[0];
    let encoding = |ty: TypeId| match *context.type_kind(ty) {
        TypeKind::RankedTensor { encoding, .. } => Some(encoding),
        _ => None,
    };
    for ty in types.results[1..].iter().chain(&types.operands).copied() {
        let same =
            element_or_self(context, ty) == element_or_self(context, first) && compatible(context, ty, first);
        require(same, "requires the same type for all operands and results")?;
        if let (Some(Some(wanted)), Some(found)) = (encoding(first), encoding(ty)) {
            require(found == Some(wanted), "requires the same encoding for all operands and results")?;
        }
    }
    Ok(())
}

fn same_rank(context: &Context, types: &Types) -> CheckResult {
    types.require_operands()?;
    let rank = |&ty: &TypeId| context.type_kind(ty).shape().map(<[i64]>::len);
    let mut operands = types.operands.iter().filter_map(rank);
    let Some(first) = operands.next() else { return Ok(()) };
    require(operands.all(|rank| rank == first), "operands don't have matching ranks")?;
    let results = types.results.iter().filter_map(rank).all(|rank| rank == first);
    require(results, "result type has different rank than operands")
}

fn all_floats(context: &Context, types: &[TypeId]) -> bool {
    let is = |&ty| matches!(context.type_kind(tensor_element_or_self(context, ty)), TypeKind::Float(_));
    types.iter().all(is)
}

fn all_integers(context: &Context, types: &[TypeId]) -> bool {
    types.iter().all(|&ty| {
        matches!(
            context.type_kind(tensor_element_or_self(context, ty)),
            TypeKind::Index | TypeKind::Integer { signedness: Signedness::Signless, .. }
        )
    })
}

fn elementwise(context: &Context, types: &Types) -> CheckResult {
    let mapped = |&&ty: &&TypeId| tensor_element_or_self(context, ty) != ty;
    let operands: Vec<TypeId> = types.operands.iter().filter(mapped).copied().collect();
    let results: Vec<TypeId> = types.results.iter().filter(mapped).copied().collect();
    if operands.is_empty() && results.is_empty() {
        return Ok(());
    }
    require(!operands.is_empty(), "if a result is non-scalar, then at least one operand must be non-scalar")?;
    require(
        !results.is_empty(),
        "if an operand is non-scalar, then there must be at least one non-scalar result",
    )?;
    require(
        results.len() == types.results.len(),
        "if an operand is non-scalar, then all results must be non-scalar",
    )?;
    let all: Vec<TypeId> = operands.into_iter().chain(results).collect();
    let one_kind = all_equal(all.iter().map(|&ty| std::mem::discriminant(context.type_kind(ty))));
    require(
        one_kind && all_compatible(context, &all),
        "all non-scalar operands/results must have the same shape and base type",
    )
}

/// Checks that the shapes of all operands of ranked tensor type broadcast to a common shape, and that the last sizes of
/// each result of ranked tensor type fit this shape.
fn broadcastable(context: &Context, types: &Types) -> CheckResult {
    let any = |is_kind: fn(&TypeKind) -> bool| types.all().any(|ty| is_kind(context.type_kind(ty)));
    let has_vector = any(|kind| matches!(kind, TypeKind::Vector { .. }));
    let has_tensor = any(|kind| matches!(kind, TypeKind::RankedTensor { .. } | TypeKind::UnrankedTensor(_)));
    require(!has_vector || !has_tensor, "cannot broadcast vector with tensor")?;
    let shape = |ty: &TypeId| -> Option<Vec<Option<i64>>> {
        let TypeKind::RankedTensor { shape, .. } = context.type_kind(*ty) else { return None };
        Some(shape.iter().map(|&size| (size != DYNAMIC).then_some(size)).collect())
    };
    let mut operands = types.operands.iter().filter_map(shape);
    // If no operand is a ranked tensor, all shapes of results are possible.
    let Some(mut common) = operands.next() else { return Ok(()) };
    for operand in operands {
        common = broadcast_shape(&common, &operand)
            .ok_or_else(|| "operands don't have broadcast-compatible shapes".to_owned())?;
    }
    for result in types.results.iter().filter_map(shape) {
        let fits = |(a, b): (&Option<i64>, &Option<i64>)| a == b || a.is_none() || b.is_none();
        let first = result.len().checked_sub(common.len());
        if !first.is_some_and(|first| common.iter().zip(&result[first..]).all(fits)) {
            return Err(error::broadcast_result(&result, &common));
        }
    }
    Ok(())
}

fn symbol_table(host: &IrHost, op: OpId) -> CheckResult {
    let [region] = host.module.regions(op) else {
        return Err("Operations with a 'SymbolTable' must have exactly one region".to_owned());
    };
    let blocks = host.module.region_blocks(*region).count();
    require(blocks == 1, "Operations with a 'SymbolTable' must have exactly one block")
}

fn symbol(host: &IrHost, op: OpId, def: &OpDef) -> CheckResult {
    let context = &host.context;
    let attr = |name: &str| host.module.attr(context, op, context.find_attr_name(name)?);
    if def.traits.contains(&Trait::OptionalSymbol) && attr("sym_name").is_none() {
        return Ok(());
    }
    if let Some(visibility) = attr("sym_visibility") {
        let AttrKind::String { text, .. } = *context.attr_kind(visibility) else {
            let text = context.brief_attr(visibility);
            return Err(format!(
                "requires visibility attribute 'sym_visibility' to be a string attribute, but got {text}"
            ));
        };
        let text = context.str(text);
        if !["public", "private", "nested"].contains(&text) {
            return Err(format!(
                "visibility expected to be one of [\"public\", \"private\", \"nested\"], but got \"{text}\""
            ));
        }
    }
    let parent = host.module.parent(op).map(|parent| context.traits(host.module.name(parent)));
    let wrong = parent
        .is_some_and(|parent| parent.contains(OpTraits::KNOWN) && !parent.contains(OpTraits::SYMBOL_TABLE));
    require(!wrong, "symbol's parent must have the SymbolTable trait")
}
