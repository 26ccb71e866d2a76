"""The bridge to xDSL."""

from __future__ import annotations

import pytest
from conftest import EXAMPLES, MODULE, NOT_NOT

import drrvm

pytest.importorskip("xdsl", reason="xDSL is not installed")

from xdsl.dialects.builtin import ModuleOp  # noqa: E402
from xdsl.parser import Parser  # noqa: E402

import drrvm.xdsl  # noqa: E402

ARITH = """
    func.func @f(%x: i32) -> i32 {
      %zero = arith.constant 0 : i32
      %sum = arith.addi %x, %zero : i32
      func.return %sum : i32
    }
"""


def parse(text: str) -> ModuleOp:
    return Parser(drrvm.xdsl.default_context(), text).parse_module()


def test_an_xdsl_module_is_rewritten_in_place() -> None:
    module = parse(ARITH)
    result = drrvm.xdsl.apply(module, drrvm.compile(EXAMPLES / "arith" / "rules.td"))
    assert result.rewrites == {"AddZero": 1}
    module.verify()
    assert [op.name for op in module.walk()] == ["builtin.module", "func.func", "func.return"]


def test_unregistered_operations_are_kept() -> None:
    module = parse(MODULE)
    result = drrvm.xdsl.apply(module, drrvm.compile(td=NOT_NOT))
    assert result.rewrites == {"NotNot": 1}
    assert '"t.input"' in str(module)


def test_a_failure_leaves_the_module_unchanged() -> None:
    module = parse(ARITH)
    before = str(module)
    rules = drrvm.compile(
        td="""
        include "mlir/IR/PatternBase.td"
        include "mlir/Dialect/Arith/IR/ArithOps.td"
        def Raise : Pat<(Arith_AddIOp $x, $y, $f), (replaceWithValue $x), [(Constraint<CPred<"fail($0)">> $x)]>;
        """,
        natives={"fail": lambda x: 1 // 0},
    )
    with pytest.raises(ZeroDivisionError):
        drrvm.xdsl.apply(module, rules)
    assert str(module) == before


def test_both_directions_keep_a_module() -> None:
    module = drrvm.xdsl.to_drrvm(parse(ARITH))
    assert str(drrvm.xdsl.to_drrvm(drrvm.xdsl.from_drrvm(module))) == str(module)
