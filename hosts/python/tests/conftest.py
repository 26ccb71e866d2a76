"""Rules and modules that several tests use."""

from __future__ import annotations

from pathlib import Path

import pytest

import drrvm

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"

NOT_NOT = """
include "mlir/IR/PatternBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
class T_Op<string name, list<Trait> traits = []> : Op<T_Dialect, name, traits>;
def T_Input : T_Op<"input"> { let results = (outs AnyType:$r); }
def T_Not : T_Op<"not", [Pure, SameOperandsAndResultType]> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def T_Output : T_Op<"output"> { let arguments = (ins AnyType:$x); }

def NotNot : Pat<(T_Not (T_Not $x)), (replaceWithValue $x)>;
"""

MODULE = """\
%0 = "t.input"() : () -> i1
%1 = "t.not"(%0) : (i1) -> i1
%2 = "t.not"(%1) : (i1) -> i1
"t.output"(%2) {note = "end"} : (i1) -> ()
"""


@pytest.fixture
def not_not() -> drrvm.Rules:
    """One rule: `not(not(x))` is `x`."""
    return drrvm.compile(td=NOT_NOT)
