//! The rules of MLIR's `-test-legalize-patterns`, for a comparison with `mlir-opt-22 -test-legalize-patterns`:
//!
//! `mlir-opt-22 --mlir-print-op-generic F | cargo run --example mlir_test_legalize -- partial`
//!
//! The program reads a module from standard input, converts it, and prints the result, or the unchanged module if the
//! conversion fails. The first argument is `partial`, `full` or `analysis`; `no-fold` and `keep-casts` can follow.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the program prints its result")]

use std::io::Read;
use std::process::ExitCode;
use std::sync::Arc;

use drrvm::host::{
    AttrKind, AttrNameId, AttrSpec, Bind, Blocks, Facets, Folded, InsertionPoint, Ir, NamedAttr, OpState,
    Refusal, Region,
};
use drrvm::ir::{AttrId, BlockId, Context, IrHost, OpId, PrintOptions, TypeId, ValueId, parse_module};
use drrvm::rewrite::{
    ArgConversion, Conversion, ConversionMode, ConversionPattern, ConversionRewriter, ConversionTarget,
    TypeConverter, convert,
};
use drrvm::{Diagnostics, LinkOptions, Matcher, Natives, NoListener, RuleSet, SourceMap, compile, source};

type R<'a, 's> = ConversionRewriter<'a, 's, IrHost>;
type Done = Result<(), Refusal>;
type Pattern = ConversionPattern<IrHost>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |option: &str| args.iter().any(|arg| arg == option);
    let settings = Settings {
        mode: match args.first().map(String::as_str) {
            Some("full") => ConversionMode::Full,
            Some("analysis") => ConversionMode::Analysis,
            _ => ConversionMode::Partial,
        },
        fold: !has("no-fold"),
        keep_casts: has("keep-casts"),
    };
    let mut text = String::new();
    if let Err(error) = std::io::stdin().read_to_string(&mut text) {
        eprintln!("cannot read standard input: {error}");
        return ExitCode::FAILURE;
    }
    let mut sources = SourceMap::default();
    match converted(&mut sources, &text, settings) {
        Ok(Converted { text, error, convertible }) => {
            println!("{text}");
            error.iter().for_each(|error| eprintln!("error: {error}"));
            convertible.iter().for_each(|name| eprintln!("op '{name}' is legalizable"));
            ExitCode::SUCCESS
        }
        Err(errors) => {
            eprint!("{}", source::render_classic(&errors, &sources));
            ExitCode::FAILURE
        }
    }
}

/// The options of the test pass.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) mode: ConversionMode,
    /// True if operations are folded before rules are tried on them.
    pub(crate) fold: bool,
    /// True if no materialisations are built.
    pub(crate) keep_casts: bool,
}

/// The results of the test pass.
pub(crate) struct Converted {
    /// The module after the conversion; the unchanged module if the conversion failed.
    pub(crate) text: String,
    pub(crate) error: Option<String>,
    /// The names of the operations that an analysis finds to be convertible.
    pub(crate) convertible: Vec<String>,
}

/// Converts a module.
pub(crate) fn converted(
    sources: &mut SourceMap,
    text: &str,
    settings: Settings,
) -> Result<Converted, Diagnostics> {
    let file = sources.add("input.mlir", text.to_owned())?;
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file))?;
    let mut host = IrHost::new(context, module);
    let program = Arc::new(compile::program(&rules()?)?);
    let matcher = Matcher::link(program, &mut host, &natives(), &LinkOptions::default())
        .unwrap_or_else(|error| panic!("every native is registered: {error}"));
    let conversion = conversion(&mut host, settings.mode).fold(settings.fold).keep_casts(settings.keep_casts);
    let top = host.module.top();
    let result = convert(&mut host, top, Some(&matcher), &conversion, &mut NoListener);
    let (error, ops) = match result {
        Ok(report) => (None, report.ops),
        Err(error) => (Some(error.to_string()), Vec::new()),
    };
    let convertible = match settings.mode {
        ConversionMode::Analysis => ops.into_iter().map(|op| host.op_name_text(host.op_name(op))).collect(),
        _ => Vec::new(),
    };
    let text = host.module.print(&host.context, PrintOptions::new().generic(true));
    Ok(Converted { text, error, convertible })
}

/// The DRR rules of `TestOps.td` about legalisation.
pub(crate) fn rules() -> Result<RuleSet, Diagnostics> {
    let mut rules = RuleSet::default();
    for (from, benefit, to, status) in [
        ("test.illegal_op_a", 1, "test.legal_op_a", Some("\"Success\"")),
        ("test.illegal_op_a", 1, "test.illegal_op_b", None),
        ("test.illegal_op_b", 1, "test.legal_op_a", Some("\"Failure\"")),
        ("test.illegal_op_c", 1, "test.illegal_op_d", None),
        ("test.illegal_op_d", 1, "test.legal_op_a", Some("\"Failure\"")),
        ("test.illegal_op_c", 11, "test.illegal_op_e", None),
        ("test.illegal_op_e", 1, "test.legal_op_a", Some("\"Success\"")),
    ] {
        let mut rule = rules.pattern(&format!("{from} to {to}"), benefit);
        let ty = rule.any_type();
        let root = rule.op(from).result_type(ty).matched();
        let status = status.map(|status| rule.make_attr(status));
        let new = rule.create(to).result_type(ty);
        let new = match status {
            Some(status) => new.attr("status", status).created(),
            None => new.created(),
        };
        rule.replace_by_op(root, new);
        rule.finish()?;
    }
    let mut rule = rules.pattern("test.rewrite", 1);
    let input = rule.value();
    let root = rule.op("test.rewrite").operand(input).matched();
    rule.replace(root, [input]);
    rule.finish()?;
    Ok(rules)
}

/// The folds of the test dialect's operations.
pub(crate) fn natives() -> Natives<IrHost> {
    Natives::<IrHost>::new()
        .fold("test.op_with_region_fold", |host, op, _| Some(vec![Folded::Value(host.operand(op, 0))]))
        .fold("test.op_in_place_self_fold", |host, op, _| {
            let folded = host.bind_attr_name("folded");
            if host.attr(op, folded).is_some() {
                return None;
            }
            let unit = host.make_attr(&AttrSpec::Unit)?;
            set(host, op, folded, unit, true);
            Some(Vec::new())
        })
}

fn set(host: &mut IrHost, op: OpId, name: AttrNameId, value: AttrId, inherent: bool) {
    let mut attributes = host.attributes(op);
    attributes.retain(|attr| attr.name != name);
    attributes.push(NamedAttr { name, value, inherent });
    host.set_attributes(op, &attributes);
}

fn has(host: &IrHost, op: OpId, name: &str) -> bool {
    host.find_attr_name(name).is_some_and(|name| host.attr(op, name).is_some())
}

/// Sets a unit attribute.
fn mark(rewriter: &mut R<'_, '_>, op: OpId, name: &str, inherent: bool) {
    let name = rewriter.host_mut().bind_attr_name(name);
    rewriter.modify(op, |host, op| {
        if let Some(unit) = host.make_attr(&AttrSpec::Unit) {
            set(host, op, name, unit, inherent);
        }
    });
}

fn ty(host: &mut IrHost, text: &str) -> TypeId {
    host.bind_type(text).unwrap_or_else(|| panic!("'{text}' is a type"))
}

/// Creates an operation without attributes.
fn create(
    rewriter: &mut R<'_, '_>,
    place: InsertionPoint<OpId, BlockId>,
    name: &str,
    operands: &[ValueId],
    types: &[TypeId],
    regions: u32,
) -> Result<OpId, Refusal> {
    let name = rewriter.host_mut().bind_op_name(name);
    let location = rewriter.host().module.loc(rewriter.root());
    let state = OpState { name, operands, result_types: types, attributes: &[], regions, location };
    rewriter.create_at(place, &state, &[])
}

fn results(rewriter: &R<'_, '_>, op: OpId) -> Vec<ValueId> {
    rewriter.host().module.results(op).collect()
}

/// Replaces an operation by a new operation.
fn replace(
    rewriter: &mut R<'_, '_>,
    op: OpId,
    name: &str,
    operands: &[ValueId],
    types: &[TypeId],
) -> Result<OpId, Refusal> {
    let new = create(rewriter, InsertionPoint::Before(op), name, operands, types, 0)?;
    let values = results(rewriter, new);
    rewriter.replace(op, &values)?;
    Ok(new)
}

fn parent_region(host: &IrHost, op: OpId) -> Result<Region<OpId>, Refusal> {
    let block = host.block(op).and_then(|block| host.block_region(block));
    block.ok_or_else(|| Refusal::new("the operation is in no region"))
}

fn first_block(host: &IrHost, op: OpId) -> Result<BlockId, Refusal> {
    let block = (host.region_count(op) > 0).then(|| host.first_block(Region { op, index: 0 }));
    block.flatten().ok_or_else(|| Refusal::new("the operation has no block"))
}

/// Replaces each result by two results of a new operation, which is placed before the operation.
fn double(rewriter: &mut R<'_, '_>, op: OpId, name: &str) -> Result<OpId, Refusal> {
    let types: Vec<TypeId> =
        results(rewriter, op).into_iter().flat_map(|v| [rewriter.host().module.value_type(v); 2]).collect();
    let new = create(rewriter, InsertionPoint::Before(op), name, &[], &types, 0)?;
    let values: Vec<Vec<ValueId>> = results(rewriter, new).chunks(2).map(<[_]>::to_vec).collect();
    rewriter.replace_with_multiple(op, &values)?;
    Ok(new)
}

/// Replaces an operation by a block with two arguments, which is added at the end of the region that contains the
/// operation.
fn new_block(rewriter: &mut R<'_, '_>, op: OpId, illegal: bool) -> Done {
    let region = parent_region(rewriter.host(), op)?;
    let loc = rewriter.host().module.loc(op);
    let block = rewriter.create_block(&[(Context::I32, loc), (Context::I32, loc)], region, None)?;
    if illegal {
        create(rewriter, InsertionPoint::End(block), "test.illegal_op_f", &[], &[Context::I32], 0)?;
    }
    create(rewriter, InsertionPoint::End(block), "test.finish", &[], &[], 0)?;
    rewriter.erase(op)
}

fn value_replace(rewriter: &mut R<'_, '_>, op: OpId, _: &[Vec<ValueId>]) -> Done {
    if has(rewriter.host(), op, "conditional") {
        return Err(Refusal::new("replacing some uses is not supported"));
    }
    let (from, to) = (rewriter.host().operand(op, 0), rewriter.host().operand(op, 1));
    rewriter.replace_value(from, &[to, to])?;
    let legal = !has(rewriter.host(), op, "trigger_rollback");
    if legal {
        mark(rewriter, op, "is_legal", false);
    } else {
        rewriter.modify(op, |_, _| {});
    }
    Ok(())
}

fn convert_block_args(rewriter: &mut R<'_, '_>, op: OpId, operands: &[Vec<ValueId>]) -> Done {
    let host = rewriter.host();
    if has(host, op, "is_legal") {
        return Err(Refusal::new("it is legal"));
    }
    let body = first_block(host, op)?;
    let args = host.module.args(body).to_vec();
    let conversions: Vec<_> = if has(host, op, "replace_with_operand") {
        let value = operands.concat();
        let value = *value.first().ok_or_else(|| Refusal::new("no operand"))?;
        args.iter().map(|_| ArgConversion::Values(vec![value, value])).collect()
    } else if has(host, op, "duplicate") {
        args.iter().map(|&arg| ArgConversion::Types(vec![host.module.value_type(arg); 2])).collect()
    } else {
        return Err(Refusal::new("no action is stated"));
    };
    rewriter.convert_block(body, &conversions)?;
    mark(rewriter, op, "is_legal", true);
    Ok(())
}

fn passthrough(rewriter: &mut R<'_, '_>, op: OpId, operands: &[Vec<ValueId>]) -> Done {
    let mut flat = Vec::new();
    for (index, values) in (0..).zip(operands) {
        if let [one] = values[..] {
            flat.push(one);
        } else {
            let host = rewriter.host();
            let ty = host.value_type(host.operand(op, index));
            let cast = create(rewriter, InsertionPoint::Before(op), "test.cast", values, &[ty], 0)?;
            flat.extend(results(rewriter, cast));
        }
    }
    replace(rewriter, op, "test.valid", &flat, &[]).map(drop)
}

fn regions(all: Vec<Pattern>) -> Vec<Pattern> {
    let more = [
        Pattern::new("region_block_movement", "test.region", |rewriter, op, _| {
            let to = parent_region(rewriter.host(), op)?;
            let from = Region { op, index: 0 };
            if has(rewriter.host(), op, "legalizer.should_clone") {
                rewriter.copy_region_before(from, to, None)?;
            } else {
                rewriter.inline_region_before(from, to, None);
            }
            if has(rewriter.host(), op, "legalizer.erase_old_blocks") {
                while let Some(block) = rewriter.host().first_block(from) {
                    rewriter.erase_block(block)?;
                }
            }
            rewriter.erase(op)
        }),
        Pattern::new("detached_signature", "test.detached_signature_conversion", |rewriter, op, operands| {
            first_block(rewriter.host(), op)?;
            let types: Vec<_> =
                results(rewriter, op).into_iter().map(|v| rewriter.host().module.value_type(v)).collect();
            let new =
                create(rewriter, InsertionPoint::Before(op), "test.legal_op", &operands.concat(), &types, 1)?;
            rewriter.inline_region_before(Region { op, index: 0 }, Region { op: new, index: 0 }, None);
            let block = first_block(rewriter.host(), new)?;
            let f64 = ty(rewriter.host_mut(), "f64");
            let count = rewriter.host().module.args(block).len();
            let all: Vec<_> = (0..count).map(|_| ArgConversion::Types(vec![f64])).collect();
            rewriter.convert_block(block, &all)?;
            let values = results(rewriter, new);
            rewriter.replace(op, &values)
        }),
        Pattern::new("region_builder", "test.region_builder", |rewriter, op, _| {
            let new = create(rewriter, InsertionPoint::Before(op), "test.region", &[], &[], 1)?;
            let i64 = ty(rewriter.host_mut(), "i64");
            let arg = (i64, Context::UNKNOWN);
            let block = rewriter.create_block(&[arg], Region { op: new, index: 0 }, None)?;
            create(rewriter, InsertionPoint::End(block), "test.illegal_op_f", &[], &[Context::I32], 0)?;
            create(rewriter, InsertionPoint::End(block), "test.valid", &[], &[], 0)?;
            rewriter.erase(op)
        }),
        Pattern::new("create_block", "test.create_block", |rewriter, op, _| new_block(rewriter, op, false)),
        Pattern::new("create_illegal_block", "test.create_illegal_block", |rewriter, op, _| {
            new_block(rewriter, op, true)
        }),
        Pattern::new("undo_block_erase", "test.undo_block_erase", |rewriter, op, _| {
            let second = rewriter.host().next_block(first_block(rewriter.host(), op)?);
            let second = second.ok_or_else(|| Refusal::new("there is one block"))?;
            let f32 = ty(rewriter.host_mut(), "f32");
            let place =
                rewriter.host().first_op(second).map_or(InsertionPoint::End(second), InsertionPoint::Before);
            create(rewriter, place, "test.illegal_op_f", &[], &[f32], 0)?;
            rewriter.erase_block(second)?;
            rewriter.modify(op, |_, _| {});
            Ok(())
        }),
        Pattern::new("hoist_me", "test.hoist_me", |rewriter, op, _| {
            let parent = rewriter.host().parent_op(op).ok_or_else(|| Refusal::new("no parent"))?;
            rewriter.move_op(op, InsertionPoint::Before(parent));
            let f32 = ty(rewriter.host_mut(), "f32");
            replace(rewriter, op, "test.illegal_op_f", &[], &[f32]).map(drop)
        }),
        Pattern::new("drop_region_op", "test.drop_region_op", |rewriter, op, _| {
            rewriter.convert_region_types(Region { op, index: 0 })?;
            rewriter.erase(op)
        }),
        Pattern::new("convert_block_args", "test.convert_block_args", convert_block_args),
        Pattern::new("post_order", "test.post_order_legalization", |rewriter, op, _| {
            for index in 0..rewriter.host().region_count(op) {
                rewriter.convert_region_types(Region { op, index })?;
            }
            let mut inside = Vec::new();
            rewriter.host().walk(op, drrvm::host::WalkOrder::Pre, &mut |inner| inside.push(inner));
            for inner in inside.into_iter().filter(|&inner| inner != op) {
                let illegal =
                    rewriter.host().op_name_text(rewriter.host().op_name(inner)) == "test.illegal_op_g";
                if !rewriter.legalize(inner) && illegal {
                    return Err(Refusal::new("an operation inside cannot be legalized"));
                }
            }
            mark(rewriter, op, "is_legal", false);
            Ok(())
        }),
    ];
    all.into_iter().chain(more).collect()
}

fn patterns() -> Vec<Pattern> {
    let plain = |pattern: Pattern| pattern.without_type_conversion();
    let single = |pattern: Pattern| pattern.without_type_conversion().single_values();
    let producer = |name: &str, benefit, from: Option<&'static str>, to: &'static str| {
        Pattern::new(name, "test.type_producer", move |rewriter, op, _| {
            let host = rewriter.host_mut();
            let given = host.value_type(host.result(op, 0));
            if from.is_some_and(|from| ty(host, from) != given) {
                return Err(Refusal::new("another type"));
            }
            let to = ty(host, to);
            replace(rewriter, op, "test.type_producer", &[], &[to]).map(drop)
        })
        .benefit(benefit)
    };
    let consumer = |name: &str| {
        Pattern::new(name, "test.replace_with_valid_consumer", |rewriter, op, operands| {
            replace(rewriter, op, "test.valid_consumer", &operands.concat(), &[]).map(drop)
        })
        .single_values()
    };
    let all = vec![
        plain(producer("i32_to_f32", 1, Some("i32"), "f32")),
        plain(producer("f32_to_f64", 1, Some("f32"), "f64")),
        plain(producer("to_invalid", 10, None, "bf16")),
        single(Pattern::new("update_consumer", "test.type_consumer", |rewriter, op, operands| {
            let operands = operands.concat();
            let f64 = ty(rewriter.host_mut(), "f64");
            if operands.first().is_none_or(|&v| rewriter.host().module.value_type(v) != f64) {
                return Err(Refusal::new("the operand does not have type f64"));
            }
            replace(rewriter, op, "test.type_consumer", &operands, &[]).map(drop)
        })),
        Pattern::new("erase_consumer", "test.type_consumer", |rewriter, op, _| rewriter.erase(op))
            .single_values(),
        plain(Pattern::new("split_return", "test.return", |rewriter, op, operands| {
            let f32 = ty(rewriter.host_mut(), "f32");
            let host = rewriter.host();
            if host.operand_count(op) != 1 || host.value_type(host.operand(op, 0)) != f32 {
                return Err(Refusal::new("it does not return one value of type f32"));
            }
            replace(rewriter, op, "test.return", &operands.concat(), &[]).map(drop)
        })),
        Pattern::new("passthrough", "test.invalid", passthrough),
        Pattern::new("drop_operands", "test.drop_operands_and_replace_with_valid", |rewriter, op, _| {
            replace(rewriter, op, "test.valid", &[], &[]).map(drop)
        })
        .single_values(),
        Pattern::new("value_replace", "test.value_replace", value_replace),
        plain(Pattern::new("non_root", "test.replace_non_root", |rewriter, op, _| {
            let result = rewriter.host().module.value_type(rewriter.host().result(op, 0));
            let illegal =
                create(rewriter, InsertionPoint::Before(op), "test.illegal_op_f", &[], &[result], 0)?;
            let legal = create(rewriter, InsertionPoint::Before(op), "test.legal_op_b", &[], &[result], 0)?;
            let value = results(rewriter, illegal);
            rewriter.replace(op, &value)?;
            let value = results(rewriter, legal);
            rewriter.replace(illegal, &value)
        })),
        plain(Pattern::new("recursive", "test.recursive_rewrite", |rewriter, op, _| {
            let name = rewriter.host_mut().bind_attr_name("depth");
            let depth = rewriter.host().attr(op, name).and_then(|depth| rewriter.host().attr_int(depth));
            let depth = depth.and_then(|depth| depth.to_i64()).ok_or_else(|| Refusal::new("no depth"))?;
            let next = rewriter.host_mut().bind_attr(&format!("{} : i64", depth - 1));
            let next = next.ok_or_else(|| Refusal::new("no attribute"))?;
            rewriter.modify(op, move |host, op| set(host, op, name, next, true));
            Ok(())
        }))
        .recursive(),
        plain(Pattern::new("anchor", "test.illegal_op_with_region_anchor", |rewriter, op, _| {
            let new =
                create(rewriter, InsertionPoint::Before(op), "test.illegal_op_with_region", &[], &[], 1)?;
            let block = rewriter.create_block(&[], Region { op: new, index: 0 }, None)?;
            create(rewriter, InsertionPoint::End(block), "test.illegal_op_f", &[], &[Context::I32], 0)?;
            rewriter.erase(op)
        })),
        plain(Pattern::new("blackhole", "test.blackhole", |rewriter, op, _| {
            let producer = rewriter.host().defining_op(rewriter.host().operand(op, 0));
            rewriter.erase(op)?;
            rewriter.erase(producer.ok_or_else(|| Refusal::new("no producer"))?)
        })),
        plain(Pattern::new("unregistered", "test.illegal_op_g", |rewriter, op, _| {
            let constant =
                create(rewriter, InsertionPoint::Before(op), "arith.constant", &[], &[Context::I32], 0)?;
            let value = results(rewriter, constant);
            replace(rewriter, op, "test.legal_op_c", &value, &[Context::I32]).map(drop)
        })),
        plain(Pattern::new("erase", "test.erase_op", |rewriter, op, _| rewriter.erase(op))),
        plain(Pattern::new("valid_producer", "test.replace_with_valid_producer", |rewriter, op, _| {
            let name = rewriter.host_mut().bind_attr_name("type");
            let host = rewriter.host();
            let held = host.attr(op, name).and_then(|attr| host.attr_held_type(attr));
            let held = held.ok_or_else(|| Refusal::new("no type"))?;
            replace(rewriter, op, "test.valid_producer", &[], &[held]).map(drop)
        })),
        plain(consumer("valid_consumer")),
        Pattern::new(
            "valid_consumer_with_converter",
            "test.replace_with_valid_consumer",
            |rewriter, op, operands| {
                if !has(rewriter.host(), op, "with_converter") {
                    return Err(Refusal::new("it needs no converter"));
                }
                replace(rewriter, op, "test.valid_consumer", &operands.concat(), &[]).map(drop)
            },
        )
        .single_values()
        .benefit(2),
        plain(Pattern::new("one_to_n", "test.repetitive_1_to_n_consumer", |rewriter, op, operands| {
            replace(rewriter, op, "test.valid", &operands.concat(), &[]).map(drop)
        })),
        plain(Pattern::new("multiple", "test.multiple_1_to_n_replacement", |rewriter, op, _| {
            let first = double(rewriter, op, "test.step_1")?;
            double(rewriter, first, "test.legal_op").map(drop)
        })),
    ];
    regions(all)
}

/// The conversion of the test pass.
pub(crate) fn conversion(host: &mut IrHost, mode: ConversionMode) -> Conversion<IrHost> {
    let [i16, i24, i42, i43, i64, f64, f32, f16] =
        ["i16", "i24", "i42", "i43", "i64", "f64", "f32", "f16"].map(|text| ty(host, text));
    let cast = |rewriter: &mut drrvm::host::Rewriter<'_, IrHost>, values: &[ValueId], types: &[TypeId]| {
        let name = rewriter.host_mut().bind_op_name("test.cast");
        let location = rewriter.host().module.loc(rewriter.root());
        let state =
            OpState { name, operands: values, result_types: types, attributes: &[], regions: 0, location };
        let op = rewriter.create(&state)?;
        Ok(rewriter.host().module.results(op).collect())
    };
    let types = TypeConverter::new()
        .map(i16, [])
        .map(i24, [])
        .map(i42, [i43])
        .map(i64, [f64])
        .map(f32, [f16, f16])
        .source_materialization(cast)
        .target_materialization(cast);
    let mut target = ConversionTarget::<IrHost>::new();
    for legal in [
        "builtin.module",
        "test.legal_op_a",
        "test.legal_op_b",
        "test.legal_op_c",
        "test.cast",
        "test.valid",
        "test.finish",
        "test.constant",
        "test.one_region_op",
        "test.valid_producer",
        "test.valid_consumer",
        "test.legal_op",
    ] {
        target = target.legal_op(legal);
    }
    for illegal in
        ["test.illegal_op_f", "test.region_builder", "test.op_with_region_fold", "test.illegal_op_g"]
    {
        target = target.illegal_op(illegal);
    }
    let operand_is = move |wanted: TypeId| {
        move |host: &IrHost, op: OpId| {
            host.operand_count(op) > 0 && host.value_type(host.operand(op, 0)) == wanted
        }
    };
    let depth_is_0 = |host: &IrHost, op: OpId| {
        let depth = host.find_attr_name("depth").and_then(|name| host.attr(op, name));
        depth.is_some_and(|depth| {
            host.attr_kind(depth) == AttrKind::Integer && host.attr_int(depth).is_some_and(|d| d.is_zero())
        })
    };
    target = target
        .dynamic_op("test.return", move |host, op| {
            (0..host.operand_count(op)).all(|i| host.value_type(host.operand(op, i)) != f32)
        })
        .dynamic_op("test.value_replace", |host, op| has(host, op, "is_legal"))
        .dynamic_op("test.post_order_legalization", |host, op| has(host, op, "is_legal"))
        .dynamic_op("test.type_producer", move |host, op| host.value_type(host.result(op, 0)) == f64)
        .dynamic_op("test.type_consumer", operand_is(f64))
        .dynamic_op("test.recursive_rewrite", depth_is_0)
        .dynamic_op("test.op_in_place_self_fold", |host, op| has(host, op, "folded"))
        .dynamic_op("test.convert_block_args", |host, op| has(host, op, "is_legal"))
        .recursively_legal_if("func.func", |host, op| has(host, op, "test.recursively_legal"))
        .recursively_legal_if("builtin.module", |host, op| has(host, op, "test.recursively_legal"));
    if mode == ConversionMode::Full {
        target = target.dynamic_unknown(|host, op| has(host, op, "test.dynamically_legal"));
    }
    patterns()
        .into_iter()
        .fold(Conversion::new(target).types(types).mode(mode).rules_convert_types(false), Conversion::pattern)
}
