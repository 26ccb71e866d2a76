"""Rewrites an attention layer that JAX has lowered, runs it on the CPU, and compares the numbers.

    python examples/jax_attention.py [--print]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

import drrvm
import drrvm.jax

RULES = Path(__file__).parent / "stablehlo" / "rules.td"
PRODUCT = "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>"


def is_negative_infinity(value: drrvm.Attribute) -> bool:
    return bool(value.value == -math.inf)


def is_non_zero_scalar(value: drrvm.Attribute) -> bool:
    return isinstance(value.value, float) and value.value != 0 and math.isfinite(value.value)


def is_matrix_product(numbers: drrvm.Attribute) -> bool:
    return str(numbers) == PRODUCT


def contract_last_dimensions() -> drrvm.Attribute:
    return drrvm.Attribute(PRODUCT.replace("rhs_contracting_dimensions = [0]", "rhs_contracting_dimensions = [1]"))


def compose_dimensions(inner: drrvm.Attribute, outer: drrvm.Attribute) -> drrvm.Attribute:
    dimensions = [outer.value[dimension] for dimension in inner.value]
    return drrvm.Attribute(f"array<i64{': ' if dimensions else ''}{', '.join(map(str, dimensions))}>")


def scalar(value: float, like: drrvm.Attribute) -> drrvm.Attribute:
    return drrvm.Attribute(f"dense<{value:.17e}> : {like.type}")


def square_root(value: drrvm.Attribute) -> drrvm.Attribute:
    if not is_non_zero_scalar(value) or value.value < 0:
        raise drrvm.Refusal("only one positive number is folded")
    return scalar(math.sqrt(value.value), value)


def reciprocal(value: drrvm.Attribute) -> drrvm.Attribute:
    return scalar(1 / value.value, value)


NATIVES: dict[str, Callable[..., object]] = {
    "isNegativeInfinity": is_negative_infinity,
    "isNonZeroScalar": is_non_zero_scalar,
    "isMatrixProduct": is_matrix_product,
    "contractLastDimensions": contract_last_dimensions,
    "composeDimensions": compose_dimensions,
    "squareRoot": square_root,
    "reciprocal": reciprocal,
}


def attention(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    scores = (q @ k.T) / jnp.sqrt(q.shape[-1])
    weights: jax.Array = jax.nn.softmax(scores, axis=-1)
    return weights @ v


def layer(x, wq, wk, wv, w1, b1, w2, b2):  # type: ignore[no-untyped-def]
    """A transformer layer with one head: attention and a small network, each with a residual connection."""
    h = x + attention(x @ wq, x @ wk, x @ wv)
    return h + jax.nn.relu(h @ w1 + b1) @ w2 + b2


def arguments(tokens: int = 64, width: int = 16, hidden: int = 64) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    shapes = [(tokens, width), *[(width, width)] * 3, (width, hidden), (hidden,), (hidden, width), (width,)]
    return [(random.standard_normal(shape) / math.sqrt(width)).astype(np.float32) for shape in shapes]


def main() -> None:
    values = arguments()
    exported = jax.export.export(jax.jit(layer))(*values)
    rules = drrvm.compile(RULES, natives=NATIVES)
    rewritten, result = drrvm.jax.apply(exported, rules)
    if "--print" in sys.argv:
        print(result.module)
    before, after = len(drrvm.jax.to_drrvm(exported)), len(result.module)
    print(f"{before} operations before, {after} after")
    for name, times in result.rewrites.items():
        print(f"{times:4} {name}")
    expected, found = (np.asarray(function.call(*values)) for function in (exported, rewritten))  # type: ignore[no-untyped-call]
    difference = np.abs(expected - found).max()
    print(f"largest difference of the results: {difference:.2e}")
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    main()
