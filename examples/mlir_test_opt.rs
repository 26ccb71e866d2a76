//! `drrvm` with the natives that MLIR's tests call, so that these tests can run in a pipe:
//!
//! `mlir-opt-22 --mlir-print-op-generic -mlir-print-debuginfo F | cargo run --example mlir_test_opt --
//! opt - --rules TestOps.td … | mlir-opt-22 -mlir-print-debuginfo -mlir-print-local-scope | FileCheck-22 F`
//!
//! The program takes the arguments of `drrvm`. Each native that rules call behaves like the C++ helper with the same
//! name in MLIR's tests.

use std::process::ExitCode;
use std::sync::atomic::{AtomicI64, Ordering};

use drrvm::host::{ApInt, FloatFormat};
use drrvm::host::{
    AttrSpec, Bind, Facets, Ir, Natives, OpState, Refusal, Rewriter, Signedness, TypeKind, TypeSpec, arg,
};
use drrvm::ir::IrHost;

type R<'a> = Rewriter<'a, IrHost>;
type Op = arg::Op<IrHost>;
type Value = arg::Value<IrHost>;
type Attr = arg::Attr<IrHost>;
type Location = arg::Location<IrHost>;

fn main() -> ExitCode {
    drrvm::cli::run(std::env::args_os(), drrvm::natives::all().with(test_ops()))
}

/// The natives that the rules of `TestOps.td` call, and the type inference of two operations.
pub(crate) fn test_ops() -> Natives<IrHost> {
    let counter = AtomicI64::new(314_159_265);
    Natives::new()
        .rewrite("chooseOperand", |rewriter: &mut R<'_>, a: Value, b: Value, choice: Attr| {
            let first = rewriter.host().attr_int(choice.0).is_some_and(|choice| !choice.is_zero());
            Ok(if first { a } else { b })
        })
        .rewrite("createOpI", create_op_i)
        .rewrite("handleNoResultOp", handle_no_result_op)
        .constraint("getFirstI32Result", first_i32_result)
        .constraint("assertBinOpEqualArgsAndReturnTrue", |host: &IrHost, value: Value| {
            host.defining_op(value.0).is_some_and(|op| host.operand(op, 0) == host.operand(op, 1))
        })
        .rewrite("bindNativeCodeCallResult", |_: &mut R<'_>, value: Value| Ok(value))
        .rewrite("bindMultipleNativeCodeCallResult", |_: &mut R<'_>, a: Value, b: Value| Ok((b, a)))
        .rewrite("opMTest", move |rewriter: &mut R<'_>, _: Value| {
            let number = counter.fetch_add(1, Ordering::Relaxed);
            let i32 = integer(rewriter.host_mut())?;
            let attr = rewriter.host_mut().make_attr(&AttrSpec::Integer(ApInt::from_i64(32, number), i32));
            attr.map(arg::Attr::<IrHost>).ok_or_else(|| Refusal::new("no such attribute"))
        })
        .type_inference("test.another_three_result", |host, _| {
            let i32 = integer(host)?;
            let f32 = host.make_type(&TypeSpec::Float(FloatFormat::F32));
            let f32 = f32.ok_or_else(|| Refusal::new("no f32"))?;
            Ok(vec![i32, f32, f32])
        })
        .type_inference("test.mixed_variadic_out3", |host, new| {
            let count = new.attr("count").and_then(|count| host.attr_int(count)).and_then(|c| c.to_u64());
            let count = count.and_then(|count| usize::try_from(count).ok()).filter(|count| *count < 1000);
            let count = count.ok_or_else(|| Refusal::new("'count' is not a number below 1000"))?;
            Ok(vec![integer(host)?; 1 + 2 * count])
        })
}

fn integer(host: &mut IrHost) -> Result<<IrHost as Ir>::Type, Refusal> {
    let spec = TypeSpec::Integer { width: 32, signedness: Signedness::Signless };
    host.make_type(&spec).ok_or_else(|| Refusal::new("no i32"))
}

fn create_op_i(rewriter: &mut R<'_>, location: Location, input: Value) -> Result<(), Refusal> {
    let name = rewriter.host_mut().bind_op_name("test.op_i");
    let (operands, location) = (&[input.0], location.0);
    rewriter.create(&OpState { name, operands, result_types: &[], attributes: &[], regions: 0, location })?;
    Ok(())
}

fn handle_no_result_op(rewriter: &mut R<'_>, op: Op) -> Result<(), Refusal> {
    let operand = rewriter.host().operand(op.0, 0);
    let result_types = &[rewriter.host().value_type(operand)];
    let location = rewriter.host().location(op.0);
    let name = rewriter.host_mut().bind_op_name("test.symbol_binding_b");
    rewriter.create(&OpState {
        name,
        operands: &[operand],
        result_types,
        attributes: &[],
        regions: 0,
        location,
    })?;
    Ok(())
}

fn first_i32_result(host: &IrHost, op: Op) -> Option<Value> {
    let result = (host.result_count(op.0) > 0).then(|| host.result(op.0, 0))?;
    let i32 = TypeKind::Integer { width: 32, signedness: Signedness::Signless };
    (host.type_kind(host.value_type(result)) == i32).then_some(arg::Value(result))
}
