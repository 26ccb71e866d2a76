"""Compares drrvm with xDSL's own pattern rewriters, on the same rules and the same IR.

    python benches/xdsl_bench.py [--operations N] [--rules N] [--seconds S]

Every rule undoes one operation of `arith` by another: `b(a(x, y), y)` is `x`. Half of the pairs in the input match a rule;
in the other half the second operand differs. A run with the wrong number of rewrites is an error.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith, pdl, pdl_interp
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter
from xdsl.interpreters.pdl import PDLRewritePattern
from xdsl.interpreters.pdl_interp import PDLInterpFunctions
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.transforms.apply_pdl_interp import PDLInterpRewritePattern
from xdsl.transforms.convert_pdl_to_pdl_interp.conversion import ConvertPDLToPDLInterpPass

import drrvm
import drrvm.xdsl

NAMES = ["addi", "subi", "muli", "andi", "ori", "xori", "shli", "shrsi", "shrui", "divsi", "divui", "remsi", "remui"]
PAIRS = [(inner, outer) for outer in NAMES for inner in NAMES if inner != outer]


def pdl_text(pairs: list[tuple[str, str]]) -> str:
    """The rules as `pdl` text."""
    return "\n".join(
        f"""
        pdl.pattern @{outer}_of_{inner} : benefit(1) {{
          %type = pdl.type
          %x = pdl.operand
          %y = pdl.operand
          %inner = pdl.operation "arith.{inner}" (%x, %y : !pdl.value, !pdl.value) -> (%type : !pdl.type)
          %middle = pdl.result 0 of %inner
          %outer = pdl.operation "arith.{outer}" (%middle, %y : !pdl.value, !pdl.value) -> (%type : !pdl.type)
          pdl.rewrite %outer {{ pdl.replace %outer with (%x : !pdl.value) }}
        }}"""
        for inner, outer in pairs
    )


def python_pattern(inner: type[Operation], outer: type[Operation]) -> RewritePattern:
    """One rule as xDSL users write it in Python."""

    class Undo(RewritePattern):
        def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
            if not isinstance(op, outer):
                return
            defined_by = op.operands[0].owner
            if isinstance(defined_by, inner) and defined_by.operands[1] is op.operands[1]:
                rewriter.replace(op, [], [defined_by.operands[0]])

    return Undo()


def input_text(operations: int, pairs: list[tuple[str, str]]) -> tuple[str, int]:
    """A function with this many operations, and the number of rewrites in it."""
    chosen = random.Random(1)
    lines, matches, values = [], 0, [f"%a{i}" for i in range(16)]
    for number in range(operations // 3):
        inner, outer = chosen.choice(pairs)
        x, y, z = chosen.sample(values, 3)
        hit = chosen.random() < 0.5
        matches += hit
        lines.append(f"%i{number} = arith.{inner} {x}, {y} : i32")
        lines.append(f"%o{number} = arith.{outer} %i{number}, {y if hit else z} : i32")
        lines.append(f'"test.use"(%o{number}) : (i32) -> ()')
    arguments = ", ".join(f"{value}: i32" for value in values)
    return f"func.func @f({arguments}) {{\n" + "\n".join([*lines, "func.return"]) + "\n}\n", matches


def context() -> Context:
    return drrvm.xdsl.default_context()


def parse(text: str) -> ModuleOp:
    return Parser(context(), text).parse_module()


def measured(prepare: Callable[[], Any], run: Callable[[Any], None], seconds: float) -> float:
    """The median time of a run in milliseconds. `prepare` is not measured."""
    times: list[float] = []
    until = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < until:
        subject = prepare()
        start = time.perf_counter()
        run(subject)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def uses_of_arguments(module: ModuleOp) -> int:
    """The number of pairs that were rewritten: a block argument is used in their place."""
    return sum(op.operands[0].owner is not None and not isinstance(op.operands[0].owner, Operation)
               for op in module.walk() if len(op.operands) == 1)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--operations", type=int, default=3000)
    options.add_argument("--rules", type=int, nargs="+", default=[10, 100])
    options.add_argument("--seconds", type=float, default=3)
    arguments = options.parse_args()
    print(f"{arguments.operations} operations, milliseconds for a run (median)")
    for count in arguments.rules:
        pairs = PAIRS[:: max(1, len(PAIRS) // count)][:count]
        text, matches = input_text(arguments.operations, pairs)
        results = compare(pairs, text, matches, arguments.seconds)
        for name, taken in results.items():
            print(f"{len(pairs):4} rules  {taken:10.2f}  {name}")


def compare(pairs: list[tuple[str, str]], text: str, matches: int, seconds: float) -> dict[str, float]:
    ctx = context()
    rules_text = pdl_text(pairs)
    rules = drrvm.compile(pdl=rules_text)

    ops = {op.name: op for op in arith.Arith.operations}
    by_hand = [python_pattern(ops[f"arith.{inner}"], ops[f"arith.{outer}"]) for inner, outer in pairs]
    pdl_module = Parser(ctx, rules_text).parse_module()
    by_pdl: list[RewritePattern] = [
        PDLRewritePattern(op, ctx, None) for op in pdl_module.walk() if isinstance(op, pdl.RewriteOp)
    ]
    interp_module = Parser(ctx, rules_text).parse_module()
    ConvertPDLToPDLInterpPass().apply(ctx, interp_module)
    matcher = next(
        op for op in interp_module.walk() if isinstance(op, pdl_interp.FuncOp) and op.sym_name.data == "matcher"
    )

    def by_pdl_interp(module: ModuleOp) -> None:
        interpreter = Interpreter(interp_module)
        functions = PDLInterpFunctions()
        PDLInterpFunctions.set_ctx(interpreter, ctx)
        interpreter.register_implementations(functions)
        walk(PDLInterpRewritePattern(matcher, interpreter, functions))(module)

    def walk(pattern: RewritePattern) -> Callable[[ModuleOp], None]:
        return lambda module: void(PatternRewriteWalker(pattern).rewrite_module(module))

    runs: dict[str, Callable[[ModuleOp], None]] = {
        "xDSL, PatternRewriteWalker with Python patterns": walk(GreedyRewritePatternApplier(by_hand)),
        "xDSL, PatternRewriteWalker with interpreted pdl": walk(GreedyRewritePatternApplier(by_pdl)),
        "xDSL, PatternRewriteWalker with pdl_interp": by_pdl_interp,
        "drrvm.xdsl.apply, with both conversions": lambda module: void(
            drrvm.xdsl.apply(module, rules, context=ctx)
        ),
    }
    results = {}
    for name, run in runs.items():
        module = parse(text)
        run(module)
        module.verify()
        found = uses_of_arguments(module)
        assert found == matches, f"{name}: {found} rewrites instead of {matches}"
        results[name] = measured(lambda: parse(text), run, seconds)

    converted = drrvm.xdsl.to_drrvm(parse(text))
    assert sum(rules.apply(converted.copy()).rewrites.values()) == matches
    results["drrvm, on a drrvm.Module"] = measured(
        converted.copy, lambda module: void(rules.apply(module)), seconds
    )
    return results


def void(_: object) -> None:
    """Drops a result."""


if __name__ == "__main__":
    main()
