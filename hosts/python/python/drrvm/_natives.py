"""The signatures of natives, read from the annotations of Python functions."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any

from drrvm import _drrvm

_SCALARS: dict[Any, str] = {
    _drrvm.Operation: "operation",
    _drrvm.Value: "value",
    _drrvm.Type: "type",
    _drrvm.Attribute: "attribute",
    _drrvm.Location: "location",
    _drrvm.APInt: "fixed-width integer",
    _drrvm.APFloat: "float",
    bool: "boolean",
    int: "integer",
    str: "string",
}
_RANGES = {"value": "range of values", "type": "range of types", "attribute": "range of attributes"}
_KINDS = (
    "Operation, Value, Type, Attribute, Location, a list of Value, Type or Attribute, int, bool, str, APInt, APFloat"
)


def signature(name: str, native: Callable[..., Any]) -> tuple[bool, list[str | None] | None, list[str], bool]:
    """Return the signature of a native.

    The parts are: a flag that is set if the first argument is a `Rewriter`; the kinds of the other arguments; the kinds
    of the results; a flag that is set if the native is a constraint without results. An argument of any kind has the
    kind `None`. If the native takes any number of arguments, `None` stands for the list of kinds.
    """
    if not callable(native):
        raise TypeError(f"native {name!r} is not callable: {native!r}")
    if inspect.iscoroutinefunction(native):
        raise TypeError(f"native {name!r} is a coroutine function, which rules cannot call")
    try:
        parameters = list(inspect.signature(native).parameters.values())
    except ValueError:
        return False, None, [], True
    hints = _hints(native)
    rewriter = bool(parameters) and hints.get(parameters[0].name) is _drrvm.Rewriter
    if rewriter:
        parameters = parameters[1:]
    kinds: list[str | None] = []
    for parameter in parameters:
        positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        if parameter.kind in positional and parameter.default is inspect.Parameter.empty:
            where = f"parameter {parameter.name!r} of native {name!r}"
            kinds.append(_kind(hints[parameter.name], where) if parameter.name in hints else None)
    any_number = any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters)
    results = _results(hints["return"], f"the result of native {name!r}") if "return" in hints else ["boolean"]
    return rewriter, None if any_number else kinds, [] if results == ["boolean"] else results, results == ["boolean"]


def _hints(native: Callable[..., Any]) -> dict[str, Any]:
    function = native
    if not (inspect.isfunction(native) or inspect.ismethod(native)):
        function = getattr(type(native), "__call__", native)
    return typing.get_type_hints(function)


def _results(annotation: Any, where: str) -> list[str]:
    if annotation is type(None):
        return []
    if typing.get_origin(annotation) is tuple:
        return [_required(part, where) for part in typing.get_args(annotation)]
    return [_required(annotation, where)]


def _required(annotation: Any, where: str) -> str:
    kind = _kind(annotation, where)
    if kind is None:
        raise TypeError(f"{where} has the annotation {annotation!r}; expected one of {_KINDS}")
    return kind


def _kind(annotation: Any, where: str) -> str | None:
    if annotation is Any or annotation is object:
        return None
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        parts = [part for part in typing.get_args(annotation) if part is not type(None)]
        if len(parts) == 1:
            annotation = parts[0]
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    if typing.get_origin(annotation) in (list, Sequence, tuple):
        element = _SCALARS.get(typing.get_args(annotation)[0], "")
        if element in _RANGES:
            return _RANGES[element]
    raise TypeError(f"{where} has the annotation {annotation!r}; expected one of {_KINDS}")
