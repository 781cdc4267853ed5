"""Writes the types of answers, and of what is asked, from the description of the API.

``python -m bidcascade.service.client.write_answer_types answers docs/openapi.json`` prints the
module ``answer_types``, with ``options`` it prints ``option_types``; a test compares them, so that
a client cannot miss a field.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

_HEAD: Final = '''"""What {subject}, as ``openapi.json`` has it; written by ``write_answer_types``.

What every field means is told there, and at ``/docs`` of a running service.
"""

from typing import {names}
'''
_ANSWERS: Final = _HEAD.format(
    subject="the service answers", names="Any, Literal, NotRequired, TypedDict"
)
_OPTIONS: Final = _HEAD.format(subject="may be asked", names="Literal, TypedDict")

OPTIONS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "AuctionsRequest": ("AuctionsOptions", ("deals",)),
    "BidRequest": ("BidOptions", ("hand", "auction")),
    "InterpretRequest": ("InterpretOptions", ("auction",)),
    "JobRequest": ("JobOptions", ("path",)),
    "LayoutsRequest": ("LayoutsOptions", ("auction",)),
    "LeadsRequest": ("LeadsOptions", ("hand", "auction")),
}
"""Requests: the type of their options, and the fields that are arguments of their own."""

_ANYTHING_GOES: Final = frozenset({"DealRequest", "SimulateRequest"})
"""Parts of requests; every field of them may be left out."""

_PLAIN: Final = {
    "string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None",
}  # fmt: skip


def answer_types(document: Mapping[str, Any]) -> str:
    """Write a module with a ``TypedDict`` for every schema that is in an answer.

    Parameters
    ----------
    document : mapping
        An OpenAPI document.

    Returns
    -------
    str
        Python text.

    Examples
    --------
    >>> schema = {"description": "A call.", "required": ["call"], "properties": {
    ...     "call": {"type": "string"}, "entry": {"type": "integer"}}}
    >>> answer_types({"components": {"schemas": {"Call": schema}}}).splitlines()[-2:]
    ['    call: str', '    entry: NotRequired[int]']
    """
    return _module(document, _ANSWERS, asked=False)


def option_types(document: Mapping[str, Any]) -> str:
    """Write a module with a ``TypedDict`` for what may be left out of each request.

    Examples
    --------
    >>> schema = {"description": "A hand.", "required": ["hand"], "properties": {
    ...     "hand": {"type": "string"}, "dealer": {"type": "string"}}}
    >>> option_types({"components": {"schemas": {"BidRequest": schema}}}).splitlines()[-1]
    '    dealer: str'
    """
    return _module(document, _OPTIONS, asked=True)


def _module(document: Mapping[str, Any], head: str, *, asked: bool) -> str:
    schemas: Mapping[str, Any] = document["components"]["schemas"]
    pieces = [head]
    for name in _in_order(schemas):
        if (name in OPTIONS or name in _ANYTHING_GOES) != asked:
            continue
        schema = schemas[name]
        written, left_out = OPTIONS.get(name, (name, ()))
        lines = [f"class {written}(TypedDict{', total=False' if asked else ''}):"]
        lines.append(f'    """{schema["description"]}"""')
        fields = [
            _field(field, of, may_miss=not asked and field not in schema.get("required", ()))
            for field, of in schema["properties"].items()
            if field not in left_out
        ]
        if fields:
            lines += ["", *fields]
        pieces.append("\n".join([*lines, ""]))
    return "\n\n".join(pieces)


def _field(name: str, schema: Mapping[str, Any], *, may_miss: bool) -> str:
    written = _type_of(schema)
    return f"    {name}: {f'NotRequired[{written}]' if may_miss else written}"


def _type_of(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name: str = schema["$ref"].rpartition("/")[2]
        return name
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type_of(one) for one in schema["anyOf"]))
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return f"Literal[{', '.join(json.dumps(value) for value in values)}]"
    kind = schema.get("type")
    if kind == "array":
        if "prefixItems" in schema:
            # a list of fixed length in JSON; Python has no type for such a list
            inner = " | ".join(dict.fromkeys(_type_of(one) for one in schema["prefixItems"]))
        else:
            inner = _type_of(schema["items"])
        return f"list[{inner}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {_type_of(values) if isinstance(values, Mapping) else 'Any'}]"
    return _PLAIN.get(str(kind), "Any")


def _in_order(schemas: Mapping[str, Any]) -> Iterator[str]:
    """Names of the schemas, each behind those that it names."""
    done: dict[str, None] = {}

    def visit(name: str) -> None:
        if name in done:
            return
        for other in _named_in(schemas[name]):
            if other != name:
                visit(other)
        done[name] = None

    for name in schemas:
        visit(name)
    return iter(done)


def _named_in(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"].rpartition("/")[2]
        for one in value.values():
            yield from _named_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from _named_in(one)


if __name__ == "__main__":
    writer = {"answers": answer_types, "options": option_types}[sys.argv[1]]
    sys.stdout.write(writer(json.loads(Path(sys.argv[2]).read_text("utf-8"))))
