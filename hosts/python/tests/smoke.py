"""A short test that needs nothing but Python: `cargo test` runs it."""

from pathlib import Path

import drrvm

example = Path(__file__).parents[3] / "examples" / "tensor"
rules = drrvm.compile(example / "rules.td")
result = rules.apply((example / "input.mlir").read_text())
assert result.module.text(generic=True) == (example / "expected.mlir").read_text()
assert result.converged and sum(result.rewrites.values()) > 0, result

seen: list[int] = []


def large(attribute: drrvm.Attribute) -> bool:
    """True if an integer is at least 10."""
    seen.append(attribute.value)
    return bool(attribute.value >= 10)


rules = drrvm.compile(
    td="""
    include "mlir/IR/PatternBase.td"
    include "mlir/IR/OpBase.td"
    def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
    def T_Const : Op<T_Dialect, "const"> { let arguments = (ins I32Attr:$value); let results = (outs I32:$r); }
    def T_Large : Op<T_Dialect, "large"> { let results = (outs I32:$r); }
    def Large : Pat<(T_Const $a), (T_Large), [(Constraint<CPred<"large($0)">> $a)]>;
    """,
    natives={"large": large},
)
module = drrvm.Module.parse(
    """
    %0 = "t.const"() {value = 3 : i32} : () -> i32
    %1 = "t.const"() {value = 30 : i32} : () -> i32
    "t.use"(%0, %1) : (i32, i32) -> ()
    """
)
old = list(module.walk())[2]
assert rules.apply(module).rewrites == {"Large": 1}
assert sorted(set(seen)) == [3, 30]
assert [op.name for op in module.walk()] == ["builtin.module", "t.const", "t.large", "t.use"]
try:
    print(old.name)
    raise AssertionError("an erased operation was read")
except drrvm.StaleError:
    pass
try:
    drrvm.compile(td="def Broken : Pat<(No_Op $x), $x>;")
    raise AssertionError("invalid rules were compiled")
except drrvm.RuleError as error:
    assert "^" in str(error) and error.diagnostics
print("smoke test passed")
