"""The code in README.md uses only names that exist."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

import drrvm

README = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
OBJECTS: dict[str, type] = {"rules": drrvm.Rules, "module": drrvm.Module, "result": drrvm.Result, "op": drrvm.Operation}
OBJECTS |= {"match": drrvm.Match, "a": drrvm.Attribute, "b": drrvm.Attribute}


@pytest.mark.parametrize("block", BLOCKS)
def test_the_names_of_a_block_exist(block: str) -> None:
    for node in ast.walk(ast.parse(block)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = drrvm if node.value.id == "drrvm" else OBJECTS.get(node.value.id)
            if owner is drrvm and node.attr in ("jax", "xdsl"):
                pytest.importorskip(node.attr)
                importlib.import_module(f"drrvm.{node.attr}")
            assert owner is None or hasattr(owner, node.attr), ast.unparse(node)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "drrvm.compile":
            known = inspect.signature(drrvm.compile).parameters
            assert all(keyword.arg in known for keyword in node.keywords)
