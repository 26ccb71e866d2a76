//! The helper functions of `ArithCanonicalization.td` and `ArithOps.td`.

use crate::host::arg::{Attr, Type, Value};
use crate::host::{
    AttrSpec, ElementValue, Entity, Facets, Natives, Refusal, Rewriter, Signedness, TypeKind, TypeSpec,
};
use crate::number::ApInt;

/// The natives that MLIR's `ArithCanonicalization.td` and the definitions of the operations of `arith` call.
///
/// - `addIntegerAttrs`, `subIntegerAttrs` and `mulIntegerAttrs` compute in the type of their first argument.
/// - `mergeOverflowFlags` returns the flags that both arguments have.
/// - `invertPredicate` returns the predicate that holds if and only if its argument does not.
/// - `getI1SameShape` returns the result type of a comparison: `i1`, or a shaped type of `i1`.
/// - `getIntOrSplatIntValue` holds for an integer or a splat of integers, and returns the integer.
/// - `getScalarOrElementWidth` returns the width of an integer or float type. For a shaped type, it returns the width
///   of the element type. It returns -1 for other types, such as `index`.
///
/// ```
/// use drrvm::host::Natives;
/// use drrvm::ir::IrHost;
/// let natives: Natives<IrHost> = drrvm::natives::arith();
/// # let _ = natives;
/// ```
pub fn arith<H: Facets>() -> Natives<H> {
    Natives::new()
        .rewrite("addIntegerAttrs", |rewriter: &mut Rewriter<'_, H>, of: Value<H>, a: Attr<H>, b: Attr<H>| {
            compute(rewriter, of, [a, b], ApInt::wrapping_add)
        })
        .rewrite("subIntegerAttrs", |rewriter: &mut Rewriter<'_, H>, of: Value<H>, a: Attr<H>, b: Attr<H>| {
            compute(rewriter, of, [a, b], ApInt::wrapping_sub)
        })
        .rewrite("mulIntegerAttrs", |rewriter: &mut Rewriter<'_, H>, of: Value<H>, a: Attr<H>, b: Attr<H>| {
            compute(rewriter, of, [a, b], ApInt::wrapping_mul)
        })
        .rewrite("mergeOverflowFlags", merge_overflow_flags)
        .rewrite("invertPredicate", invert_predicate)
        .rewrite("getI1SameShape", i1_same_shape)
        .constraint_of_arguments("getIntOrSplatIntValue", int_or_splat)
        .constraint_of_arguments("getScalarOrElementWidth", width)
}

fn required<H: Facets>(attr: Option<H::Attr>) -> Result<Attr<H>, Refusal> {
    attr.map(Attr).ok_or_else(|| Refusal::new("the host cannot create the attribute"))
}

fn int<H: Facets>(host: &H, attr: Attr<H>) -> Result<ApInt, Refusal> {
    host.attr_int(attr.0).ok_or_else(|| Refusal::new("an argument is not an integer attribute"))
}

/// Computes with two integer attributes, in the type of a value.
fn compute<H: Facets>(
    rewriter: &mut Rewriter<'_, H>,
    of: Value<H>,
    [a, b]: [Attr<H>; 2],
    apply: fn(&ApInt, &ApInt) -> ApInt,
) -> Result<Attr<H>, Refusal> {
    let host = rewriter.host();
    let (a, b) = (int(host, a)?, int(host, b)?);
    if a.width() != b.width() {
        return Err(Refusal::new("the attributes differ in width"));
    }
    let ty = host.value_type(of.0);
    let width = match host.type_kind(ty) {
        TypeKind::Integer { width, .. } => width,
        TypeKind::Index => 64,
        _ => return Err(Refusal::new("the type of the result is not an integer type")),
    };
    if width != a.width() {
        return Err(Refusal::new("the result does not have the width of the attributes"));
    }
    required(rewriter.host_mut().make_attr(&AttrSpec::Integer(apply(&a, &b), ty)))
}

/// The flags of `#arith.overflow<…>`, with `nsw` as bit 0 and `nuw` as bit 1.
fn overflow_flags<H: Facets>(host: &H, attr: Attr<H>) -> Result<u8, Refusal> {
    let refusal = || Refusal::new("an argument is not a set of overflow flags");
    let text = host.attr_text(attr.0);
    let flags =
        text.strip_prefix("#arith.overflow<").and_then(|t| t.strip_suffix('>')).ok_or_else(refusal)?;
    flags.split(',').try_fold(0, |all, flag| match flag.trim() {
        "none" => Ok(all),
        "nsw" => Ok(all | 1),
        "nuw" => Ok(all | 2),
        _ => Err(refusal()),
    })
}

fn merge_overflow_flags<H: Facets>(
    rewriter: &mut Rewriter<'_, H>,
    a: Attr<H>,
    b: Attr<H>,
) -> Result<Attr<H>, Refusal> {
    // The flags are usually equal, and a host can take long to write their text.
    if a.0 == b.0 {
        return Ok(a);
    }
    let host = rewriter.host();
    let both = overflow_flags(host, a)? & overflow_flags(host, b)?;
    let text = ["none", "nsw", "nuw", "nsw, nuw"][usize::from(both)];
    required(rewriter.host_mut().make_attr(&AttrSpec::Text(format!("#arith.overflow<{text}>"))))
}

/// The inverse of each predicate, in the order of the predicates' numbers: eq, ne, slt, sle, sgt, sge, ult, ule, ugt,
/// uge.
pub(crate) const INVERSE: [u64; 10] = [1, 0, 5, 4, 3, 2, 9, 8, 7, 6];

fn invert_predicate<H: Facets>(rewriter: &mut Rewriter<'_, H>, of: Attr<H>) -> Result<Attr<H>, Refusal> {
    let refusal = || Refusal::new("the argument is not a predicate of integer comparisons");
    let host = rewriter.host();
    let predicate = int(host, of)?;
    let inverse = predicate.to_u64().and_then(|p| usize::try_from(p).ok()).and_then(|p| INVERSE.get(p));
    let inverse = *inverse.ok_or_else(refusal)?;
    let ty = host.attr_type(of.0).ok_or_else(refusal)?;
    let value = ApInt::from_u64(predicate.width(), inverse);
    required(rewriter.host_mut().make_attr(&AttrSpec::Integer(value, ty)))
}

fn i1_same_shape<H: Facets>(rewriter: &mut Rewriter<'_, H>, of: Type<H>) -> Result<Type<H>, Refusal> {
    let refusal = || Refusal::new("the host cannot create the type");
    let (host, ty) = (rewriter.host_mut(), of.0);
    let signedness = Signedness::Signless;
    let element = host.make_type(&TypeSpec::Integer { width: 1, signedness }).ok_or_else(refusal)?;
    let spec = match host.type_kind(ty) {
        TypeKind::Vector { rank, .. } => TypeSpec::Vector {
            shape: (0..rank).map(|dim| host.type_dim(ty, dim)).collect::<Option<_>>().ok_or_else(refusal)?,
            scalable: (0..rank).map(|dim| host.type_dim_is_scalable(ty, dim)).collect(),
            element,
        },
        TypeKind::RankedTensor { rank, .. } => TypeSpec::RankedTensor {
            shape: (0..rank).map(|dim| host.type_dim(ty, dim)).collect(),
            element,
            encoding: host.type_extra(ty),
        },
        TypeKind::UnrankedTensor(_) => TypeSpec::UnrankedTensor(element),
        TypeKind::MemRef { .. } | TypeKind::UnrankedMemRef(_) => {
            return Err(Refusal::new("memrefs cannot be compared"));
        }
        _ => return Ok(Type(element)),
    };
    host.make_type(&spec).map(Type).ok_or_else(refusal)
}

fn int_or_splat<H: Facets>(host: &H, attr: Attr<H>) -> Option<ApInt> {
    match host.attr_splat(attr.0)? {
        ElementValue::Int(value) => Some(value),
        _ => None,
    }
}

fn width<H: Facets>(host: &H, of: Entity<H>) -> Option<i64> {
    let ty = match of {
        Entity::Type(ty) => ty,
        Entity::Value(value) => host.value_type(value?),
        Entity::Op(op) => host.value_type((host.result_count(op) > 0).then(|| host.result(op, 0))?),
        _ => return None,
    };
    let element = match host.type_kind(ty) {
        TypeKind::Vector { element, .. }
        | TypeKind::RankedTensor { element, .. }
        | TypeKind::UnrankedTensor(element)
        | TypeKind::MemRef { element, .. }
        | TypeKind::UnrankedMemRef(element) => element,
        _ => ty,
    };
    Some(match host.type_kind(element) {
        TypeKind::Integer { width, .. } => i64::from(width),
        TypeKind::Float(format) => i64::from(format.width()),
        _ => -1,
    })
}

#[cfg(all(test, feature = "ir"))]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::host::{Bind, Ir, Journal};
    use crate::ir::{Context, IrHost};
    use crate::source::SourceMap;

    /// A host with one operation `t.x` whose only result has this type.
    fn host(ty: &str) -> (IrHost, crate::ir::OpId) {
        let mut map = SourceMap::default();
        let file = map.add("t.mlir", format!("%0 = \"t.x\"() : () -> {ty}")).expect("small");
        let mut context = Context::new();
        let module = crate::ir::parse_module(&mut context, map.file(file)).expect("well-formed");
        let op = module.first_op(module.body()).expect("one operation");
        (IrHost::new(context, module), op)
    }

    /// Calls a native rewrite with these attributes. If `on_value` is true, the first argument is the result of the
    /// operation.
    fn run(name: &str, ty: &str, on_value: bool, attrs: &[String]) -> Result<String, String> {
        let natives = arith::<IrHost>();
        let (mut host, op) = host(ty);
        let mut args = Vec::new();
        if on_value {
            args.push(Entity::Value(Some(host.result(op, 0))));
        }
        for attr in attrs {
            args.push(Entity::Attr(Some(host.bind_attr(attr).expect(attr))));
        }
        let mut journal = Journal::new();
        let mut rewriter = Rewriter::new(&mut host, op, &mut journal);
        let native = natives.find_rewrite(name).expect(name).all().remove(0);
        let given = (native.run)(&mut rewriter, &args).map_err(|e| e.to_string())?;
        let Some(Entity::Attr(Some(attr))) = given.first() else { return Err("no attribute".into()) };
        Ok(host.attr_text(*attr))
    }

    /// The expected types are those of the documentation of `arith.cmpi`.
    #[test]
    fn comparisons_have_the_shape_of_their_operands() {
        for (operand, result) in [
            ("i32", "i1"),
            ("index", "i1"),
            ("vector<4xi32>", "vector<4xi1>"),
            ("vector<2x[4]xindex>", "vector<2x[4]xi1>"),
            ("tensor<2x?xi8>", "tensor<2x?xi1>"),
            ("tensor<4xi8, \"e\">", "tensor<4xi1, \"e\">"),
            ("tensor<*xf32>", "tensor<*xi1>"),
        ] {
            let natives = arith::<IrHost>();
            let (mut host, op) = host(operand);
            let args = [Entity::Type(host.value_type(host.result(op, 0)))];
            let mut journal = Journal::new();
            let mut rewriter = Rewriter::new(&mut host, op, &mut journal);
            let native = natives.find_rewrite("getI1SameShape").expect("registered").all().remove(0);
            let given = (native.run)(&mut rewriter, &args).expect(operand);
            let [Entity::Type(ty)] = given[..] else { panic!("no type for {operand}") };
            assert_eq!(host.type_text(ty), result);
        }
    }

    proptest! {
        #![proptest_config(crate::test_seed::config())]
        /// The oracle is arithmetic in `i128`, truncated to the width.
        #[test]
        fn integer_attributes_are_computed_modulo_their_width(
            a in any::<i64>(), b in any::<i64>(), width in 1_u32..=64,
        ) {
            let low = |x: i128| {
                let x = x & ((1_i128 << width) - 1);
                if x >> (width - 1) & 1 == 1 { x - (1 << width) } else { x }
            };
            let (a, b) = (low(a.into()), low(b.into()));
            for (name, want) in [
                ("addIntegerAttrs", a + b),
                ("subIntegerAttrs", a - b),
                ("mulIntegerAttrs", a * b),
            ] {
                let ty = format!("i{width}");
                // MLIR prints `i1` attributes as `true` and `false`.
                let show = |x: i128| match (width, x) {
                    (1, 0) => "false".to_owned(),
                    (1, _) => "true".to_owned(),
                    _ => format!("{x} : {ty}"),
                };
                let got = run(name, &ty, true, &[show(a), show(b)]);
                prop_assert_eq!(got, Ok(show(low(want))), "{} {} {}", name, a, b);
            }
        }
    }

    #[test]
    fn integers_of_other_types_are_refused() {
        let refused = run("addIntegerAttrs", "i32", true, &["1 : i32".into(), "1 : i64".into()]);
        assert_eq!(refused, Err("the attributes differ in width".into()));
        let refused = run("addIntegerAttrs", "i64", true, &["1 : i32".into(), "1 : i32".into()]);
        assert_eq!(refused, Err("the result does not have the width of the attributes".into()));
        let refused = run("addIntegerAttrs", "f32", true, &["1 : i32".into(), "1 : i32".into()]);
        assert_eq!(refused, Err("the type of the result is not an integer type".into()));
        let index = run("addIntegerAttrs", "index", true, &["1 : index".into(), "-3 : index".into()]);
        assert_eq!(index, Ok("-2 : index".into()));
    }

    #[test]
    fn merged_flags_are_those_that_both_arguments_have() {
        let all = ["none", "nsw", "nuw", "nsw, nuw"];
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                let args = [format!("#arith.overflow<{a}>"), format!("#arith.overflow<{b}>")];
                let want = format!("#arith.overflow<{}>", all[i & j]);
                assert_eq!(run("mergeOverflowFlags", "i32", false, &args), Ok(want));
            }
        }
        assert!(run("mergeOverflowFlags", "i32", false, &["1 : i32".into(), "unit".into()]).is_err());
    }

    /// Exactly one of a predicate and its inverse holds.
    #[test]
    fn the_inverse_predicate_holds_if_the_predicate_does_not() {
        let holds = |p: usize, a: i8, b: i8| {
            let (x, y) = (a.cast_unsigned(), b.cast_unsigned());
            [a == b, a != b, a < b, a <= b, a > b, a >= b, x < y, x <= y, x > y, x >= y][p]
        };
        for p in 0..10 {
            let inverse = run("invertPredicate", "i32", false, &[format!("{p} : i64")]).expect("a predicate");
            let inverse: usize = inverse.trim_end_matches(" : i64").parse().expect("a number");
            for (a, b) in [(0, 0), (1, 2), (2, 1), (-1, 1), (1, -1), (-2, -1), (-128, 127)] {
                assert_ne!(holds(p, a, b), holds(inverse, a, b), "{p} {inverse} {a} {b}");
            }
        }
        assert!(run("invertPredicate", "i32", false, &["10 : i64".into()]).is_err());
    }

    #[test]
    fn integers_and_splats_have_a_value_and_types_have_a_width() {
        let natives = arith::<IrHost>();
        let value = natives.find_constraint("getIntOrSplatIntValue").expect("registered").all().remove(0);
        let width = natives.find_constraint("getScalarOrElementWidth").expect("registered").all().remove(0);
        for (text, want) in [
            ("-3 : i8", Some(ApInt::from_i64(8, -3))),
            ("dense<7> : vector<4xi16>", Some(ApInt::from_u64(16, 7))),
            ("dense<[1, 2]> : tensor<2xi16>", None),
            ("1.0 : f32", None),
            ("dense<1.0> : vector<4xf32>", None),
        ] {
            let (mut host, _) = host("i32");
            let attr = host.bind_attr(text).expect(text);
            let given = (value.run)(&host, &[Entity::Attr(Some(attr))]);
            assert_eq!(given, want.map(|x| vec![Entity::ApInt(x)]), "{text}");
        }
        for (ty, want) in
            [("i7", 7), ("vector<4xf16>", 16), ("tensor<*xi3>", 3), ("index", -1), ("tensor<2xindex>", -1)]
        {
            let (host, op) = host(ty);
            let given = (width.run)(&host, &[Entity::Value(Some(host.result(op, 0)))]);
            assert_eq!(given, Some(vec![Entity::Int(want)]), "{ty}");
        }
    }
}
