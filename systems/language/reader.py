"""Reads a bidding system: text or a file, and the files that it includes, to a tree.

All that is wrong is found in one go: a bad line is complained of and the next one read.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from operator import is_not
from pathlib import Path
from types import MappingProxyType
from typing import Final

from bidcascade.bridge import InvalidSystem

from .checks.checks import check_system, counts
from .errors import Complaint, invalid_system
from .grammar.grammar import parse_conditions
from .reading.placing import place_condition
from .reading.resolver import Resolver
from .reading.sources import Sources
from .shipped import file_of
from .tree.statements import Item
from .tree.steps import without_steps
from .tree.syntax_tree import NOWHERE, Agreement, Block, Condition, Define, Line, SystemText, Where

__all__ = [
    "built_in_defines",
    "parse_condition",
    "read_files",
    "read_held",
    "read_system",
    "read_text",
]

_BUILT_IN: Final = {
    "balanced": "4-3-3-3 or 4-4-3-2 or 5-3-3-2",
    "semi-balanced": "4-3-3-3 or 4-4-3-2 or 5-3-3-2 or 5-4-2-2 or 6-3-2-2",
    "unbalanced": "not balanced",
}


def parse_condition(text: str, where: Where = NOWHERE) -> Condition:
    """Read conditions that stand alone; names are not looked up.

    Parameters
    ----------
    text
        Such as ``15-17 points, balanced``.
    where
        Place of the first character, for the tree and for messages.

    Raises
    ------
    InvalidSystem
        If the text is no condition.
    """

    def locate(position: int) -> Where:
        return Where(where.file, where.line, max(where.column, 1) + position)

    parsed = parse_conditions(text)
    if parsed.faults or parsed.condition is None:
        sources = Sources()
        sources.lines[where.file] = [""] * (where.line - 1) + [
            " " * (max(where.column, 1) - 1) + text
        ]
        for fault in parsed.faults:
            sources.complain(locate(fault.position), fault.message, fault.advice)
        if not sources.complaints:
            sources.complain(locate(0), "these words are in quotes: they test nothing")
        raise invalid_system(sources.complaints)
    condition = place_condition(parsed.condition, locate)
    assert condition is not None
    return condition


@cache
def built_in_defines() -> Mapping[str, Define]:
    """Say what balanced, semi-balanced and unbalanced mean, unless a system's text does.

    Read when first asked for: whoever reads no system need not wait for the grammar.
    """
    return MappingProxyType(
        {name: Define(name, (), parse_condition(text), NOWHERE) for name, text in _BUILT_IN.items()}
    )


def read_system(
    path_or_text: str | Path,
    *,
    options: Mapping[str, bool] | None = None,
    name: str = "<text>",
) -> SystemText:
    """Read a bidding system.

    Parameters
    ----------
    path_or_text
        A file, the name of a system that comes with the package (``sayc``), or, if it has more
        than one line, the text itself.
    options
        Options of the system to be set, by name.
    name
        Of a text, in messages.

    Raises
    ------
    InvalidSystem
        With every complaint about the text: file, line, caret and advice.
    """
    if isinstance(path_or_text, str) and "\n" in path_or_text:
        return read_text(path_or_text, name, options=options)
    return read_files(file_of(path_or_text), options)[0]


def read_files(
    path: Path, options: Mapping[str, bool] | None = None
) -> tuple[SystemText, dict[Path, str | None]]:
    """Read a system's file, and say which others were looked for and where they lie.

    Raises
    ------
    InvalidSystem
        With every complaint about the text.
    """
    sources = Sources()
    # the name alone: what a line is called must not depend on where the file lies
    return _system(sources, sources.read_file(path, path.name), options), sources.looked


def read_held(
    path: Path, held: Mapping[Path, str]
) -> tuple[SystemText | None, dict[Path, list[Complaint]]]:
    """Read a system's file while texts of it are being written.

    Parameters
    ----------
    path
    held
        Texts that are not saved yet, by the files that they belong to, links followed.

    Returns
    -------
    SystemText or None
        None where something is wrong.
    dict
        All files that were read, each with what is wrong in it.
    """
    sources = Sources(held=held)
    text = None
    found: tuple[Complaint, ...] = ()
    try:
        text = _system(sources, sources.read_file(path, path.name), None)
    except InvalidSystem as error:
        found = error.complaints
    complaints: dict[Path, list[Complaint]] = {one.resolve(): [] for one in sources.paths.values()}
    for complaint in found:
        complaints.setdefault(sources.paths.get(complaint.where.file, path).resolve(), []).append(
            complaint
        )
    return text, complaints


def read_text(
    text: str,
    file: str = "<text>",
    *,
    options: Mapping[str, bool] | None = None,
    pages: Mapping[str, str] = MappingProxyType({}),
) -> SystemText:
    """Read a bidding system from a string; it may include only what is shipped, and ``pages``.

    Parameters
    ----------
    text
    file
        Name of the text in messages.
    options
        Options of the system to be set, by name.
    pages
        Further texts by file name, such as ``notrump.bidding``: they take the place of pages that
        are shipped under their name.

    Raises
    ------
    InvalidSystem
        With every complaint about the text.
    """
    sources = Sources(given=pages, is_text=True)
    return _system(sources, sources.read_text(text, file), options)


def read_given(
    main: str, texts: Mapping[str, str], *, options: Mapping[str, bool] | None = None
) -> SystemText:
    """Read a system of texts that are held by file name, as if they lay in a folder of their own.

    Parameters
    ----------
    main
        Name of the system's own text.
    texts
        That text and the pages beside it.
    options
        Options of the system to be set, by name.

    Raises
    ------
    InvalidSystem
        With every complaint about the texts.
    """
    sources = Sources(given=texts, is_text=True)
    return _system(sources, sources.read_file(Path(main), main), options)


def _system(sources: Sources, items: list[Item], options: Mapping[str, bool] | None) -> SystemText:
    if not (items or sources.convention_list or sources.complaints):
        sources.complain(
            Where(next(iter(sources.lines)), 1),
            "the text has no line of a system",
            'begin with a block, such as "opening:" and calls below it, or with an include',
        )
    sources.choose_conventions()
    sources.choose_options(items, options or {})
    resolver = Resolver(sources)
    body = resolver.body(items, None, ())
    resolver.read_unused()
    sources.check_options()
    blocks: list[Block] = []
    for found in body:
        if isinstance(found, Block):
            blocks.append(found)
        else:
            sources.complain(
                found.where,
                "a call stands in a block, this one is below nothing",
                'begin a block above it, such as "opening:" or "after 1NT:"',
            )
    defines = {**built_in_defines(), **resolver.defines}
    names = frozenset(defines)
    blocks = without_steps(blocks, sources.complain)
    settled = tuple(_settled_block(block, names) for block in blocks)
    title = sources.title
    system = SystemText(
        title,
        sources.prose,
        defines,
        settled,
        sources.options_held,
        tuple(sources.files),
        sources.opponents,
        sources.option_words,
        dict(options or {}),
    )
    check_system(system, resolver.aside, sources)
    if sources.complaints:
        order = {file: number for number, file in enumerate(sources.lines)}
        raise invalid_system(
            sorted(
                sources.complaints,
                key=lambda c: (order.get(c.where.file, 0), c.where.line, c.where.column),
            )
        )
    return system


# ---------------------------------------------------------------------- what calls show
def _settled_block(block: Block, names: frozenset[str]) -> Block:
    body = _settled_body(block.body, names)
    return block if body is block.body else replace(block, body=body)


def _settled_body(
    body: "tuple[Line | Block, ...]", names: frozenset[str]
) -> "tuple[Line | Block, ...]":
    """Lines and blocks with their agreements settled; the very same ones where there is nothing."""
    found = tuple(
        _settled_block(one, names) if isinstance(one, Block) else _settled_line(one, names)
        for one in body
    )
    return found if any(map(is_not, found, body)) else body


def _settled_line(line: Line, names: frozenset[str]) -> Line:
    below = _settled_body(line.below, names)
    agreements = _settled(line.agreements, names)
    variants = line.variants
    if any(variant.agreements for variant in variants):
        variants = tuple(
            replace(variant, agreements=_settled(variant.agreements, names)) for variant in variants
        )
    if agreements is line.agreements and variants is line.variants and below is line.below:
        return line
    return replace(line, agreements=agreements, variants=variants, below=below)


def _settled(agreements: tuple[Agreement, ...], names: frozenset[str]) -> tuple[Agreement, ...]:
    """Read what ``shows`` and ``denies`` say as conditions, where it is one.

    With a number it is meant as one, and unknown names in it are complained of.
    """
    if not any(agreement.kind in ("shows", "denies") for agreement in agreements):
        return agreements
    return tuple(_settled_agreement(agreement, names) for agreement in agreements)


def _settled_agreement(agreement: Agreement, names: frozenset[str]) -> Agreement:
    from .tree.joining import phrases_of

    if agreement.kind not in ("shows", "denies"):
        return agreement
    parsed = parse_conditions(agreement.text)
    if parsed.faults or parsed.condition is None:
        return agreement
    if not counts(agreement) and any(
        p.kind == "named" and p.text not in names for p in phrases_of(parsed.condition)
    ):
        return agreement
    where = agreement.where
    start = where.column + len(agreement.kind) + 1
    condition = place_condition(
        parsed.condition, lambda position: Where(where.file, where.line, start + position)
    )
    return Agreement(agreement.kind, agreement.text, condition=condition, where=where)
