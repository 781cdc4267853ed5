"""A system's tree as text again: what it says is kept, most comments are not.

Conventions stand where they were used, options as they were chosen, included files in their place.
"""

from collections.abc import Iterator

from .reader import built_in_defines
from .syntax_tree import Agreement, Block, Condition, Line, SystemText, Variant
from .tree_builder import LIKE_A_CONDITION
from .wording import agreement_text, call_text, condition_text, header_text

STEP = 2


def write_system_text(system: SystemText) -> str:
    """Write a system's tree so that reading it gives the same title, definitions and blocks."""
    parts: list[str] = []
    if system.prose:
        prose = (f"-- {line}".rstrip() for line in system.prose.split("\n"))
        parts.append("\n".join(prose))
    if system.title:
        parts.append(f"system {system.title}")
    defines = [
        " ".join(("define", define.name, *define.suits, "=", condition_text(define.condition)))
        for name, define in system.defines.items()
        if built_in_defines().get(name) != define
    ]
    if defines:
        parts.append("\n".join(defines))
    parts += ["\n".join(_block(block, 0)) for block in system.blocks]
    return "\n\n".join(parts) + "\n"


def _block(block: Block, depth: int) -> Iterator[str]:
    yield _indented(depth, header_text(block.header), block.remark)
    yield from _body(block.body, depth + 1)


def _body(body: "tuple[Line | Block, ...]", depth: int) -> Iterator[str]:
    for found in body:
        if isinstance(found, Block):
            yield from _block(found, depth)
        else:
            yield from line_texts(found, depth)


def line_texts(line: Line, depth: int = 0) -> Iterator[str]:
    """Lines of text for a call, its hand types and all below it."""
    words = meaning_text(line.name, line.condition, line.quoted, line.agreements)
    yield _indented(depth, f"{call_text(line.call)} = {words}".rstrip(), line.remark)
    for number, variant in enumerate(line.variants):
        yield _indented(depth + 1, _variant(variant, first=number == 0), variant.remark)
    yield from _body(line.below, depth + 1)


def _variant(variant: Variant, *, first: bool) -> str:
    words = meaning_text(variant.name, variant.condition, variant.quoted, variant.agreements)
    return f"{'either' if first else 'or'} {words}"


def meaning_text(
    name: str, condition: Condition | None, quoted: str, agreements: tuple[Agreement, ...]
) -> str:
    """Write what stands behind the equals sign of a line."""
    conditions = [] if condition is None else [condition_text(condition)]
    if quoted:
        conditions.append(f'"{quoted}"')
    words = ", ".join(conditions)
    if name:
        alone = f"{name}:" if LIKE_A_CONDITION.search(name) else name
        words = f"{name}: {words}" if words else alone
    if agreements:
        words += "; " + ", ".join(agreement_text(agreement) for agreement in agreements)
    return words


def _indented(depth: int, words: str, remark: str) -> str:
    return " " * (STEP * depth) + words + (f"  -- {remark}" if remark else "")
