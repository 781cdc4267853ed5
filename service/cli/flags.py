"""The flags of a question's fields, and the question that they ask."""

import argparse
from dataclasses import MISSING
from typing import Any, TypeVar

from bidcascade.service.questions.fields import Flag, Taken, taken

from .shared import whole_number

_Question = TypeVar("_Question")


def add_flags(parser: argparse.ArgumentParser, asked: type, *names: str) -> None:
    """Add the flags of a question's fields, or of those that are named."""
    of = taken(asked)
    for name in names or of:
        one = of[name]
        if one.flag is not None:
            _add(parser, one, one.flag)


def question_of(asked: type[_Question], options: argparse.Namespace, **own: Any) -> _Question:
    """Make the question that arguments ask; ``own`` is what the command says by itself.

    What the command says stands for fields without a flag, and for flags that were not given and
    have no default.
    """
    for name, one in taken(asked).items():
        value = None if one.flag is None else getattr(options, name, None)
        if value is not None:
            own[name] = tuple(value) if one.kind is tuple else value
    return asked(**own)


def _add(parser: argparse.ArgumentParser, one: Taken, flag: Flag) -> None:
    told: dict[str, Any] = {"help": flag.help}
    name = flag.name or f"--{one.name.replace('_', '-')}"
    default = one.default if flag.default is ... else flag.default
    if one.kind is bool:
        # the value that no flag gives is the field's own
        told |= {"action": "store_false" if flag.turns_off else "store_true"}
    else:
        told |= {"metavar": flag.metavar}
    if one.kind is int:
        told["type"] = whole_number(one.bounds.get("ge", 0), one.bounds.get("le"))
    elif one.kind is tuple:
        told |= {"action": "append"} if flag.many == "again" else {"nargs": "+"}
        default = []
    elif one.choices and flag.metavar is None:
        told["choices"] = one.choices
    if not name.startswith("-"):
        if default is not MISSING:
            told |= {"nargs": "?", "default": default}
        # the value's place is named after the field
        parser.add_argument(one.name, **told)
        return
    if one.kind is not bool and default is not MISSING:
        told["default"] = default
    parser.add_argument(name, dest=one.name, required=default is MISSING, **told)
