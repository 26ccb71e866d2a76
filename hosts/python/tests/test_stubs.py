"""The type stubs repeat the documentation of the Rust code, because editors show the stubs.

    DRRVM_BLESS=1 pytest tests/test_stubs.py

writes the documentation into the stubs.
"""

from __future__ import annotations

import ast
import inspect
import os
import textwrap
from pathlib import Path
from typing import Any

import drrvm
import drrvm._drrvm

STUBS = Path(drrvm.__file__).with_name("_drrvm.pyi")


def documentation(owner: Any, name: str) -> str:
    """The documentation of a class, function or property, empty for Python's own methods."""
    if name.startswith("__") or not hasattr(owner, name):
        return ""
    doc = getattr(owner, name).__doc__ or ""
    return inspect.cleandoc(doc.split("--\n\n", 1)[-1])


def with_documentation(text: str) -> str:
    """The stubs with the documentation of the Rust code."""
    lines = text.split("\n")
    edits: list[tuple[ast.ClassDef | ast.FunctionDef, str]] = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            edits.append((node, documentation(drrvm._drrvm, node.name)))
            owner = getattr(drrvm._drrvm, node.name)
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    edits.append((inner, documentation(owner, inner.name)))
        elif isinstance(node, ast.FunctionDef):
            edits.append((node, documentation(drrvm._drrvm, node.name)))
    # Edits go from the last line to the first, so that line numbers stay valid. If a class starts with a function, the
    # function is edited before the class.
    edits.sort(key=lambda edit: (-edit[0].body[0].lineno, isinstance(edit[0], ast.ClassDef)))
    for node, doc in edits:
        first = node.body[0]
        is_doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        is_doc = is_doc and isinstance(first.value.value, str)  # type: ignore[attr-defined]
        indent = " " * (node.col_offset + 4)
        quoted = f'"""{doc}"""' if "\n" not in doc else f'"""{doc}\n"""'
        written = textwrap.indent(quoted.replace("\\", "\\\\"), indent, lambda line: bool(line.strip())).split("\n")
        if is_doc:
            assert first.end_lineno is not None
            lines[first.lineno - 1 : first.end_lineno] = written if doc else []
        elif doc and isinstance(node, ast.FunctionDef):
            head = lines[first.lineno - 1].rstrip().removesuffix(" ...")
            lines[first.lineno - 1 : first.lineno] = [head, *written]
        elif doc:
            decorators = getattr(first, "decorator_list", [])
            start = min([first.lineno, *(decorator.lineno for decorator in decorators)])
            lines[start - 1 : start - 1] = [*written, ""]
    return "\n".join(lines)


def test_stubs_repeat_the_documentation() -> None:
    text = STUBS.read_text()
    wanted = with_documentation(text)
    if os.environ.get("DRRVM_BLESS"):
        STUBS.write_text(wanted)
    else:
        assert text == wanted, "DRRVM_BLESS=1 pytest tests/test_stubs.py writes the stubs anew"


def test_everything_is_documented() -> None:
    undocumented = [
        f"{owner.__name__}.{name}"
        for owner in vars(drrvm).values()
        if inspect.isclass(owner) and owner.__module__ == "drrvm"
        for name in vars(owner)
        if not name.startswith("_") and not (getattr(owner, name).__doc__ or "").strip()
    ]
    assert undocumented == []
    assert all((getattr(drrvm, name).__doc__ or "").strip() for name in drrvm.__all__)
