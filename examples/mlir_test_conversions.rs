//! The conversions of seven of MLIR's test passes, for a comparison with `mlir-opt-22`:
//!
//! `mlir-opt-22 --mlir-print-op-generic F | cargo run --example mlir_test_conversions -- remapped-value`
//!
//! The program reads a module from standard input, converts it, and prints the result. The argument is the name of a
//! pass without `test-`: `legalize-type-conversion`, `decompose-call-graph-types`, `remapped-value`,
//! `legalize-unknown-root-patterns`, `target-materialization-with-no-uses`, `merge-blocks` or
//! `dialect-conversion-pdll`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the program prints its result")]

use std::io::Read;
use std::process::ExitCode;

use drrvm::host::{
    Bind, Blocks, Facets, InsertionPoint, Ir, NamedAttr, OpState, Refusal, Region, Rewriter, TypeKind,
};
use drrvm::ir::{BlockId, Context, IrHost, OpId, PrintOptions, TypeId, ValueId, parse_module};
use drrvm::rewrite::{
    ArgConversion, Conversion, ConversionMode, ConversionPattern, ConversionRewriter, ConversionTarget,
    TypeConverter, convert,
};
use drrvm::{NoListener, SourceMap, source};

type R<'a, 's> = ConversionRewriter<'a, 's, IrHost>;
type Pattern = ConversionPattern<IrHost>;
type Made = Result<Vec<ValueId>, Refusal>;

fn main() -> ExitCode {
    let pass = std::env::args().nth(1).unwrap_or_default();
    let mut text = String::new();
    if let Err(error) = std::io::stdin().read_to_string(&mut text) {
        eprintln!("cannot read standard input: {error}");
        return ExitCode::FAILURE;
    }
    match converted(&text, &pass) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The text of a module after the pass, or the reason why the pass failed.
pub(crate) fn converted(text: &str, pass: &str) -> Result<String, String> {
    let mut sources = SourceMap::default();
    let file = sources.add("input.mlir", text.to_owned()).map_err(|error| error.message)?;
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file))
        .map_err(|errors| source::render_classic(&errors, &sources))?;
    let mut host = IrHost::new(context, module);
    let conversion = match pass {
        "legalize-type-conversion" => type_conversion(),
        "decompose-call-graph-types" => decompose(),
        "remapped-value" => remapped_value(&mut host),
        "legalize-unknown-root-patterns" => unknown_root(),
        "target-materialization-with-no-uses" => target_materialization(&mut host),
        "merge-blocks" => merge_blocks(),
        "dialect-conversion-pdll" => pdll(&mut host),
        _ => return Err(format!("there is no pass '{pass}'")),
    };
    let top = host.module.top();
    let result = convert(&mut host, top, None, &conversion, &mut NoListener);
    // The pass `merge-blocks` ignores a failure.
    if pass != "merge-blocks" {
        result.map_err(|error| error.to_string())?;
    }
    Ok(host.module.print(&host.context, PrintOptions::new().generic(true)))
}

fn ty(host: &mut IrHost, text: &str) -> TypeId {
    host.bind_type(text).unwrap_or_else(|| panic!("'{text}' is a type"))
}

fn first_result_type(host: &IrHost, op: OpId) -> TypeId {
    host.value_type(host.result(op, 0))
}

fn is(text: &'static str) -> impl Fn(&IrHost, TypeId) -> bool + Copy {
    move |host, ty| host.type_text(ty) == text
}

/// Replaces an operation by a new operation.
fn replace(
    rewriter: &mut R<'_, '_>,
    op: OpId,
    name: &str,
    operands: &[ValueId],
    types: &[TypeId],
) -> Result<(), Refusal> {
    let name = rewriter.host_mut().bind_op_name(name);
    let location = rewriter.host().location(op);
    let state = OpState { name, operands, result_types: types, attributes: &[], regions: 0, location };
    let new = rewriter.create_at(InsertionPoint::Before(op), &state, &[])?;
    let values: Vec<ValueId> = rewriter.host().module.results(new).collect();
    rewriter.replace(op, &values)
}

/// Creates an operation in a materialisation.
fn make(
    rewriter: &mut Rewriter<'_, IrHost>,
    name: &str,
    operands: &[ValueId],
    types: &[TypeId],
    attributes: &[NamedAttr<drrvm::ir::AttrId>],
) -> Made {
    let name = rewriter.host_mut().bind_op_name(name);
    let location = rewriter.host().location(rewriter.root());
    let state = OpState { name, operands, result_types: types, attributes, regions: 0, location };
    let op = rewriter.create(&state)?;
    Ok(rewriter.host().module.results(op).collect())
}

fn elements(host: &IrHost, ty: TypeId) -> Option<Vec<TypeId>> {
    let TypeKind::Tuple(count) = host.type_kind(ty) else { return None };
    (0..count).map(|index| host.type_part(ty, index)).collect()
}

fn flatten(host: &IrHost, ty: TypeId, to: &mut Vec<TypeId>) {
    match elements(host, ty) {
        Some(parts) => parts.into_iter().for_each(|part| flatten(host, part, to)),
        None => to.push(ty),
    }
}

/// Replaces tuples by their elements.
fn decompose() -> Conversion<IrHost> {
    fn build(
        rewriter: &mut Rewriter<'_, IrHost>,
        ty: TypeId,
        values: &mut std::slice::Iter<'_, ValueId>,
    ) -> Result<ValueId, Refusal> {
        let missing = || Refusal::new("a value is missing");
        let Some(parts) = elements(rewriter.host(), ty) else {
            return values.next().copied().ok_or_else(missing);
        };
        let parts: Vec<ValueId> =
            parts.into_iter().map(|part| build(rewriter, part, values)).collect::<Result<_, _>>()?;
        make(rewriter, "test.make_tuple", &parts, &[ty], &[])?.first().copied().ok_or_else(missing)
    }
    fn take(
        rewriter: &mut Rewriter<'_, IrHost>,
        value: ValueId,
        all: &mut Vec<ValueId>,
    ) -> Result<(), Refusal> {
        let ty = rewriter.host().value_type(value);
        let Some(parts) = elements(rewriter.host(), ty) else {
            all.push(value);
            return Ok(());
        };
        for (index, part) in parts.into_iter().enumerate() {
            let host = rewriter.host_mut();
            let name = host.bind_attr_name("index");
            let index =
                host.bind_attr(&format!("{index} : i32")).ok_or_else(|| Refusal::new("no attribute"))?;
            let attribute = NamedAttr { name, value: index, inherent: true };
            for element in make(rewriter, "test.get_tuple_element", &[value], &[part], &[attribute])? {
                take(rewriter, element, all)?;
            }
        }
        Ok(())
    }
    let types = TypeConverter::<IrHost>::new()
        .convert_with(|host, ty| {
            let mut to = Vec::new();
            flatten(host, ty, &mut to);
            Ok(elements(host, ty).map(|_| to))
        })
        .source_materialization(|rewriter, values, types| {
            let mut values = values.iter();
            types.iter().map(|&ty| build(rewriter, ty, &mut values)).collect()
        })
        .target_materialization(|rewriter, values, _| {
            let mut all = Vec::new();
            for &value in values {
                take(rewriter, value, &mut all)?;
            }
            Ok(all)
        });
    Conversion::new(ConversionTarget::new()).types(types)
}

/// Converts floats to `f64`, and most integers to no type.
fn type_conversion() -> Conversion<IrHost> {
    fn body(host: &IrHost, op: OpId) -> Option<drrvm::ir::BlockId> {
        (host.region_count(op) > 0).then(|| host.first_block(Region { op, index: 0 })).flatten()
    }
    fn converted(host: &mut IrHost, from: TypeId) -> Result<Option<Vec<TypeId>>, Refusal> {
        let text = host.type_text(from);
        let to = match host.type_kind(from) {
            TypeKind::Integer { width: 1 | 38, .. } | TypeKind::Index => vec![from],
            TypeKind::Integer { width: 37, .. } => {
                return Err(Refusal::new("the type depends on the function around the value"));
            }
            TypeKind::Integer { .. } => Vec::new(),
            TypeKind::Float(_) if matches!(&*text, "f16" | "bf16" | "f32" | "f64") => vec![ty(host, "f64")],
            _ => match text.strip_prefix("!test.test_rec<").and_then(|rest| rest.split_once([',', '>'])) {
                Some(("outer_converted_type", _)) => vec![from],
                // All recursive types of the tests have this form: the inner type refers to the outer type.
                Some((name, rest)) if rest.trim() == format!("test_rec<{name}>>") => {
                    vec![ty(host, "!test.test_rec<outer_converted_type, smpla>")]
                }
                _ => return Err(Refusal::new(format!("'{text}' is not legal"))),
            },
        };
        Ok(Some(to))
    }
    let types = TypeConverter::<IrHost>::new()
        .convert_with(converted)
        .source_materialization(|rewriter, values, types| {
            let host = rewriter.host();
            let (wanted, given) = (
                types.iter().map(|&ty| host.type_text(ty)).collect::<Vec<_>>().join(" "),
                values
                    .iter()
                    .map(|&value| host.type_text(host.value_type(value)))
                    .collect::<Vec<_>>()
                    .join(" "),
            );
            let is_integer = |text: &str| text.starts_with('i') && text[1..].parse::<u32>().is_ok();
            match (&*given, &*wanted) {
                ("", "i32" | "i64") => make(rewriter, "test.type_producer", &[], types, &[]),
                ("f64", wanted) if wanted != "f16" => make(rewriter, "test.cast", values, types, &[]),
                (given, wanted) if is_integer(given) && is_integer(wanted) => {
                    make(rewriter, "test.cast", values, types, &[])
                }
                _ => Err(Refusal::new("there is no such cast")),
            }
        })
        .target_materialization(|rewriter, values, types| match values {
            &[value] if is("i37")(rewriter.host(), rewriter.host().value_type(value)) => {
                make(rewriter, "builtin.unrealized_conversion_cast", values, types, &[])
            }
            _ => Err(Refusal::new("there is no such cast")),
        });
    let produced_is_legal = |host: &IrHost, op: OpId| {
        let text = host.type_text(first_result_type(host, op));
        matches!(&*text, "f64" | "i64") || text.starts_with("!test.test_rec<outer_converted_type")
    };
    let target = ConversionTarget::<IrHost>::new()
        .legal_op("test.context_op")
        .legal_op("test.legal_op_d")
        .dynamic_op("test.type_producer", produced_is_legal)
        .dynamic_op("test.cast", |host, op| {
            is("f64")(host, host.value_type(host.operand(op, 0)))
                && is("f32")(host, first_result_type(host, op))
        })
        .dynamic_op("test.signature_conversion_no_converter", |host, op| {
            let args = body(host, op).map(|block| host.module.args(block).to_vec()).unwrap_or_default();
            args.into_iter().all(|arg| is("f64")(host, host.value_type(arg)))
        });
    let patterns = [
        Pattern::new("forward", "test.type_consumer", |rewriter, op, operands| {
            let operands = operands.concat();
            rewriter.modify(op, |host, op| host.set_operands(op, &operands));
            Ok(())
        })
        .single_values(),
        Pattern::new("producer", "test.type_producer", |rewriter, op, _| {
            let host = rewriter.host_mut();
            let from = first_result_type(host, op);
            let to = match host.type_kind(from) {
                TypeKind::Float(_) => ty(host, "f64"),
                TypeKind::Integer { width: 16, .. } => ty(host, "i64"),
                _ => match *rewriter.convert_type(from)? {
                    [to] if to != from => to,
                    _ => return Err(Refusal::new("the type stays")),
                },
            };
            replace(rewriter, op, "test.type_producer", &[], &[to])
        }),
        Pattern::new("undo", "test.signature_conversion_undo", |rewriter, op, _| {
            rewriter.convert_region_types(Region { op, index: 0 })?;
            Err(Refusal::new("the signature is restored"))
        }),
        Pattern::new("no_converter", "test.signature_conversion_no_converter", |rewriter, op, _| {
            let block = body(rewriter.host(), op).ok_or_else(|| Refusal::new("there is no block"))?;
            let mut all = Vec::new();
            for arg in rewriter.host().module.args(block).to_vec() {
                let from = rewriter.host().value_type(arg);
                all.push(ArgConversion::Types(rewriter.convert_type(from)?));
            }
            rewriter.convert_block(block, &all)?;
            rewriter.modify(op, |_, _| {});
            Ok(())
        }),
        Pattern::new("legal", "test.replace_with_legal_op", |rewriter, op, operands| {
            let first = operands.first().and_then(|values| values.first()).copied();
            let first = first.ok_or_else(|| Refusal::new("there is no operand"))?;
            replace(rewriter, op, "test.legal_op_d", &[first], &[])
        }),
        Pattern::new("another_producer", "test.another_type_producer", |rewriter, op, _| {
            let ty = first_result_type(rewriter.host(), op);
            replace(rewriter, op, "test.type_producer", &[], &[ty])
        })
        .without_type_conversion(),
    ];
    patterns.into_iter().fold(Conversion::new(target).types(types), Conversion::pattern)
}

/// Converts `f32` to `f64`, duplicates operands, and moves operations out of a region. The rules for users of converted
/// operations receive the new values.
fn remapped_value(host: &mut IrHost) -> Conversion<IrHost> {
    let [f32, f64] = ["f32", "f64"].map(|text| ty(host, text));
    let types = TypeConverter::new().map(f32, [f64]);
    let target = ConversionTarget::<IrHost>::new()
        .legal_op("func.func")
        .legal_op("test.return")
        .dynamic_op("test.type_producer", move |host, op| first_result_type(host, op) == f64)
        .dynamic_op("test.type_consumer", move |host, op| host.value_type(host.operand(op, 0)) == f64)
        .dynamic_op("test.one_variadic_out_one_variadic_in1", |host, op| host.operand_count(op) > 1);
    let patterns = [
        Pattern::new("duplicate", "test.one_variadic_out_one_variadic_in1", |rewriter, op, operands| {
            let types: Vec<TypeId> =
                rewriter.host().module.results(op).map(|value| rewriter.host().value_type(value)).collect();
            let twice = [operands.concat(), operands.concat()].concat();
            replace(rewriter, op, "test.one_variadic_out_one_variadic_in1", &twice, &types)
        })
        .without_type_conversion()
        .single_values(),
        Pattern::new("f32_to_f64", "test.type_producer", move |rewriter, op, _| {
            if first_result_type(rewriter.host(), op) != f32 {
                return Err(Refusal::new("another type"));
            }
            replace(rewriter, op, "test.type_producer", &[], &[f64])
        })
        .without_type_conversion(),
        Pattern::new("consumer", "test.type_consumer", move |rewriter, op, operands| {
            let operands = operands.concat();
            if operands.first().is_none_or(|&value| rewriter.host().value_type(value) != f64) {
                return Err(Refusal::new("the operand does not have type f64"));
            }
            replace(rewriter, op, "test.type_consumer", &operands, &[])
        })
        .without_type_conversion()
        .single_values(),
        Pattern::new("inline_region", "test.remapped_value_region", |rewriter, op, _| {
            let block = rewriter.host().first_block(Region { op, index: 0 });
            let block = block.ok_or_else(|| Refusal::new("there is no block"))?;
            let mut inside = Vec::new();
            let mut next = rewriter.host().first_op(block);
            while let Some(found) = next {
                inside.push(found);
                next = rewriter.host().next_op(found);
            }
            let Some((&last, others)) = inside.split_last() else { return Err(Refusal::new("it is empty")) };
            for &moved in others {
                rewriter.move_op(moved, InsertionPoint::Before(op));
            }
            let host = rewriter.host();
            let values: Vec<ValueId> =
                (0..host.operand_count(last)).map(|index| host.operand(last, index)).collect();
            rewriter.erase(last)?;
            rewriter.replace(op, &values)
        }),
    ];
    let conversion = Conversion::new(target).types(types).mode(ConversionMode::Full).functions(false);
    patterns.into_iter().fold(conversion, Conversion::pattern)
}

/// Erases all operations of the test dialect with one rule.
fn unknown_root() -> Conversion<IrHost> {
    let erase = Pattern::new("erase", "test.illegal_op_a", |rewriter, op, _| {
        let name = rewriter.host().op_name_text(rewriter.host().op_name(op));
        if !name.starts_with("test.") {
            return Err(Refusal::new("the operation is of another dialect"));
        }
        rewriter.erase(op)
    });
    Conversion::new(ConversionTarget::new().illegal_dialect("test"))
        .pattern(erase.any_root().without_type_conversion())
}

/// Replaces `test.type_changer` by its operand, and casts `i16` to `i64` where the converted value is needed.
fn target_materialization(host: &mut IrHost) -> Conversion<IrHost> {
    let [i16, i64] = ["i16", "i64"].map(|text| ty(host, text));
    let types = TypeConverter::<IrHost>::new()
        .map(i16, [i64])
        .target_materialization(|rewriter, values, types| make(rewriter, "test.cast", values, types, &[]));
    let forward = Pattern::new("forward", "test.type_changer", |rewriter, op, operands| {
        rewriter.replace(op, &operands.concat())
    });
    let target = ConversionTarget::new().illegal_op("test.type_changer");
    Conversion::new(target).types(types).functions(false).pattern(forward)
}

/// Merges the two blocks of a region, and moves the operations in a nested `test.SingleBlockImplicitTerminator` before
/// it.
fn merge_blocks() -> Conversion<IrHost> {
    fn ops_of(host: &IrHost, block: BlockId) -> Vec<OpId> {
        std::iter::successors(host.first_op(block), |&op| host.next_op(op)).collect()
    }
    fn first_two(host: &IrHost, op: OpId) -> Result<(BlockId, BlockId), Refusal> {
        let first = host.first_block(Region { op, index: 0 });
        let second = first.and_then(|block| host.next_block(block));
        first.zip(second).ok_or_else(|| Refusal::new("there are no two blocks"))
    }
    fn merge(rewriter: &mut R<'_, '_>, op: OpId) -> Result<(), Refusal> {
        let (first, second) = first_two(rewriter.host(), op)?;
        let branch = rewriter.host().last_op(first).ok_or_else(|| Refusal::new("there is no branch"))?;
        for (index, arg) in (0..).zip(rewriter.host().module.args(second).to_vec()) {
            let value = rewriter.host().operand(branch, index);
            rewriter.replace_value(arg, &[value])?;
        }
        rewriter.erase(branch)?;
        for moved in ops_of(rewriter.host(), second) {
            rewriter.move_op(moved, InsertionPoint::End(first));
        }
        rewriter.erase_block(second)?;
        rewriter.modify(op, |_, _| {});
        Ok(())
    }
    fn is_inside(host: &IrHost, op: OpId, name: &str) -> bool {
        let mut around = std::iter::successors(host.parent_op(op), |&op| host.parent_op(op));
        around.any(|op| host.op_name_text(host.op_name(op)) == name)
    }
    const SINGLE: &str = "test.SingleBlockImplicitTerminator";
    let patterns = [
        Pattern::new("merge", "test.merge_blocks", |rewriter, op, _| merge(rewriter, op)),
        Pattern::new("undo_merge", "test.undo_blocks_merge", |rewriter, op, _| {
            let (_, second) = first_two(rewriter.host(), op)?;
            let name = rewriter.host_mut().bind_op_name("test.illegal_op_f");
            let f32 = ty(rewriter.host_mut(), "f32");
            let place =
                rewriter.host().first_op(second).map_or(InsertionPoint::End(second), InsertionPoint::Before);
            let location = rewriter.host().location(op);
            let state =
                OpState { name, operands: &[], result_types: &[f32], attributes: &[], regions: 0, location };
            rewriter.create_at(place, &state, &[])?;
            merge(rewriter, op)
        }),
        Pattern::new("inline", SINGLE, |rewriter, op, _| {
            if !is_inside(rewriter.host(), op, SINGLE) {
                return Err(Refusal::new("the operation is not inside another one"));
            }
            let block = rewriter.host().first_block(Region { op, index: 0 });
            let inside = ops_of(rewriter.host(), block.ok_or_else(|| Refusal::new("there is no block"))?);
            let Some((&last, others)) = inside.split_last() else { return Err(Refusal::new("it is empty")) };
            for &moved in others {
                rewriter.move_op(moved, InsertionPoint::Before(op));
            }
            rewriter.erase(last)?;
            rewriter.erase(op)
        }),
    ];
    let legal = ["func.func", "test.finish", "test.type_consumer", "test.type_producer", "test.return"];
    let target = legal.into_iter().fold(ConversionTarget::<IrHost>::new(), ConversionTarget::legal_op);
    let target = target
        .illegal_op("test.illegal_op_f")
        .dynamic_op("test.merge_blocks", |host, op| first_two(host, op).is_err())
        .dynamic_op("test.br", |host, op| is_inside(host, op, "test.merge_blocks"))
        .dynamic_op(SINGLE, |host, op| !is_inside(host, op, SINGLE));
    patterns.into_iter().fold(Conversion::new(target), Conversion::pattern)
}

/// The rules that MLIR's test states in PDLL: results and operands get converted types.
fn pdll(host: &mut IrHost) -> Conversion<IrHost> {
    let [i64, f64] = ["i64", "f64"].map(|text| ty(host, text));
    let types =
        TypeConverter::<IrHost>::new().map(i64, [f64]).source_materialization(|rewriter, values, types| {
            make(rewriter, "builtin.unrealized_conversion_cast", values, types, &[])
        });
    let has_legal_types = move |host: &IrHost, op: OpId| {
        let mut operands = (0..host.operand_count(op)).map(|index| host.operand(op, index));
        let mut results = (0..host.result_count(op)).map(|index| host.result(op, index));
        operands.all(|value| host.value_type(value) != i64)
            && results.all(|value| host.value_type(value) != i64)
    };
    let target =
        ["func.func", "func.return"].into_iter().fold(ConversionTarget::new(), ConversionTarget::legal_op);
    let patterns = [
        Pattern::new("cast", "test.cast", |rewriter, op, _| {
            let mut types = Vec::new();
            for value in rewriter.host().module.results(op).collect::<Vec<_>>() {
                let from = rewriter.host().value_type(value);
                types.extend(rewriter.convert_type(from)?);
            }
            replace(rewriter, op, "test.cast", &[], &types)
        }),
        Pattern::new("return", "test.return", |rewriter, op, operands| {
            replace(rewriter, op, "test.return", &operands.concat(), &[])
        }),
    ];
    let conversion = Conversion::new(target.dynamic_dialect("test", has_legal_types))
        .types(types)
        .mode(ConversionMode::Full);
    patterns.into_iter().fold(conversion, Conversion::pattern)
}
