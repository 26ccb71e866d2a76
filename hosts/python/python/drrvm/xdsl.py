"""Rewrites xDSL modules with compiled rules.

Operations are exchanged as objects, and only the objects that rules change are touched. Types, attributes and
locations are exchanged as text, so every dialect that xDSL can print and parse works.

    >>> import drrvm, drrvm.xdsl
    >>> rules = drrvm.compile("rules.td")
    >>> drrvm.xdsl.apply(module, rules)

Needs the package `xdsl`, which the extra `xdsl` of this package installs.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Container, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from drrvm._drrvm import Mirror, Module, Result, Rules, xdsl_module

try:
    from xdsl.context import Context
    from xdsl.dialects import get_all_dialects
    from xdsl.dialects.builtin import UNKNOWN_LOC, ModuleOp
    from xdsl.ir import Attribute, Operation
    from xdsl.irdl import IRDLOperation
    from xdsl.parser import Parser
    from xdsl.utils.exceptions import ParseError
except ImportError:
    raise ImportError("drrvm.xdsl needs the package 'xdsl' 0.74 or later: pip install -U xdsl") from None

__all__ = ["apply", "default_context", "from_drrvm", "to_drrvm"]


def to_drrvm(module: ModuleOp) -> Module:
    """Return a copy of an xDSL module as a drrvm module."""
    copy = Mirror(_checked(module)).module
    copy.verify()
    return copy


def from_drrvm(module: Module, context: Context | None = None) -> ModuleOp:
    """Return a copy of a drrvm module as an xDSL module.

    `context` has the dialects that the module uses. By default, it has all dialects of xDSL; operations of other
    dialects become unregistered operations.
    """
    top = xdsl_module(module, _Maker(context or default_context()))
    assert isinstance(top, ModuleOp)
    return top


def apply(module: ModuleOp, rules: Rules, *, context: Context | None = None, **options: Any) -> Result:
    """Rewrite an xDSL module in place.

    Operations that the rules do not change remain the same objects. `context` has the dialects that the result uses, as
    in `from_drrvm`. `options` are those of `Rules.apply`. If this raises an exception, the module is unchanged; after
    a `KeyboardInterrupt` it is either unchanged or completely rewritten.
    """
    mirror = Mirror(_checked(module), rules)
    result = rules.apply(mirror.module, **options)
    maker = _Maker(context or default_context())
    with _without_interrupts():
        mirror.write(maker)
    return result


def default_context() -> Context:
    """Return a context that has all dialects of xDSL and accepts unregistered operations.

    The context is a copy, so that definitions that one module adds do not affect other modules.
    """
    global _all_dialects
    if _all_dialects is None:
        context = Context(allow_unregistered=True)
        for name, dialect in get_all_dialects().items():
            context.register_dialect(name, dialect)
        _all_dialects = context
    return _all_dialects.clone()


_all_dialects: Context | None = None


def _checked(module: object) -> ModuleOp:
    if not isinstance(module, ModuleOp):
        raise TypeError(f"expected a module of xDSL (xdsl.dialects.builtin.ModuleOp), not {type(module).__name__}")
    return module


class _Maker:
    """Creates the objects that a rewritten module needs and that xDSL does not have yet."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def operation(self, name: str) -> tuple[type[Operation], Container[str]]:
        """Return the class of an operation, and the names of the properties that it defines."""
        found = self._context.get_op(name)
        return found, found.get_irdl_definition().properties if issubclass(found, IRDLOperation) else ()

    def attribute(self, text: str) -> Attribute:
        """Read an attribute."""
        return Parser(self._context, text, "<drrvm>").parse_attribute()

    def type(self, text: str) -> Attribute:
        """Read a type."""
        return Parser(self._context, text, "<drrvm>").parse_type()

    def location(self, text: str) -> Attribute:
        """Read a location. Return the unknown location if xDSL does not have this kind of location."""
        try:
            return Parser(self._context, text, "<drrvm>").parse_optional_location() or UNKNOWN_LOC
        except ParseError:
            return UNKNOWN_LOC


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Delay `KeyboardInterrupt`, which would leave a module half changed."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    pending: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: pending.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        for number, frame in pending[:1]:
            handler(number, frame)
