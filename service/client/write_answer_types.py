"""Writes the types of answers, and of what is asked, from the description of the API.

``python -m bidcascade.service.client.write_answer_types answers docs/openapi.json`` prints the
module ``answer_types``, with ``options`` it prints ``option_types``; a test compares them, so that
a client cannot miss a field.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

_HEAD: Final = '''"""What {subject}, as ``openapi.json`` has it; written by ``write_answer_types``.

What every field means is told there, and at ``/docs`` of a running service.
"""

# ruff: noqa: D101
from __future__ import annotations

from typing import {names}
'''
_ARGUMENTS: Final = {
    "Auctions": ("deals",), "Bid": ("hand", "auction"), "Interpret": ("auction",),
    "Job": ("path",), "Layouts": ("auction",), "Leads": ("hand", "auction"),
}  # fmt: skip
"""Fields of requests that are arguments of their own; the others are options."""
_ANYTHING_GOES: Final = frozenset({"DealRequest", "SimulateRequest"})
"""Parts of requests; every field of them may be left out."""
_PLAIN: Final = {
    "string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None",
}  # fmt: skip


def types_of(document: Mapping[str, Any], kind: Literal["answers", "options"]) -> str:
    """Write a ``TypedDict`` for every answer, or for what may be left out of requests.

    Parameters
    ----------
    document : mapping
        An OpenAPI document.
    kind : {"answers", "options"}

    Returns
    -------
    str
        Python text.
    """
    asked = kind == "options"
    pieces = [
        _HEAD.format(subject="may be asked", names="Literal, TypedDict")
        if asked
        else _HEAD.format(
            subject="the service answers", names="Any, Literal, NotRequired, TypedDict"
        )
    ]
    for name, schema in document["components"]["schemas"].items():
        request = name.removesuffix("Request")
        if (request in _ARGUMENTS or name in _ANYTHING_GOES) != asked:
            continue
        written = f"{request}Options" if request in _ARGUMENTS else name
        lines = [f"class {written}(TypedDict{', total=False' if asked else ''}):"]
        for field, of in schema["properties"].items():
            if field not in _ARGUMENTS.get(request, ()):
                must = asked or field in schema.get("required", ())
                lines.append(
                    f"    {field}: {_type_of(of) if must else f'NotRequired[{_type_of(of)}]'}"
                )
        pieces.append("\n".join(lines) + "\n")
    return "\n\n".join(pieces)


def _type_of(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name: str = schema["$ref"].rpartition("/")[2]
        return name
    if "anyOf" in schema:
        return _any_of(schema["anyOf"])
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return f"Literal[{', '.join(json.dumps(value) for value in values)}]"
    if schema.get("type") == "array":
        # a list of fixed length in JSON; Python has no type for such a list
        return f"list[{_any_of(schema.get('prefixItems') or [schema['items']])}]"
    if schema.get("type") == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {_type_of(values) if isinstance(values, Mapping) else 'Any'}]"
    return _PLAIN.get(str(schema.get("type")), "Any")


def _any_of(schemas: list[Mapping[str, Any]]) -> str:
    return " | ".join(dict.fromkeys(map(_type_of, schemas)))


if __name__ == "__main__":
    kind: Any = sys.argv[1]
    sys.stdout.write(types_of(json.loads(Path(sys.argv[2]).read_text("utf-8")), kind))
