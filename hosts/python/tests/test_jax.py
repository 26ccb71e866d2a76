"""Functions that JAX has lowered: rewritten, run and compared."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

import drrvm

jax = pytest.importorskip("jax", reason="JAX is not installed")

import jax.export  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

import drrvm.jax  # noqa: E402


@pytest.fixture(scope="module")
def example() -> ModuleType:
    sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
    import jax_attention

    return jax_attention


@pytest.fixture(scope="module")
def rules(example: ModuleType) -> drrvm.Rules:
    return drrvm.compile(example.RULES, natives=example.NATIVES)


def compared(function: object, values: list[np.ndarray], rules: drrvm.Rules) -> drrvm.Result:
    """Rewrites a function, runs both versions, and compares their results."""
    exported = jax.export.export(jax.jit(function))(*values)
    rewritten, result = drrvm.jax.apply(exported, rules)
    expected, found = (version.call(*values) for version in (exported, rewritten))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), found, expected)
    return result


def count(module: drrvm.Module, name: str) -> int:
    return [op.name for op in module.walk()].count(name)


def test_a_transformer_layer(example: ModuleType, rules: drrvm.Rules) -> None:
    values = example.arguments()
    result = compared(example.layer, values, rules)
    assert set(result.rewrites) == set(rules.names)
    assert count(result.module, "stablehlo.transpose") == 0
    assert count(result.module, "stablehlo.convert") == 0
    assert result.converged


def test_softmax(rules: drrvm.Rules) -> None:
    values = [np.random.default_rng(1).standard_normal((5, 7)).astype(np.float32)]
    result = compared(jax.nn.softmax, values, rules)
    assert result.rewrites["MaximumWithNegativeInfinity"] == 1
    assert result.rewrites["BroadcastBroadcast"] == 2


def test_a_network_with_two_layers(rules: drrvm.Rules) -> None:
    def network(x, w1, b1, w2, b2):  # type: ignore[no-untyped-def]
        return jnp.tanh(x @ w1 + b1) @ w2 + b2

    random = np.random.default_rng(2)
    shapes = [(3, 4), (4, 8), (8,), (8, 2), (2,)]
    values = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
    assert compared(network, values, rules).rewrites["BroadcastBroadcast"] == 2


def test_a_wrong_native_changes_the_numbers(example: ModuleType) -> None:
    def reciprocal(value: drrvm.Attribute) -> drrvm.Attribute:
        return drrvm.Attribute(f"dense<2.0> : {value.type}")

    wrong = drrvm.compile(example.RULES, natives=dict(example.NATIVES, reciprocal=reciprocal))
    with pytest.raises(AssertionError):
        compared(example.layer, example.arguments(), wrong)


def test_the_exported_function_does_not_change(example: ModuleType, rules: drrvm.Rules) -> None:
    values = example.arguments(tokens=4)
    exported = jax.export.export(jax.jit(example.layer))(*values)
    before = exported.mlir_module()
    drrvm.jax.apply(exported, rules)
    assert exported.mlir_module() == before
