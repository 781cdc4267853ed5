"""Every example in a docstring runs, and every public name is documented with one."""

import doctest
import importlib
import inspect
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support_layers import BELOW, package_folder

PACKAGES = [name for name in BELOW if package_folder(name) is not None]

NO_EXAMPLE_NEEDED: dict[str, str] = {}
"""Exported functions and classes without an example, and why; exceptions need none at all."""


def module_names() -> Iterator[str]:
    """Names of all modules of the packages, without importing them."""
    yield "bidcascade"
    for name in PACKAGES:
        folder = package_folder(name)
        assert folder is not None
        for file in sorted(folder.rglob("*.py")):
            parts = file.relative_to(folder).with_suffix("").parts
            if parts[-1] != "__main__":
                yield ".".join(("bidcascade", name, *(p for p in parts if p != "__init__")))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(module_names()))
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    assert module.__doc__, f"{name} does not say what it is for"
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        runner.run(test, out=report.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


def exported(package: str) -> Iterator[tuple[str, object]]:
    """Names that a package exports, with their values."""
    module = importlib.import_module(f"bidcascade.{package}")
    for name in getattr(module, "__all__", ()):
        yield name, getattr(module, name)


def is_documentable(value: object) -> bool:
    """Whether a value is a function or class of ours (not a constant or the name of a type)."""
    return (
        callable(value)
        and typing.get_origin(value) is None
        and str(getattr(value, "__module__", "")).startswith("bidcascade.")
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_exist_once(package: str) -> None:
    module = importlib.import_module(f"bidcascade.{package}")
    names = list(getattr(module, "__all__", ()))
    assert len(names) == len(set(names))
    missing = [name for name in names if not hasattr(module, name)]
    assert not missing, f"bidcascade.{package}.__all__ names what is not there: {missing}"


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_are_documented(package: str) -> None:
    without_docstring = []
    without_example = []
    for name, value in exported(package):
        if not is_documentable(value):
            continue
        full_name = f"bidcascade.{package}.{name}"
        text = inspect.getdoc(value) if "__doc__" in dir(value) else None
        # a dataclass or named tuple without a docstring gets its signature as one
        if not text or text.startswith(f"{name}("):
            without_docstring.append(full_name)
        elif inspect.isclass(value) and issubclass(value, BaseException):
            continue
        elif full_name not in NO_EXAMPLE_NEEDED and "Examples\n-----" not in text:
            without_example.append(full_name)
    message = []
    if without_docstring:
        message.append("no docstring: " + ", ".join(without_docstring))
    if without_example:
        message.append("no Examples section: " + ", ".join(without_example))
    assert not message, "\n".join(message)


def test_exemptions_are_still_needed() -> None:
    names = {
        f"bidcascade.{package}.{name}" for package in PACKAGES for name, _ in exported(package)
    }
    assert NO_EXAMPLE_NEEDED.keys() <= names
