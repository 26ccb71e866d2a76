//! The natives of the pass that MLIR tests its `pdl` byte code with.

#![allow(unreachable_pub)]

use drrvm::host::{Bind, Entity, Facets, Ir, Kind, Natives, OpState, Refusal, Rewriter, Signature, TypeSpec};
use drrvm::ir::{IrHost, OpId};
use drrvm::number::FloatFormat;

type Given = Result<Vec<Entity<IrHost>>, Refusal>;

fn takes(params: &[Kind], results: &[Kind]) -> Signature {
    Signature { params: Some(params.to_vec()), results: results.to_vec() }
}

fn name(host: &IrHost, op: &Entity<IrHost>) -> String {
    match op {
        Entity::Op(op) => host.op_name_text(host.op_name(*op)),
        _ => String::new(),
    }
}

fn f32(host: &IrHost) -> Option<drrvm::ir::TypeId> {
    host.find_type(&TypeSpec::Float(FloatFormat::F32))
}

fn make_success(rewriter: &mut Rewriter<'_, IrHost>, op: OpId, operands: &[drrvm::ir::ValueId]) -> Given {
    let name = rewriter.host_mut().bind_op_name("test.success");
    let location = rewriter.host().location(op);
    let state = OpState { name, operands, result_types: &[], attributes: &[], location };
    Ok(vec![Entity::Op(rewriter.create(&state)?)])
}

/// What the pass that MLIR tests with registers.
pub fn natives() -> Natives<IrHost> {
    let succeeds = |host: &IrHost, args: &[Entity<IrHost>]| name(host, &args[0]) == "test.success_op";
    Natives::new()
        .constraint("single_entity_constraint", &[Kind::Op], |host: &IrHost, args| {
            name(host, &args[0]) == "test.op"
        })
        .constraint("multi_entity_constraint", &[Kind::Op, Kind::Op], |host: &IrHost, args| {
            name(host, &args[1]) == "test.op"
        })
        .constraint("multi_entity_var_constraint", &[Kind::Values, Kind::Types], |_: &IrHost, args| {
            matches!(args, [Entity::Values(a), Entity::Types(b)] if a.len() == 2 && b.len() == 2)
        })
        .constraint_with(
            "op_constr_return_type",
            takes(&[Kind::Op], &[Kind::Type]),
            true,
            move |host, args| if succeeds(host, args) { Some(vec![Entity::Type(f32(host)?)]) } else { None },
        )
        .constraint_with(
            "op_multiple_returns_failure",
            takes(&[Kind::Op], &[Kind::Type, Kind::Type]),
            true,
            |_, _| None,
        )
        .constraint_with(
            "op_constr_return_type_range",
            takes(&[Kind::Op, Kind::Attr], &[Kind::Types]),
            true,
            move |host, args| match args {
                [_, Entity::Attr(Some(count))] if succeeds(host, args) => {
                    let count = usize::try_from(host.attr_int(*count)?.to_i64()?).ok()?;
                    Some(vec![Entity::Types(vec![f32(host)?; count])])
                }
                _ => None,
            },
        )
        .rewrite("creator", takes(&[Kind::Op], &[Kind::Op]), |rewriter, args| match args {
            [Entity::Op(op)] => make_success(rewriter, *op, &[]),
            _ => Err(Refusal::new("no operation")),
        })
        .rewrite("var_creator", takes(&[Kind::Op], &[Kind::Values, Kind::Types]), |rewriter, args| {
            let [Entity::Op(op)] = args else { return Err(Refusal::new("no operation")) };
            let host = rewriter.host();
            let values: Vec<_> = (0..host.operand_count(*op)).map(|i| host.operand(*op, i)).collect();
            let types = values.iter().map(|&value| host.value_type(value)).collect();
            Ok(vec![Entity::Values(values), Entity::Types(types)])
        })
        .rewrite("type_creator", takes(&[], &[Kind::Type]), |rewriter, _| {
            Ok(vec![Entity::Type(f32(rewriter.host()).ok_or_else(|| Refusal::new("no f32"))?)])
        })
        .rewrite("str_creator", takes(&[], &[Kind::Attr]), |rewriter, _| {
            Ok(vec![Entity::Attr(rewriter.host_mut().bind_attr("\"test.str\""))])
        })
        .rewrite("rewriter", takes(&[Kind::Op, Kind::Value], &[]), |rewriter, args| {
            let [Entity::Op(op), Entity::Value(Some(value))] = args else {
                return Err(Refusal::new("no operation or value"));
            };
            make_success(rewriter, *op, &[*value])?;
            rewriter.erase(*op);
            Ok(vec![])
        })
        .rewrite("arith.constant", takes(&[Kind::Values, Kind::Attrs], &[Kind::Types]), |rewriter, args| {
            let ty = match args {
                [_, Entity::Attrs(attrs)] => attrs.first().and_then(|&attr| rewriter.host().attr_type(attr)),
                _ => None,
            };
            Ok(vec![Entity::Types(vec![ty.ok_or_else(|| Refusal::new("no typed value"))?])])
        })
}
