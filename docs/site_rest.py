"""What the service says of itself: the OpenAPI document, and a page of every path and field."""

import json
from typing import Any

from bidcascade.engine.settings import Settings
from bidcascade.service.api.app import create_app

INTRODUCTION = """# Every path and field

What the service says of itself in [openapi.json](openapi.json); how it is used is in
[REST](rest.md).
"""


def openapi_document() -> dict[str, Any]:
    """Document of a service that asks for no key."""
    return create_app(Settings(host="127.0.0.1", api_keys_file="")).openapi()


def rest_page(document: dict[str, Any]) -> str:
    """Markdown of an OpenAPI document."""
    parts = [INTRODUCTION]
    for tag in document["tags"]:
        parts.append(f"## {tag['name'].capitalize()}\n\n{tag['description']}\n")
        for route, methods in document["paths"].items():
            for method, operation in methods.items():
                if tag["name"] in operation.get("tags", []):
                    parts.append(operation_text(method, route, operation))
    parts.append("## Fields\n")
    for name, schema in sorted(document["components"]["schemas"].items()):
        parts.append(schema_text(name, schema))
    return "\n".join(parts)


def operation_text(method: str, route: str, operation: dict[str, Any]) -> str:
    """Section about one operation."""
    lines = [f"### {method.upper()} {route}", "", f"**{operation['summary']}.**", ""]
    lines += [operation.get("description", ""), ""]
    parameters = operation.get("parameters", [])
    if parameters:
        lines += ["| parameter | in | type | meaning |", "| --- | --- | --- | --- |"]
        for one in parameters:
            needed = ", needed" if one.get("required") else ""
            meaning = one.get("description") or one["schema"].get("description", "")
            lines.append(
                f"| `{one['name']}` | {one['in']}{needed} | {type_text(one['schema'])} "
                f"| {cell(meaning)} |"
            )
        lines.append("")
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        lines += [f"Body: `{kind}`, {type_text(content.get('schema', {}))}", ""]
    errors = []
    for status, answer in operation["responses"].items():
        kinds = list(answer.get("content", {}).items())
        if [kind for kind, _ in kinds] == ["application/problem+json"]:
            errors.append(status)
            continue
        lines += [f"Answer {status}: {answer['description']}", ""]
        for kind, content in kinds:
            about = f", {type_text(content['schema'])}" if content.get("schema") else ""
            lines.append(f"- `{kind}`{about}")
        lines.append("")
    if errors:
        lines += [f"Errors: {', '.join(errors)} ([what they mean](rest.md#errors)).", ""]
    return "\n".join([*lines, ""])


def schema_text(name: str, schema: dict[str, Any]) -> str:
    """Section about one kind of object."""
    lines = [f"### {name}", "", schema.get("description", ""), ""]
    fields = schema.get("properties", {})
    if not fields:
        return "\n".join([*lines, type_text({**schema, "title": ""}), ""])
    lines += ["| field | type | meaning |", "| --- | --- | --- |"]
    for field, about in fields.items():
        needed = "" if field in schema.get("required", []) else ", may be left out"
        if about.get("default") is not None:
            needed = f", `{json.dumps(about['default'], ensure_ascii=False)}` if left out"
        example = ""
        if about.get("examples"):
            example = f", e. g. `{json.dumps(about['examples'][0], ensure_ascii=False)}`"
        meaning = cell(about.get("description", "")) + cell(example if len(example) < 120 else "")
        lines.append(f"| `{field}` | {type_text(about)}{needed} | {meaning.lstrip(', ')} |")
    return "\n".join([*lines, ""])


def type_text(schema: dict[str, Any]) -> str:
    """Type of a field, with links to objects."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(type_text(one) for one in schema[key]))
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    kind = schema.get("type", "anything")
    if kind == "array":
        inner = schema.get("items") or {}
        return f"list of {type_text(inner)}" if inner else "list"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {type_text(schema['additionalProperties'])}"
    limits = [
        f"{sign} {schema[key]}"
        for key, sign in (("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"))
        if key in schema
    ]
    return " ".join([kind, *limits])


def cell(text: str) -> str:
    """Text as it stands in a table."""
    return " ".join(text.split()).replace("|", "\\|")
