//! `drrvm` with the natives that MLIR's own tests call, so that those tests run through a pipe:
//!
//! `mlir-opt-22 --mlir-print-op-generic -mlir-print-debuginfo F | cargo run --example mlir_test_opt --
//! opt - --rules TestOps.td … | mlir-opt-22 -mlir-print-debuginfo -mlir-print-local-scope | FileCheck-22 F`
//!
//! It takes what `drrvm` takes. Each native is what the C++ helper of its name is in MLIR's tests.

use std::process::ExitCode;
use std::sync::atomic::{AtomicI64, Ordering};

use drrvm::host::{
    AttrSpec, Bind, Entity, Facets, Ir, Kind, Natives, OpState, Refusal, Rewriter, Signature, Signedness,
    TypeKind, TypeSpec,
};
use drrvm::ir::IrHost;
use drrvm::number::{ApInt, FloatFormat};

type Args<'a> = &'a [Entity<IrHost>];
type Given = Result<Vec<Entity<IrHost>>, Refusal>;

fn main() -> ExitCode {
    drrvm::cli::run(std::env::args_os(), drrvm::natives::all().with(test_ops()))
}

fn takes(params: &[Kind], results: &[Kind]) -> Signature {
    Signature { params: Some(params.to_vec()), results: results.to_vec() }
}

/// What `TestOps.td` calls.
pub(crate) fn test_ops() -> Natives<IrHost> {
    let counter = AtomicI64::new(314_159_265);
    Natives::new()
        .rewrite(
            "chooseOperand",
            takes(&[Kind::Value, Kind::Value, Kind::Attr], &[Kind::Value]),
            choose_operand,
        )
        .rewrite("createOpI", takes(&[Kind::Location, Kind::Value], &[]), create_op_i)
        .rewrite("handleNoResultOp", takes(&[Kind::Op], &[]), handle_no_result_op)
        .constraint_with("getFirstI32Result", takes(&[Kind::Op], &[Kind::Value]), true, first_i32_result)
        .constraint("assertBinOpEqualArgsAndReturnTrue", &[Kind::Value], |host, args| {
            let [Entity::Value(Some(value))] = args else { return false };
            host.defining_op(*value).is_some_and(|op| host.operand(op, 0) == host.operand(op, 1))
        })
        .rewrite("bindNativeCodeCallResult", takes(&[Kind::Value], &[Kind::Value]), |_, args| {
            Ok(args.to_vec())
        })
        .rewrite(
            "bindMultipleNativeCodeCallResult",
            takes(&[Kind::Value, Kind::Value], &[Kind::Value, Kind::Value]),
            |_, args| Ok(args.iter().rev().cloned().collect()),
        )
        .rewrite("opMTest", takes(&[Kind::Value], &[Kind::Attr]), move |rewriter, _| {
            let number = counter.fetch_add(1, Ordering::Relaxed);
            let i32 = integer(rewriter)?;
            let attr = rewriter.host_mut().make_attr(&AttrSpec::Integer(ApInt::from_i64(32, number), i32));
            attr.map(|attr| vec![Entity::Attr(Some(attr))]).ok_or_else(|| Refusal::new("no such attribute"))
        })
        .rewrite(
            "test.another_three_result",
            takes(&[Kind::Values, Kind::Attrs], &[Kind::Types]),
            |rewriter, _| {
                let i32 = integer(rewriter)?;
                let f32 = rewriter.host_mut().make_type(&TypeSpec::Float(FloatFormat::F32));
                let f32 = f32.ok_or_else(|| Refusal::new("no f32"))?;
                Ok(vec![Entity::Types(vec![i32, f32, f32])])
            },
        )
        .rewrite(
            "test.mixed_variadic_out3",
            takes(&[Kind::Values, Kind::Attrs], &[Kind::Types]),
            |rewriter, args| {
                let [_, Entity::Attrs(attrs)] = args else { return Err(Refusal::new("no attributes")) };
                let count =
                    attrs.first().and_then(|count| rewriter.host().attr_int(*count)).and_then(|c| c.to_u64());
                let count = count.and_then(|count| usize::try_from(count).ok()).filter(|count| *count < 1000);
                let count = count.ok_or_else(|| Refusal::new("'count' is no small number"))?;
                let i32 = integer(rewriter)?;
                Ok(vec![Entity::Types(vec![i32; 1 + 2 * count])])
            },
        )
}

fn integer(rewriter: &mut Rewriter<'_, IrHost>) -> Result<<IrHost as Ir>::Type, Refusal> {
    let spec = TypeSpec::Integer { width: 32, signedness: Signedness::Signless };
    rewriter.host_mut().make_type(&spec).ok_or_else(|| Refusal::new("no i32"))
}

fn choose_operand(rewriter: &mut Rewriter<'_, IrHost>, args: Args<'_>) -> Given {
    let [a, b, Entity::Attr(Some(choice))] = args else { return Err(Refusal::new("no choice")) };
    let first = rewriter.host().attr_int(*choice).is_some_and(|choice| !choice.is_zero());
    Ok(vec![if first { a.clone() } else { b.clone() }])
}

fn create_op_i(rewriter: &mut Rewriter<'_, IrHost>, args: Args<'_>) -> Given {
    let [Entity::Location(location), Entity::Value(Some(input))] = args else {
        return Err(Refusal::new("no location or value"));
    };
    let name = rewriter.host_mut().bind_op_name("test.op_i");
    let (operands, location) = (&[*input], *location);
    rewriter.create(&OpState { name, operands, result_types: &[], attributes: &[], location })?;
    Ok(vec![])
}

fn handle_no_result_op(rewriter: &mut Rewriter<'_, IrHost>, args: Args<'_>) -> Given {
    let [Entity::Op(op)] = args else { return Err(Refusal::new("no operation")) };
    let operand = rewriter.host().operand(*op, 0);
    let result_types = &[rewriter.host().value_type(operand)];
    let location = rewriter.host().location(*op);
    let name = rewriter.host_mut().bind_op_name("test.symbol_binding_b");
    rewriter.create(&OpState { name, operands: &[operand], result_types, attributes: &[], location })?;
    Ok(vec![])
}

fn first_i32_result(host: &IrHost, args: Args<'_>) -> Option<Vec<Entity<IrHost>>> {
    let [Entity::Op(op)] = args else { return None };
    let result = (host.result_count(*op) > 0).then(|| host.result(*op, 0))?;
    let i32 = TypeKind::Integer { width: 32, signedness: Signedness::Signless };
    (host.type_kind(host.value_type(result)) == i32).then(|| vec![Entity::Value(Some(result))])
}
