//! The C++ functions that infer the result types of new operations.

use super::helpers::opt;

const RULES: &str = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a, TypedAttrInterface:$v); let results = (outs AnyType:$r); }
def T_YOp : Op<T_Dialect, "y"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
class T_Inferring<string name, dag ins> : Op<T_Dialect, name, [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = ins;
  let results = (outs AnyType:$r);
}
def T_ConstOp : T_Inferring<"const", (ins TypedAttrInterface:$my_value)>;
def T_MaybeOp : T_Inferring<"maybe", (ins AnyType:$a, OptionalAttr<AnyAttr>:$b)>;
def T_CheckedOp : T_Inferring<"checked", (ins AnyType:$a, ConfinedAttr<I64Attr, [IntPositive]>:$v)>;
def R : Pat<(T_XOp $a, $v), (T_YOp (T_ConstOp $v))>;
def S : Pat<(T_XOp $a, $v), (NativeCodeCall<"make($_builder, $_loc, $0, $1)"> $a, $v)>;
def C : Pat<(T_XOp $a, $v), (T_YOp (T_CheckedOp $a, $v))>;
"#;

const SIGNATURE: &str = "::inferReturnTypes(MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions, SmallVectorImpl<Type> &types)";

const INPUT: &str = "%a = \"t.in\"() : () -> i16\n%0 = \"t.x\"(%a) <{v = 5 : i64}> : (i16) -> i32
\"t.out\"(%0) : (i32) -> ()\n";

/// In the code that `mlir-tblgen` generates, the dictionary is empty and not null, and the properties hold the attribute.
#[test]
fn the_properties_hold_the_attributes_of_new_operations() {
    for body in [
        "Attribute value = attributes.get(\"my_value\");
         if (!value) value = ConstOp::Adaptor(operands, attributes, properties, regions).getMyValue();",
        "auto value = attributes.get(\"my_value\");
         if (!value && properties) value = properties.as<Properties *>()->my_value;",
        "auto *prop = properties.as<ConstOp::Properties *>();
         if (!prop || !properties) return failure();
         TypedAttr value = prop->getMyValue();",
        "if (!attributes || !attributes.empty() || attributes.size() != 0 || attributes.contains(\"my_value\")) return failure();
         if (attributes.getNamed(\"my_value\") || attributes.getAs<IntegerAttr>(\"my_value\")) return failure();
         for (NamedAttribute entry : attributes) return failure();
         const auto *prop = properties.as<const Properties *>();
         Attribute value = prop ? prop->my_value : nullptr;",
    ] {
        let end = "types.push_back(cast<TypedAttr>(value).getType()); return success();";
        let source = format!("namespace t {{ LogicalResult ConstOp{SIGNATURE} {{ {body} {end} }} }}");
        let run = opt(RULES, &source, INPUT, &["--generic", "--enable", "R"]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert!(run.stdout.contains("\"t.const\"() <{my_value = 5 : i64}> : () -> i64"), "{body}\n{}", run.stdout);
    }
}

/// A generated builder sets an optional attribute only if the attribute is not null. If the builder sets no attribute,
/// the properties are null.
#[test]
fn operations_without_attributes_have_no_properties() {
    let source = format!(
        "namespace t {{ LogicalResult MaybeOp{SIGNATURE} {{
  types.push_back(IntegerType::get(context, properties ? 7 : 9));
  return success();
}}
static Value make(OpBuilder &builder, Location loc, Value a, Attribute v) {{
  Value without = MaybeOp::create(builder, loc, a, Attribute());
  return MaybeOp::create(builder, loc, without, v);
}} }}"
    );
    let run = opt(RULES, &source, INPUT, &["--generic", "--enable", "S"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for line in ["\"t.maybe\"(%0) : (i16) -> i9", "\"t.maybe\"(%1) <{b = 5 : i64}> : (i9) -> i7"] {
        assert!(run.stdout.contains(line), "{line}\n{}", run.stdout);
    }
}

/// `verify` of an adaptor tests the constraints of the attributes.
#[test]
fn adaptors_verify_their_attributes() {
    let source = format!(
        "namespace t {{ LogicalResult CheckedOp{SIGNATURE} {{
  CheckedOp::Adaptor op(operands, attributes, properties, regions);
  if (failed(op.verify(location.value_or(UnknownLoc::get(context))))) return failure();
  types.push_back(op.getA().getType());
  return success();
}} }}"
    );
    for (value, fits) in [("5 : i64", true), ("0 : i64", false), ("5 : i32", false)] {
        let input = INPUT.replace("5 : i64", value);
        let run = opt(RULES, &source, &input, &["--generic", "--enable", "C"]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert_eq!(
            run.stdout.contains("\"t.checked\"(%0) <{v = 5 : i64}> : (i16) -> i16"),
            fits,
            "{value}\n{}",
            run.stdout
        );
    }
}

/// The note for the caller states why the function that infers the result types cannot be read.
#[test]
fn notes_state_why_result_types_are_not_inferred() {
    let source = format!(
        "namespace t {{ LogicalResult MaybeOp{SIGNATURE} {{ return unknown(properties); }}
static Value make(OpBuilder &builder, Location loc, Value a, Attribute v) {{ return MaybeOp::create(builder, loc, a, v); }} }}"
    );
    let run = opt(RULES, &source, INPUT, &["--generic", "--enable", "S"]);
    let reason =
        "or its result types cannot be inferred: 'unknown' is neither in the library nor in the helper files";
    assert!(run.stderr.contains(reason), "{}", run.stderr);
}
