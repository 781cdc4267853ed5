"""Answers of the service as tests read them: strictly, each as its own description says."""

import json
from typing import Any

from pydantic import TypeAdapter

from bidcascade.engine.questions.parts.answer_fields import with_fields
from bidcascade.engine.questions.parts.answer_parts import FromTable, OfTable, Warming


class Read(dict[str, Any]):
    """An object of JSON, its members as attributes too; None where one is absent."""

    def __getattr__(self, name: str) -> Any:
        return self.get(name)


def read_answer(kind: type, content: bytes) -> Any:
    """Read a body, which has the fields of the answer and of what a service adds, and no others."""
    read = json.loads(content, object_hook=Read)
    added = [Warming] if "warming" in read else []
    if "table" in read and "table" not in kind.__annotations__:
        added.append(FromTable if "backend" in read else OfTable)
    TypeAdapter(with_fields(kind, *added)).validate_json(content, strict=True)
    return read
