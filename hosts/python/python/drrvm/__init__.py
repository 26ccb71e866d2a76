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
    Comparison,
    Diagnostic,
    Difference,
    Explanation,
    Location,
    Match,
    Module,
    NotConverged,
    Operation,
    Profile,
    Result,
    Rewriter,
    Rules,
    Type,
    Value,
    Walk,
    compile,
    equiv,
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
    "Comparison",
    "ConflictError",
    "Diagnostic",
    "Difference",
    "Error",
    "Explanation",
    "Location",
    "Match",
    "MissingNativeError",
    "Module",
    "NotConverged",
    "Operation",
    "ParseError",
    "Profile",
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
    "Walk",
    "compile",
    "equiv",
]
