"""The bridge to xDSL."""

from __future__ import annotations

import os
import random
import signal
import threading
from io import StringIO

import pytest
from conftest import EXAMPLES, MODULE, NOT_NOT

import drrvm

pytest.importorskip("xdsl", reason="xDSL is not installed")

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr  # noqa: E402
from xdsl.ir import Operation  # noqa: E402
from xdsl.parser import Parser  # noqa: E402
from xdsl.printer import Printer  # noqa: E402

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


def generic(module: ModuleOp) -> str:
    """The text that xDSL prints, parsed and printed again by drrvm, so that values have numbers instead of names."""
    text = StringIO()
    Printer(stream=text, print_generic_format=True).print_op(module)
    return drrvm.Module.parse(text.getvalue()).text(generic=True)


def compare_with_text(text: str, rules: drrvm.Rules) -> dict[str, int]:
    """Rewrites a module of xDSL, and the same module as text. The results must be equal."""
    module = parse(text)
    expected = rules.apply(generic(module))
    result = drrvm.xdsl.apply(module, rules)
    module.verify()
    assert generic(module) == expected.module.text(generic=True)
    assert result.rewrites == expected.rewrites
    assert generic(drrvm.xdsl.from_drrvm(result.module)) == expected.module.text(generic=True)
    return result.rewrites


def without_names(module: ModuleOp) -> str:
    """The module as xDSL prints it, with numbers instead of the names of values."""
    for op in module.walk():
        for value in [*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)]:
            value.name_hint = None
    return str(module)


def find(module: ModuleOp, name: str) -> Operation:
    return next(op for op in module.walk() if op.name == name)


def test_an_xdsl_module_is_rewritten_in_place() -> None:
    module = parse(ARITH)
    function, end = find(module, "func.func"), find(module, "func.return")
    result = drrvm.xdsl.apply(module, drrvm.compile(EXAMPLES / "arith" / "rules.td"))
    assert result.rewrites == {"AddZero": 1}
    module.verify()
    assert list(module.walk()) == [module, function, end]
    assert end.operands[0] is function.regions[0].blocks[0].args[0]


@pytest.mark.parametrize("example", ["arith", "lowering"])
def test_examples_have_the_same_result_as_with_text(example: str) -> None:
    module = drrvm.Module.load(EXAMPLES / example / "input.mlir")
    rules = drrvm.compile(EXAMPLES / example / "rules.td", allow_missing_natives=True)
    assert compare_with_text(module.text(generic=True), rules)


RULES = """
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
def T : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_Neg : Op<T, "neg", [Pure]> { let arguments = (ins AnyType:$x, OptionalAttr<AnyAttr>:$note); let results = (outs AnyType:$r); }
def T_Sub : Op<T, "sub", [Pure]> {
  let arguments = (ins AnyType:$x, AnyType:$y, OptionalAttr<AnyAttr>:$note);
  let results = (outs AnyType:$r);
}
def T_Fun : Op<T, "fun", [Pure]> { let arguments = (ins AnyType:$x, StrAttr:$name); let results = (outs AnyType:$r); }
def T_Two : Op<T, "two", [Pure]> { let arguments = (ins AnyType:$x, AnyType:$y); let results = (outs AnyType:$r, AnyType:$s); }
def NegNeg : Pat<(T_Neg (T_Neg $x, $a), $b), (replaceWithValue $x)>;
def SubToNeg : Pat<(T_Sub:$s $x, $x, $note), (T_Neg (T_Fun $x, ConstantAttr<StrAttr, "\\"zero\\"">, (returnType $x)), $note)>;
def SwapTwo : Pat<(T_Two $x, (T_Neg $y, $a)), (T_Two $y, $x)>;
def MoveNote : Pat<(T_Sub $x, (T_Neg $y, $a), $note), (T_Sub $y, $x, $a)>;
"""
NOTES = [
    "1 : i8", "-0.0 : f32", "0.0 : f32", "1.0 : f64", "true", '"text with 0"', "[1, 2.5, @symbol]", "#other.attr<1, x>",
    "{a = 1 : i32, b = unit}", "dense<[1, 2]> : tensor<2xi32>", "i32", "affine_map<(d0) -> (d0 + 1)>", "unit",
]


def random_module(seed: int) -> str:
    """A function with branches, regions in which values are used before their definition, and unreachable blocks."""
    chosen = random.Random(seed)
    names = iter(range(10**9))

    def ops(values: list[str], count: int, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            result, kind = f"%v{next(names)}", chosen.randrange(8)
            x, y = chosen.choice(values), chosen.choice(values)
            note = f" {{note = {chosen.choice(NOTES)}}}" if chosen.random() < 0.5 else ""
            where = f' loc("file":{chosen.randrange(3)}:1)' if chosen.random() < 0.5 else ""
            if kind < 3:
                lines.append(f'{result} = "t.neg"({x}){note} : (i32) -> i32{where}')
            elif kind < 5:
                lines.append(f'{result} = "t.sub"({x}, {chosen.choice([x, y])}){note} : (i32, i32) -> i32{where}')
            elif kind == 5:
                lines.append(f'{result}, {result}b = "t.two"({x}, {y}) : (i32, i32) -> (i32, i32)')
                values.append(result + "b")
            elif kind == 6 and depth:
                inside = ops([*values], count // 2, depth - 1)
                chosen.shuffle(inside)
                lines.append(f'{result} = "t.region"({x}) ({{\n' + "\n".join(inside) + "\n}) : (i32) -> i32")
            else:
                lines.append(f'{result} = arith.addi {x}, {y} : i32\n"t.use"({result}){note} : (i32) -> ()')
            values.append(result)
        return lines

    arguments = ["%a", "%b"]
    blocks = [f"func.func @f({', '.join(a + ': i32' for a in arguments)}) {{", *ops(arguments, 8, 2)]
    count = 4
    for number in range(1, count):
        first, second = chosen.randrange(1, count), chosen.randrange(1, count)
        branch = f'"cf.br"(%a)[^b{first}] : (i32) -> ()'
        if chosen.random() < 0.5:
            branch = f'"t.br"(%a, %b)[^b{first}, ^b{second}] : (i32, i32) -> ()' if first != second else branch
        blocks += [branch, f"^b{number}(%c{number}: i32):", *ops(["%a", "%b", f"%c{number}"], 6, 1)]
    return "\n".join([*blocks, "func.return", "}"])


def seeds() -> list[int]:
    start = int(os.environ.get("DRRVM_SEED", "0"), 16)
    return [start + number for number in range(200 if os.environ.get("DRRVM_FULL") else 12)]


def test_random_modules_have_the_same_result_as_with_text() -> None:
    rules = drrvm.compile(td=RULES)
    total: dict[str, int] = {}
    for seed in seeds():
        text = random_module(seed)
        try:
            rewrites = compare_with_text(text, rules)
        except Exception as error:
            raise AssertionError(f"seed {seed}, of DRRVM_SEED={seeds()[0]:x}:\n{text}") from error
        for name, count in rewrites.items():
            total[name] = total.get(name, 0) + count
    assert set(total) == set(rules.names)


def test_both_directions_keep_a_random_module() -> None:
    for seed in seeds():
        module = parse(random_module(seed))
        converted = drrvm.xdsl.to_drrvm(module)
        assert converted.text(generic=True) == generic(module), seed
        text = converted.text(generic=True, local_scope=True)
        assert without_names(drrvm.xdsl.from_drrvm(converted)) == without_names(parse(text)), seed


def test_unregistered_operations_are_kept() -> None:
    module = parse(MODULE)
    first = find(module, "builtin.unregistered")
    result = drrvm.xdsl.apply(module, drrvm.compile(td=NOT_NOT))
    assert result.rewrites == {"NotNot": 1}
    assert find(module, "builtin.unregistered") is first
    assert '"t.input"' in str(module)


def test_new_values_keep_names_and_new_operations_keep_locations() -> None:
    module = parse(
        """
        %x, %a = "t.input"() : () -> (i32, i32)
        %difference = "t.sub"(%x, %x) : (i32, i32) -> i32 loc("model.py":3:4)
        %inner = "t.neg"(%a) : (i32) -> i32
        %result = "t.neg"(%inner) : (i32) -> i32
        "t.output"(%difference, %result) : (i32, i32) -> ()
        """
    )
    drrvm.xdsl.apply(module, drrvm.compile(td=RULES))
    output = list(module.walk())[-1]
    assert [operand.name_hint for operand in output.operands] == ["difference", "a"]
    new = output.operands[0].owner
    assert isinstance(new, Operation)
    assert new.location == FileLineColLoc(StringAttr("model.py"), IntAttr(3), IntAttr(4))


def test_natives_create_operations() -> None:
    def create(rewriter: drrvm.Rewriter, value: drrvm.Value) -> drrvm.Value:
        note = {"note": drrvm.Attribute("[1.5, -0.0 : f32]")}
        return rewriter.create("t.new", [value], note, [value.type]).results[0]

    rules = drrvm.compile(
        td=NOT_NOT.replace("(replaceWithValue $x)>", '(NativeCodeCall<"create($0)"> $x)>'), natives={"create": create}
    )
    assert compare_with_text(MODULE, rules) == {"NotNot": 1}


def test_a_failure_leaves_the_module_unchanged() -> None:
    module = parse(ARITH)
    before, objects = str(module), list(module.walk())
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
    assert str(module) == before and list(module.walk()) == objects


IN_PLACE = """
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def A : Dialect { let name = "DIALECT"; let cppNamespace = "::t"; }
def T : Dialect { let name = "t"; let cppNamespace = "::t"; }
def A_SourceOp : Op<A, "OPERATION"> {
  let arguments = (ins OptionalAttr<I64Attr>:$note);
  let results = (outs AnyType:$r);
  let extraClassDeclaration = [{
    ::mlir::Value mark() {
      getOperation()->setAttr("seen", getOperation()->getAttr("old"));
      getOperation()->removeAttr("old");
      getOperation()->removeAttr("note");
      return getR();
    }
    ::mlir::Value grow() {
      getOperation()->getBlock()->addArgument(getR().getType(), getLoc());
      return getR();
    }
  }];
}
def T_X : Op<T, "x"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
def Call : NativeCodeCall<"::llvm::cast<::t::SourceOp>($0.getDefiningOp()).METHOD()">;
def R : Pat<(T_X $a), (Call $a)>;
"""


def in_place(name: str, method: str) -> drrvm.Rules:
    """A rule that calls a method of the operation `name`."""
    dialect, operation = name.split(".")
    text = IN_PLACE.replace("DIALECT", dialect).replace("OPERATION", operation).replace("METHOD", method)
    return drrvm.compile(td=text)


def test_attributes_that_a_rule_sets_in_place_are_set() -> None:
    uses = '%1 = "t.x"(%0) : (i64) -> i64\n"t.use"(%1) : (i64) -> ()'
    unregistered = '%0 = "t.in"() <{note = 2}> {old = 1 : i8, other} : () -> i64'
    assert compare_with_text(f"{unregistered}\n{uses}", in_place("t.in", "mark")) == {"R": 1}
    registered = "%0 = arith.constant {old = 1 : i8, other} 2 : i64"
    assert compare_with_text(f"{registered}\n{uses}", in_place("arith.constant", "mark")) == {"R": 1}


def test_a_rule_that_changes_arguments_of_blocks_in_place_is_refused() -> None:
    ops = '%0 = "t.in"() : () -> i64\n%1 = "t.x"(%0) : (i64) -> i64\n"t.use"(%1) : (i64) -> ()'
    module = parse(f'"t.region"() ({{\n{ops}\n}}) : () -> ()')
    before, objects = str(module), list(module.walk())
    with pytest.raises(NotImplementedError, match="arguments of blocks"):
        drrvm.xdsl.apply(module, in_place("t.in", "grow"))
    assert str(module) == before and list(module.walk()) == objects


def test_an_operation_that_the_context_does_not_know_leaves_the_module_unchanged() -> None:
    from xdsl.context import Context
    from xdsl.utils.exceptions import UnregisteredConstructException

    module = parse('%0 = "t.input"() : () -> i32\n%1 = "t.sub"(%0, %0) : (i32, i32) -> i32\n"t.use"(%1) : (i32) -> ()')
    before, objects = str(module), list(module.walk())
    with pytest.raises(UnregisteredConstructException, match="t.fun|t.neg"):
        drrvm.xdsl.apply(module, drrvm.compile(td=RULES), context=Context())
    assert str(module) == before and list(module.walk()) == objects


def test_errors_of_an_invalid_module_refer_to_its_text() -> None:
    module = parse(ARITH)
    find(module, "arith.addi").results[0]._type = StringAttr("not a type")
    with pytest.raises(drrvm.ParseError, match="not a type"):
        drrvm.xdsl.to_drrvm(module)
    module = parse(ARITH)
    end = find(module, "func.return")
    end.operands = []
    with pytest.raises(drrvm.VerifyError, match=r"<xdsl>:\d+:\d+"):
        drrvm.xdsl.apply(module, drrvm.compile(td=NOT_NOT))
    with pytest.raises(TypeError, match="ModuleOp"):
        drrvm.xdsl.apply(end, drrvm.compile(td=NOT_NOT))  # type: ignore[arg-type]


def test_values_and_blocks_of_other_modules_are_refused() -> None:
    module, other = parse(ARITH), parse(ARITH)
    find(module, "func.return").operands = [find(other, "arith.addi").results[0]]
    with pytest.raises(ValueError, match="outside the module"):
        drrvm.xdsl.to_drrvm(module)
    branch = 'func.func @f() {\n"t.br"()[^end] : () -> ()\n^end:\nfunc.return\n}'
    module, other = parse(branch), parse(branch)
    find(module, "builtin.unregistered").successors = [find(other, "builtin.unregistered").successors[0]]
    with pytest.raises(ValueError, match="a successor is outside the region"):
        drrvm.xdsl.to_drrvm(module)


@pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")
def test_ctrl_c_never_leaves_a_module_half_changed() -> None:
    lines = "\n".join(
        f'%n{i} = "t.neg"(%x) : (i32) -> i32\n%m{i} = "t.neg"(%n{i}) : (i32) -> i32\n"t.use"(%m{i}) : (i32) -> ()'
        for i in range(300)
    )
    text = f'%x = "t.input"() : () -> i32\n{lines}'
    rules = drrvm.compile(td=RULES)
    done = parse(text)
    drrvm.xdsl.apply(done, rules)
    interrupts = 0
    # A shell makes its background programs ignore Ctrl-C, so the default handler is set here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for delay in [0.002 * number for number in range(10)]:
        module = parse(text)
        before = str(module)
        timer = threading.Timer(delay, lambda: signal.raise_signal(signal.SIGINT))
        try:
            timer.start()
            drrvm.xdsl.apply(module, rules)
            timer.join()
        except KeyboardInterrupt:
            interrupts += 1
        assert str(module) in (before, str(done))
    assert interrupts
