"""The exceptions and warnings of drrvm."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drrvm._drrvm import Diagnostic


class Error(Exception):
    """The base class of all errors of drrvm.

    The text of the exception contains all errors of a stage, each with its source line and a caret.
    """

    diagnostics: list[Diagnostic]
    """The errors and warnings one by one, for tools."""

    def __init__(self, message: str, diagnostics: Iterable[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics = list(diagnostics)


class RuleError(Error):
    """Rules cannot be read or compiled."""


class MissingNativeError(RuleError):
    """Rules call natives that are not registered, or whose signature does not fit the call."""


class ParseError(Error):
    """The text of a module, type, attribute or location is invalid."""


class VerifyError(Error):
    """A module is invalid."""


class StaleError(Error, ReferenceError):
    """An operation or value is read after it was erased, or an object that a native got is read after the call."""


class ConflictError(Error):
    """A module changed while rules rewrote it, so the result was discarded."""


class Refusal(Error):
    """A native raises this exception to refuse: its rule is not applied, and other rules are tried."""


class RuleWarning(UserWarning):
    """A warning about rules."""
