"""Warnings, explanations, profiles and comparisons."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from conftest import EXAMPLES, MODULE, NOT_NOT

import drrvm

ARITH = """
include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
def IsZero : Constraint<CPred<"::mlir::matchPattern($0, ::mlir::m_Zero())">>;
def IsOne : Constraint<CPred<"::mlir::matchPattern($0, ::mlir::m_One())">>;
"""
ADD_ZERO = ARITH + "def AddZero : Pat<(Arith_AddIOp $x, $zero, $flags), (replaceWithValue $x), [(IsZero $zero)]>;\n"


def test_an_operation_is_explained(not_not: drrvm.Rules) -> None:
    module = drrvm.Module.parse(MODULE, name="m.mlir")
    ops = list(module.walk())
    matching = not_not.explain(ops[3])
    assert "NotNot" in str(matching) and "matches and fires" in str(matching)
    assert "m.mlir:3" in str(matching)
    assert matching.data["operations"][0]["fires"] == "NotNot"

    failing = not_not.explain(ops[2], "NotNot")
    assert "does not match" in str(failing) and "t.input" in str(failing)
    (rule,) = failing.data["operations"][0]["rules"]
    assert rule["verdict"] == "fails" and rule["tests"][-1]["holds"] is False


def test_an_operation_of_a_rewritten_module_is_explained(not_not: drrvm.Rules) -> None:
    module = drrvm.Module.parse(MODULE + '%3 = "t.not"(%0) : (i1) -> i1\n"t.output"(%3) : (i1) -> ()\n')
    not_not.apply(module)
    last = [op for op in module.walk() if op.name == "t.not"][-1]
    explained = not_not.explain(last)
    assert explained.data["operations"][0]["fires"] is None
    assert "t.not" in explained.data["operations"][0]["operation"]


def test_the_nearest_misses_of_a_module_are_explained(not_not: drrvm.Rules) -> None:
    missed = '%0 = "t.input"() : () -> i1\n%1 = "t.not"(%0) : (i1) -> i1\n'
    for subject in (missed, drrvm.Module.parse(missed)):
        explained = not_not.explain(subject)
        assert "1 of 1 rule matches no operation" in str(explained)
        assert len(explained.data["operations"]) == 1
    with pytest.raises(drrvm.RuleError, match="NotNott"):
        not_not.explain(missed, "NotNott")
    with pytest.raises(drrvm.StaleError):
        module = drrvm.Module.parse(MODULE)
        op = list(module.walk())[3]
        not_not.apply(module)
        not_not.explain(op)


def test_suspicious_rules_are_found() -> None:
    twice = NOT_NOT + "def Twice : Pat<(T_Not (T_Not $y)), (replaceWithValue $y)>;\n"
    (warning,) = drrvm.compile(td=twice).check()
    assert warning.severity == "warning" and "'Twice' matches exactly" in warning.message
    assert warning.line == twice.count("\n")
    assert drrvm.compile(td=NOT_NOT).check() == []


def test_a_profile_counts(not_not: drrvm.Rules, tmp_path: Path) -> None:
    module = drrvm.Module.parse(MODULE)
    before = str(module)
    profile = not_not.profile(module, MODULE)
    assert str(module) == before
    (rule,) = profile.data["rules"]
    assert rule["rule"] == "NotNot" and rule["fired"] == 2
    assert "NotNot" in str(profile)
    page = profile.html()
    assert page.startswith("<!DOCTYPE html>") and "NotNot" in page
    profile.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page


def test_a_notebook_shows_the_page_in_a_frame(not_not: drrvm.Rules) -> None:
    profile = not_not.profile(MODULE)
    frame = profile._repr_html_()
    inside = re.fullmatch(r'<iframe srcdoc="([^"]*)"[^>]*></iframe>', frame)
    assert inside is not None and html.unescape(inside[1]) == profile.html()


def test_a_compiled_program_has_no_tree(not_not: drrvm.Rules) -> None:
    loaded = drrvm.Rules.load(not_not.to_bytes())
    profile = loaded.profile(MODULE)
    assert profile.data["rules"][0]["fired"] == 1
    assert profile._repr_html_().startswith("<pre ")
    with pytest.raises(ValueError, match="decision tree"):
        profile.html()
    with pytest.raises(ValueError, match="does not contain its rules"):
        loaded.check()
    assert loaded.explain(MODULE).data["matching"] == 1


def test_equal_rules_are_equivalent() -> None:
    rules = drrvm.compile(EXAMPLES / "tensor" / "rules.td")
    loaded = drrvm.Rules.load(rules.to_bytes())
    compared = drrvm.equiv(rules, loaded, cases=300)
    assert compared.difference is None and compared.cases == 300


def test_a_difference_is_found_only_if_rules_differ() -> None:
    other = NOT_NOT + "def Lost : Pat<(T_Output $x), (T_Output (T_Not $x))>;\n"
    compared = drrvm.equiv(drrvm.compile(td=NOT_NOT), drrvm.compile(td=other, disable=["Lost"]), cases=200)
    assert compared.verdict == "same" and bool(compared)

    none = NOT_NOT.replace("(T_Not (T_Not $x))", "(T_Not (T_Not (T_Not $x)))")
    compared = drrvm.equiv(drrvm.compile(td=NOT_NOT), drrvm.compile(td=none))
    assert compared.verdict == "different" and not compared
    found = compared.difference
    assert found is not None and found.kind == "modules" and found.outputs[0] != found.outputs[1]
    assert "t.not" in found.input and "first side" in str(compared)


def test_wrong_meanings_are_found() -> None:
    right = drrvm.compile(td=ADD_ZERO)
    assert drrvm.equiv(right, mode="semantics", cases=500).difference is None
    wrong = drrvm.compile(td=ADD_ZERO.replace("(IsZero $zero)", "(IsOne $zero)"))
    compared = drrvm.equiv(wrong, mode="semantics")
    assert compared.difference is not None and compared.difference.kind == "meaning"
    assert "changes the meaning" in compared.difference.detail


def test_rules_that_never_fire_are_not_compared() -> None:
    never = NOT_NOT.replace("(replaceWithValue $x)>", '(replaceWithValue $x), [(Constraint<CPred<"never($0)">> $x)]>')
    rules = drrvm.compile(td=never, natives={"never": lambda x: False})
    compared = drrvm.equiv(rules, rules, cases=50)
    assert compared.verdict == "undecided" and "NotNot" in compared.unfired[0]
    with pytest.raises(ZeroDivisionError):
        failing = drrvm.compile(td=never, natives={"never": lambda x: 1 // 0})
        drrvm.equiv(failing, failing, cases=50)


def test_one_rule_set_needs_the_mode_semantics(not_not: drrvm.Rules) -> None:
    with pytest.raises(ValueError, match="semantics"):
        drrvm.equiv(not_not)
    with pytest.raises(ValueError, match="'rewrite'"):
        drrvm.equiv(not_not, not_not, mode="speed")
