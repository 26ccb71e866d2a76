//! Type inference that follows from traits of MLIR.
//!
//! Specification: the inference applies to an operation if its traits state that its operands and results have one
//! element type, and that the shapes of the operands broadcast to the shape of the results. If all operands have the
//! same type, each result gets this type. If their types differ, each result gets the type that
//! `OpTrait::util::getBroadcastedType` computes.

use crate::bytecode::Program;
use crate::host::{Bind, Facets, Natives, NewOp, Refusal, TypeKind, TypeSpec, broadcast_shape};
use crate::pdl::{Arity, OpDef, Trait};

/// Adds the type inference of this file for the operations of a program, except those whose result types a native
/// infers.
pub(super) fn with_broadcasts<H: Facets + Bind>(mut natives: Natives<H>, program: &Program) -> Natives<H> {
    for op in program.ops.iter() {
        let name = &program.strings[op.name];
        if broadcasts(op) && natives.find_inference(name).is_none() {
            let results = op.results.len();
            natives = natives.type_inference(name, move |host, new| {
                let ty = broadcast(host, new)?;
                Ok(vec![ty; results])
            });
        }
    }
    natives
}

fn broadcasts(op: &OpDef) -> bool {
    let has = |wanted| op.traits.contains(&wanted);
    has(Trait::SameOperandsAndResultElementType)
        && (has(Trait::ResultsBroadcastableShape) || has(Trait::SameOperandsAndResultShape))
        && op.results.iter().all(|result| result.arity == Arity::One)
}

fn broadcast<H: Facets + Bind>(host: &mut H, new: &NewOp<'_, H>) -> Result<H::Type, Refusal> {
    let differ = || Refusal::new("the types of the operands do not broadcast to a result type");
    let types: Vec<H::Type> = new.operands.iter().map(|&operand| host.value_type(operand)).collect();
    let Some(&first) = types.first() else { return Err(differ()) };
    if types.iter().all(|&ty| ty == first) {
        return Ok(first);
    }
    let mut element = None;
    let (mut unranked, mut vector, mut tensor) = (false, false, false);
    let mut shape: Vec<Option<i64>> = Vec::new();
    for &ty in &types {
        let (of, rank) = match host.type_kind(ty) {
            TypeKind::RankedTensor { element, rank } => {
                tensor = true;
                (element, rank)
            }
            TypeKind::Vector { element, rank } => {
                vector = true;
                (element, rank)
            }
            TypeKind::UnrankedTensor(element) => {
                unranked = true;
                (element, 0)
            }
            TypeKind::Dialect => return Err(differ()),
            _ => (ty, 0),
        };
        if *element.get_or_insert(of) != of {
            return Err(differ());
        }
        let sizes: Vec<Option<i64>> = (0..rank).map(|dim| host.type_dim(ty, dim)).collect();
        shape = broadcast_shape(&shape, &sizes).ok_or_else(differ)?;
    }
    let Some(element) = element else { return Err(differ()) };
    if vector && (tensor || unranked) {
        return Err(differ());
    }
    let spec = if unranked {
        TypeSpec::UnrankedTensor(element)
    } else if vector {
        let shape: Vec<i64> = shape.into_iter().collect::<Option<_>>().ok_or_else(differ)?;
        TypeSpec::Vector { scalable: vec![false; shape.len()], shape, element }
    } else if tensor {
        TypeSpec::RankedTensor { shape, element, encoding: None }
    } else {
        return Ok(element);
    };
    host.make_type(&spec).ok_or_else(|| Refusal::new("the host cannot create the type"))
}
