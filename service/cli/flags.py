"""The flags of a question's fields, and the question that they ask."""

import argparse
from dataclasses import MISSING, replace
from typing import Any, TypeVar

from bidcascade.bridge import split_calls
from bidcascade.engine.questions.parts.fields import Flag, Taken, taken

from .shared import decimal_number, read_argument, whole_number

_Question = TypeVar("_Question")


def add_flags(
    parser: argparse.ArgumentParser, question: type, *names: str, **defaults: object
) -> None:
    """Add the flags of a question's fields, or of those that are named.

    ``defaults`` are those of a command that has others than the question.
    """
    of = taken(question)
    for name in names or of:
        one = of[name]
        if one.flag is not None:
            own = defaults.get(name, one.flag.default)
            _add(parser, one, replace(one.flag, default=own))


def question_of(question: type[_Question], options: argparse.Namespace, **own: Any) -> _Question:
    """Make the question that arguments ask; ``own`` is what the command says by itself.

    What the command says stands for fields without a flag, and for flags that were not given and
    have no default.

    Examples
    --------
    >>> from bidcascade.engine.questions.archives import NodeQuestion
    >>> parser = argparse.ArgumentParser()
    >>> add_flags(parser, NodeQuestion)
    >>> question_of(NodeQuestion, parser.parse_args(["1N P", "--by", "sayc"]), statistics=True)
    NodeQuestion(auction='1N P', by='sayc', statistics=True)
    """
    for name, one in taken(question).items():
        value = None if one.flag is None else getattr(options, name, None)
        if one.flag is not None and value is not None:
            own[name] = _read(one, one.flag, value)
    return question(**own)


def _read(one: Taken, flag: Flag, value: Any) -> Any:
    """Value of a field, of what stands in the arguments."""
    if flag.read is not None:
        return read_argument(flag.read, value)
    if flag.values is not None:
        return flag.values[value]
    if flag.many == "words":
        return tuple(split_calls(value))
    return tuple(value) if one.kind is tuple else value


def _add(parser: argparse.ArgumentParser, one: Taken, flag: Flag) -> None:
    arguments: dict[str, Any] = {"help": flag.help}
    default = one.default if flag.default is ... else flag.default
    if flag.values is not None:
        arguments["choices"] = tuple(flag.values)
    elif one.kind is bool:
        # the value that no flag gives is the field's own
        arguments |= {"action": "store_false" if flag.turns_off else "store_true"}
    elif one.choices and flag.metavar is None:
        arguments["choices"] = one.choices
    else:
        arguments["metavar"] = flag.metavar
    if one.kind is int:
        own = (one.bounds.get("ge", 0), one.bounds.get("le"))
        arguments["type"] = whole_number(*(flag.bounds or own))
    if one.kind is float:
        arguments["type"] = decimal_number(one.bounds.get("ge", 0))
    if flag.given_alone is not None:
        arguments |= {"nargs": "?", "const": flag.given_alone}
    if flag.many == "words":
        # one text; without it the field is what it is by itself
        default = None
    elif one.kind in (tuple, dict):
        arguments |= {"action": "append"} if flag.many == "again" else {"nargs": "+"}
        default = []
    if flag.name is not None and not flag.name.startswith("-"):
        if default is not MISSING:
            arguments |= {"nargs": "?", "default": default}
        # the argument's place is named after the field
        parser.add_argument(one.name, **arguments)
        return
    if "action" not in arguments or arguments["action"] == "append":
        arguments["default"] = default
    name = flag.name or f"--{one.name.replace('_', '-')}"
    parser.add_argument(name, dest=one.name, **arguments)
