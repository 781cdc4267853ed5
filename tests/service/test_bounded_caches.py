"""What is kept of what users write is bounded, in number and in length."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import bidcascade.service
from bidcascade.kernels.machine.caches import LONGEST_CACHED, bounded_cache
from bidcascade.systems.language.grammar.grammar import parse_statement

PACKAGE = Path(bidcascade.service.__file__).parents[1]
ROOMS = ("service", "engine", "systems", "loaders", "table")
ASKED_BY_US = {
    # keyed by classes and rows of ours
    "service/api/http/limits.py:_reader_of", "engine/questions/parts/answer_fields.py:_written",
    "engine/questions/parts/answer_fields.py:_converters",
    "systems/language/words/phrases.py:template", "systems/language/words/rewordings.py:_compiled",
    # by calls: as many as there are levels and strains
    "systems/language/auctions/patterns.py:fixed_call",
    # by sides and entries, for one answer
    "systems/auctions/meanings.py:name",
}  # fmt: skip
NAMES_OF_TERMS = {
    # their texts are names of terms, which the reader of expressions knows before
    "systems/places/formulas.py:_limits", "systems/places/formulas.py:built_in_shapes",
    "systems/places/formulas.py:compared", "systems/places/formulas.py:within",
    "systems/places/knowledge.py:_deciders", "systems/reference/conditions.py:_terms",
    "table/language/seat_terms.py:_seat_vocabulary",
    # a request of one system, of which some stay
    "engine/runs/batches/tasks.py:_opened",
}  # fmt: skip


def kept_results() -> Iterator[tuple[str, str, bool, bool]]:
    """Name, decorator, whether it is bounded, and whether its first key is a text, of each."""
    for room in ROOMS:
        for path in sorted((PACKAGE / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if not isinstance(node, ast.FunctionDef):
                    continue
                for one in node.decorator_list:
                    written = ast.unparse(one)
                    name = written.partition("(")[0].rpartition(".")[2]
                    if name not in ("cache", "lru_cache"):
                        continue
                    is_bounded = name == "lru_cache" and "None" not in written
                    keys = [ast.unparse(arg.annotation or arg) for arg in node.args.args]
                    is_text = any(key in ("str", "bytes") for key in keys[:1])
                    place = f"{path.relative_to(PACKAGE).as_posix()}:{node.name}"
                    yield place, written, is_bounded or not keys, is_text


FOUND = list(kept_results())


def test_there_is_something_to_look_at():
    assert len(FOUND) > 40
    known = ASKED_BY_US | NAMES_OF_TERMS
    assert known <= {place for place, *_ in FOUND}


@pytest.mark.parametrize(("place", "written", "is_bounded", "is_text"), FOUND)
def test_what_is_kept_has_a_bound(place, written, is_bounded, is_text):
    if not is_bounded:
        assert place in ASKED_BY_US | NAMES_OF_TERMS, f"{written} keeps what it is asked for ever"
    if is_text:
        assert place in NAMES_OF_TERMS, f"{written} keeps texts of any length: use bounded_cache"


def test_long_texts_are_not_kept():
    asked = []

    @bounded_cache(2)
    def length(text: str, more: int = 0) -> int:
        asked.append(text)
        return len(text) + more

    for text in ("a", "a", "b", "c", "a"):
        assert length(text) == 1
    assert asked == ["a", "b", "c", "a"]
    long = "x" * (LONGEST_CACHED + 1)
    assert length(long) == length(long) == LONGEST_CACHED + 1
    assert asked[-2:] == [long, long]


def test_a_line_is_read_once():
    line = "1NT = Nobody else has this name: 15-17 points, balanced"
    assert parse_statement(line) is parse_statement(line)
    long = f"1NT = {'x' * LONGEST_CACHED}: 15-17 points"
    assert parse_statement(long) is not parse_statement(long)
    assert parse_statement(long) == parse_statement(long)
