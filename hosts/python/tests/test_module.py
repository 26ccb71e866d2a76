"""Modules, operations, values and literals."""

from __future__ import annotations

import copy
import pickle

import pytest
from conftest import MODULE

import drrvm


def ops(module: drrvm.Module) -> dict[str, drrvm.Operation]:
    return {op.name: op for op in module.walk()}


def test_operations_are_walked() -> None:
    text = """
        "t.outer"() ({
          ^bb0(%a: i32):
            "t.inner"(%a) {k = 4 : i8} : (i32) -> ()
        }) : () -> ()
    """
    module = drrvm.Module.parse(text)
    assert [op.name for op in module.walk()] == ["builtin.module", "t.outer", "t.inner"]
    assert [op.name for op in module.walk("post")] == ["t.inner", "t.outer", "builtin.module"]
    outer = ops(module)["t.outer"]
    assert [[[op.name for op in block] for block in region] for region in outer.regions] == [[["t.inner"]]]
    assert [op.name for op in outer.walk()] == ["t.outer", "t.inner"]
    inner = ops(module)["t.inner"]
    assert inner.parent == outer and outer.parent == module.top and module.top.parent is None
    (argument,) = inner.operands
    assert argument.defining_op is None and argument.index == 0 and str(argument.type) == "i32"
    assert argument.uses == [(inner, 0)]
    assert len(module) == 3
    with pytest.raises(ValueError, match="'pre' or 'post'"):
        module.walk("in")  # type: ignore[arg-type]


def test_operands_results_attributes_and_locations() -> None:
    module = drrvm.Module.parse(MODULE, name="m.mlir")
    output, produced = ops(module)["t.output"], ops(module)["t.input"]
    (operand,) = output.operands
    assert operand.defining_op is not None and operand.defining_op.name == "t.not"
    assert produced.results[0].uses[0][0].name == "t.not"
    assert output.attributes["note"] == drrvm.Attribute('"end"')
    assert output.attributes["note"].value == "end"
    assert list(output.attributes) == ["note"] and "note" in output.attributes and len(output.attributes) == 1
    assert output.attributes.get("missing") is None
    assert dict(output.attributes.items()) == {"note": drrvm.Attribute('"end"')}
    with pytest.raises(KeyError):
        output.attributes["missing"]
    place = output.location
    assert (place.file, place.line, place.column) == ("m.mlir", 4, 1)
    assert place == drrvm.Location('loc("m.mlir":4:1)')


def test_options_select_the_form_of_the_text() -> None:
    module = drrvm.Module.parse("func.func @f(%a: i32) -> i32 { return %a : i32 }")
    assert "func.func @f(%arg0: i32) -> i32" in str(module)
    assert '"func.func"() <{' in module.text(generic=True)
    assert "loc(" in module.text(debug_info=True)
    assert str(drrvm.Module.parse(module.text(generic=True))) == str(module)


def test_copies_are_independent(not_not: drrvm.Rules) -> None:
    module = drrvm.Module.parse(MODULE)
    others = [module.copy(), copy.copy(module), copy.deepcopy(module), pickle.loads(pickle.dumps(module))]
    before = str(module)
    not_not.apply(module)
    assert str(module) != before
    assert [str(other) for other in others] == [before] * 4


def test_invalid_text_is_an_error_with_its_place() -> None:
    with pytest.raises(drrvm.ParseError) as caught:
        drrvm.Module.parse('%0 = "t.a"() : () -> i32\n"t.b"(%1) : (i32) -> ()\n', name="bad.mlir")
    assert caught.value.diagnostics[0].line == 2
    assert "bad.mlir:2" in str(caught.value)
    with pytest.raises(drrvm.VerifyError):
        drrvm.Module.parse("func.func @f() -> i32 { return }")
    drrvm.Module.parse("func.func @f() -> i32 { return }", verify=False)


def test_invalid_modules_can_be_verified_later() -> None:
    module = drrvm.Module.parse("func.func @f() -> i32 { return }", verify=False)
    with pytest.raises(drrvm.VerifyError):
        module.verify()
    drrvm.Module.parse(MODULE).verify()


def test_text_that_is_not_utf8_is_an_error() -> None:
    with pytest.raises(drrvm.ParseError, match="byte 6 is not part of a valid character"):
        drrvm.Module.parse(b'"t.a"(\xff) : () -> ()')
    with pytest.raises(UnicodeEncodeError):
        drrvm.Module.parse('"t.a"(\udcff) : () -> ()')
    assert len(drrvm.Module.parse(MODULE.encode())) == 5
    assert len(drrvm.Module.parse(bytearray(MODULE.encode()))) == 5
    with pytest.raises(TypeError, match="str, bytes or bytearray, not int"):
        drrvm.Module.parse(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4 : i32", 4),
        ("-1 : i8", -1),
        ("255 : ui8", 255),
        ("170141183460469231731687303715884105727 : i128", (1 << 127) - 1),
        ("-170141183460469231731687303715884105728 : i128", -(1 << 127)),
        ("true", True),
        ("5 : index", 5),
        ("2.5 : f32", 2.5),
        ('"a\\22b"', 'a"b'),
        ("unit", None),
        ("[1 : i32, \"x\"]", [1, "x"]),
        ("{a = 1 : i32, b = [true]}", {"a": 1, "b": [True]}),
        ("@f::@g", "@f::@g"),
        ("dense<[1, 2, 3]> : tensor<3xi64>", [1, 2, 3]),
        ("dense<7> : tensor<100xi64>", 7),
        ("dense<[0.5, 1.5]> : tensor<2xf32>", [0.5, 1.5]),
        ("array<i64: 3, 4>", [3, 4]),
        ("array<i1: true, false>", [True, False]),
        ("dense<[255, 1]> : tensor<2xui8>", [255, 1]),
    ],
)
def test_attributes_have_values(text: str, value: object) -> None:
    found = drrvm.Attribute(text).value
    assert found == value and type(found) is type(value)


def test_attributes_are_created_from_values() -> None:
    of = drrvm.Attribute.of
    assert str(of(4, "i32")) == "4 : i32"
    assert str(of(4)) == "4 : i64"
    assert str(of(True)) == "true"
    assert of(0.5, drrvm.Type("f32")) == drrvm.Attribute("0.5 : f32")
    assert of(float("inf")).value == float("inf")
    assert of({"a": [1, "x"], "b": None}).value == {"a": [1, "x"], "b": None}
    assert of(drrvm.Type("tensor<?xf32>")).value == drrvm.Type("tensor<?xf32>")
    with pytest.raises(drrvm.ParseError):
        of(300, "i8")
    with pytest.raises(TypeError):
        of(0.5, "i32")
    with pytest.raises(TypeError):
        of(object())
    nested: list[object] = []
    for _ in range(1000):
        nested = [nested]
    with pytest.raises(ValueError, match="nested"):
        of(nested)


def test_attributes_without_values() -> None:
    with pytest.raises(TypeError):
        drrvm.Attribute("affine_map<(d0) -> (d0)>").value
    with pytest.raises(drrvm.ParseError):
        drrvm.Attribute("4 :")


def test_types_have_parts() -> None:
    tensor = drrvm.Type("tensor<4x?xf32>")
    assert (tensor.kind, tensor.shape, tensor.width) == ("tensor", [4, None], None)
    assert tensor.element_type == drrvm.Type("f32")
    assert drrvm.Type("i32").width == 32 and drrvm.Type("i32").shape is None
    assert drrvm.Type("complex<f64>").element_type == drrvm.Type("f64")
    assert drrvm.Type("!t.handle").kind == "dialect"
    assert len({drrvm.Type("i32"), drrvm.Type("i32"), drrvm.Type("i64")}) == 2
    with pytest.raises(drrvm.ParseError):
        drrvm.Type("tensor<4x")


def test_numbers_of_fixed_width() -> None:
    number = drrvm.APInt(-1, 8)
    assert (number.signed, number.unsigned, number.width, int(number)) == (-1, 255, 8, -1)
    assert drrvm.APInt(255, 8) == number and hash(drrvm.APInt(255, 8)) == hash(number)
    big = (1 << 5000) - 12345
    assert drrvm.APInt(big, 5001).signed == big
    assert drrvm.APInt(-128, 8).signed == -128 and drrvm.APInt(0, 1).unsigned == 0
    for value, width in ((256, 8), (-129, 8), (1, 0)):
        with pytest.raises(ValueError):
            drrvm.APInt(value, width)
    half = drrvm.APFloat(0.1, "f16")
    assert half.format == "f16" and float(half) == 0.0999755859375 and half.bits == 0x2E66
    with pytest.raises(ValueError):
        drrvm.APFloat(1.0, "f17")


def test_erased_operations_raise(not_not: drrvm.Rules) -> None:
    module = drrvm.Module.parse(MODULE)
    before = list(module.walk())
    outer, output = before[3], before[4]
    result = outer.results[0]
    not_not.apply(module)
    assert output.name == "t.output"
    for use in (
        lambda: outer.name,
        lambda: outer.operands,
        lambda: outer.attributes,
        lambda: list(outer.walk()),
        lambda: result.type,
        lambda: result.uses,
        lambda: str(outer),
    ):
        with pytest.raises(drrvm.StaleError):
            use()
    assert "erased" in repr(outer) and "erased" in repr(result)
    assert output.operands[0].defining_op == before[1]


def test_a_reused_slot_does_not_revive_an_operation() -> None:
    # Each rewrite erases one operation and creates another one in its place.
    td = """
        include "mlir/IR/PatternBase.td"
        include "mlir/IR/OpBase.td"
        def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
        def A : Op<T_Dialect, "a"> { let results = (outs AnyType:$r); }
        def B : Op<T_Dialect, "b"> { let results = (outs AnyType:$r); }
        def AB : Pat<(A), (B)>;
        def BA : Pat<(B), (A)>;
    """
    to_b, to_a = drrvm.compile(td=td, enable=["AB"]), drrvm.compile(td=td, enable=["BA"])
    module = drrvm.Module.parse('%0 = "t.a"() : () -> i32')
    handles = []
    for turn in range(6):
        handles.append(list(module.walk())[1])
        (to_b if turn % 2 == 0 else to_a).apply(module)
    for handle in handles:
        with pytest.raises(drrvm.StaleError):
            _ = handle.name
    assert list(module.walk())[1].name == "t.a"


def test_arguments_of_removed_blocks_raise(not_not: drrvm.Rules) -> None:
    text = """
        "t.f"() ({
            "t.return"() : () -> ()
          ^unreachable(%a: i1):
            "t.output"(%a) : (i1) -> ()
            "t.return"() : () -> ()
        }) : () -> ()
    """
    module = drrvm.Module.parse(text, verify=False)
    argument = ops(module)["t.output"].operands[0]
    assert str(argument.type) == "i1"
    not_not.apply(module, verify=False)
    assert "t.output" not in ops(module)
    with pytest.raises(drrvm.StaleError):
        _ = argument.type


def test_missing_files_are_named() -> None:
    with pytest.raises(FileNotFoundError) as caught:
        drrvm.Module.load("/missing/m.mlir")
    assert caught.value.filename == "/missing/m.mlir"
    with pytest.raises(FileNotFoundError, match="missing"):
        drrvm.Rules.load("/missing/rules.drrbc")
