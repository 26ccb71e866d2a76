//! The natives that the cases call, for any host.

use crate::host::{Facets, IrMut, Natives, OpState, Refusal, Rewriter, TypeSpec, arg};
use crate::number::FloatFormat;

fn name<H: IrMut>(host: &H, op: arg::Op<H>) -> String {
    host.op_name_text(host.op_name(op.0))
}

fn f32<H: Facets>(host: &H) -> Option<arg::Type<H>> {
    host.find_type(&TypeSpec::Float(FloatFormat::F32)).map(arg::Type)
}

fn make_success<H: IrMut>(
    rewriter: &mut Rewriter<'_, H>,
    op: arg::Op<H>,
    operands: &[H::Value],
) -> Result<arg::Op<H>, Refusal> {
    let name = rewriter.host_mut().bind_op_name("test.success");
    let location = rewriter.host().location(op.0);
    let state = OpState { name, operands, result_types: &[], attributes: &[], regions: 0, location };
    rewriter.create(&state).map(arg::Op)
}

/// Returns the natives that cases of the corpus call. MLIR's test pass for `pdl` byte code registers the same
/// functions, so it can run the cases as well.
///
/// Constraints create no types, so the host must already have `f32`.
pub fn natives<H: Facets + IrMut>() -> Natives<H> {
    let succeeds = |host: &H, op: arg::Op<H>| name(host, op) == "test.success_op";
    Natives::new()
        .constraint("single_entity_constraint", |host: &H, op: arg::Op<H>| name(host, op) == "test.op")
        .constraint("multi_entity_constraint", |host: &H, _: arg::Op<H>, second: arg::Op<H>| {
            name(host, second) == "test.op"
        })
        .constraint("multi_entity_var_constraint", |_: &H, a: Vec<arg::Value<H>>, b: Vec<arg::Type<H>>| {
            a.len() == 2 && b.len() == 2
        })
        .constraint(
            "op_constr_return_type",
            move |host: &H, op: arg::Op<H>| {
                if succeeds(host, op) { f32(host) } else { None }
            },
        )
        .constraint(
            "op_multiple_returns_failure",
            |_: &H, _: arg::Op<H>| None::<(arg::Type<H>, arg::Type<H>)>,
        )
        .constraint("op_constr_return_type_range", move |host: &H, op: arg::Op<H>, count: arg::Attr<H>| {
            let count = usize::try_from(host.attr_int(count.0)?.to_i64()?).ok()?;
            if succeeds(host, op) { Some(vec![f32(host)?; count]) } else { None }
        })
        .rewrite("creator", |rewriter: &mut Rewriter<'_, H>, op: arg::Op<H>| make_success(rewriter, op, &[]))
        .rewrite("var_creator", |rewriter: &mut Rewriter<'_, H>, op: arg::Op<H>| {
            let host = rewriter.host();
            let values: Vec<_> =
                (0..host.operand_count(op.0)).map(|i| arg::Value::<H>(host.operand(op.0, i))).collect();
            let types: Vec<_> =
                values.iter().map(|&value| arg::Type::<H>(host.value_type(value.0))).collect();
            Ok((values, types))
        })
        .rewrite("type_creator", |rewriter: &mut Rewriter<'_, H>| {
            f32(rewriter.host()).ok_or_else(|| Refusal::new("no f32"))
        })
        .rewrite("str_creator", |rewriter: &mut Rewriter<'_, H>| {
            Ok(rewriter.host_mut().bind_attr("\"test.str\"").map(arg::Attr::<H>))
        })
        .rewrite("rewriter", |rewriter: &mut Rewriter<'_, H>, op: arg::Op<H>, value: arg::Value<H>| {
            make_success(rewriter, op, &[value.0])?;
            rewriter.erase(op.0);
            Ok(())
        })
}
