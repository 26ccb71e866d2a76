"""Rewrites functions that JAX has lowered.

    >>> import jax.export, drrvm, drrvm.jax
    >>> rules = drrvm.compile("rules.td")
    >>> exported = jax.export.export(jax.jit(function))(*arguments)
    >>> rewritten, result = drrvm.jax.apply(exported, rules)
    >>> rewritten.call(*arguments)

Modules are exchanged as generic StableHLO text. Needs the package `jax`, which the extra `jax` of this package
installs.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from drrvm._drrvm import Module, Result, Rules

try:
    from jax.export import Exported
    from jax.extend.mlir import ir
    from jax.extend.mlir.dialects import stablehlo
    from jax.interpreters.mlir import make_ir_context
except ImportError:
    raise ImportError("drrvm.jax needs the package 'jax': pip install jax") from None

__all__ = ["apply", "from_drrvm", "to_drrvm"]


def to_drrvm(exported: Exported) -> Module:
    """Return the StableHLO of an exported function as a drrvm module."""
    with make_ir_context():
        module = ir.Module.parse(exported.mlir_module())
        text = str(module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))
    return Module.parse(text, name=exported.fun_name)


def from_drrvm(exported: Exported, module: Module) -> Exported:
    """Return an exported function with another module, which JAX verifies."""
    text = module.text(generic=True, debug_info=True)
    with make_ir_context():
        parsed = ir.Module.parse(text)
        serialized = stablehlo.serialize_portable_artifact(parsed, stablehlo.get_current_version(), True)
    return dataclasses.replace(exported, mlir_module_serialized=serialized)


def apply(exported: Exported, rules: Rules, **options: Any) -> tuple[Exported, Result]:
    """Rewrite an exported function.

    Returns the rewritten function, and the result of the rewrite. `options` are those of `Rules.apply`. The given
    function does not change. The rules must not change the type of the function.
    """
    result = rules.apply(to_drrvm(exported), **options)
    return from_drrvm(exported, result.module), result
