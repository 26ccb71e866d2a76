"""Natives: Python functions that rules call."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from conftest import NOT_NOT

import drrvm

HEAD = NOT_NOT.split("def NotNot")[0] + """
def T_Const : T_Op<"const", [Pure]> { let arguments = (ins I32Attr:$value); let results = (outs I32:$r); }
def T_Add : T_Op<"add"> { let arguments = (ins I32:$a, I32:$b); let results = (outs I32:$r); }
def Sum : NativeCodeCall<"sum($0, $1)">;
def IsSmall : Constraint<CPred<"isSmall($0)">>;
"""
FOLD = HEAD + "def Fold : Pat<(T_Add (T_Const $a), (T_Const $b)), (T_Const (Sum $a, $b)), [(IsSmall $a)]>;\n"
MODULE = """\
%0 = "t.const"() {value = 1 : i32} : () -> i32
%1 = "t.const"() {value = 2 : i32} : () -> i32
%2 = "t.add"(%0, %1) : (i32, i32) -> i32
"t.output"(%2) : (i32) -> ()
"""


def total(a: drrvm.Attribute, b: drrvm.Attribute) -> drrvm.Attribute:
    return drrvm.Attribute.of(a.value + b.value, a.type)


def small(a: drrvm.Attribute) -> bool:
    return bool(a.value < 10)


def constants(module: drrvm.Module) -> list[object]:
    return [op.attributes["value"].value for op in module.walk() if op.name == "t.const"]


def test_functions_are_natives() -> None:
    rules = drrvm.compile(td=FOLD, natives={"sum": total, "isSmall": small})
    result = rules.apply(MODULE)
    assert result.rewrites == {"Fold": 1} and constants(result.module) == [3]
    assert rules.apply(MODULE.replace("1 : i32}", "11 : i32}")).rewrites == {}


def test_a_function_without_annotations_is_a_constraint() -> None:
    rules = drrvm.compile(td=FOLD, natives={"sum": total, "isSmall": lambda a: a.value < 1})
    assert rules.apply(MODULE).rewrites == {}


def test_missing_natives_are_errors() -> None:
    with pytest.raises(drrvm.MissingNativeError, match=r"isSmall") as caught:
        drrvm.compile(td=FOLD, natives={"sum": total})
    assert isinstance(caught.value, drrvm.RuleError)
    assert caught.value.diagnostics[0].line is not None
    rules = drrvm.compile(td=FOLD, natives={"sum": total}, allow_missing_natives=True)
    assert rules.left_out == ["Fold"] and rules.apply(MODULE).rewrites == {}


def test_annotations_are_the_signature() -> None:
    def wrong(a: drrvm.Type, b: drrvm.Attribute) -> drrvm.Attribute:
        return b

    with pytest.raises(drrvm.MissingNativeError, match=r"\(type, attribute\) -> attribute"):
        drrvm.compile(td=FOLD, natives={"sum": wrong, "isSmall": small})

    def strange(a: dict[str, int]) -> bool:
        return True

    with pytest.raises(TypeError, match="parameter 'a' of native 'isSmall'"):
        drrvm.compile(td=FOLD, natives={"sum": total, "isSmall": strange})
    with pytest.raises(TypeError, match="not callable"):
        drrvm.compile(td=FOLD, natives={"sum": total, "isSmall": 5})  # type: ignore[dict-item]


def test_parameters_with_defaults_are_not_arguments() -> None:
    def below(a: drrvm.Attribute, limit: int = 2) -> bool:
        return bool(a.value < limit)

    rules = drrvm.compile(td=FOLD, natives={"sum": total, "isSmall": below})
    assert rules.apply(MODULE).rewrites == {"Fold": 1}


def test_coroutines_are_not_natives() -> None:
    async def later(a: drrvm.Attribute) -> bool:
        return True

    with pytest.raises(TypeError, match="coroutine"):
        drrvm.compile(td=FOLD, natives={"sum": total, "isSmall": later})


def test_callable_objects_are_natives() -> None:
    class Limit:
        def __init__(self, limit: int) -> None:
            self.limit = limit

        def __call__(self, a: drrvm.Attribute) -> bool:
            return bool(a.value < self.limit)

    for limit, fired in ((1, {}), (2, {"Fold": 1})):
        rules = drrvm.compile(td=FOLD, natives={"sum": total, "isSmall": Limit(limit)})
        assert rules.apply(MODULE).rewrites == fired


class Broken(Exception):
    pass


@pytest.mark.parametrize("where", ["constraint", "rewrite"])
def test_exceptions_arrive_and_the_module_is_unchanged(where: str) -> None:
    def fail(a: drrvm.Attribute) -> bool:
        raise Broken("here")

    calls = 0

    def fail_on_the_second(a: drrvm.Attribute, b: drrvm.Attribute) -> drrvm.Attribute:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise Broken("here")
        return total(a, b)

    if where == "constraint":
        natives: dict[str, Any] = {"sum": total, "isSmall": fail}
    else:
        natives = {"sum": fail_on_the_second, "isSmall": small}
    rules = drrvm.compile(td=FOLD, natives=natives)
    module = drrvm.Module.parse(
        MODULE + '%3 = "t.add"(%2, %1) : (i32, i32) -> i32\n"t.output"(%3) : (i32) -> ()\n'
    )
    before, ops = str(module), list(module.walk())
    with pytest.raises(Broken, match="here") as caught:
        rules.apply(module)
    assert caught.tb is not None and caught.traceback[-1].name.startswith("fail")
    assert str(module) == before
    assert list(module.walk()) == ops and ops[1].name == "t.const"


def test_a_refusal_only_skips_the_rule() -> None:
    def refuse(a: drrvm.Attribute, b: drrvm.Attribute) -> drrvm.Attribute:
        raise drrvm.Refusal("too large")

    result = drrvm.compile(td=FOLD, natives={"sum": refuse, "isSmall": small}).apply(MODULE)
    assert result.rewrites == {} and result.refused > 0


def test_wrong_results_are_type_errors() -> None:
    def wrong(a: drrvm.Attribute, b: drrvm.Attribute) -> drrvm.Attribute:
        return 5  # type: ignore[return-value]

    with pytest.raises(TypeError, match="native 'sum' returns int; expected attribute"):
        drrvm.compile(td=FOLD, natives={"sum": wrong, "isSmall": small}).apply(MODULE)


def test_natives_have_several_results() -> None:
    pdl = """
        pdl.pattern @split : benefit(1) {
          %both = pdl.attribute
          %op = pdl.operation "t.both" {"both" = %both}
          pdl.rewrite %op {
            %a, %b = pdl.apply_native_rewrite "halves"(%both : !pdl.attribute) : !pdl.attribute, !pdl.attribute
            %new = pdl.operation "t.split" {"a" = %a, "b" = %b}
            pdl.replace %op with %new
          }
        }
    """

    def halves(both: drrvm.Attribute) -> tuple[drrvm.Attribute, drrvm.Attribute]:
        a, b = both.value
        return drrvm.Attribute.of(a), drrvm.Attribute.of(b)

    module = '"t.both"() {both = [1, 2]} : () -> ()'
    result = drrvm.compile(pdl=pdl, natives={"halves": halves}).apply(module)
    assert dict(list(result.module.walk())[1].attributes.items()) == {
        "a": drrvm.Attribute("1 : i64"),
        "b": drrvm.Attribute("2 : i64"),
    }

    def one(both: drrvm.Attribute) -> tuple[drrvm.Attribute, drrvm.Attribute]:
        return (both,)  # type: ignore[return-value]

    def number(both: drrvm.Attribute) -> tuple[drrvm.Attribute, drrvm.Attribute]:
        return 5  # type: ignore[return-value]

    for native, found in ((one, "a sequence of length 1"), (number, "int")):
        with pytest.raises(TypeError, match=f"native 'halves' returns {found}; expected 2 results"):
            drrvm.compile(pdl=pdl, natives={"halves": native}).apply(module)


def test_objects_of_a_call_expire() -> None:
    kept: list[Any] = []

    def keep(a: drrvm.Attribute) -> bool:
        kept.append(a)
        return True

    drrvm.compile(td=FOLD, natives={"sum": total, "isSmall": keep}).apply(MODULE)
    with pytest.raises(drrvm.StaleError, match="over"):
        _ = kept[0].value


def test_objects_of_a_call_stay_on_their_thread() -> None:
    seen: list[BaseException] = []

    def other_thread(a: drrvm.Attribute) -> bool:
        def use() -> None:
            try:
                _ = a.value
            except drrvm.StaleError as error:
                seen.append(error)

        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
        return True

    drrvm.compile(td=FOLD, natives={"sum": total, "isSmall": other_thread}).apply(MODULE)
    assert seen and "thread" in str(seen[0])


def test_natives_read_the_definition_and_uses_of_a_value() -> None:
    td = HEAD.replace('"isSmall($0)"', '"usedOnce($0)"') + (
        "def Fold : Pat<(T_Add (T_Const:$c $a), (T_Const $b)), (T_Const (Sum $a, $b)), [(IsSmall $c)]>;\n"
    )

    def used_once(value: drrvm.Value) -> bool:
        op = value.defining_op
        assert op is not None and op.name == "t.const" and op.parent is not None
        assert list(op.attributes) == ["value"] and op.operands == [] and str(value.type) == "i32"
        return len(value.uses) == 1

    rules = drrvm.compile(td=td, natives={"sum": total, "usedOnce": used_once})
    assert rules.apply(MODULE).rewrites == {"Fold": 1}
    assert rules.apply(MODULE + '"t.output"(%0) : (i32) -> ()').rewrites == {}


def test_a_rewriter_creates_operations() -> None:
    td = HEAD + """
        def Double : NativeCodeCall<"twice($0)">;
        def Expand : Pat<(T_Not $x), (Double $x)>;
    """

    def twice(rewriter: drrvm.Rewriter, x: drrvm.Value) -> drrvm.Value:
        assert rewriter.root.name == "t.not"
        attributes = {"n": drrvm.Attribute.of(2), "of": drrvm.Attribute('"x"')}
        made = rewriter.create("u.twice", [x, x], attributes, [x.type])
        assert made.attributes["n"].value == 2
        return made.results[0]

    module = drrvm.compile(td=td, natives={"twice": twice}).apply(
        '%0 = "t.input"() : () -> i1\n%1 = "t.not"(%0) : (i1) -> i1\n"t.output"(%1) : (i1) -> ()'
    ).module
    assert [op.name for op in module.walk()][2] == "u.twice"
    assert len(list(module.walk())[2].operands) == 2


def test_a_refused_rewrite_is_undone() -> None:
    td = HEAD + 'def Double : NativeCodeCall<"twice($0)">;\ndef Expand : Pat<(T_Not $x), (Double $x)>;\n'

    def twice(rewriter: drrvm.Rewriter, x: drrvm.Value) -> drrvm.Value:
        rewriter.create("u.twice", [x], {}, [x.type])
        raise drrvm.Refusal("no")

    text = '%0 = "t.input"() : () -> i1\n%1 = "t.not"(%0) : (i1) -> i1\n"t.output"(%1) : (i1) -> ()\n'
    module = drrvm.compile(td=td, natives={"twice": twice}).apply(text).module
    assert [op.name for op in module.walk()] == ["builtin.module", "t.input", "t.not", "t.output"]


def test_natives_may_apply_rules() -> None:
    inner = drrvm.compile(td=FOLD, natives={"sum": total, "isSmall": small})

    def nested(a: drrvm.Attribute, b: drrvm.Attribute) -> drrvm.Attribute:
        assert inner.apply(MODULE).rewrites == {"Fold": 1}
        return total(a, b)

    rules = drrvm.compile(td=FOLD, natives={"sum": nested, "isSmall": small})
    assert rules.apply(MODULE).rewrites == {"Fold": 1}


def test_a_module_that_changes_meanwhile_is_a_conflict() -> None:
    module = drrvm.Module.parse(MODULE)
    plain = drrvm.compile(td=FOLD, natives={"sum": total, "isSmall": small})

    def meddle(a: drrvm.Attribute, b: drrvm.Attribute) -> drrvm.Attribute:
        plain.apply(module)
        return total(a, b)

    with pytest.raises(drrvm.ConflictError):
        drrvm.compile(td=FOLD, natives={"sum": meddle, "isSmall": small}).apply(module)
    assert constants(module) == [3]


def test_functions_infer_types() -> None:
    td = HEAD + """
        def T_Wrap : T_Op<"wrap"> { let arguments = (ins AnyType:$x, I64Attr:$n); let results = (outs AnyType:$r); }
        def T_End : T_Op<"end"> { let arguments = (ins AnyType:$x); }
        def Wrap : Pat<(T_Output $x), (T_End (T_Wrap $x, ConstantAttr<I64Attr, "3">))>;
    """

    def vector(operands: list[drrvm.Value], attributes: dict[str, drrvm.Attribute]) -> list[drrvm.Type]:
        return [drrvm.Type(f"vector<{attributes['n'].value}x{operands[0].type}>")]

    with pytest.raises(drrvm.MissingNativeError, match="type inference 't.wrap'"):
        drrvm.compile(td=td)
    module = drrvm.compile(td=td, enable=["Wrap"], type_inference={"t.wrap": vector}).apply(MODULE).module
    wrapped = next(op for op in module.walk() if op.name == "t.wrap")
    assert [str(result.type) for result in wrapped.results] == ["vector<3xi32>"]

    def fail(operands: list[drrvm.Value], attributes: dict[str, drrvm.Attribute]) -> list[drrvm.Type]:
        raise Broken("here")

    with pytest.raises(Broken):
        drrvm.compile(td=td, enable=["Wrap"], type_inference={"t.wrap": fail}).apply(MODULE)
