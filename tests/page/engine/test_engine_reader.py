"""The page's engine reads systems as the reference does: trees, complaints, words, kept rows."""

import ast
import json
import random
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidSystem
from bidcascade.systems.language.reader import parse_condition, read_system, read_text
from bidcascade.systems.language.reading.options import option_rows, turned
from bidcascade.systems.language.shipped import shipped_folder
from bidcascade.systems.language.text_cache import rows_of_tree
from bidcascade.systems.language.tree.syntax_tree import (
    Agreement,
    AllOf,
    AnyOf,
    CallPattern,
    Header,
    NotThis,
    Phrase,
    SystemText,
    Where,
)
from bidcascade.systems.language.words.wording import (
    agreement_text,
    call_text,
    condition_text,
    header_text,
)
from tests.page.engine.support_engine import AS_JSON, as_plain
from tests.support.examples import examples, sized, some_in_check
from tests.support.systems import AGREEMENTS, CALLS, CONDITIONS, HEADERS, SMALL_SYSTEM, one_system
from tests.systems.language import test_never_coming_up as never
from tests.systems.language import test_system_text_errors as of_errors

pytestmark = pytest.mark.slow

READ = f"""async (load, [files, cases]) => {{
  const {{ readSystem, readText }} = await load("language/reader");
  const texts = new Map(files);
  const read = ([text, options]) => {{
    try {{
      return text.includes("\\n") ? readText(text, {{ files: texts, options }})
        : readSystem(text, texts, {{ options }});
    }} catch (error) {{
      if (error.name !== "InvalidSystem") throw new Error(`${{text}}: ${{error.stack}}`);
      return [error.message, error.complaints];
    }}
  }};
  return JSON.stringify(cases.map(read), {AS_JSON});
}}"""
READ_PAGES = f"""async (load, cases) => {{
  const {{ readText }} = await load("language/reader");
  const read = ([text, options, pages]) => {{
    try {{
      return readText(text, {{ files: new Map(Object.entries(pages)), options }});
    }} catch (error) {{
      if (error.name !== "InvalidSystem") throw new Error(`${{text}}: ${{error.stack}}`);
      return [error.message, error.complaints];
    }}
  }};
  return JSON.stringify(cases.map(read), {AS_JSON});
}}"""
SHIPPED = {path.name: path.read_text("utf-8") for path in shipped_folder().rglob("*.bidding")}


@cache
def shipped(name: str) -> SystemText:
    return read_system(name)


def tree(text: SystemText) -> Any:
    """Tree as the engine has it: files are names."""
    found = as_plain(replace(text, files=(), opponents=None))
    files = [path.name for path, _ in text.files]
    opponents = None if text.opponents is None else text.opponents.name
    return {**found, "files": files, "opponents": opponents}


def by_reference(text: str, options: dict[str, bool], pages: Mapping[str, str] = {}) -> Any:
    """What the reference makes of a text: its tree, or its message and complaints."""
    try:
        if pages:
            return tree(read_text(text, options=options, pages=pages))
        return tree(read_system(text, options=options))
    except InvalidSystem as error:
        complaints = [as_plain(one) for one in error.complaints]
        return [str(error), [{k: v for k, v in one.items() if k != "type"} for one in complaints]]


def assert_equal(engine, cases: list[tuple[str, dict[str, bool]]], files=SHIPPED) -> list[Any]:
    """Both read the same; returns what they read."""
    found = json.loads(engine(READ, [list(files.items()), cases]))
    for (text, options), one in zip(cases, found, strict=True):
        assert one == by_reference(text, options), f"{text}\n{options}"
    return found


# ---------------------------------------------------------------------- shipped systems
@pytest.mark.parametrize("name", one_system("acol"))
def test_shipped_systems(engine, name):
    options = list(shipped(name).options.items())[:: sized(6, 1)]
    others = [(name, {option: not value}) for option, value in options]
    found, *_ = assert_equal(engine, [(name, {}), *others])
    assert len(found["blocks"]) > 100


@pytest.mark.parametrize("name", one_system("two-over-one"))
def test_the_tree_of_rows_is_the_tree_of_the_text(engine, name):
    found = engine(
        f"""async (load, rows) => {{
          const {{ systemOfRows }} = await load("language/rows");
          return JSON.stringify(systemOfRows(JSON.parse(rows)), {AS_JSON});
        }}""",
        json.dumps(rows_of_tree(shipped(name))),
    )
    assert json.loads(found) == tree(shipped(name))


@pytest.mark.parametrize("rows", [[], [[0, "title"]], [[99]], [[3, 1, 2, []]]])
def test_rows_of_another_version_are_refused(engine, rows):
    with pytest.raises(Exception, match="another version"):
        engine('async (load, rows) => (await load("language/rows")).systemOfRows(rows)', rows)


def words_of(value: object) -> list[str]:
    """Words of all calls, headers, agreements and conditions of a tree, in its order."""
    if isinstance(value, dict):
        return [words for part in value.values() for words in words_of(part)]
    if isinstance(value, tuple):
        return [words for part in value for words in words_of(part)]
    if not is_dataclass(value):
        return []
    inside = [words for f in fields(value) for words in words_of(getattr(value, f.name))]
    if isinstance(value, Phrase | AllOf | AnyOf | NotThis):
        return [condition_text(value), *inside]
    if isinstance(value, CallPattern):
        return [call_text(value), *inside]
    if isinstance(value, Agreement):
        return [agreement_text(value), *inside]
    return [header_text(value), *inside] if isinstance(value, Header) else inside


@pytest.mark.parametrize("name", one_system("light-openings"))
def test_words_of_all_conditions(engine, name):
    found = engine(
        """async (load, rows) => {
          const { systemOfRows } = await load("language/rows");
          const to = await load("language/wording");
          const writers = {
            CallPattern: to.callText, Agreement: to.agreementText, Header: to.headerText,
          };
          const conditions = ["Phrase", "AllOf", "AnyOf", "NotThis"];
          for (const type of conditions) writers[type] = to.conditionText;
          const words = [];
          const walk = (value) => {
            if (value instanceof Map) [...value.values()].forEach(walk);
            else if (value !== null && typeof value === "object") {
              if (value.type in writers) words.push(writers[value.type](value));
              Object.values(value).forEach(walk);
            }
          };
          walk(systemOfRows(JSON.parse(rows)));
          return words;
        }""",
        json.dumps(rows_of_tree(shipped(name))),
    )
    assert found == words_of(shipped(name))
    assert len(found) > 10_000


# ---------------------------------------------------------------------- texts of all kinds
def parameters(test: Any) -> list[Any]:
    """First parameter of every case of another test."""
    (mark,) = (mark for mark in test.pytestmark if mark.name == "parametrize")
    return [one[0] if isinstance(one, tuple) else one for one in mark.args[1]]


def random_texts(count: int) -> list[str]:
    """Small systems of headers, calls and conditions that need not go together."""
    chance = random.Random(1)
    found = []
    for _ in range(count):
        lines = []
        for _ in range(chance.randint(1, 4)):
            lines.append(f"{chance.choice(HEADERS)}:")
            for _ in range(chance.randint(1, 4)):
                call, conditions = chance.choice(CALLS), chance.sample(CONDITIONS, 3)
                joined = chance.choice(
                    ["{}", "{}, {}", "{} or {}, {}", "not {} and ({} or {})", "{}, not {}"]
                )
                said = joined.format(*conditions) + chance.choice(AGREEMENTS)
                lines.append(f"  {call} = Line: {said}  -- a remark")
                if chance.random() < 0.2:
                    lines += ["    either First: 5+ X", f"    or Second: {conditions[1]}"]
                if chance.random() < 0.2:
                    lines += ["    (Double):", f"      2NT = Below: {conditions[2]}"]
        found.append("\n".join((*lines, "")))
    return found


def test_small_texts(engine):
    found = assert_equal(engine, [(text, {}) for text in (SMALL_SYSTEM, *random_texts(150))])
    read = sum(isinstance(one, dict) for one in found)
    assert 20 < read < 130


def test_texts_that_are_wrong(engine):
    """Those that the tests of the reference complain of, and some more."""
    blocks = [
        parameters(of_errors.test_a_bad_block),
        parameters(of_errors.test_variables_that_are_bound),
        filter(None, parameters(of_errors.test_a_text_without_a_line_is_no_system)),
    ]
    lines = parameters(of_errors.test_a_bad_line)
    texts = [
        *(text for group in blocks for text in group),
        *(f"after 1H:\n  {line}\n  3C = 3+ clubs\n" for line in lines),
        # beyond the characters of 16 bits a place counts characters too
        *(f"after 1H:\n  2D = 5+ 😀 {line}\n" for line in lines),
        *(of_errors.nested_definitions(count) for count in (32, 33, 41)),
        of_errors.nested_definitions(31, "{}, {}"),
        "define aa = bb\ndefine bb = cc\ndefine cc = bb, 12+ points\n",
        "opening:\n\t1C = 3+ clubs\n    1D =\t4+ diamonds\n",
        *(
            f"opening:\n  1C = 3+{sign} clubs\n"
            for sign in "\0\f\x85\u2028\x1f\ufeff\u00a0\u200b😀%"
        ),
        "  opening:\n    1C = 3+ clubs\nafter 1C:\n  1D = any hand\n",
        "after 1C:\n    1D = 4+ diamonds\n  1H = 4+ hearts\n    1S = 4+ spades\n",
        "\n".join(" " * depth + "Pass = 3+ clubs" for depth in range(200)),
        "opening:\n  1C = " + "3+ clubs or " * 1_000 + "balanced\n",
        "opening:\n  1C = " + "not " * 2_000 + "balanced\n",
        "opening:\n" + "".join(f"  1C = {number} frogs\n" for number in range(1_100)),
        "opening:\n  1C = 3+ clubs,\n" + "\n" * 11_000,
        "system Mine\nopening:\n  1C = 3+ clubs\nsystem Yours\nsystem His\n",
        'include "words-of-mne"\nopening:\n  1C = 3+ clubs\n',
        *(f'include "{name}"\n' for name in ("a" * 5_000, "", ".", "a/b", "soyc", "./words")),
        *(f"option {name}:\n  1C = 3+ clubs\nwithout option {name}s:\n" for name in ("on", "weak")),
        'opponents play "nobody"\nopponents play \'acol\'\nopponents play "acol"\n',
    ]
    found = assert_equal(engine, [(text, {}) for text in texts])
    assert sum(isinstance(one, list) for one in found) > 0.9 * len(texts)


def test_what_never_comes_up(engine):
    wrong = [never.OPENINGS + text for text, *_ in never.NEVER]
    right = [f"{never.OPENINGS}{header}:\n{never.LINE}" for header, _ in never.READ]
    found = assert_equal(engine, [(text, {}) for text in (*wrong, *right)])
    assert all(isinstance(one, list) for one in found[: len(wrong)])
    assert all(isinstance(one, dict) for one in found[len(wrong) :])


def strings_of_tests() -> list[str]:
    """Whatever is written in a test of texts."""
    return sorted(
        {
            node.value
            for path in Path(of_errors.__file__).parent.glob("test_system*.py")
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
    )


def test_all_texts_of_the_tests(engine):
    """They are read as they are, or as lines of a block."""
    texts = [
        one if "\n" in one else f"after 1M:\n  2X = {one}\n  {one}\n{one}\n"
        for one in strings_of_tests()
    ]
    read = assert_equal(engine, [(text, {}) for text in texts])
    assert 50 < sum(isinstance(one, dict) for one in read) < len(read) - 1_000


def test_shipped_pages_alone(engine):
    pages = [path.name for path in (shipped_folder() / "pages").glob("*.bidding")]
    pages = sorted(pages)[:: sized(4, 1)]
    found = assert_equal(engine, [(f'system Alone\n\ninclude "{name}"\n', {}) for name in pages])
    assert all(isinstance(one, dict) for one in found)


def test_conditions_alone(engine):
    def said(text: str) -> str:
        try:
            return condition_text(parse_condition(text, Where("here", 3, 5)))
        except InvalidSystem as error:
            return str(error)

    texts = strings_of_tests()
    found = engine(
        """async (load, texts) => {
          const { parseCondition } = await load("language/reader");
          const { conditionText } = await load("language/wording");
          return texts.map((text) => {
            try {
              return conditionText(parseCondition(text, { file: "here", line: 3, column: 5 }));
            } catch (error) {
              if (error.name !== "InvalidSystem") throw error;
              return error.message;
            }
          });
        }""",
        texts,
    )
    assert found == [said(text) for text in texts]
    assert sum(not one.startswith("here:") for one in found) > 300


def test_options(engine):
    text = "option weak:\n  opening:\n    1C = 3+ clubs\ngeneral:\n  2C = any hand\n"
    options: list[dict[str, bool]] = [{}, {"weak": True}, {"other": True}, {"it's": False}]
    off, on, *unknown = assert_equal(engine, [(text, one) for one in options])
    assert (len(off["blocks"]), len(on["blocks"])) == (1, 2)
    assert "expected an option" in unknown[0][0]


OPTION_NAMES = ("a", "b", "long-name", "c_d")
OUTLINE = """async (load, cases) => {
  const { outlineReader } = await load("language/reader");
  const { optionRows, turned } = await load("language/options");
  return cases.map(([name, files, options, option, on]) => {
    const found = outlineReader(name, new Map(Object.entries(files)))(options);
    return [optionRows(found), turned(options, found.optionWords, option, on)];
  });
}"""


def option_lines(depth: int) -> st.SearchStrategy[list[str]]:
    """Lines of a block, some of them within options."""
    calls = st.sampled_from(["1C", "1D", "1H", "Pass"]).map(lambda call: [f"{call} = 12+ points"])
    if not depth:
        return st.lists(calls, min_size=1, max_size=2).map(
            lambda some: [*chain.from_iterable(some)]
        )
    titles = st.sampled_from(["", ' "Key cards: 3014"', ' "Two  words"', ' "-- dashes:"', ' ""'])
    values = st.sampled_from(["", ", on", ", off"])
    remarks = st.sampled_from(["", "  -- what it is", '  ---- 1430: "quoted"', "  --"])

    def block(
        name: str, is_without: bool, words: tuple[str, str, str], some: list[str]
    ) -> list[str]:
        title, value, remark = words
        head = f"without option {name}" if is_without else f"option {name}{title}{value}"
        return [f"{head}:{remark}", *(f"  {line}" for line in some)]

    names = st.sampled_from(OPTION_NAMES)
    within = st.builds(
        block,
        names,
        st.sampled_from([False, False, True]),
        st.tuples(titles, values, remarks),
        option_lines(depth - 1),
    )
    return st.lists(calls | within, min_size=1, max_size=3).map(
        lambda some: [*chain.from_iterable(some)]
    )


def option_texts() -> st.SearchStrategy[str]:
    def joined(
        lines: list[str], body: list[str], uses: list[str], said: list[tuple[str, str]]
    ) -> str:
        return "\n".join((
            "opening:", *(f"  {line}" for line in lines),
            "convention c:", "  after 1C:", *(f"    {line}" for line in body), *uses,
            *(f"option {name}, {value}" for name, value in said), "",
        ))  # fmt: skip

    said = st.lists(
        st.tuples(st.sampled_from(OPTION_NAMES), st.sampled_from(["on", "off"])), max_size=2
    )
    uses = st.sampled_from([[], ["use c"], ["option b:", "  use c"]])
    return st.builds(joined, option_lines(2), option_lines(1), uses, said)


@examples(40)
@given(
    st.lists(
        st.tuples(
            option_texts(),
            option_texts(),
            st.sampled_from(["", "before", "behind"]),
            st.dictionaries(st.sampled_from(OPTION_NAMES), st.booleans(), max_size=2),
            st.sampled_from(OPTION_NAMES),
            st.booleans(),
        ),
        min_size=4,
        max_size=4,
    )
)
def test_which_options_hold(engine, some):
    """Both say the same of texts of all kinds: trees, mistakes, options held and turned."""
    cases, outlines, wanted = [], [], []
    for text, page, place, options, option, is_on in some:
        include = 'include "page.bidding"\n'
        page = page.replace("convention c:", "convention d:").replace("use c", "use d")
        pages = {"page.bidding": page}
        whole = f"{include}{text}" if place == "before" else text + include * (place == "behind")
        cases.append([whole, options, pages])
        try:
            read = read_text(whole, options=options, pages=pages)
        except InvalidSystem:
            continue
        outlines.append(["main.bidding", {"main.bidding": whole, **pages}, options, option, is_on])
        found = turned(options, read.option_words, option, is_on=is_on)
        wanted.append([option_rows(read), found])
    found = json.loads(engine(READ_PAGES, cases))
    for (whole, options, pages), one in zip(cases, found, strict=True):
        assert one == by_reference(whole, options, pages), f"{whole}\n{pages}\n{options}"
    assert engine(OUTLINE, outlines) == wanted


# ---------------------------------------------------------------------- files
def test_files_that_include_one_another(engine, tmp_path):
    files = {
        "one.bidding": 'system One\n-- A.\n--\n-- B.\ninclude "two"\nopening:\n  1C = 3+ club\n',
        "two.bidding": '\ufeffinclude "three.bidding"\ninclude "twoo"\nopening:\n  1D = 4+ club\n',
        "three.bidding": 'include "one"\nuse stayman\nopponents play "sayc"\n',
        "fine.bidding": 'include "words"\nopponents play "one"\nopening:\n  1C = 3+ clubs\n',
        **{f"many{number}.bidding": f'include "many{number + 1}"\n' for number in range(102)},
        "many102.bidding": "opening:\n  1C = 3+ clubs\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    names = ["one", "two", "three", "fine", "many0", "many60", "nowhere"]
    found = json.loads(
        engine(READ, [list({**SHIPPED, **files}.items()), [(name, {}) for name in names]])
    )
    for name, one in zip(names, found, strict=True):
        assert one == by_reference(str(tmp_path / f"{name}.bidding"), {}), name
    assert [isinstance(one, dict) for one in found] == [
        name in ("fine", "many60") for name in names
    ]


# ---------------------------------------------------------------------- broken pages
def broken(text: str, chance: random.Random) -> str:
    """A text with a few lines dropped, moved, indented wrongly, or with words changed."""
    lines = text.split("\n")
    words = text.split()
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(lines))
        line = lines[place]
        how = chance.randrange(8)
        if how == 0:
            del lines[place]
        elif how == 1:
            lines[place] = " " * chance.randint(0, 9) + line.strip()
        elif how == 2:
            lines.insert(place, lines.pop(chance.randrange(len(lines))))
        elif how == 3:
            spot = chance.randrange(len(line) + 1)
            lines[place] = line[:spot] + chance.choice('.,;:()="{}#-%\t é½≥😀5X') + line[spot:]
        elif how == 4 and line:
            spot = chance.randrange(len(line))
            lines[place] = line[:spot] + line[spot + chance.randint(1, 3) :]
        elif how == 5:
            lines.insert(place, chance.choice([
                'include "wrods"', "option shy:", "use staymen(opening 1NT)", "define it = 5+ X",
                "without option bold:", "  use stayman", "after 1NT 1H:", "when balanced:",
                "convention stayman(x):", "general, they bid X:", "  1C", "over 2C:",
            ]))  # fmt: skip
        else:
            parts = line.split(" ")
            spot = chance.randrange(len(parts))
            parts[spot] = chance.choice([*words, "", "club", "pts", "M", "Y", "14+", "9-4"])
            lines[place] = " ".join(parts)
    return "\n".join((*lines, ""))


@pytest.mark.parametrize("name", some_in_check(5, *sorted(SHIPPED)))
def test_broken_pages(engine, name):
    chance = random.Random(name)
    cases = [(broken(SHIPPED[name], chance), {}) for _ in range(sized(3, 8))]
    found = assert_equal(engine, cases)
    assert any(isinstance(one, list) for one in found)
