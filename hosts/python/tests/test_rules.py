"""Compiling, storing and applying rules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import EXAMPLES, MODULE, NOT_NOT

import drrvm


@pytest.mark.parametrize("example", ["arith", "tensor"])
def test_examples_have_the_expected_results(example: str) -> None:
    folder = EXAMPLES / example
    result = drrvm.compile(folder / "rules.td").apply((folder / "input.mlir").read_text())
    assert result.module.text(generic=True) == (folder / "expected.mlir").read_text()
    assert result.converged and result.changed and result.not_converged is None


def test_a_module_is_rewritten_in_place(not_not: drrvm.Rules) -> None:
    module = drrvm.Module.parse(MODULE)
    result = not_not.apply(module)
    assert result.module.top == module.top
    assert [op.name for op in module.walk()] == ["builtin.module", "t.input", "t.output"]
    assert result.rewrites == {"NotNot": 1}


def test_rules_come_from_strings_files_and_programs(tmp_path: Path, not_not: drrvm.Rules) -> None:
    (tmp_path / "not.td").write_text(NOT_NOT)
    not_not.save(tmp_path / "not.drrbc")
    pdl = """
        pdl.pattern @NotNot : benefit(1) {
          %x = operand
          %t = type
          %inner = operation "t.not"(%x : !pdl.value) -> (%t : !pdl.type)
          %middle = result 0 of %inner
          %outer = operation "t.not"(%middle : !pdl.value) -> (%t : !pdl.type)
          rewrite %outer { replace %outer with (%x : !pdl.value) }
        }
    """
    expected = str(not_not.apply(MODULE).module)
    for rules in (
        drrvm.compile([tmp_path / "not.td"]),
        drrvm.compile(str(tmp_path / "not.td")),
        drrvm.compile(tmp_path / "not.drrbc"),
        drrvm.Rules.load(tmp_path / "not.drrbc"),
        drrvm.Rules.load(not_not.to_bytes()),
    ):
        assert rules.names == ["NotNot"] and len(rules) == 1
        assert str(rules.apply(MODULE).module) == expected
    assert drrvm.compile(pdl=pdl).apply(MODULE).rewrites == {"NotNot": 1}


def test_included_files_are_found(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    head, rule = NOT_NOT.split("def NotNot")
    (tmp_path / "inc" / "TOps.td").write_text(head)
    rules = drrvm.compile(td='include "TOps.td"\ndef NotNot' + rule, include=[tmp_path / "inc"])
    assert rules.apply(MODULE).rewrites == {"NotNot": 1}


def test_rules_are_selected_by_name() -> None:
    two = NOT_NOT + "def Again : Pat<(T_Not (T_Not $x)), (replaceWithValue $x), [], [], (addBenefit 2)>;"
    assert drrvm.compile(td=two).apply(MODULE).rewrites == {"Again": 1}
    assert drrvm.compile(td=two, disable=["Again"]).apply(MODULE).rewrites == {"NotNot": 1}
    assert drrvm.compile(td=two, enable=["NotNot"]).names == ["NotNot"]
    with pytest.raises(drrvm.RuleError, match="Aggain"):
        drrvm.compile(td=two, enable=["Aggain"])


@pytest.mark.parametrize("engine", ["auto", "tree", "automaton", "reference"])
@pytest.mark.parametrize("driver", ["greedy", "walk"])
def test_engines_and_drivers_agree(not_not: drrvm.Rules, engine: str, driver: str) -> None:
    result = not_not.apply(MODULE, engine=engine, driver=driver)
    assert result.rewrites == {"NotNot": 1}


def test_all_errors_are_reported_at_their_lines() -> None:
    wrong = NOT_NOT + "def A : Pat<(T_Nott $x), (T_Not $x)>;\ndef B : Pat<(T_Not $x), (T_Not $y)>;\n"
    with pytest.raises(drrvm.RuleError) as caught:
        drrvm.compile(td=wrong)
    lines = {diagnostic.line for diagnostic in caught.value.diagnostics if diagnostic.severity == "error"}
    end = wrong.count("\n")
    assert lines == {end - 1, end}
    assert "^" in str(caught.value) and "<td>.td" in str(caught.value)
    assert all(isinstance(diagnostic, drrvm.Diagnostic) for diagnostic in caught.value.diagnostics)


def test_help_is_about_python() -> None:
    with pytest.raises(drrvm.RuleError, match="as `include`") as caught:
        drrvm.compile(td='include "Missing.td"')
    assert caught.value.diagnostics[0].help == ["pass the folder that holds it as `include`"]
    with pytest.raises(drrvm.RuleError, match="`Rules.names` lists the rules"):
        drrvm.compile(td=NOT_NOT, disable=["Missing"])


def test_rule_files_that_are_not_utf8_are_errors(tmp_path: Path) -> None:
    (tmp_path / "latin.td").write_bytes(b"// caf\xe9\n")
    (tmp_path / "latin.mlir").write_bytes(b"// caf\xe9\n")
    (tmp_path / "rules.td").write_text('include "latin.td"\n')
    for name in ("latin.td", "latin.mlir", "rules.td"):
        with pytest.raises(drrvm.RuleError, match="byte 6 is not part of a valid character") as caught:
            drrvm.compile(tmp_path / name)
        assert "is not UTF-8 text" in caught.value.diagnostics[0].message
    with pytest.raises(UnicodeEncodeError):
        drrvm.compile(td="// \udcff")


def test_warnings_are_python_warnings() -> None:
    text = NOT_NOT + "def Broken : Pat<(T_Not $x), (T_Not $y)>;\n"
    with pytest.warns(drrvm.RuleWarning, match="Broken"):
        rules = drrvm.compile(td=text, skip_rejected=True)
    assert rules.names == ["NotNot"]
    assert any("Broken" in warning.message for warning in rules.warnings)


def test_endless_rules_are_reported() -> None:
    endless = NOT_NOT.replace("def NotNot", "def Grow : Pat<(T_Not $x), (T_Not (T_Not $x))>;\ndef NotNot")
    rules = drrvm.compile(td=endless, disable=["NotNot"])
    result = rules.apply(MODULE, max_rewrites=100)
    assert result.not_converged is not None
    assert result.not_converged.limit == "max_rewrites" and result.not_converged.value == 100
    assert result.not_converged.rules[0][0] == "Grow" and result.not_converged.cycle == ["Grow"]
    assert "Grow" in str(result.not_converged)


def test_wrong_arguments_are_explained(not_not: drrvm.Rules) -> None:
    with pytest.raises(ValueError, match="no rules"):
        drrvm.compile()
    with pytest.raises(ValueError, match="'greedy' or 'walk'"):
        not_not.apply(MODULE, driver="fast")
    with pytest.raises(ValueError, match="'tree'"):
        not_not.apply(MODULE, engine="fast")
    with pytest.raises(ValueError, match="bottom-up"):
        not_not.apply(MODULE, traversal="sideways")
    with pytest.raises(drrvm.RuleError, match="missing.td"):
        drrvm.compile("missing.td")
    with pytest.raises(drrvm.RuleError):
        drrvm.Rules.load(b"not a program")


def test_a_damaged_program_is_an_error(not_not: drrvm.Rules) -> None:
    good = not_not.to_bytes()
    for at in range(0, len(good), 7):
        damaged = good[:at] + bytes([good[at] ^ 0x55]) + good[at + 1 :]
        with pytest.raises(drrvm.RuleError):
            drrvm.Rules.load(damaged)


def test_matches_bind_the_symbols_of_a_rule(not_not: drrvm.Rules) -> None:
    module = drrvm.Module.parse(MODULE)
    before = str(module)
    matches = not_not.matches(module)
    assert [match.rule for match in matches] == ["NotNot"]
    assert matches[0].operation == list(module.walk())[3]
    bound = matches[0].bindings["x"]
    assert isinstance(bound, drrvm.Value)
    assert bound.defining_op is not None and bound.defining_op.name == "t.input"
    assert str(module) == before


def test_invalid_results_leave_the_module_unchanged() -> None:
    # The definition requires an i32, and the rule creates an i1.
    td = NOT_NOT + """
        def T_Int : T_Op<"int"> { let arguments = (ins AnyType:$x); let results = (outs I32:$r); }
        def Wrong : Pat<(T_Not $x), (T_Int $x)>;
    """
    rules = drrvm.compile(td=td, enable=["Wrong"])
    module = drrvm.Module.parse(MODULE)
    before = str(module)
    with pytest.raises(drrvm.VerifyError, match="t.int"):
        rules.apply(module)
    assert str(module) == before
    assert '"t.int"' in str(rules.apply(module, verify=False).module)


def test_drrvm_imports_neither_jax_nor_xdsl_nor_numpy() -> None:
    code = "import sys, drrvm; assert not {'jax', 'xdsl', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_input_is_verified_by_the_definitions(not_not: drrvm.Rules) -> None:
    with pytest.raises(drrvm.VerifyError, match="'t.not' op") as caught:
        not_not.apply('%0 = "t.input"() : () -> i1\n%1 = "t.not"(%0) : (i1) -> i8\n')
    assert "after rewriting" not in str(caught.value)
