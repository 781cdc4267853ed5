"""Writes the types of the clients, made of the questions and answers in ``engine/questions``.

``python build_backend/client_types.py`` writes ``answer_types.py`` and ``option_types.py`` into
``service/client``: a ``TypedDict`` for each answer, and for what a method of the clients takes
beside its arguments. Every build runs it, so it needs the standard library alone.
"""

import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

ROOT: Final = Path(__file__).resolve().parents[1]

_HEAD: Final = '''"""{subject}; written by ``build_backend/client_types.py``.

What every field means is told in ``openapi.json`` and at ``/docs`` of a running service.
"""

# ruff: noqa: D101
from __future__ import annotations

from typing import {names}
'''
_ARGUMENTS: Final = {
    "AuctionsRequest": ("deals",), "BoardConditions": ("auction",),
    "BoardsQuestion": ("auction", "format"), "ExplainQuestion": ("auction",),
    "JobRequest": ("path",),
}  # fmt: skip
"""Questions that methods written by hand ask, and their fields that are arguments."""
_NAMES: Final = {
    "BoardConditions": "ArchiveCountsOptions",
    "BoardsQuestion": "ArchiveBoardsOptions",
    "ExplainQuestion": "ExplainOptions",
}
"""Types of options that are not named after their question."""
_METHOD_NAMES: Final = {"systemCheck": "check_system", "systemDiff": "diff_systems"}
"""Methods that are not named after their question."""
_GIVEN: Final = {
    "BoardContracts": ("Board | options_of.BoardContracts", "board_of"),
    "DealRequest": ("Deal", "deal_of"),
    "SystemChoice": ("System", "system_of"),
}
"""What a method takes for an object of a question, and what makes the object of it."""
_METHODS_HEAD: Final = '''"""Methods of both clients, by ``build_backend/client_types.py``."""

# ruff: noqa: D401, E501

from collections.abc import Iterable, Sequence
from typing import Unpack

from bidcascade.service.client import answer_types as answers
from bidcascade.service.client import option_types as options_of
from bidcascade.service.client.asking import (
    Board,
    Calls,
    Deal,
    Question,
    System,
    board_of,
    calls_of,
    deal_of,
    operation,
    system_of,
)


class QuestionMethods:
    """A method for each question that is asked by an object of its fields."""
'''


def written_files() -> dict[str, str]:
    """Texts of the files by their path in the checkout."""
    marked = _marked_classes()
    return {
        "service/client/answer_types.py": answer_types(marked),
        "service/client/option_types.py": option_types(marked),
        "service/client/question_methods.py": question_methods(),
    }


def answer_types(marked: Mapping[str, type]) -> str:
    """Types of all answers, as a service gives them."""
    rows = import_module("bidcascade.engine.questions.registry").QUESTIONS.values()
    served = {one.answer: one.served for one in rows}
    added = {base for row in rows for one in row.adds for base in one.__mro__}
    answers = [one for one in marked.values() if not _is_question(one) and one not in added]
    parts = {part for one in answers for part in _parts_of(served.get(one, one))}
    bases = {base for one in answers for base in one.__mro__[1:]}
    # what answers have in common is no answer itself
    written = {one.__name__: one for one in answers if one not in bases - parts}
    pieces = [
        _HEAD.format(
            subject="What the service answers", names="Any, Literal, NotRequired, TypedDict"
        )
    ]
    for name, kind in sorted(written.items()):
        lines = [f"class {name}(TypedDict):"]
        for one, told in _types_of(served.get(kind, kind)):
            # a field with another default than this one is always written
            left_out = one.default_factory is not MISSING
            lines.append(f"    {one.name}: {f'NotRequired[{told}]' if left_out else told}")
        pieces.append("\n".join(lines) + "\n")
    return "\n\n".join(pieces)


def option_types(marked: Mapping[str, type]) -> str:
    """Types of what may be left out of questions, and of their parts."""
    arguments = {marked[name]: given for name, given in _ARGUMENTS.items()}
    arguments |= {
        one.request: tuple(field.name for field, _ in _arguments_of(one.request))
        for one in _asked()
    }
    parts: dict[str, type] = {}
    waiting = list(arguments)
    while waiting:
        for part in _parts_of(waiting.pop()):
            if part.__name__ not in parts:
                parts[part.__name__] = part
                waiting.append(part)
    written = {_options_of(kind): (kind, given) for kind, given in arguments.items()}
    written |= {name: (kind, ()) for name, kind in parts.items()}
    pieces = [_HEAD.format(subject="What may be asked", names="Literal, TypedDict")]
    for name, (kind, given) in sorted(written.items()):
        lines = [
            f"    {one.name}: {told}" for one, told in _types_of(kind) if one.name not in given
        ]
        if lines:
            pieces.append("\n".join([f"class {name}(TypedDict, total=False):", *lines]) + "\n")
    return "\n\n".join(pieces)


def question_methods() -> str:
    """Methods that take what has no default, auctions, deals and systems, and options."""
    return _METHODS_HEAD + "".join(map(_method_of, _asked()))


def _method_of(row: Any) -> str:
    name = re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", row.name)
    positional: list[str] = []
    by_name: list[str] = []
    body: list[str] = []
    for field, hint in _arguments_of(row.request):
        told, made = _given(hint, field.name)
        if not made:
            told = _type_of(hint)
            is_list = told.startswith("list[")
            told = f"Sequence{told.removeprefix('list')}" if is_list else told
            made = f"list({field.name})" if is_list else field.name
        default = "" if field.default is MISSING else f" = {field.default!r}"
        is_positional = not default or told.startswith("Calls")
        (positional if is_positional else by_name).append(f"{field.name}: {told}{default}")
        body.append(f'"{field.name}": {made}')
    options = _options_of(row.request)
    if len(_arguments_of(row.request)) < len(fields(row.request)):
        by_name.append(f"**options: Unpack[options_of.{options}]")
        body.append("**options")
    says = textwrap.indent(textwrap.fill(row.says, 88), 8 * " ")
    stars = ["*"] if by_name and not by_name[0].startswith("*") else []
    return f'''
    @operation
    def {_METHOD_NAMES.get(row.name, name)}(
        {", ".join(["self", *positional, *stars, *by_name])}
    ) -> Question[answers.{row.answer.__name__}]:
        """{row.summary}.

{says}
        """
        body = {{{", ".join(body)}}}
        return Question("POST", "{row.path}", body=body)
'''


def _asked() -> list[Any]:
    """Rows of the questions that a method is written for."""
    rows = import_module("bidcascade.engine.questions.registry").QUESTIONS.values()
    posted = (one for one in rows if one.method == "post" and one.request)
    return [one for one in posted if one.request.__name__ not in _ARGUMENTS]


def _options_of(kind: type) -> str:
    name = kind.__name__
    return _NAMES.get(name, f"{name.removesuffix('Request')}Options")


def _arguments_of(kind: type) -> list[tuple[Field[Any], Any]]:
    """Fields that a method takes one by one."""
    hints = get_type_hints(kind, include_extras=True)
    return [
        (one, hint)
        for one, hint in ((one, hints[one.name]) for one in fields(kind))
        if one.default is one.default_factory is MISSING or _given(hint, "")[1]
    ]


def _given(hint: Any, name: str) -> tuple[str, str]:
    """Type of an argument that is made JSON, and how one of a name is; empty for what is so."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _given(inner[0], name)
    if NoneType in inner and len(inner) == 2:
        told, made = _given(inner[0], name)
        return (f"{told} | None", f"None if {name} is None else {made}") if made else ("", "")
    if origin in (list, tuple):
        if inner[0] == import_module("bidcascade.engine.questions.parts.texts").CallText:
            return "Calls", f"calls_of({name})"
        told, made = _given(inner[0], "one")
        return (f"Iterable[{told}]", f"[{made} for one in {name}]") if made else ("", "")
    told, by = _GIVEN.get(getattr(hint, "__name__", ""), ("", ""))
    return told, f"{by}({name})" if by else ""


def _marked_classes() -> dict[str, type]:
    """Questions and answers by name."""
    found = {}
    for path in sorted((ROOT / "engine" / "questions").rglob("*.py")):
        # other modules may need more than the standard library
        if not {"@answer", "@question"}.isdisjoint(path.read_text("utf-8").splitlines()):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            module = import_module(f"bidcascade.{name}")
            for name, one in vars(module).items():
                is_own = getattr(one, "__module__", None) == module.__name__
                if is_own and is_dataclass(one) and hasattr(one, "__pydantic_config__"):
                    found[name] = one
    return found


def _is_question(kind: Any) -> bool:
    # they take JSON's own types, answers are not read
    return "strict" in kind.__pydantic_config__


def _fields_of(kind: Any) -> list[tuple[Field[Any], Any]]:
    hints = get_type_hints(kind)
    return [(one, hints[one.name]) for one in fields(kind)]


def _parts_of(kind: type) -> Iterator[type]:
    """Objects in the fields of an object."""
    for _, hint in _fields_of(kind):
        yield from _objects_in(hint)


def _objects_in(hint: Any) -> Iterator[type]:
    if is_dataclass(hint):
        yield hint
    for inner in get_args(hint):
        yield from _objects_in(inner)


def _types_of(kind: Any) -> Iterator[tuple[Field[Any], str]]:
    for one, hint in _fields_of(kind):
        try:
            yield one, _type_of(hint)
        except TypeError as error:
            raise TypeError(f"{kind.__name__}.{one.name}: {error}") from None


def _type_of(hint: Any) -> str:
    """Type of a value of JSON, as Python writes it."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return "Any"
    if hint is NoneType:
        return "None"
    if is_dataclass(hint) or hint in (bool, float, int, str):
        return hint.__name__
    if origin is Annotated:
        return _type_of(inner[0])
    if origin is Literal:
        return f"Literal[{', '.join(_quoted(one) for one in inner)}]"
    if origin in (Union, UnionType):
        return _any_of(inner)
    if origin in (list, tuple):
        # JSON has no list whose places differ
        return f"list[{_any_of(one for one in inner if one is not Ellipsis)}]"
    if origin in (dict, Mapping):
        return f"dict[str, {_type_of(inner[1])}]"
    raise TypeError(f"expected a type that JSON has a value for, got {hint!r}")


def _any_of(hints: Any) -> str:
    return " | ".join(dict.fromkeys(map(_type_of, hints)))


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def show_packages(*names: str) -> None:
    """Let modules of packages be imported where nothing is installed, without the packages' own."""
    for name in names:
        package = ModuleType(name)
        package.__path__ = [str(ROOT.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package


def write_files(texts: Mapping[str, str]) -> None:
    """Write texts by their path in the checkout."""
    for name, text in texts.items():
        path = ROOT / name
        # one that is as it was keeps its time
        if not path.exists() or path.read_text("utf-8") != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    # the packages' own modules need more than the standard library
    show_packages("bidcascade", "bidcascade.engine")
    write_files(written_files())
