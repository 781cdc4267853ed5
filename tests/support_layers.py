"""The layers of the code: which folder may import what, and a check of one file's imports.

    service → inference → table   → kernels → bridge
                        → loaders ↗

Arrows run down only; table and loaders do not know each other. Above them is the folder
``package``, which is ``bidcascade`` itself; nobody imports it.
"""

import ast
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

BELOW = {
    "bridge": set(),
    "kernels": {"bridge"},
    "loaders": {"kernels", "bridge"},
    "table": {"kernels", "bridge"},
    "inference": {"table", "loaders", "kernels", "bridge"},
    "service": {"inference", "table", "loaders", "kernels", "bridge"},
}
"""Folders that each folder may import from."""

HOMES = {
    "polars": {"loaders", "table", "inference", "service"},
    "fastapi": {"service"},
    "httpx": {"service"},
    "starlette": {"service"},
    "uvicorn": {"service"},
    "cupy": {"kernels"},
    "cudf": {"kernels"},
    "endplay": {"loaders", "inference"},
}
"""The only folders that may import a library."""

LIBRARIES = {"bridge": set(), "kernels": {"numpy", "numba", "cupy", "cudf"}}
"""Folders that may import no library but these."""

IN_ONE_FILE = ({"cupy"}, {"cudf"}, {"endplay"})
"""Libraries that may appear in one file of a package and no second one; endplay is known to two
packages: its boards to loaders, its solver to inference."""


class Import(NamedTuple):
    """One imported module: ``level`` counts the leading dots."""

    line: int
    module: str
    level: int


def package_folder(name: str) -> Path | None:
    """Folder of an installed package of ours, ``None`` if it does not exist (yet)."""
    spec = importlib.util.find_spec(f"bidcascade.{name}")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).resolve().parent


def imports_of(source: str) -> Iterator[Import]:
    """All imports of a file, those inside functions and by name of a module included."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name, 0)
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0 and node.module == "bidcascade":
                for alias in node.names:
                    yield Import(node.lineno, f"bidcascade.{alias.name}", 0)
            else:
                yield Import(node.lineno, node.module or "", node.level)
        elif (
            isinstance(node, ast.Call)
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
            and _called_name(node.func) in {"import_module", "__import__"}
        ):
            yield Import(node.lineno, node.args[0].value, 0)


def _called_name(function: ast.expr) -> str:
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def libraries_of(source: str) -> set[str]:
    """Names of the top-level packages that a file imports."""
    return {found.module.split(".")[0] for found in imports_of(source) if found.level == 0}


def offences(folder: str, path: str, source: str) -> list[str]:
    """Say what the imports of one file break; ``path`` is relative to its package's folder."""
    found: list[str] = []

    def complain(line: int, reason: str) -> None:
        found.append(f"{folder}/{path}:{line}: {reason}")

    for line, module, level in imports_of(source):
        root, _, rest = module.partition(".")
        if level > len(Path(path).parts):
            complain(line, f"relative import of {module!r} leaves the folder")
        if level:
            continue
        if root == "bidcascade":
            target = rest.split(".")[0]
            if target == folder:
                # a folder within the folder reaches its neighbours by their full names
                if len(Path(path).parts) == 1:
                    complain(line, f"inside a folder import relatively, not {module!r}")
            elif target not in BELOW[folder]:
                complain(line, f"{folder} may not import {target or 'bidcascade'}")
        elif root in BELOW or root in {"tests", "benchmarks"}:
            complain(line, f"{root!r} is no importable package of ours")
        elif root not in sys.stdlib_module_names:
            if folder not in HOMES.get(root, {folder}):
                complain(line, f"{root} belongs in {' and '.join(sorted(HOMES[root]))}")
            elif root not in LIBRARIES.get(folder, {root}):
                complain(line, f"{folder} may not import {root}")
    return found
