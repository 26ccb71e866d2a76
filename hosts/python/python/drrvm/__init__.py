"""MLIR's declarative rewrite rules, compiled and run without a C++ compiler.

    >>> import drrvm
    >>> rules = drrvm.compile("rules.td")
    >>> result = rules.apply("%0 = ...")
    >>> print(result.module)
"""

from __future__ import annotations

from drrvm._drrvm import (
    APFloat,
    APInt,
    Attribute,
    Attributes,
    Diagnostic,
    Location,
    Match,
    Module,
    NotConverged,
    Operation,
    Result,
    Rewriter,
    Rules,
    Type,
    Value,
    compile,
)
from drrvm._errors import (
    ConflictError,
    Error,
    MissingNativeError,
    ParseError,
    Refusal,
    RuleError,
    RuleWarning,
    StaleError,
    VerifyError,
)

__all__ = [
    "APFloat",
    "APInt",
    "Attribute",
    "Attributes",
    "ConflictError",
    "Diagnostic",
    "Error",
    "Location",
    "Match",
    "MissingNativeError",
    "Module",
    "NotConverged",
    "Operation",
    "ParseError",
    "Refusal",
    "Result",
    "Rewriter",
    "RuleError",
    "RuleWarning",
    "Rules",
    "StaleError",
    "Type",
    "Value",
    "VerifyError",
    "compile",
]
