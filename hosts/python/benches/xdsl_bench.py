"""Compares drrvm with xDSL's own pattern rewriters, on the same rules and the same IR.

    python benches/xdsl_bench.py [--operations N] [--rules N] [--seconds S]

In every rule, one operation undoes another: `b(a(x, y), y)` is `x`. Half of the pairs in the input match a rule; in the
other half the second operand differs. A run with the wrong number of rewrites is an error.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any, NamedTuple

from xdsl.context import Context
from xdsl.dialects import pdl, pdl_interp
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter
from xdsl.interpreters.pdl import PDLRewritePattern
from xdsl.interpreters.pdl_interp import PDLInterpFunctions
from xdsl.ir import Dialect, Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def
from xdsl.parser import Parser
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.printer import Printer
from xdsl.transforms.apply_pdl_interp import PDLInterpRewritePattern
from xdsl.transforms.convert_pdl_to_pdl_interp.conversion import ConvertPDLToPDLInterpPass

import drrvm
import drrvm.xdsl

def operation(number: int) -> type[Operation]:
    """An operation with two operands and one result."""

    @irdl_op_definition
    class BenchOp(IRDLOperation):
        name = f"bench.op{number}"
        x = operand_def()
        y = operand_def()
        r = result_def()

    return BenchOp


OPERATIONS = [operation(number) for number in range(33)]


class Rule(NamedTuple):
    """The operation `outer` undoes the operation `inner`."""

    inner: type[Operation]
    outer: type[Operation]


RULES = [Rule(inner, outer) for outer in OPERATIONS for inner in OPERATIONS if inner != outer]


def pdl_text(rules: list[Rule]) -> str:
    """The rules as `pdl` text."""
    return "\n".join(
        f"""
        pdl.pattern @{outer.name[6:]}_of_{inner.name[6:]} : benefit(1) {{
          %type = pdl.type
          %x = pdl.operand
          %y = pdl.operand
          %inner = pdl.operation "{inner.name}" (%x, %y : !pdl.value, !pdl.value) -> (%type : !pdl.type)
          %middle = pdl.result 0 of %inner
          %outer = pdl.operation "{outer.name}" (%middle, %y : !pdl.value, !pdl.value) -> (%type : !pdl.type)
          pdl.rewrite %outer {{ pdl.replace %outer with (%x : !pdl.value) }}
        }}"""
        for inner, outer in rules
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


def input_text(operations: int, rules: list[Rule]) -> tuple[str, int]:
    """A function with this many operations, and the number of rewrites in it."""
    chosen = random.Random(1)
    lines, matches = [], 0
    for number in range(operations // 3):
        inner, outer = chosen.choice(rules)
        x, y, z = chosen.sample([f"%a{i}" for i in range(16)], 3)
        hit = chosen.random() < 0.5
        matches += hit
        types = "(i32, i32) -> i32"
        lines.append(f'%i{number} = "{inner.name}"({x}, {y}) : {types}')
        lines.append(f'%o{number} = "{outer.name}"(%i{number}, {y if hit else z}) : {types}')
        lines.append(f'"test.use"(%o{number}) : (i32) -> ()')
    arguments = ", ".join(f"%a{number}: i32" for number in range(16))
    return f"func.func @f({arguments}) {{\n" + "\n".join([*lines, "func.return"]) + "\n}\n", matches


def context() -> Context:
    context = drrvm.xdsl.default_context()
    context.load_dialect(Dialect("bench", OPERATIONS))
    return context


def parse(text: str) -> ModuleOp:
    return Parser(context(), text).parse_module()


def measured(prepare: Callable[[], Any], run: Callable[[Any], None], seconds: float) -> float:
    """The median time of a run in milliseconds. `prepare` is not measured."""
    times: list[float] = []
    until = time.perf_counter() + seconds
    while not times or time.perf_counter() < until:
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
    options.add_argument("--rules", type=int, nargs="+", default=[10, 100, 1000])
    options.add_argument("--seconds", type=float, default=3)
    arguments = options.parse_args()
    print(f"{arguments.operations} operations, milliseconds for a run (median)")
    for count in arguments.rules:
        chosen = RULES[:: max(1, len(RULES) // count)][:count]
        text, matches = input_text(arguments.operations, chosen)
        for name, taken in compare(chosen, text, matches, arguments.seconds):
            print(f"{len(chosen):4} rules  {taken:10.2f}  {name}", flush=True)


def by_text(module: ModuleOp, rules: drrvm.Rules, ctx: Context) -> None:
    """Rewrites a module that is exchanged as text in both directions."""
    text = StringIO()
    Printer(stream=text, print_generic_format=True).print_op(module)
    result = rules.apply(text.getvalue())
    rewritten = Parser(ctx, result.module.text(generic=True, local_scope=True)).parse_module()
    region = rewritten.detach_region(rewritten.body)
    module.detach_region(module.body)
    module.add_region(region)


def compare(chosen: list[Rule], text: str, matches: int, seconds: float) -> Iterator[tuple[str, float]]:
    ctx = context()
    rules_text = pdl_text(chosen)
    rules = drrvm.compile(pdl=rules_text)

    by_hand = [python_pattern(inner, outer) for inner, outer in chosen]
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
        "drrvm.xdsl.apply": lambda module: void(drrvm.xdsl.apply(module, rules, context=ctx)),
        "drrvm, with text in both directions": lambda module: by_text(module, rules, ctx),
        "xDSL, PatternRewriteWalker with Python patterns": walk(GreedyRewritePatternApplier(by_hand)),
        "xDSL, PatternRewriteWalker with pdl_interp": by_pdl_interp,
        "xDSL, PatternRewriteWalker with interpreted pdl": walk(GreedyRewritePatternApplier(by_pdl)),
    }
    converted = drrvm.xdsl.to_drrvm(parse(text))
    assert sum(rules.apply(converted.copy()).rewrites.values()) == matches
    yield (
        "drrvm, on a drrvm.Module",
        measured(converted.copy, lambda module: void(rules.apply(module)), seconds),
    )
    for name, run in runs.items():
        module = parse(text)
        started = time.perf_counter()
        run(module)
        first = time.perf_counter() - started
        module.verify()
        found = uses_of_arguments(module)
        assert found == matches, f"{name}: {found} rewrites instead of {matches}"
        yield name, first * 1e3 if first > seconds else measured(lambda: parse(text), run, seconds)


def void(_: object) -> None:
    """Drops a result."""


if __name__ == "__main__":
    main()
