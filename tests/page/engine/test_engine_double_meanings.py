"""The page's engine finds the bids with two meanings that the package finds."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidSystem
from bidcascade.systems.checking.double_meanings import double_meanings
from bidcascade.systems.language.reader import read_text
from bidcascade.systems.language.shipped import shipped_folder
from tests.support.examples import examples, sized

pytestmark = pytest.mark.slow

ASKED = """async (load, [files, texts]) => {
  const { readText } = await load("language/reader");
  const { placesOf } = await load("places/contexts");
  const { doubleMeanings } = await load("places/double_meanings");
  return JSON.stringify(texts.map((text) => {
    try {
      const read = readText(text, { name: "mine", files: new Map(files) });
      return doubleMeanings(read, placesOf(read));
    } catch (error) {
      if (error.name !== "InvalidSystem") throw new Error(`${text}: ${error.stack}`);
      return null;
    }
  }));
}"""
HEADERS = (
    "opening:", "opening, vulnerable:", "opening, not vulnerable:", "opening, 1st or 2nd seat:",
    "opening, 3rd seat:", "after 1C:", "after 1C (1D):", "after 1m:", "after 1C or 1D:", "general:",
    "when RHO passed:", "after 2D:", "after 2X, partner's last call was #two:",
)  # fmt: skip
CALLS = ("1H", "2D", "2D", "2M", "2X", "2NT", "Double", "cheapest X")
CONDITIONS = (
    "6+ diamonds", "6+ hearts or 6+ spades", "20+ points", "6+ M", "long diamonds", "5+ X",
    "any hand", "balanced, 20+ points", "5+ clubs, 5+ diamonds", "not (5+ hearts)", "4=4=4=1",
    "0 or 5 diamonds",
)  # fmt: skip
BEHIND = ("", "; artificial", "; natural, #two", "; artificial, #two", "; transfer")


@st.composite
def texts(draw: Any) -> str:
    """Texts with many lines of few calls at few places."""
    pick = st.sampled_from
    found = ["define long X = 6+ X"]
    for _ in range(draw(st.integers(1, 4))):
        found.append(draw(pick(HEADERS)))
        for _ in range(draw(st.integers(1, 3))):
            call, name = draw(pick(CALLS)), draw(pick(("One", "Two", "Three")))
            hand = draw(pick(CONDITIONS))
            found.append(f"  {call} = {name}: {hand}{draw(pick(BEHIND))}")
            if draw(st.booleans()):
                answer = draw(pick(CALLS))
                found += [
                    f"    {answer} = Answer: 5+ points",
                    "    (Double):",
                    "      3D = Raise: 3+ points",
                ]
    return "\n".join(found) + "\n"


def told(text: str) -> Any:
    try:
        found = double_meanings(read_text(text, "mine"))
    except InvalidSystem:
        return None

    def where(place: Any) -> Any:
        return {"file": place.file, "line": place.line, "column": place.column}

    def answers(some: Any) -> Any:
        return [{"call": one.call, "name": one.name, "where": where(one.where)} for one in some]

    return [
        {
            "call": one.call, "where": where(one.where), "name": one.name,
            "other": where(one.other), "otherName": one.other_name, "answers": answers(one.answers),
            "otherAnswers": answers(one.other_answers), "both": answers(one.both),
        }
        for one in found
    ]  # fmt: skip


def without_types(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_types(part) for name, part in value.items() if name != "type"}
    return [without_types(part) for part in value] if isinstance(value, list) else value


@given(st.lists(texts(), min_size=20, max_size=20))
@examples(sized(5, 50))
def test_they_are_those_of_the_package(engine, written):
    assert without_types(json.loads(engine(ASKED, [[], written]))) == [
        told(text) for text in written
    ]


def test_in_a_shipped_system(engine):
    files = {path.name: path.read_text("utf-8") for path in shipped_folder().rglob("*.bidding")}
    line = "  2D = Multi: 6+ hearts or 6+ spades; artificial\n    2H = Pass or correct: any hand\n"
    text = f"{files['sayc.bidding']}\nopening:\n{line}"
    (found,) = json.loads(engine(ASKED, [list(files.items()), [text]]))
    assert without_types(found) == told(text)
    assert [one["call"] for one in found] == ["2D"]
