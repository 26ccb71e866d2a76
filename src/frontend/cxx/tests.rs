//! Compiles C++ texts, evaluates them on the built-in IR, and compares the results with those of MLIR 22.1.

use super::*;
use crate::host::{Bind, Entity, Ir, Kind, Natives, Refusal, Signature, arg};
use crate::ir::{Context, IrHost, Module};
use crate::snippet::{
    AttrClass, Builder, Builtin, ClassId, ClassKind, GroupRef, IntTy, Item, Linked, Member, Plan, PlanArg,
    PlanId, PlanResults, SnippetId, SnippetResult, Snippets, Ty,
};
use crate::source::{SourceMap, Span};

/// A host with the module that a text describes.
pub(crate) fn host(text: &str) -> IrHost {
    let mut map = SourceMap::default();
    let file = map.add("test.mlir", text).expect("small");
    let mut context = Context::new();
    let module = crate::ir::parse_module(&mut context, map.file(file))
        .unwrap_or_else(|e| panic!("{:?}", e.iter().map(|d| &d.message).collect::<Vec<_>>()));
    IrHost::new(context, module)
}

fn empty() -> IrHost {
    let mut context = Context::new();
    let module = Module::new(&mut context);
    IrHost::new(context, module)
}

fn compile_with(
    snippets: &mut Snippets,
    text: &str,
    params: &[Placeholder],
    expected: Expected,
) -> Result<SnippetId, Failure> {
    compile(snippets, &Text::new(text, Span::NONE), &Request { params, expected, resolver: &NoResolver })
}

fn message(failure: Failure) -> String {
    let d = failure.into_diagnostic();
    d.message
}

/// Evaluates a predicate over `$_self`; the error is the message of a failed compilation or evaluation.
fn evaluate(
    host: &mut IrHost,
    natives: &Natives<IrHost>,
    ty: Ty,
    subject: Entity<IrHost>,
    text: &str,
) -> Result<bool, String> {
    let mut snippets = Snippets::default();
    snippets.add_constant_op("arith.constant", "value");
    let params = [Placeholder::new("$_self", ty)];
    let id = compile_with(&mut snippets, text, &params, Expected::Predicate).map_err(message)?;
    let linked = Linked::link(&snippets, host, natives);
    assert!(linked.missing().is_empty(), "{text} needs a native");
    linked.holds(&snippets, id, host, &[subject]).map(|o| o.is_some()).map_err(|e| e.to_string())
}

#[track_caller]
fn on_type(ty: &str, holds: &[&str], does_not: &[&str]) {
    let mut host = empty();
    let subject = host.bind_type(ty).expect("a type");
    for (texts, want) in [(holds, true), (does_not, false)] {
        for text in texts {
            let got = evaluate(&mut host, &Natives::new(), Ty::TYPE, Entity::Type(subject), text);
            assert_eq!(got, Ok(want), "{text} on {ty}");
        }
    }
}

#[test]
fn infinities_have_matchers() {
    let (positive, negative) =
        ("matchPattern($_self, m_PosInfFloat())", "matchPattern($_self, m_NegInfFloat())");
    on_attr("0x7F800000 : f32", &[positive], &[negative]);
    on_attr("0xFF800000 : f32", &[negative], &[positive]);
    on_attr("1.0 : f32", &[], &[negative, positive]);
}

#[test]
fn clones_of_memrefs_keep_layout_and_memory_space() {
    let evaluate = |texts: &[&str], text: &str| {
        let mut host = empty();
        let types: Vec<_> = texts.iter().map(|text| host.bind_type(text).expect("a type")).collect();
        evaluate(&mut host, &Natives::new(), Ty::TYPE, Entity::Type(types[0]), text)
    };
    let types = ["memref<2x?xf32, strided<[?, 1]>, 3 : i32>", "memref<4x5xi8, strided<[?, 1]>, 3 : i32>"];
    for text in [
        "cast<ShapedType>($_self).clone({2, ShapedType::kDynamic}) == $_self",
        "cast<ShapedType>($_self).clone({4, 5}, $_builder.getI8Type()) != $_self",
        "cast<MemRefType>(cast<ShapedType>($_self).clone({4, 5}, $_builder.getI8Type())).getShape()[1] == 5",
    ] {
        assert_eq!(evaluate(&types, text), Ok(true), "{text}");
    }
    let other_rank = "cast<ShapedType>($_self).clone({2, 3, 4}) != $_self";
    for [from, to] in [
        ["memref<2x3xf32>", "memref<2x3x4xf32>"],
        ["memref<2x3xf32, 1 : i32>", "memref<2x3x4xf32, 1 : i32>"],
        ["memref<f32, #gpu.address_space<workgroup>>", "memref<2x3x4xf32, #gpu.address_space<workgroup>>"],
    ] {
        assert_eq!(evaluate(&[from, to], other_rank), Ok(true), "{from}");
        let text = "cast<MemRefType>(cast<ShapedType>($_self).cloneWith({2, 3, 4}, $_builder.getF32Type())).getRank() == 3";
        assert_eq!(evaluate(&[from, to], text), Ok(true), "{from}");
    }
    // MLIR asserts that the layout has the number of dimensions of the shape.
    for from in
        ["memref<2x3xf32, strided<[3, 1]>>", "memref<2x3xf32, affine_map<(d0, d1) -> (d1, d0)>, 1 : i32>"]
    {
        evaluate(&[from, "memref<2x3x4xf32>"], other_rank).expect_err("a layout of another rank");
    }
    let types = ["memref<*xf32, 3 : i32>", "memref<2x3xf32, 3 : i32>", "memref<*xi8, 3 : i32>"];
    for text in [
        "cast<ShapedType>($_self).clone($_builder.getF32Type()) == $_self",
        "cast<MemRefType>(cast<ShapedType>($_self).clone({2, 3})).getRank() == 2",
        "isa<UnrankedMemRefType>(cast<ShapedType>($_self).clone($_builder.getI8Type()))",
    ] {
        assert_eq!(evaluate(&types, text), Ok(true), "{text}");
    }
    // The IR does not contain the type `memref<7xf32, 3 : i32>`, so its properties are unknown.
    evaluate(&types, "isa<MemRefType>(cast<ShapedType>($_self).clone({7}))").expect_err("an unknown type");
}

#[track_caller]
fn on_attr(attr: &str, holds: &[&str], does_not: &[&str]) {
    let mut host = empty();
    let subject = host.bind_attr(attr).expect("an attribute");
    for (texts, want) in [(holds, true), (does_not, false)] {
        for text in texts {
            let got = evaluate(&mut host, &Natives::new(), Ty::ATTR, Entity::Attr(Some(subject)), text);
            assert_eq!(got, Ok(want), "{text} on {attr}");
        }
    }
}

#[test]
fn predicates_over_types_agree_with_mlir() {
    on_type(
        "i32",
        &[
            "$_self.isInteger(32)",
            "$_self.isSignlessInteger(32)",
            "$_self.isSignlessInteger()",
            "::llvm::isa<::mlir::IntegerType>($_self)",
            "isa<FloatType, mlir::IntegerType>($_self)",
            "$_self.isIntOrIndexOrFloat() && $_self.getIntOrFloatBitWidth() == 32",
            "cast<IntegerType>($_self).getWidth() <= 32u",
            "$_self == $_builder.getI32Type()",
            "$_self == mlir::IntegerType::get($_builder.getContext(), 32)",
            "$_self != $_builder.getIntegerType(33)",
            "getElementTypeOrSelf($_self) == $_self",
            "$_self",
            "!(!$_self)",
            "dyn_cast<IntegerType>($_self) && !dyn_cast<FloatType>($_self)",
            "$_self.isIndex() ? false : true",
        ],
        &[
            "$_self.isInteger(64)",
            "$_self.isSignedInteger()",
            "$_self.isUnsignedInteger(32)",
            "$_self.isF32()",
            "::llvm::isa<::mlir::ShapedType>($_self)",
            "$_self.hasTrait<::mlir::ValueSemantics>()",
            "!$_self",
            "$_self == nullptr",
            "$_self == $_builder.getIntegerType(32, /*isSigned=*/true)",
        ],
    );
    on_type(
        "ui8",
        &["$_self.isUnsignedInteger(8)", "$_self.isInteger(8)", "cast<IntegerType>($_self).isUnsigned()"],
        &["$_self.isSignlessInteger(8)", "cast<IntegerType>($_self).isSigned()"],
    );
    on_type(
        "tensor<4x?x8xbf16>",
        &[
            "::llvm::cast<::mlir::ShapedType>($_self).hasRank()",
            "::llvm::cast<ShapedType>($_self).getRank() == 3",
            "::llvm::isa<::mlir::BFloat16Type>(::llvm::cast<::mlir::ShapedType>($_self).getElementType())",
            "cast<RankedTensorType>($_self).getDimSize(0) == 4 && cast<RankedTensorType>($_self).isDynamicDim(1)",
            "cast<ShapedType>($_self).getNumDynamicDims() == 1",
            "ShapedType::isDynamic(cast<ShapedType>($_self).getShape()[1])",
            "cast<ShapedType>($_self).getShape()[1] == ShapedType::kDynamic",
            "cast<ShapedType>($_self).getShape().back() == 8",
            "llvm::any_of(cast<ShapedType>($_self).getShape(), [](int64_t d) { return d == 8; })",
            "llvm::is_contained({4, 5}, cast<ShapedType>($_self).getShape().front())",
            "cast<ShapedType>($_self).clone($_builder.getF32Type()) != $_self",
            "cast<ShapedType>($_self).clone($_builder.getBF16Type()) == $_self",
            "getElementTypeOrSelf($_self).isBF16()",
            "$_self.hasTrait<::mlir::ValueSemantics>()",
            "[](auto t) { return t.getRank() > 2; }(cast<ShapedType>($_self))",
        ],
        &[
            "::llvm::cast<::mlir::ShapedType>($_self).hasStaticShape()",
            "isa<VectorType, MemRefType, UnrankedTensorType>($_self)",
            "llvm::all_of(cast<ShapedType>($_self).getShape(), [&](auto d) { return d > 4; })",
        ],
    );
    on_type(
        "vector<4x[8]xf32>",
        &[
            "::llvm::isa<::mlir::ScalableVectorType>($_self)",
            "::llvm::cast<::mlir::VectorType>($_self).getScalableDims().back()",
            "!llvm::is_contained(::llvm::cast<::mlir::VectorType>($_self).getScalableDims().drop_back(), true)",
            "::llvm::cast<::mlir::VectorType>($_self).isScalable()",
        ],
        &[
            "::llvm::isa<::mlir::FixedVectorType>($_self)",
            "cast<::mlir::VectorType>($_self).allDimsScalable()",
        ],
    );
    on_type(
        "memref<*xf32>",
        &["isa<BaseMemRefType>($_self)", "isa<UnrankedMemRefType>($_self)"],
        &["isa<MemRefType>($_self)", "cast<ShapedType>($_self).hasRank()"],
    );
    on_type(
        "(i32, f32) -> i1",
        &[
            "cast<FunctionType>($_self).getNumInputs() == 2",
            "cast<FunctionType>($_self).getResults().front().isInteger(1)",
        ],
        &[],
    );
    on_type(
        "tuple<i32, f32>",
        &["cast<TupleType>($_self).getTypes()[1].isF32()", "cast<TupleType>($_self).size() == 2"],
        &[],
    );
    on_type(
        "!quant.uniform<u8<1:254>:f32, 0.5:128>",
        &[
            "isa<quant::QuantizedType>($_self) && isa<mlir::quant::UniformQuantizedType>($_self)",
            "cast<quant::QuantizedType>($_self).getStorageTypeIntegralWidth() == 8",
            "cast<QuantizedType>($_self).getStorageType().isSignlessInteger(8)",
            "cast<quant::QuantizedType>($_self).getExpressedType().isF32()",
        ],
        &[
            "cast<quant::QuantizedType>($_self).isSigned()",
            "isa<quant::UniformQuantizedPerAxisType>($_self)",
            "isa<quant::AnyQuantizedType>($_self)",
        ],
    );
    on_type(
        "!quant.uniform<i4:f32:1, {0.5, 0.25}>",
        &["isa<quant::UniformQuantizedPerAxisType>($_self)", "cast<quant::QuantizedType>($_self).isSigned()"],
        &["isa<quant::UniformQuantizedType>($_self)"],
    );
    for text in [
        "!quant.calibrated<f32<-0.998:1.232>>",
        "!quant.uniform<i8:f32:{0:1, 1:2}, {{2.0:10, 3.0:20}, {4.0:30, 5.0:40}}>",
    ] {
        on_type(
            text,
            &[
                "isa<quant::QuantizedType>($_self)",
                "cast<quant::QuantizedType>($_self).getExpressedType().isF32()",
            ],
            &[
                "isa<quant::UniformQuantizedType>($_self)",
                "isa<quant::UniformQuantizedPerAxisType>($_self)",
                "isa<quant::AnyQuantizedType>($_self)",
            ],
        );
    }
    on_type(
        "complex<f64>",
        &["cast<ComplexType>($_self).getElementType().isF64()"],
        &["isa<FloatType>($_self)"],
    );
}

#[test]
fn predicates_over_attributes_agree_with_mlir() {
    on_attr(
        "-4 : i32",
        &[
            "::llvm::isa<::mlir::IntegerAttr>($_self)",
            "::llvm::cast<::mlir::IntegerAttr>($_self).getType().isInteger(32)",
            "::llvm::cast<::mlir::IntegerAttr>($_self).getInt() == -4",
            "cast<IntegerAttr>($_self).getValue().isNegative()",
            "cast<IntegerAttr>($_self).getValue().getSExtValue() < 0",
            "cast<IntegerAttr>($_self).getValue().getZExtValue() == 4294967292",
            "cast<IntegerAttr>($_self).getValue() == APInt(32, -4, true)",
            "cast<IntegerAttr>($_self).getValue().eq(::llvm::APInt(32, 0xfffffffc))",
            "(-cast<IntegerAttr>($_self).getValue()).isPowerOf2()",
            "cast<IntegerAttr>($_self).getValue().slt(0) && cast<IntegerAttr>($_self).getValue().ugt(0)",
            "$_self == $_builder.getI32IntegerAttr(-4)",
            "$_self == rewriter.getI32IntegerAttr(-4)",
            "!matchPattern($_self, m_AnyAttrOf(m_Zero(), m_AnyZeroFloat()))",
            "matchPattern($_self, m_AnyAttrOf(m_OneFloat(), m_Zero(), m_NonZero()))",
            "M_PI > 3.14159 && M_PI < 3.1416 && INFINITY > 1e300 && NAN != NAN",
            "$_self == IntegerAttr::get($_builder.getI32Type(), -4)",
            "$_self != $_builder.getI64IntegerAttr(-4)",
            "$_self == $_builder.getIntegerAttr(cast<IntegerAttr>($_self).getType(), cast<IntegerAttr>($_self).getValue())",
            "::llvm::is_contained({1, -4}, ::llvm::cast<::mlir::IntegerAttr>($_self).getInt())",
            "std::abs(cast<IntegerAttr>($_self).getInt()) == 4",
            "cast<IntegerAttr>($_self).getValue().getBitWidth() == 32u",
            "static_cast<uint8_t>(cast<IntegerAttr>($_self).getInt()) == 252",
            "(int64_t)cast<IntegerAttr>($_self).getInt() / 3 == -1",
            "llvm::isa_and_nonnull<IntegerAttr>($_self)",
            "cast<IntegerAttr>($_self).getValue().zextOrTrunc(8) == 252",
        ],
        &[
            "isa<StringAttr, ArrayAttr, BoolAttr>($_self)",
            "cast<IntegerAttr>($_self).getValue().isStrictlyPositive()",
            "cast<IntegerAttr>($_self).getInt() > 3u",
            "cast<IntegerAttr>($_self).getValue() == -4",
            "llvm::dyn_cast_or_null<FloatAttr>($_self)",
        ],
    );
    // `APInt` has `operator!`, but no conversion to `bool`.
    on_attr(
        "0 : i8",
        &["!cast<IntegerAttr>($_self).getValue()"],
        &["!!cast<IntegerAttr>($_self).getValue()"],
    );
    on_attr(
        "-1 : i200",
        &["!!cast<IntegerAttr>($_self).getValue()"],
        &["!cast<IntegerAttr>($_self).getValue()"],
    );
    // The comparison converts -4 to a large unsigned number.
    on_attr(
        "-4 : i64",
        &["cast<IntegerAttr>($_self).getInt() > 3ul"],
        &["cast<IntegerAttr>($_self).getInt() > 3"],
    );
    on_attr(
        "true",
        &[
            "isa<BoolAttr>($_self) && cast<BoolAttr>($_self).getValue()",
            "$_self == $_builder.getBoolAttr(true)",
        ],
        &[
            "$_self == $_builder.getBoolAttr(false)",
            "$_self == ::mlir::BoolAttr::get($_builder.getContext(), 1 > 2)",
        ],
    );
    on_attr(
        "2.5 : f32",
        &[
            "cast<FloatAttr>($_self).getValueAsDouble() == 2.5",
            "cast<FloatAttr>($_self).getType().isF32()",
            "cast<FloatAttr>($_self).getValue().isExactlyValue(2.5)",
            "abs(cast<FloatAttr>($_self).getValueAsDouble() - 2.4999) < 0.001",
            "$_self == $_builder.getF32FloatAttr(2.5)",
            "!cast<FloatAttr>($_self).getValue().isZero() && cast<FloatAttr>($_self).getValue().isFinite()",
            "sqrt(cast<FloatAttr>($_self).getValue().convertToDouble() * 2.5) == 2.5f",
        ],
        &["cast<FloatAttr>($_self).getValue().isNegInfinity()", "$_self == $_builder.getF64FloatAttr(2.5)"],
    );
    on_attr(
        "\"abc\"",
        &[
            "cast<StringAttr>($_self).getValue() == \"abc\"",
            "cast<StringAttr>($_self) == \"a\" \"bc\"",
            "cast<StringAttr>($_self).getValue().starts_with(\"ab\")",
            "!cast<StringAttr>($_self).empty() && cast<StringAttr>($_self).size() == 3",
            "strcmp(cast<StringAttr>($_self).str().c_str(), \"abd\") < 0",
            "$_self == $_builder.getStringAttr(\"ab\" \"c\")",
            "cast<StringAttr>($_self).str() + \".\" == \"abc.\"",
        ],
        &["cast<StringAttr>($_self).getValue() != \"abc\""],
    );
    on_attr(
        "[1 : i64, 2 : i64, 2 : i64]",
        &[
            "::llvm::cast<::mlir::ArrayAttr>($_self).size() >= 3",
            "::llvm::cast<::mlir::IntegerAttr>(::llvm::cast<ArrayAttr>($_self)[1]).getInt() == 2",
            "::llvm::all_of(::llvm::cast<::mlir::ArrayAttr>($_self), [&](::mlir::Attribute attr) { return attr && ((::llvm::isa<::mlir::IntegerAttr>(attr))); })",
            "$_self == $_builder.getI64ArrayAttr({1, 2, 2})",
            "*cast<ArrayAttr>($_self).begin() == $_builder.getI64IntegerAttr(1)",
            "cast<ArrayAttr>($_self).begin()[2] == cast<ArrayAttr>($_self)[1]",
            "std::distance(cast<ArrayAttr>($_self).begin(), cast<ArrayAttr>($_self).end()) == 3",
            "std::all_of(cast<ArrayAttr>($_self).begin(), cast<ArrayAttr>($_self).end(), [](Attribute a) { return isa<IntegerAttr>(a); })",
            "llvm::all_of(cast<ArrayAttr>($_self).getAsValueRange<IntegerAttr>(), [](const APInt &v) { return v.isStrictlyPositive(); })",
            "[](ArrayAttr a) { if (a.size() < 2) return false; auto first = a[0]; return a[1] != first; }(cast<ArrayAttr>($_self))",
            "llvm::count_if(cast<ArrayAttr>($_self), [](Attribute a) { return cast<IntegerAttr>(a).getInt() == 2; }) == 2",
        ],
        &[
            "cast<ArrayAttr>($_self).empty()",
            "::llvm::none_of(cast<ArrayAttr>($_self), [](Attribute a) { return isa<IntegerAttr>(a); })",
        ],
    );
    on_attr(
        "array<i64: 1, 2, 2>",
        &[
            "::llvm::all_of(::llvm::cast<DenseI64ArrayAttr>($_self).asArrayRef(), [&](auto v) { return v >= 0; })",
            "llvm::is_sorted(::llvm::cast<DenseI64ArrayAttr>($_self).asArrayRef())",
            "::llvm::isa<::mlir::DenseI64ArrayAttr>($_self) && cast<DenseArrayAttr>($_self).size() == 3",
            "cast<DenseI64ArrayAttr>($_self).asArrayRef() == ArrayRef<int64_t>({1, 2, 2})",
            "$_self == $_builder.getDenseI64ArrayAttr({1, 2, 2})",
            "cast<DenseI64ArrayAttr>($_self)[2] == 2",
        ],
        &[
            "isa<DenseI32ArrayAttr>($_self)",
            "[](ArrayRef<int64_t> a) {\n return std::adjacent_find(std::begin(a), std::end(a)) == \n std::end(a);\n }(cast<DenseI64ArrayAttr>($_self))",
        ],
    );
    on_attr(
        "dense<[1.0, 2.0]> : tensor<2xf32>",
        &[
            "::llvm::isa<::mlir::DenseFPElementsAttr>($_self) &&::llvm::cast<::mlir::DenseElementsAttr>($_self).getType().getElementType().isF32()",
            "::llvm::cast<DenseElementsAttr>($_self).getType().getShape() == ::mlir::ArrayRef<int64_t>({2})",
            "cast<ElementsAttr>($_self).getNumElements() == 2",
            "cast<DenseElementsAttr>($_self).getValues<float>()[1] == 2.0",
            "(*cast<DenseElementsAttr>($_self).getValues<APFloat>().begin()).isExactlyValue(1.0)",
            "cast<ElementsAttr>($_self).getShapedType().getRank() == 1",
        ],
        &["cast<DenseElementsAttr>($_self).isSplat()", "isa<DenseIntElementsAttr>($_self)"],
    );
    // Only a signed type extends the sign of a machine integer.
    on_attr(
        "18446744073709551615 : i128",
        &[
            "$_builder.getIntegerAttr($_builder.getIntegerType(128), -1) == $_self",
            "IntegerAttr::get($_builder.getIntegerType(128), -1) == $_self",
        ],
        &[],
    );
    on_attr(
        "-1 : si128",
        &["$_builder.getIntegerAttr($_builder.getIntegerType(128, true), -1) == $_self"],
        &[],
    );
    // If there are no elements, the element type decides between an integer and a float attribute.
    on_attr(
        "dense<> : tensor<0xf32>",
        &[
            "cast<DenseElementsAttr>($_self).reshape(cast<ShapedType>(cast<DenseElementsAttr>($_self).getType())) == $_self",
            "cast<DenseElementsAttr>($_self).bitcast($_builder.getF32Type()) == $_self",
        ],
        &[],
    );
    on_attr(
        "dense<> : tensor<0xi32>",
        &[
            "cast<DenseElementsAttr>($_self).reshape(cast<ShapedType>(cast<DenseElementsAttr>($_self).getType())) == $_self",
        ],
        &[],
    );
    on_attr(
        "dense<7> : vector<4xi8>",
        &[
            "cast<DenseElementsAttr>($_self).isSplat() && cast<DenseElementsAttr>($_self).getSplatValue<APInt>() == 7",
            "cast<DenseElementsAttr>($_self).getSplatValue<IntegerAttr>().getInt() == 7",
            "cast<DenseElementsAttr>($_self).getSplatValue<int8_t>() == 7",
            "llvm::all_of(cast<DenseIntElementsAttr>($_self), [](APInt v) { return v.isOne() || v == 7; })",
            "$_self == DenseElementsAttr::get(cast<ShapedType>(cast<DenseElementsAttr>($_self).getType()), APInt(8, 7))",
        ],
        &[],
    );
    on_attr(
        "i32",
        &[
            "cast<TypeAttr>($_self).getValue().isInteger(32)",
            "$_self == TypeAttr::get($_builder.getI32Type())",
        ],
        &[],
    );
    on_attr(
        "@f",
        &["isa<FlatSymbolRefAttr>($_self)", "cast<FlatSymbolRefAttr>($_self).getValue() == \"f\""],
        &[],
    );
    on_attr("@f::@g", &["isa<SymbolRefAttr>($_self)"], &["isa<FlatSymbolRefAttr>($_self)"]);
    on_attr("unit", &["isa<UnitAttr>($_self)", "$_self == $_builder.getUnitAttr()"], &[]);
    on_attr(
        "{a = 1 : i32}",
        &[
            "cast<DictionaryAttr>($_self).get(\"a\") == $_builder.getI32IntegerAttr(1)",
            "!cast<DictionaryAttr>($_self).get(\"b\")",
        ],
        &["cast<DictionaryAttr>($_self).contains(\"b\")"],
    );
}

/// Types and attributes that the context does not contain have accessors, and compare by structure.
#[test]
fn entities_missing_from_the_host_are_compared_by_structure() {
    on_type(
        "i32",
        &[
            "RankedTensorType::get({7, 9}, $_builder.getIntegerType(57)) == RankedTensorType::get({7, 9}, $_builder.getIntegerType(57))",
            "RankedTensorType::get({7, 9}, $_builder.getIntegerType(57)).getElementType().isInteger(57)",
            "VectorType::get({7}, $_builder.getIntegerType(57)).getShape()[0] == 7",
            "cast<IntegerAttr>($_builder.getIntegerAttr($_builder.getIntegerType(57), 3)).getInt() == 3",
            "$_builder.getZeroAttr($_builder.getIntegerType(57))",
        ],
        &["RankedTensorType::get({7}, $_self) == RankedTensorType::get({8}, $_self)"],
    );
}

#[test]
fn undefined_behaviour_fails_with_a_reason() {
    let mut host = empty();
    let f32 = host.bind_type("f32").expect("a type");
    for (text, reason) in [
        ("cast<IntegerType>($_self).getWidth() == 1", "a type does not have the class to which it is cast"),
        ("dyn_cast<ShapedType>($_self).getRank() == 1", "null is used as a type"),
        ("1 / (cast<FloatType>($_self).getWidth() - 32) == 0", "division by zero"),
        ("9223372036854775807 + 1 > 0", "integer overflow"),
        ("ArrayRef<int64_t>({1, 2})[2] == 0", "index 2 is out of range: there are 2 elements"),
        ("-2147483647 - 2 < 0", "integer overflow"),
        ("1 << 40 > 0", "integer overflow"),
        ("llvm::alignTo(1, 0) == 0", "division by zero"),
        ("isa<ShapedType>(dyn_cast<ShapedType>($_self))", "null is dereferenced"),
    ] {
        let got = evaluate(&mut host, &Natives::new(), Ty::TYPE, Entity::Type(f32), text);
        assert_eq!(got, Err(reason.to_owned()), "{text}");
    }
}

#[test]
fn ill_typed_text_is_an_error_at_its_span() {
    for (text, wanted, at) in [
        ("$_self.getRank() == 2", "'Type' has no method 'getRank'", "$_self.getRank()"),
        (
            "$_self.isInteger(1, 2)",
            "'isInteger' takes 0 to 1 arguments, 2 are given",
            "$_self.isInteger(1, 2)",
        ),
        (
            "$_self.isInteger(\"x\")",
            "argument 1 of 'isInteger': 'StringRef' does not convert to 'int64_t'",
            "$_self.isInteger(\"x\")",
        ),
        ("$_self + 1", "operator '+' does not apply to 'Type' and 'int32_t'", "$_self + 1"),
        ("$_self == 1", "operator '==' does not apply to 'Type' and 'int32_t'", "$_self == 1"),
        (
            "cast<IntegerAttr>($_self)",
            "a value of type 'Type' never has the class 'IntegerAttr'",
            "cast<IntegerAttr>($_self)",
        ),
        ("$0.isF32()", "'$0' is not bound here", "$0"),
        ("\"text\"", "'StringRef' does not convert to 'bool'", "\"text\""),
        ("$_self.isF32(", "expected an expression", ""),
        ("$_self.isF32()) ", "expected an operator or the end", ")"),
        (
            "$_self ? 1 : $_self",
            "the alternatives have the types 'int32_t' and 'Type', which have nothing in common",
            "$_self ? 1 : $_self",
        ),
        ("isa($_self)", "'isa' needs a class between '<' and '>'", "isa($_self)"),
    ] {
        let mut map = SourceMap::default();
        let file = map.add("x.td", format!("  \"{text}\"")).expect("small");
        let span = map.file(file).span(2..text.len() + 4);
        let mut snippets = Snippets::default();
        let params = [Placeholder::new("$_self", Ty::TYPE)];
        let request = Request { params: &params, expected: Expected::Predicate, resolver: &NoResolver };
        let failure =
            compile(&mut snippets, &Text::literal(text, span, map.snippet(span)), &request).expect_err(text);
        assert!(matches!(failure, Failure::Wrong(_)), "{text}");
        let d = failure.into_diagnostic();
        assert_eq!(d.message, wanted, "{text}");
        assert_eq!(map.snippet(d.span()), at, "{text}");
    }
}

#[test]
fn some_statements_are_outside_the_language() {
    for text in [
        "static int x = 1; return x == 1;",
        "if ($_self) { goto end; return true; } return false;",
        "$_self = nullptr",
        "new int",
    ] {
        let mut snippets = Snippets::default();
        let params = [Placeholder::new("$_self", Ty::TYPE)];
        let failure = compile_with(&mut snippets, text, &params, Expected::Predicate).expect_err(text);
        assert!(matches!(failure, Failure::Outside(_)), "{text}: {failure:?}");
    }
}

#[test]
fn bodies_with_statements_are_evaluated() {
    on_type(
        "tensor<2x3x5xf32>",
        &[
            "int64_t n = 1; for (int64_t size : cast<ShapedType>($_self).getShape()) n *= size; return n == 30;",
            "for (int64_t size : cast<ShapedType>($_self).getShape()) if (size == 3) return true; return false;",
            "[&]() { int x; x += 1; return x; }() == 1",
            "[&]() { for (int i = 0; i < 3; ++i) {} return true; }()",
        ],
        &[
            "auto shape = cast<ShapedType>($_self).getShape(); while (shape.size() > 1) shape = shape.drop_front(); return shape[0] == 3;",
        ],
    );
    let mut host = empty();
    let subject = Entity::Type(host.bind_type("f32").expect("a type"));
    let missing = "[&]() { if ($_self.isF64()) return true; }()";
    let failed = evaluate(&mut host, &Natives::new(), Ty::TYPE, subject, missing);
    assert_eq!(failed, Err("a function ends without a return".to_owned()));
}

/// Every construct that nests has a depth limit, and a text that exceeds it is an error.
#[test]
fn deep_nesting_is_an_error() {
    let deep = 20_000;
    let texts = [
        format!("{}true{}", "(".repeat(deep), ")".repeat(deep)),
        format!("{}true", "!".repeat(deep)),
        format!("{}true", "a<".repeat(deep)),
        format!("{}$_self{}", "f(".repeat(deep), ")".repeat(deep)),
        format!("{}1{}", "{".repeat(deep), "}".repeat(deep)),
        format!("{}true", "[](){return ".repeat(deep)),
        format!("1{}", " + 1".repeat(deep)),
        format!("$_self{}", ".getType()".repeat(deep)),
        format!("{}true", "true ? true : ".repeat(deep)),
    ];
    for text in texts {
        let mut snippets = Snippets::default();
        let params = [Placeholder::new("$_self", Ty::TYPE)];
        let start: String = text.chars().take(12).collect();
        assert!(compile_with(&mut snippets, &text, &params, Expected::Predicate).is_err(), "{start}");
    }
}

/// Expressions just within the depth limits are evaluated on the small stack of a test, even in an unoptimised build.
#[test]
fn deep_expressions_are_evaluated() {
    let mut host = empty();
    let attr = host.bind_attr("1 : i32").expect("an attribute");
    for text in [
        format!("{}true", "!".repeat(90)),
        format!("{}1 == 1", "- ".repeat(90)),
        format!("1{} > 0", " + 1".repeat(90)),
        format!("{}true{}", "(".repeat(60), ")".repeat(60)),
        format!("{}true{}", "[&]() { return ".repeat(36), "; }()".repeat(36)),
    ] {
        let got = evaluate(&mut host, &Natives::new(), Ty::ATTR, Entity::Attr(Some(attr)), &text);
        assert_eq!(got, Ok(true), "{text}");
    }
}

/// Chains of `||` do not count as nesting, because predicates of enumerations with hundreds of cases are such chains.
#[test]
fn long_chains_are_evaluated() {
    let mut host = empty();
    let attr = host.bind_attr("1999 : i32").expect("an attribute");
    let parts: Vec<_> = (0..2000).map(|i| format!("((cast<IntegerAttr>($_self).getInt() == {i}))")).collect();
    let text = parts.join(" || ");
    let got = evaluate(&mut host, &Natives::new(), Ty::ATTR, Entity::Attr(Some(attr)), &text);
    assert_eq!(got, Ok(true));
}

const MODULE: &str = r#"
"test.f"() ({
^bb0(%a: i32, %b: i32):
  %c = "arith.constant"() {value = 5 : i32} : () -> i32
  %d = "test.two"(%a, %c) {n = 3 : i64, s = "x"} : (i32, i32) -> i32
  %e:2 = "test.pair"(%d, %d) : (i32, i32) -> (i32, i64)
  "test.end"(%e#1) : (i64) -> ()
}) : () -> ()
"#;

/// The operation with this name in [`MODULE`].
fn find(host: &IrHost, name: &str) -> crate::ir::OpId {
    use crate::host::WalkOrder;
    let mut found = None;
    host.walk(host.module.top(), WalkOrder::Pre, &mut |op| {
        if host.op_name_text(host.op_name(op)) == name {
            found = Some(op);
        }
    });
    found.expect(name)
}

#[test]
fn predicates_over_values_and_operations_agree_with_mlir() {
    let mut host = host(MODULE);
    let two = find(&host, "test.two");
    let pair = find(&host, "test.pair");
    let d = host.result(two, 0);
    let e1 = host.result(pair, 1);
    let values = Ty::range(Item::Value);
    let operands = Entity::Values(vec![host.operand(pair, 0), host.operand(pair, 1)]);
    let natives = Natives::new();
    type Case<'a> = (Ty, Entity<IrHost>, &'a [&'a str], &'a [&'a str]);
    let cases: [Case<'_>; 6] = [
        (
            Ty::VALUE,
            Entity::Value(Some(d)),
            &[
                "$_self.getType().isInteger(32)",
                "$_self.getDefiningOp()",
                "$_self.getDefiningOp()->getNumOperands() == 2",
                "$_self.getDefiningOp()->hasAttr(\"n\") && !$_self.getDefiningOp()->hasAttr(\"m\")",
                "$_self.getDefiningOp()->getAttrOfType<IntegerAttr>(\"n\").getInt() == 3",
                "!$_self.getDefiningOp()->getAttrOfType<IntegerAttr>(\"s\")",
                "matchPattern($_self.getDefiningOp()->getOperand(1), m_Constant())",
                "!matchPattern($_self, m_Constant()) && !matchPattern($_self.getDefiningOp()->getOperand(1), m_Zero())",
                "llvm::range_size($_self.getUses()) == 2",
                "llvm::all_equal($_self.getUsers())",
                "(*$_self.getUsers().begin())->getName().getStringRef() == \"test.pair\"",
                "$_self.getDefiningOp()->getName().getDialectNamespace() == \"test\"",
                "$_self.getUses().begin()->getOwner() == *$_self.getUsers().begin()",
                "$_self != Value()",
                "llvm::cast<OpResult>($_self).getResultNumber() == 0",
                "!isa<BlockArgument>($_self)",
                "isa<BlockArgument>($_self.getDefiningOp()->getOperand(0))",
                "$_self.getDefiningOp()->getResult(0) == $_self",
            ],
            &[
                "$_self.hasOneUse()",
                "$_self.use_empty()",
                "!$_self",
                "$_self.getDefiningOp()->getOperand(0).getDefiningOp()",
            ],
        ),
        // In the next case, `$_self` is not a constant. In the case after it, `$_self` is a constant.
        (
            Ty::VALUE,
            Entity::Value(Some(d)),
            &[
                "!matchPattern($_self, m_Zero())",
                "matchPattern($_self, m_Constant()) || $_self",
                "matchPattern($_self, m_One()) ? false : true",
            ],
            &[
                "matchPattern($_self, m_Zero())",
                "matchPattern($_self, m_NonZero())",
                "matchPattern($_self, m_Constant()) && $_self",
                "::mlir::matchPattern($_self, ::mlir::m_OneFloat())",
            ],
        ),
        (
            Ty::VALUE,
            Entity::Value(Some(host.operand(two, 1))),
            &["matchPattern($_self, m_Constant())", "matchPattern($_self, m_Constant()) && $_self"],
            &["matchPattern($_self, m_Zero())", "!matchPattern($_self, m_Constant())"],
        ),
        (
            Ty::VALUE,
            Entity::Value(Some(e1)),
            &["$_self.hasOneUse()", "$_self.getType().isInteger(64)"],
            &["$_self.getUses().empty()"],
        ),
        (
            Ty::OP,
            Entity::Op(pair),
            &[
                "$_self->getNumResults() == 2",
                "$_self->getOperand(0) == $_self->getOperand(1)",
                "$_self->getResultTypes()[1].isInteger(64)",
                "$_self->getOperands().size() == 2 && llvm::all_equal($_self->getOperandTypes())",
                "$_self->hasOneUse()",
            ],
            &["$_self->use_empty()"],
        ),
        (
            values,
            operands,
            &[
                "llvm::all_equal($_self)",
                "$_self.size() == 2 && !$_self.empty()",
                "$_self.front() == $_self.back() && $_self[0] == *std::next($_self.begin(), 1)",
                "llvm::all_of($_self.getTypes(), [](Type t) { return t.isInteger(32); })",
                "$_self.drop_front().size() == 1 && $_self.drop_back(2).empty()",
            ],
            &[],
        ),
    ];
    for (ty, subject, holds, does_not) in cases {
        for (texts, want) in [(holds, true), (does_not, false)] {
            for text in texts {
                let got = evaluate(&mut host, &natives, ty, subject.clone(), text);
                assert_eq!(got, Ok(want), "{text}");
            }
        }
    }
    let absent = evaluate(&mut host, &natives, Ty::VALUE, Entity::Value(None), "$_self != Value()");
    assert_eq!(absent, Ok(false), "an absent optional operand is null");
}

#[test]
fn a_predicate_assigns_its_outputs() {
    let mut host = host(MODULE);
    let two = find(&host, "test.two");
    let mut snippets = Snippets::default();
    snippets.add_constant_op("arith.constant", "value");
    let text = "::mlir::success(::mlir::matchPattern($_self->getOperand(1), ::mlir::m_Constant(&$0)))";
    let params = |class| [Placeholder::new("$_self", Ty::OP), Placeholder::output("$0", Ty::attr(class))];
    let any = compile_with(&mut snippets, text, &params(AttrClass::Any), Expected::Predicate).expect(text);
    let float =
        compile_with(&mut snippets, text, &params(AttrClass::Float), Expected::Predicate).expect(text);
    let assigned = compile_with(
        &mut snippets,
        "$0 = $_self->getOperand(1), success()",
        &[Placeholder::new("$_self", Ty::OP), Placeholder::output("$0", Ty::VALUE)],
        Expected::Predicate,
    )
    .expect("an assignment");
    let linked = Linked::link(&snippets, &mut host, &Natives::new());
    let five = host.bind_attr("5 : i32").expect("an attribute");
    let args = [Entity::Op(two)];
    assert_eq!(linked.holds(&snippets, any, &host, &args), Ok(Some(vec![Entity::Attr(Some(five))])));
    assert_eq!(linked.holds(&snippets, float, &host, &args), Ok(None), "5 : i32 is not a FloatAttr");
    let operand = host.operand(two, 1);
    assert_eq!(linked.holds(&snippets, assigned, &host, &args), Ok(Some(vec![Entity::Value(Some(operand))])));
}

#[test]
fn natives_are_listed_and_replace_built_ins() {
    let mut host = host(MODULE);
    let d = host.result(find(&host, "test.two"), 0);
    let mut snippets = Snippets::default();
    let value = [Placeholder::new("$0", Ty::VALUE)];
    let mut pred = |text: &str| compile_with(&mut snippets, text, &value, Expected::Predicate).expect(text);
    let width = pred("myWidth($0) > 16 && myWidth($0) == 32");
    let fails = pred("succeeded(maybe($0)) && *maybe($0) == 1");
    let element = pred("getElementTypeOrSelf($0).isF32()");
    let class = pred("isa<TokenType>($0.getType())");
    let bound = compile_with(
        &mut snippets,
        "success(firstResult($_self, $0))",
        &[Placeholder::new("$_self", Ty::VALUE), Placeholder::output("$0", Ty::VALUE)],
        Expected::Predicate,
    )
    .expect("a native with an output");

    let missing = Linked::link(&snippets, &mut host, &Natives::new());
    let named = |list: &[crate::snippet::data::NativeId]| -> Vec<String> {
        let of = |id| snippets.natives().find(|(i, _)| *i == id).expect("listed").1;
        list.iter().map(|id| snippets.str(of(*id).name).to_owned()).collect()
    };
    assert_eq!(named(missing.missing()), ["myWidth", "maybe", "isa<TokenType>", "firstResult"]);
    assert_eq!(named(&snippets.natives_of(fails)), ["maybe"]);
    assert_eq!(named(&snippets.natives_of(class)), ["isa<TokenType>"]);
    assert!(named(&snippets.natives_of(element)).is_empty());

    let f32 = host.bind_type("f32").expect("a type");
    let takes =
        |kinds: &[Kind], results: &[Kind]| Signature::new(kinds.iter().copied(), results.iter().copied());
    let natives: Natives<IrHost> = Natives::new()
        .constraint_with("myWidth", takes(&[Kind::Value], &[Kind::Int]), true, |_, _| {
            Some(vec![Entity::Int(32)])
        })
        .constraint_with("maybe", takes(&[Kind::Value], &[Kind::Int]), true, |_, _| None)
        .constraint_with("getElementTypeOrSelf", takes(&[Kind::Value], &[Kind::Type]), true, move |_, _| {
            Some(vec![Entity::Type(f32)])
        })
        .constraint("isa<TokenType>", |_: &IrHost, _: arg::Type<IrHost>| true)
        .constraint_with("firstResult", takes(&[Kind::Value], &[Kind::Value]), true, |_, args| {
            Some(vec![args[0].clone()])
        });
    let other: Natives<IrHost> = Natives::new().constraint("maybe", |_: &IrHost, _: arg::Type<IrHost>| true);
    let other = Linked::link(&snippets, &mut host, &other);
    let maybe = snippets.natives_of(fails)[0];
    assert!(other.missing().contains(&maybe), "it is registered for types, and called with a value");
    assert_eq!(other.registered(maybe), [Signature::new([Kind::Type], [])]);

    let linked = Linked::link(&snippets, &mut host, &natives);
    assert!(linked.missing().is_empty());
    let args = [Entity::Value(Some(d))];
    let holds = |id| linked.holds(&snippets, id, &host, &args).map(|bound| bound.is_some());
    assert_eq!(holds(width), Ok(true));
    assert_eq!(holds(fails), Ok(false));
    assert_eq!(holds(element), Ok(true), "the native gives f32, the built-in would give i32");
    assert_eq!(holds(class), Ok(true));
    assert_eq!(linked.holds(&snippets, bound, &host, &args), Ok(Some(vec![args[0].clone()])));
}

#[test]
fn constants_are_evaluated_at_link_time() {
    for (text, want) in [
        ("$_builder.getI32IntegerAttr(22)", "22 : i32"),
        ("$_builder.getSI64IntegerAttr(-1)", "-1 : si64"),
        ("$_builder.getIndexAttr(3)", "3 : index"),
        ("$_builder.getBoolAttr(false)", "false"),
        ("$_builder.getF64FloatAttr(-0.5)", "-0.5 : f64"),
        ("$_builder.getFloatAttr($_builder.getBF16Type(), 1)", "1.0 : bf16"),
        ("$_builder.getStringAttr(\"a\" \"b\")", "\"ab\""),
        (
            "$_builder.getArrayAttr({$_builder.getUnitAttr(), $_builder.getStringAttr(\"x\")})",
            "[unit, \"x\"]",
        ),
        ("$_builder.getI64ArrayAttr({1, -2})", "[1 : i64, -2 : i64]"),
        ("$_builder.getDenseI32ArrayAttr({1, 2,})", "array<i32: 1, 2>"),
        ("$_builder.getDenseF32ArrayAttr({1.5})", "array<f32: 1.5>"),
        (
            "$_builder.getZeroAttr(RankedTensorType::get({2, ShapedType::kDynamic}, $_builder.getF32Type()))",
            "",
        ),
        (
            "$_builder.getZeroAttr(RankedTensorType::get({2, 3}, $_builder.getF32Type()))",
            "dense<0.0> : tensor<2x3xf32>",
        ),
        ("$_builder.getOneAttr($_builder.getIndexType())", "1 : index"),
        (
            "DenseElementsAttr::get(RankedTensorType::get({3}, $_builder.getI8Type()), {APInt(8, 1), APInt(8, 2), APInt(8, 255)})",
            "dense<[1, 2, -1]> : tensor<3xi8>",
        ),
        (
            "DenseElementsAttr::get(VectorType::get({2}, $_builder.getF32Type()), 1.0f)",
            "dense<1.0> : vector<2xf32>",
        ),
        ("$_builder.getI64TensorAttr({1, 2})", "dense<[1, 2]> : tensor<2xi64>"),
        ("$_builder.getIndexTensorAttr({1, 2})", "dense<[1, 2]> : tensor<2xindex>"),
        ("$_builder.getIndexVectorAttr({3, 3})", "dense<3> : vector<2xindex>"),
        ("$_builder.getF32VectorAttr({0.5})", "dense<5.000000e-01> : vector<1xf32>"),
        ("$_builder.getF64VectorAttr({1.5, 2.0})", "dense<[1.500000e+00, 2.000000e+00]> : vector<2xf64>"),
        ("TypeAttr::get(UnrankedTensorType::get($_builder.getType<Float16Type>()))", "tensor<*xf16>"),
        ("FlatSymbolRefAttr::get($_builder.getContext(), \"f\")", "@f"),
        ("TypeAttr::get(ComplexType::get(Float64Type::get($_builder.getContext())))", "complex<f64>"),
        ("TypeAttr::get($_builder.getFunctionType({$_builder.getI1Type()}, {}))", "(i1) -> ()"),
        ("IntegerAttr::get($_builder.getIntegerType(128), APInt(128, -1, true))", "-1 : i128"),
        (
            "DenseElementsAttr::get(RankedTensorType::get({1}, $_builder.getI32Type()), cast<Attribute>(StringAttr()))",
            "error",
        ),
    ] {
        let mut host = empty();
        let mut snippets = Snippets::default();
        let id = compile_with(&mut snippets, text, &[], Expected::Kind(Kind::Attr)).expect(text);
        let linked = Linked::link(&snippets, &mut host, &Natives::new());
        let made = linked.make(&snippets, id, &mut host);
        match want {
            "error" | "" => assert!(made.is_err(), "{text}: {made:?}"),
            _ => {
                let wanted = host.bind_attr(want);
                assert!(wanted.is_some(), "{want}");
                assert_eq!(made, Ok(Entity::Attr(wanted)), "{text}");
            }
        }
    }
}

#[test]
fn a_property_is_stored_as_an_attribute() {
    let mut host = empty();
    let mut snippets = Snippets::default();
    let i64 = [Placeholder::new("$0", Ty::I64)];
    let more =
        compile_with(&mut snippets, "$0 + 1", &i64, Expected::Property(Ty::I64.into())).expect("a sum");
    let minus =
        compile_with(&mut snippets, "-($0)", &i64, Expected::Property(Ty::I64.into())).expect("a negation");
    let strings = [Placeholder::new("$0", Ty::STR), Placeholder::new("$1", Ty::STR)];
    let text = "$0.str() + \".\" + $1.str()";
    let joined = compile_with(&mut snippets, text, &strings, Expected::Property(Ty::STR.into())).expect(text);
    let yes = compile_with(&mut snippets, "true", &[], Expected::Property(Ty::BOOL.into())).expect("true");
    let linked = Linked::link(&snippets, &mut host, &Natives::new());
    let mut attr = |text: &str| Entity::Attr(Some(host.bind_attr(text).expect(text)));
    let (seven, eight, back) = (attr("7 : i64"), attr("8 : i64"), attr("-7 : i64"));
    let (a, b, ab) = (attr("\"a\""), attr("\"b\""), attr("\"a.b\""));
    let truth = attr("true");
    let value = |id, args: &[Entity<IrHost>]| linked.value(&snippets, id, &host, args);
    assert_eq!(value(more, std::slice::from_ref(&seven)), Ok(vec![eight]));
    assert_eq!(value(minus, &[seven]), Ok(vec![back]));
    assert_eq!(value(joined, &[a, b]), Ok(vec![ab]));
    assert_eq!(value(yes, &[]), Ok(vec![truth]));
}

#[test]
fn wrong_arguments_are_rejected() {
    let mut host = empty();
    let mut snippets = Snippets::default();
    let params = [Placeholder::new("$_self", Ty::TYPE)];
    let id = compile_with(&mut snippets, "$_self.isF32()", &params, Expected::Predicate).expect("well-typed");
    let linked = Linked::link(&snippets, &mut host, &Natives::new());
    let refused: Result<_, Refusal> = linked.holds(&snippets, id, &host, &[]);
    assert!(refused.is_err());
    let refused = linked.holds(&snippets, id, &host, &[Entity::Int(1)]);
    assert_eq!(refused, Err(Refusal::new("an integer is used as a type")));
}

/// A resolver for a small dialect.
struct Dialect;

impl Resolver for Dialect {
    fn name(&self, snippets: &mut Snippets, name: &str) -> Option<Named> {
        let flags = |s: &mut Snippets| {
            s.add_enum(
                "t::Flags",
                Some(", "),
                &[("none", "none", 0), ("fast", "fast", 1), ("loose", "loose", 2)],
            )
        };
        let order =
            |s: &mut Snippets| s.add_enum("t::Order", None, &[("lt", "less", 0), ("gt", "greater", 1)]);
        Some(match name {
            "t::Flags" => Named::Enum(flags(snippets)),
            "t::FlagsAttr" => {
                let (id, text) = (flags(snippets), snippets.intern("#t.flags"));
                Named::Class(snippets.add_class(name, ClassKind::EnumAttr(text, id)))
            }
            "Order" | "t::Order" => Named::Enum(order(snippets)),
            "t::OrderAttr" => {
                let id = order(snippets);
                Named::Class(snippets.add_class(name, ClassKind::IntEnumAttr(32, id)))
            }
            "t::TokenType" => {
                let text = snippets.intern("!t.token");
                Named::Class(snippets.add_class(name, ClassKind::Type(text)))
            }
            "test::PairOp" | "PairOp" => {
                let op = snippets.intern("test.pair");
                Named::Class(snippets.add_class("test::PairOp", ClassKind::Op(op)))
            }
            "test::TwoOp" => {
                let op = snippets.intern("test.two");
                Named::Class(snippets.add_class(name, ClassKind::Op(op)))
            }
            _ => return None,
        })
    }

    fn member(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<(Member, Ty)> {
        let class = snippets.str(snippets.class(class).cxx_name).to_owned();
        let values = Ty::range(Item::Value);
        Some(match (class.as_str(), method) {
            ("test::TwoOp", "getLhs") => (Member::Operands(GroupRef::One(0)), Ty::VALUE),
            ("test::TwoOp", "getRhs") => (Member::Operands(GroupRef::FromEnd(0)), Ty::VALUE),
            ("test::TwoOp", "getRest") => (Member::Operands(GroupRef::Rest { before: 1, after: 0 }), values),
            ("test::TwoOp", "getNAttr") => (Member::Attr(snippets.intern("n")), Ty::attr(AttrClass::Integer)),
            ("test::TwoOp", "getN") => (Member::Attr(snippets.intern("n")), Ty::I64),
            ("test::TwoOp", "getS") => (Member::Attr(snippets.intern("s")), Ty::STR),
            ("test::TwoOp", "getFlag") => (Member::UnitAttr(snippets.intern("flag")), Ty::BOOL),
            ("test::TwoOp", "getMissingAttr") => (Member::Attr(snippets.intern("m")), Ty::ATTR),
            ("test::PairOp", "getODSResults(1)") => {
                (Member::Results(GroupRef::Rest { before: 1, after: 0 }), values)
            }
            _ => return None,
        })
    }

    fn create(&self, snippets: &mut Snippets, class: ClassId, args: &[Ty]) -> Option<PlanId> {
        let class = snippets.str(snippets.class(class).cxx_name).to_owned();
        if class != "test::TwoOp" || args.len() != 3 {
            return None;
        }
        let (op, n) = (snippets.intern("test.two"), snippets.intern("n"));
        let args = vec![PlanArg::Operand, PlanArg::Operand, PlanArg::Attr(n)];
        let results = PlanResults::OfOperand(1, 1);
        Some(snippets.add_plan(Plan { op, args, results, operand_segments: None, regions: 0 }))
    }
}

fn with_dialect(
    snippets: &mut Snippets,
    text: &str,
    params: &[Placeholder],
    expected: Expected,
) -> Result<SnippetId, Failure> {
    compile(snippets, &Text::new(text, Span::NONE), &Request { params, expected, resolver: &Dialect })
}

#[test]
fn a_resolver_defines_accessors_classes_and_enumerators() {
    let mut host = host(MODULE);
    let two = find(&host, "test.two");
    let mut snippets = Snippets::default();
    let operation = |name: &str| Placeholder::new(name, Ty::OP);
    let d = host.result(two, 0);
    for (text, want) in [
        ("isa<test::TwoOp>($_self) && !isa<PairOp>($_self)", true),
        ("cast<test::TwoOp>($_self).getLhs() == $_self->getOperand(0)", true),
        ("cast<test::TwoOp>($_self).getRhs() == $_self->getOperand(1)", true),
        ("cast<test::TwoOp>($_self).getRest().size() == 1", true),
        ("cast<test::TwoOp>($_self).getN() == 3 && cast<test::TwoOp>($_self).getNAttr().getInt() == 3", true),
        ("cast<test::TwoOp>($_self).getS() == \"x\"", true),
        ("cast<test::TwoOp>($_self).getFlag()", false),
        ("!cast<test::TwoOp>($_self).getMissingAttr()", true),
        ("cast<test::TwoOp>($_self).getType().isInteger(32)", true),
        ("$_self->getResult(0).getDefiningOp<test::TwoOp>()", true),
        ("$_self->getResult(0).getDefiningOp<test::PairOp>()", false),
        ("(*$_self->getUsers().begin()) == $_self", false),
        ("cast<PairOp>(*$_self->getUsers().begin()).getODSResults(1).front().getType().isInteger(64)", true),
    ] {
        let id = with_dialect(&mut snippets, text, &[operation("$_self")], Expected::Predicate).expect(text);
        let linked = Linked::link(&snippets, &mut host, &Natives::new());
        let held = linked.holds(&snippets, id, &host, &[Entity::Op(two)]).map(|bound| bound.is_some());
        assert_eq!(held, Ok(want), "{text}");
    }
    let unknown = with_dialect(&mut snippets, "t::Order::eq == t::Order::lt", &[], Expected::Predicate);
    assert_eq!(message(unknown.expect_err("no such case")), "'t::Order' has no enumerator 'eq'");
    assert_eq!(host.defining_op(d), Some(two));
}

#[test]
fn enumeration_attributes_are_read_and_built() {
    let mut host = empty();
    let attr = [Placeholder::new("$_self", Ty::ATTR)];
    for (subject, holds, does_not) in [
        (
            "1 : i32",
            &[
                "isa<t::OrderAttr>($_self) && cast<t::OrderAttr>($_self).getValue() == ::t::Order::gt",
                "$_self == t::OrderAttr::get($_builder.getContext(), Order::gt)",
                "static_cast<int>(cast<t::OrderAttr>($_self).getValue()) == 1",
            ][..],
            &["cast<t::OrderAttr>($_self).getValue() == t::Order::lt || isa<t::FlagsAttr>($_self)"][..],
        ),
        ("2 : i32", &["!isa<t::OrderAttr>($_self)"], &[]),
        ("1 : i64", &["!isa<t::OrderAttr>($_self)"], &[]),
        (
            "#t.flags<fast, loose>",
            &[
                "(cast<t::FlagsAttr>($_self).getValue() & t::Flags::loose) == t::Flags::loose",
                "cast<t::FlagsAttr>($_self).getValue() == (t::Flags::fast | t::Flags::loose)",
                "$_self == t::FlagsAttr::get($_builder.getContext(), t::Flags::fast | t::Flags::loose)",
                "~t::Flags::fast == t::Flags::loose && static_cast<int>(~t::Flags::none) == 3",
            ],
            &["$_self == $_builder.getAttr<t::FlagsAttr>(t::Flags::none)", "isa<t::OrderAttr>($_self)"],
        ),
    ] {
        let value = host.bind_attr(subject).expect(subject);
        for (texts, want) in [(holds, true), (does_not, false)] {
            for text in texts {
                let mut snippets = Snippets::default();
                let id = with_dialect(&mut snippets, text, &attr, Expected::Predicate).expect(text);
                let linked = Linked::link(&snippets, &mut host, &Natives::new());
                let held = linked.holds(&snippets, id, &host, &[Entity::Attr(Some(value))]);
                assert_eq!(held.map(|bound| bound.is_some()), Ok(want), "{text}");
            }
        }
    }
}

#[test]
fn snippets_create_operations() {
    use crate::host::{Journal, Rewriter};
    let mut host = host(MODULE);
    let (two, pair) = (find(&host, "test.two"), find(&host, "test.pair"));
    let mut snippets = Snippets::default();
    let params = [
        Placeholder::new("$_loc", Ty::LOCATION),
        Placeholder::new("$0", Ty::VALUE),
        Placeholder::new("$1", Ty::attr(AttrClass::Integer)),
    ];
    let made = [
        "test::TwoOp::create($_builder, $_loc, $0, $0, $1)",
        "$_builder.create<test::TwoOp>($_loc, $0, $0, $1).getResult()",
    ]
    .map(|text| with_dialect(&mut snippets, text, &params, Expected::Kind(Kind::Value)).expect(text));
    assert!(snippets.get(made[0]).rewrites && !snippets.get(made[0]).pure);
    let linked = Linked::link(&snippets, &mut host, &Natives::new());
    let nine = host.bind_attr("9 : i64").expect("an attribute");
    let d = host.result(two, 0);
    let args = [Entity::Location(host.location(pair)), Entity::Value(Some(d)), Entity::Attr(Some(nine))];
    assert!(linked.value(&snippets, made[0], &host, &args).is_err(), "matching creates nothing");
    for id in made {
        let mut journal = Journal::new();
        let mut rewriter = Rewriter::new(&mut host, pair, &mut journal);
        let given = linked.rewrite(&snippets, id, &mut rewriter, &args).expect("made");
        let &[op] = rewriter.created() else { panic!("one operation is made") };
        let n = host.bind_attr_name("n");
        assert_eq!(given, [Entity::Value(Some(host.result(op, 0)))]);
        assert_eq!(host.op_name(op), host.op_name(two));
        assert_eq!((host.operand(op, 0), host.operand(op, 1)), (d, d));
        assert_eq!(host.attr(op, n), Some(nine));
        assert_eq!(host.value_type(host.result(op, 0)), host.value_type(d));
    }
}

#[test]
fn predicates_over_affine_maps_agree_with_mlir() {
    const MAP: &str = "cast<AffineMapAttr>($_self).getValue()";
    // The columns are the results of these methods in MLIR, in this order.
    let questions = [
        "isEmpty()",
        "isIdentity()",
        "isMinorIdentity()",
        "isMinorIdentityWithBroadcasting()",
        "isPermutation()",
        "isProjectedPermutation()",
        "isProjectedPermutation(/*allowZeroInResults=*/true)",
        "isConstant()",
        "isSingleConstant()",
        "isFunctionOfDim(0)",
        "isFunctionOfSymbol(0)",
    ];
    let (y, n) = (true, false);
    let cases: &[(&str, [u32; 3], [bool; 11])] = &[
        ("() -> ()", [0, 0, 0], [y, y, y, y, y, y, y, y, n, n, n]),
        ("(d0) -> (d0)", [1, 0, 1], [n, y, y, y, y, y, y, n, n, y, n]),
        ("(d0, d1) -> (d1, d0)", [2, 0, 2], [n, n, n, n, y, y, y, n, n, y, n]),
        ("(d0, d1, d2) -> (d1, d2)", [3, 0, 2], [n, n, y, y, n, y, y, n, n, n, n]),
        ("(d0, d1, d2) -> (d2, d0)", [3, 0, 2], [n, n, n, n, n, y, y, n, n, y, n]),
        ("(d0, d1, d2) -> (0, d2)", [3, 0, 2], [n, n, n, y, n, n, y, n, n, n, n]),
        ("(d0, d1) -> (1, d1)", [2, 0, 2], [n, n, n, n, n, n, n, n, n, n, n]),
        ("(d0) -> (d0, d0)", [1, 0, 2], [n, n, n, n, n, n, n, n, n, y, n]),
        ("(d0, d1) -> (d0, d0)", [2, 0, 2], [n, n, n, n, n, n, n, n, n, y, n]),
        ("(d0)[s0] -> (d0)", [1, 1, 1], [n, y, n, y, n, n, n, n, n, y, n]),
        ("(d0)[s0] -> (d0 + s0)", [1, 1, 1], [n, n, n, n, n, n, n, n, n, y, y]),
        ("()[s0] -> (s0)", [0, 1, 1], [n, n, n, n, n, n, n, n, n, n, y]),
        ("() -> (-7)", [0, 0, 1], [n, n, n, n, n, n, n, y, y, n, n]),
        ("(d0) -> (3, 4)", [1, 0, 2], [n, n, n, n, n, n, n, y, n, n, n]),
        ("(d0) -> (d0 + 0)", [1, 0, 1], [n, y, y, y, y, y, y, n, n, y, n]),
        ("(i, j) -> ((i + j) floordiv 2, j)", [2, 0, 2], [n, n, n, n, n, n, n, n, n, y, n]),
    ];
    for (map, [dims, symbols, results], answers) in cases {
        let mut holds = vec![
            format!("{MAP}.getNumDims() == {dims}"),
            format!("{MAP}.getNumSymbols() == {symbols}u"),
            format!("{MAP}.getNumInputs() == {}", dims + symbols),
            format!("{MAP}.getNumResults() == {results}"),
        ];
        let mut does_not = Vec::new();
        for (question, answer) in questions.iter().zip(answers) {
            if *answer { &mut holds } else { &mut does_not }.push(format!("{MAP}.{question}"));
        }
        let texts = |list: &[String]| list.iter().map(|text| (*text).clone()).collect::<Vec<_>>();
        let (holds, does_not) = (texts(&holds), texts(&does_not));
        on_attr(
            &format!("affine_map<{map}>"),
            &holds.iter().map(String::as_str).collect::<Vec<_>>(),
            &does_not.iter().map(String::as_str).collect::<Vec<_>>(),
        );
    }
    on_attr(
        "affine_map<(d0, d1, d2) -> (d2, 5, 0)>",
        &[
            "cast<AffineMapAttr>($_self).getAffineMap().getDimPosition(0) == 2",
            "cast<AffineMapAttr>($_self).getValue().getNumOfZeroResults() == 1",
            "cast<AffineMapAttr>($_self).getValue().getMinorSubMap(2).getConstantResults() == ArrayRef<int64_t>({5, 0})",
            "cast<AffineMapAttr>($_self).getValue().getMinorSubMap(1).getSingleConstantResult() == 0",
            "!cast<AffineMapAttr>($_self).getValue().getMajorSubMap(0)",
            "cast<AffineMapAttr>($_self).getValue().getMajorSubMap(9) == cast<AffineMapAttr>($_self).getAffineMap()",
            "AffineMapAttr::get(cast<AffineMapAttr>($_self).getValue()) == $_self",
        ],
        &["cast<AffineMapAttr>($_self).isIdentity()", "isa<IntegerAttr>($_self)"],
    );
}

/// Compares the results of affine map constructors with the text that MLIR prints.
#[test]
fn affine_maps_print_as_in_mlir() {
    for (made, text) in [
        ("$_builder.getEmptyAffineMap()", "() -> ()"),
        ("AffineMap::get($_builder.getContext())", "() -> ()"),
        ("mlir::AffineMap::get(2, 1, $_builder.getContext())", "(d0, d1)[s0] -> ()"),
        ("$_builder.getDimIdentityMap()", "(d0) -> (d0)"),
        ("$_builder.getSymbolIdentityMap()", "()[s0] -> (s0)"),
        ("$_builder.getMultiDimIdentityMap(3)", "(d0, d1, d2) -> (d0, d1, d2)"),
        ("AffineMap::getMultiDimIdentityMap(2, $_builder.getContext())", "(d0, d1) -> (d0, d1)"),
        ("AffineMap::getMinorIdentityMap(3, 1, $_builder.getContext())", "(d0, d1, d2) -> (d2)"),
        ("AffineMap::getPermutationMap({1, 2, 0}, $_builder.getContext())", "(d0, d1, d2) -> (d1, d2, d0)"),
        (
            "AffineMap::getMultiDimMapWithTargets(3, {2, 1}, $_builder.getContext())",
            "(d0, d1, d2) -> (d2, d1)",
        ),
        ("$_builder.getConstantAffineMap(-4)", "() -> (-4)"),
        ("AffineMap::getConstantMap(4, $_builder.getContext())", "() -> (4)"),
        ("$_builder.getSingleDimShiftAffineMap(0)", "(d0) -> (d0)"),
        ("$_builder.getSingleDimShiftAffineMap(-2)", "(d0) -> (d0 - 2)"),
    ] {
        on_attr(
            &format!("affine_map<{text}>"),
            &[
                &format!("cast<AffineMapAttr>($_self).getValue() == {made}"),
                &format!("AffineMapAttr::get({made}) == $_self"),
                &format!("isa<AffineMapAttr>(AffineMapAttr::get({made}))"),
            ],
            &[],
        );
        // The context of this host does not contain the map.
        on_type("i1", &[&format!("isa<AffineMapAttr>(AffineMapAttr::get({made}))")], &[]);
    }
    on_attr(
        "[affine_map<(d0) -> (d0)>, affine_map<(d0, d1) -> (d1)>]",
        &[
            "llvm::all_of(cast<ArrayAttr>($_self).getAsValueRange<AffineMapAttr>(), [](AffineMap map) { return map.isMinorIdentity(); })",
            "llvm::any_of(cast<ArrayAttr>($_self).getAsRange<AffineMapAttr>(), [](AffineMapAttr map) { return map.getValue().getNumDims() == 2; })",
            "$_builder.getAffineMapArrayAttr({$_builder.getMultiDimIdentityMap(1), AffineMap::getMinorIdentityMap(2, 1, $_builder.getContext())}) == $_self",
        ],
        &[
            "llvm::all_of(cast<ArrayAttr>($_self).getAsValueRange<AffineMapAttr>(), [](AffineMap map) { return map.isIdentity(); })",
        ],
    );
}

#[test]
fn an_affine_map_is_not_its_attribute() {
    let refused = |text: &str| {
        let mut host = empty();
        let subject = host.bind_attr("affine_map<(d0) -> (d0)>").expect("an attribute");
        evaluate(&mut host, &Natives::new(), Ty::ATTR, Entity::Attr(Some(subject)), text).expect_err(text)
    };
    for (text, reason) in [
        ("cast<AffineMapAttr>($_self).getNumDims() == 1", "'AffineMapAttr' has no method 'getNumDims'"),
        ("cast<AffineMapAttr>($_self) == $_builder.getDimIdentityMap()", ""),
        ("$_self == AffineMapAttr::get(AffineMapAttr::get($_builder.getDimIdentityMap()))", ""),
        ("$_builder.getMultiDimIdentityMap(1000000).isIdentity()", "the maximum is 4096"),
        ("AffineMap::getPermutationMap({1, 1}, $_builder.getContext()).isIdentity()", "each number"),
        ("AffineMap::getMinorIdentityMap(1, 2, $_builder.getContext()).isIdentity()", "more results"),
    ] {
        assert!(refused(text).contains(reason), "{text}: {}", refused(text));
    }
}

/// The classes `TF::RefType` and `TF::ShapeAttr` have no definitions. Types and attributes of other dialects are not of
/// these classes.
#[test]
fn classes_of_other_dialects_have_no_members() {
    for ty in ["i32", "tensor<2xf32>", "!toy.struct<i32>"] {
        on_type(
            ty,
            &["!isa<mlir::TF::RefType>($_self)", "!dyn_cast<TF::RefType>($_self)"],
            &["isa<TF::RefType>($_self)"],
        );
    }
    on_attr("3 : i32", &["!isa<TF::ShapeAttr>($_self)"], &[]);
    on_attr("#toy.color<red>", &["!isa<TF::ShapeAttr>($_self)"], &[]);
    let mut host = empty();
    for ty in ["!tf_type.resource", "!tf.ref"] {
        let subject = host.bind_type(ty).expect("a type");
        let natives = Natives::new().constraint("isa<TF::RefType>", |_: &IrHost, _: arg::Type<IrHost>| true);
        for text in ["isa<TF::RefType>($_self)", "!isa<TF::RefType>($_self)"] {
            let unknown = evaluate(&mut host, &Natives::new(), Ty::TYPE, Entity::Type(subject), text);
            assert!(unknown.expect_err("not known").contains("isa<TF::RefType>"));
        }
        let decided =
            evaluate(&mut host, &natives, Ty::TYPE, Entity::Type(subject), "isa<TF::RefType>($_self)");
        assert_eq!(decided, Ok(true));
    }
}

#[test]
fn a_forged_width_of_a_number_is_refused() {
    let mut host = empty();
    for bits in [-1, 0, 7, 65, 128, 200, 255, 256] {
        let mut snippets = Snippets::default();
        let mut b = Builder::new(&mut snippets, Vec::new(), Span::NONE, false);
        let args = [b.str("5"), b.int(bits, IntTy::I32), b.bool(true)].map(|arg| arg.expect("small"));
        let number = b.algorithm(Builtin::ParseInt, &args, Ty::optional(IntTy::I64.item())).expect("small");
        let id = b.finish(number, SnippetResult::Value(number.ty), "");
        let linked = Linked::link(&snippets, &mut host, &Natives::new());
        let refusal = linked.value(&snippets, id, &host, &[]).expect_err("no type has this width");
        assert_eq!(refusal.to_string(), "the snippet is malformed", "{bits}");
    }
}
