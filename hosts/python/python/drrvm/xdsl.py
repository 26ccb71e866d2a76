"""Rewrites xDSL modules with compiled rules.

Modules are exchanged as generic text, so every dialect that xDSL can print and parse works.

    >>> import drrvm, drrvm.xdsl
    >>> rules = drrvm.compile("rules.td")
    >>> drrvm.xdsl.apply(module, rules)

Needs the package `xdsl`: `pip install drrvm[xdsl]`.
"""

from __future__ import annotations

from io import StringIO
from typing import Any

from drrvm._drrvm import Module, Result, Rules

try:
    from xdsl.context import Context
    from xdsl.dialects import get_all_dialects
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.parser import Parser
    from xdsl.printer import Printer
except ImportError:
    raise ImportError("drrvm.xdsl needs the package 'xdsl': pip install xdsl") from None

__all__ = ["apply", "from_drrvm", "to_drrvm"]


def to_drrvm(module: ModuleOp) -> Module:
    """Return a copy of an xDSL module as a drrvm module."""
    text = StringIO()
    Printer(stream=text, print_generic_format=True).print_op(module)
    return Module.parse(text.getvalue(), name="<xdsl>")


def from_drrvm(module: Module, context: Context | None = None) -> ModuleOp:
    """Return a copy of a drrvm module as an xDSL module.

    `context` has the dialects that the module uses. By default these are all dialects of xDSL; other operations are
    unregistered ones.
    """
    text = module.text(generic=True, local_scope=True)
    return Parser(context or default_context(), text, "<drrvm>").parse_module()


def apply(module: ModuleOp, rules: Rules, *, context: Context | None = None, **options: Any) -> Result:
    """Rewrite an xDSL module in place.

    `context` has the dialects that the result uses, as in `from_drrvm`. `options` are those of `Rules.apply`. If this
    raises an exception, the module is unchanged.
    """
    result = rules.apply(to_drrvm(module), **options)
    if result.changed:
        rewritten = from_drrvm(result.module, context)
        region = rewritten.detach_region(rewritten.body)
        old = module.detach_region(module.body)
        module.add_region(region)
        old.erase()
    return result


def default_context() -> Context:
    """Return a context with all dialects of xDSL, which also accepts unregistered operations."""
    context = Context(allow_unregistered=True)
    for name, dialect in get_all_dialects().items():
        context.register_dialect(name, dialect)
    return context
