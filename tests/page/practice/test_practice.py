"""Practice in a real browser: ten hands of a topic, repetition, sets as links, and bad ones."""

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from bidcascade.bridge import Auction, format_calls, format_hand, parse_calls
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.systems.system import System
from bidcascade.workshop.boards.sanity import sanity_of
from bidcascade.workshop.boards.scored_boards import bid_boards
from tests.page.support_browser import Visit, no_compiler_words, visiting, without_engine
from tests.page.test_bid import FULL, SHAPES, button, call, said_in_view
from tests.support.examples import is_full_run, rows_in_check, sized, some_in_check
from tests.support.service import ready_server

pytestmark = pytest.mark.slow

HAND = "K52.AQ3.9876.KJ2"
GOOD = f"1N-P~N~None~{HAND}"
LEAST_TAUGHT = 0.97
DAY_MS = 24 * 3600 * 1000


def answer(visit: Visit, name: str) -> str:
    """Make a call, and what the page says about it."""
    call(visit, name)
    visit.page.wait_for_selector(".verdict")
    text: str = visit.page.locator(".verdict").inner_text()
    return text


def test_ten_deals_of_a_theme(visit):
    page = visit.open("#view=practice").page
    page.get_by_label("Theme", exact=True).select_option(label="Jacoby transfers")
    assert "five-card major" in said_in_view(page)
    button(page, "Ten deals").click()
    page.wait_for_selector(".game-table")
    assert re.search(r"Jacoby transfers: hand 1 of [12]\d", said_in_view(page))
    assert "South" in said_in_view(page)
    assert answer(visit, "seven notrump")
    no_compiler_words(said_in_view(page))


def test_ten_hands_of_stayman(visit, browser, service):
    page = visit.open("#view=practice").page
    page.get_by_label("Topic").select_option(label="Stayman")
    button(page, "Ten hands").click()
    page.wait_for_selector(".game-table")
    link = page.evaluate("location.href")
    first_hand = page.locator(".own-hand").text_content()
    wrong = 0
    for number in range(1, 11):
        page.wait_for_function(
            "text => document.querySelector('#view').innerText.includes(text)",
            arg=f"hand {number} of 10",
        )
        assert f"Stayman: hand {number} of 10" in said_in_view(page)
        text = answer(visit, "pass" if number > 2 else "seven notrump")
        if "The system bids" in text:
            wrong += 1
            if number <= 2:
                # in words, and which hands would make the call
                assert re.search(r"wants .*\d|no meaning", text), text
                page.locator(".verdict summary").click()
                page.wait_for_selector(".verdict .kinds li, .verdict details p")
        else:
            assert "Right: Pass" in text
        no_compiler_words(said_in_view(page))
        if number == 4:
            # nothing is lost where the page is closed
            page.reload()
            page.wait_for_selector(".game-table")
            continue
        if number > 2:
            # the keyboard goes on from here
            focused = page.evaluate("document.activeElement.textContent")
            assert focused in {"Next hand", "See how it went"}
        page.locator(".verdict + p button").focus()
        page.keyboard.press("Enter")
    page.wait_for_selector("#how-many")
    assert page.locator("#how-many").text_content() == f"{10 - wrong} of 10 right"
    assert wrong >= 2
    assert page.locator(".how .missed").count() == wrong
    no_compiler_words(said_in_view(page))
    # what was missed comes again
    button(page, "Another topic").click()
    page.wait_for_selector("#topic")
    assert f"{wrong} hands missed before, 0 due now." in said_in_view(page)
    button(page, "Repeat those missed").click()
    page.wait_for_selector(f"text=Repetition: hand 1 of {wrong}")
    # the set is a link
    for other in visiting(browser, service):
        other.page.goto(link)
        other.page.wait_for_selector(".game-table")
        assert other.page.locator(".own-hand").text_content() == first_hand


def test_a_place_is_asked_about_once_however_many_deals_are_of_it(visit):
    without_engine(visit)
    page = visit.open("#view=practice").page
    deal = "N:AKQ2.K32.QJ3.432 J843.J84.K52.K65 T975.AQ75.T64.97 6.T96.A987.AQJT8"
    one = {"deal": deal, "dealer": "N", "vulnerability": "None", "auction": ["1N", "P"]}
    examples = [one] * 20 + [{**one, "auction": ["1N"]}]
    before = len(visit.requests)
    page.evaluate(
        """async (given) => {
            const { questionsOfExamples } = bidcascade("games/practice_sets.js");
            await questionsOfExamples(given, "sayc").catch(() => {});
        }""",
        {"topic": "#stayman", "examples": examples},
    )
    asked = [address for address in visit.requests[before:] if "/next?" in address]
    assert len(asked) == len(set(asked)) == 2


def test_half_of_the_hands_are_for_the_topic(visit):
    page = visit.open("#view=practice").page
    page.get_by_label("Topic").select_option(label="Weak two")
    button(page, "Ten hands").click()
    page.wait_for_selector(".game-table")
    right = page.evaluate(
        """async (code) => {
            const { readSet } = bidcascade('games/practice_sets.js');
            const { post } = bidcascade('api.js');
            const answers = [];
            for (const one of readSet(code).questions) {
                const auction = one.calls, dealer = "NESW"[one.dealer];
                answers.push(await post('/v1/bid',
                    {hand: one.hand, auction, dealer, vulnerability: one.vulnerability}));
            }
            return answers.map((one) => one.name);
        }""",
        visit.state()["ask"],
    )
    assert right.count("Weak two") == 5


def test_a_closing_pass_is_not_said_to_fit(visit):
    """Whoever passes wrongly hears nothing of a pass that fits every hand."""
    visit.open(f"#view=practice&ask=1!Notrump!{GOOD}")
    visit.page.wait_for_selector(".game-table")
    text = answer(visit, "pass")
    assert "The system bids" in text
    assert "fits Pass" not in text


def test_a_call_that_fits_by_another_line_is_not_wrong(visit):
    # fifteen points and four clubs: one notrump comes first, one club fits too
    hand = "~N~None~AQ4.KJ3.K87.Q852"
    visit.open(f"#view=practice&ask=1!Openings!{hand}!{hand}")
    page = visit.page
    page.wait_for_selector(".game-table")
    text = answer(visit, "one club")
    assert "1♣ also fits. The system's choice is 1NT." in text
    assert "Your hand fits 1♣" in text
    button(page, "Next hand").click()
    page.wait_for_selector("text=hand 2 of 2")
    assert "You called 1♠. The system bids 1NT." in answer(visit, "one spade")
    button(page, "See how it went").click()
    page.wait_for_selector("#how-many")
    assert page.locator("#how-many").text_content() == "1 of 2 right"
    assert "1 of them by another meaning" in said_in_view(page)
    assert page.locator(".how .missed").count() == 1
    # only what was wrong comes again
    button(page, "Another topic").click()
    page.wait_for_selector("text=1 hand missed before")


def test_what_is_taught_is_sound(module):
    def sound(*arguments: Any) -> Any:
        return module("games/practice_sets", "isSound", *arguments)["value"]

    assert sound("4N", HAND, False)
    assert not sound("4N", "AKQ873.-.KQ84.A52".replace("-", ""), False)
    assert sound("4S", "AKQ873..KQ84.A52", False)
    # Gerber asks as Blackwood does; a grand slam force asks for no aces
    assert not sound("4C", "AKQ873..KQ84.A52", False, ["#gerber"])
    assert sound("4C", "AKQ873..KQ84.A52", False, ["#splinter"])
    assert sound("5N", "AKQ873..KQ84.A52", False, ["#grand-slam-force"])
    # nobody is taught to pass a forcing call
    assert not sound("P", HAND, True)
    assert sound("P", HAND, False)


@pytest.mark.parametrize(
    "topic", some_in_check(2, "#blackwood", "#trump-ask", "#grand-slam-force", "#final")
)
def test_rare_conventions_find_hands(module, topic):
    found = module("games/practice_sets", "topicsOf", "sayc")["value"]
    [one] = [each for each in found[0] if each["topic"] == topic]
    # none of the places, where a hand need not come up: the deals on which it was called
    code = module("games/practice_sets", "makeSet", {**one, "places": []}, "sayc")
    assert "error" not in code, code
    assert code["value"].startswith("1!")


RARE = """opening:
  2NT = Six and six: 10-11 points, exactly 6 clubs, exactly 6 diamonds
  1C = Clubs: 11+ points
"""


def test_a_convention_of_ones_own_that_hardly_comes_up_finds_hands(browser, tmp_path):
    """Of 50,000 hands one opens so: deals are made that fit the call."""
    (tmp_path / "rare.bidding").write_text(RARE)
    with ready_server(table=str(tmp_path / "rare.bidding")) as (url, _):
        visits = visiting(browser, url)
        page = next(visits).open().page
        topic = {"topic": "Six and six", "places": [[]], "examples": []}
        code = page.evaluate(
            """async topic => {
                const { tables: [{ name }] } = await bidcascade("api.js").get("/v1/tables");
                return bidcascade("games/practice_sets.js").makeSet(topic, name);
            }""",
            topic,
        )
        assert next(visits, None) is None
    questions = code.split("!")[2:]
    # half of them for it, half where another call is right
    hands = [question.rpartition("~")[2].split(".") for question in questions]
    long = [hand for hand in hands if [len(suit) for suit in hand[2:]] == [6, 6]]
    assert len(long) >= 2, questions


SYSTEMS = ["sayc", "acol", "two-over-one"]
QUESTIONS_OF_ALL = """async ([name, step]) => {
    const { topicsOf, questionsOfExamples } = bidcascade("games/practice_sets.js");
    const found = [];
    for (const [at, one] of (await topicsOf(name)).flat().entries()) {
        if (at % step) continue;
        const questions = await questionsOfExamples(one, name);
        const taught = questions.filter(({ ofTopic }) => ofTopic).length;
        found.push([one.topic, one.examples.length, taught]);
    }
    return found;
}"""


@pytest.mark.parametrize("name", some_in_check((1,), *SYSTEMS))
def test_every_topic_has_a_hand_that_may_be_taught(browser, all_systems, name):
    """The call of the topic is the system's, it is sound, and the auction ends sanely."""
    visits = visiting(browser, all_systems)
    page = next(visits).open().page
    step = sized(15, 1)
    found = page.evaluate(QUESTIONS_OF_ALL, [name, step])
    assert next(visits, None) is None
    assert len(found) > 300 / step
    assert [topic for topic, _, taught in found if not taught] == []
    every, taught = (sum(one[place] for one in found) for place in (1, 2))
    assert taught >= LEAST_TAUGHT * every


SIGNS = {
    "below-game": "below game with", "below-slam": "below slam with",
    "undoubled": "26+ points against", "five-trumps": "at most 5 trumps",
    "six-trumps": "6 trumps", "void": "3NT with a void",
    "passed-out": "passed out with", "two-aces": "slam off two aces", "many-calls": "more than 20",
}  # fmt: skip


def test_signs_of_a_side_are_those_of_the_definition(module):
    """Of one side or the other, as many boards show each as Python counts."""
    # a rash system shows them all, but for long auctions
    rash = System.parse(
        "opening:\n  6S = Slam: 4+ spades, 11+ points\n  3NT = Game: 10+ points\n"
        "  1D = Diamonds: 8+ points\n"
        "over (1D):\n  Double = Double: 8+ points\n  2H = Hearts: 4+ hearts\n"
    )
    boards = bid_boards(rash, deal_arrays(random_deals(400, 3)))
    counted = {one.what: one.boards for one in sanity_of(boards)}
    told = dict.fromkeys(SIGNS, 0)
    given = [
        {
            "hands": list(map(format_hand, boards.deals.hands[:, number].tolist())),
            "dealer": int(boards.deals.dealer[number]),
            "calls": format_calls(calls).split(),
        }
        for number, calls in enumerate(boards.auctions)
    ]
    for board in given:
        sides = [module("games/sanity", "signsOf", board, side)["value"] for side in (0, 1)]
        for sign in {*sides[0], *sides[1]}:
            told[sign] += 1
    for sign, what in SIGNS.items():
        [count] = [boards for name, boards in counted.items() if name.startswith(what)]
        assert told[sign] == count, sign
    assert sum(told[sign] > 0 for sign in SIGNS) >= len(SIGNS) - 2


@pytest.fixture(scope="module")
def all_systems(request, tmp_path_factory) -> Iterator[str]:
    if not is_full_run():
        # the check asks a system that the service of all tests has
        yield request.getfixturevalue("service")
        return
    with ready_server(
        table="sayc", extra_tables="acol,two-over-one", data_folder=tmp_path_factory.mktemp("data")
    ) as (url, _):
        yield url


NORTH, SOUTH = "AQ4.KJ3.K876.Q52", "K762.A65.Q93.J94"


@pytest.mark.parametrize(
    ("hands", "dealer", "calls"),
    [
        ([NORTH, "", SOUTH, ""], 0, []),
        ([NORTH, "", SOUTH, ""], 0, ["1N", "2H"]),
        # North would not have called 3D
        ([NORTH, "", SOUTH, ""], 3, ["P", "3D", "P"]),
        ([NORTH, "", "", ""], 2, ["P"]),
        ([NORTH, "T953.QT72.A4.KT3", SOUTH, "J8.984.JT52.A876"], 0, ["1N"]),
        ([NORTH, "", SOUTH, ""], 0, ["1N", "P", "P", "P"]),
    ],
)
def test_a_board_is_bid_to_its_end(module, hands, dealer, calls):
    board = {"hands": hands, "dealer": dealer, "vulnerability": "NS", "calls": calls}
    found = module("games/practice_sets", "bidToEnd", board, "sayc")["value"]
    assert found[: len(calls)] == calls
    assert found[-3:] == ["P", "P", "P"]
    assert parse_calls(" ".join(found))
    assert Auction.of(parse_calls(" ".join(found))).is_complete
    questions = module("games/practice_sets", "questionsOf", {**board, "calls": found})["value"]
    seats = [(dealer + place) % 4 for place in range(len(found))]
    assert [one["hand"] for one in questions] == [hands[seat] for seat in seats if hands[seat]]


@pytest.mark.parametrize("has_engine", [True, False])
def test_a_quiz_is_practised_to_its_end(visit, has_engine):
    if not has_engine:
        without_engine(visit)
    page = visit.open("#dealer=N").page
    page.wait_for_selector("#view > *")
    page.get_by_role("button", name="Enter or paste").click()
    page.get_by_label("Paste", exact=True).fill(
        f'[Board "1"]\n[Dealer "N"]\n[Deal "N:{NORTH} - {SOUTH} -"]\n\n'
        f'[Board "2"]\n[Dealer "N"]\n[Deal "N:{NORTH} - {SOUTH} -"]\n[Auction "N"]\n'
        "1NT Pass Pass Pass\n"
    )
    page.get_by_role("button", name="Use what is pasted").click()
    visit.wait_said("2 boards.")
    # an auction that is over needs no more calls
    page.get_by_role("link", name="Practise the calls of Board 2").wait_for()
    page.get_by_role("button", name="Practise the calls of Board 1").click()
    page.wait_for_selector(".game-table")
    number = int(re.search(r"hand 1 of (\d+)", said_in_view(page))[1])
    assert number >= 2
    for _ in range(number):
        answer(visit, "pass")
        page.locator(".verdict + p button").click()
    page.wait_for_selector("#how-many")
    hands = page.locator(".how tbody a").all_text_contents()
    assert [len(hands), len(set(hands))] == [number, 2]


def test_what_stands_in_the_way_of_practice_is_told(visit):
    visit.page.route(
        "**/v1/layouts", lambda route: route.fulfill(status=503, json={"detail": "no"})
    )
    without_engine(visit)
    page = visit.open("#dealer=N").page
    page.wait_for_selector("#view > *")
    page.get_by_role("button", name="Enter or paste").click()
    page.get_by_label("Paste", exact=True).fill(
        f'[Board "1"]\n[Deal "N:{NORTH} - {SOUTH} -"]\n\n[Board "2"]\n[Deal "N:{NORTH} - - -"]\n'
    )
    page.get_by_role("button", name="Use what is pasted").click()
    page.get_by_role("button", name="Practise the calls of Board 1").click()
    page.wait_for_selector(".board-more [role=alert], .board-more .notice.error")
    assert button(page, "Practise its calls").count() == 0


def test_sets_are_levelled(module):
    rng = np.random.default_rng(3)
    calls = ["2C", "2D", "2H", "P", "3N"]
    chances = [0.02, 0.1, 0.1, 0.7, 0.08]
    questions = [
        {"call": str(one), "ofTopic": bool(one == "2C" or one == "2D"), "number": number}
        for number, one in enumerate(rng.choice(calls, 400, p=chances))
    ]
    for _ in range(5):
        chosen = module("games/practice_sets", "levelled", questions)["value"]
        assert len({one["number"] for one in chosen}) == 10
        counts = {name: sum(one["call"] == name for one in chosen) for name in calls}
        assert counts["2C"] + counts["2D"] == 5
        assert abs(counts["2C"] - counts["2D"]) == 1
        assert {counts["2H"], counts["P"], counts["3N"]} == {1, 2}
    few = [one for one in questions if one["call"] in ("2C", "P")]
    only = [one for one in few if one["call"] == "2C"][:3] + [
        one for one in few if one["call"] == "P"
    ][:2]
    assert len(module("games/practice_sets", "levelled", only)["value"]) == 5


def test_sets_are_read_as_they_are_written(module):
    questions = [
        {"calls": ["1N", "P"], "dealer": 0, "vulnerability": "None", "hand": HAND},
        {"calls": [], "dealer": 3, "vulnerability": "Both", "hand": "AKQJT98765432..."[:16]},
    ]
    text = module("games/practice_sets", "writeSet", "Fourth suit!", questions)["value"]
    answer = module("games/practice_sets", "readSet", text)["value"]
    assert answer == {"topic": "Fourth suit", "questions": questions}


@pytest.mark.parametrize(
    ("text", "told"),
    rows_in_check(
        (0, 1, 2, 4, 9),
        ("3!Stayman!x", "another version of the page (3)"),
        ("1!Stayman", "it has no hands"),
        ("1!Stayman!" + "!".join([GOOD] * 65), "more than 64 hands"),
        (f"1!Stayman!{GOOD}!1N-P~N~None", "hand 2: an auction, a dealer"),
        (f"1!Stayman!1S-1H~N~None~{HAND}", "hand 1: 1H is not legal there"),
        (f"1!Stayman!P-P-P-P~N~None~{HAND}", "hand 1: the auction is over"),
        (f"1!Stayman!1Z~N~None~{HAND}", "“1Z” is no call"),
        (f"1!Stayman!1N-P~Q~None~{HAND}", "hand 1: an auction, a dealer"),
        (f"1!Stayman!1N-P~N~None~{HAND[:-1]}", "hand 1: A hand has 13 cards"),
        ("1!<b>!<img src=x>", "hand 1:"),
        ("nonsense", "another version"),
    ),
)
def test_links_that_are_no_set(visit, text, told):
    page = visit.open().page
    page.evaluate(
        "text => { location.hash = '#view=practice&ask=' + encodeURIComponent(text); }", text
    )
    visit.wait_said(told)
    assert told in page.locator("#view .notice.error").text_content()
    # and one goes on from there
    page.get_by_label("Topic").wait_for()


def open_set(visit: Visit, *questions: str) -> Any:
    page = visit.open(f"#view=practice&ask=1!Stayman!{'!'.join(questions)}").page
    page.wait_for_selector(".game-table")
    return page


def test_the_service_goes_away_in_the_middle(visit):
    without_engine(visit)
    page = open_set(visit, GOOD, GOOD.replace("~N~", "~E~"))
    assert "Right: 3NT" in answer(visit, "three notrump")
    button(page, "Next hand").click()
    page.route("**/v1/bid", lambda route: route.abort())
    call(visit, "two notrump")
    page.get_by_role("alert").wait_for()
    assert "The service cannot be reached" in said_in_view(page)
    page.unroute("**/v1/bid")
    button(page, "Try again").click()
    page.wait_for_selector(".verdict")
    assert "You called 2NT. The system bids 3NT." in said_in_view(page)
    button(page, "See how it went").click()
    assert page.locator("#how-many").text_content() == "1 of 2 right"


def test_what_is_there_is_seen_while_topics_are_looked_for(visit):
    page = visit.page
    held = []
    page.route("**/v1/tables/*/topics", lambda route: held.append(route))
    visit.open("#view=practice")
    bar = page.locator("#view [aria-live=polite] .busy progress")
    bar.wait_for()
    assert bar.get_attribute("aria-label") == "deals looked through"
    # themes can be practised meanwhile
    page.locator("#ten-deals").wait_for()
    assert not page.locator("#ten-hands").count()
    answer = held[0].fetch()
    line = {"deals": 20000, "of": 50000}
    body = json.dumps(line) + "\n" + answer.text().splitlines()[-1] + "\n"
    held[0].fulfill(status=200, content_type="application/jsonl", body=body)
    page.locator("#ten-hands").wait_for()
    assert not bar.count()
    assert page.locator("#topic option").count() > 100
    page.unroute("**/v1/tables/*/topics")


def test_dealing_fails_and_is_tried_again(visit):
    without_engine(visit)
    page = visit.open("#view=practice").page
    page.get_by_label("Topic").wait_for()
    page.route("**/v1/layouts", lambda route: route.fulfill(status=429, json={}))
    button(page, "Ten hands").click()
    page.wait_for_selector("text=The service is busy")
    page.unroute("**/v1/layouts")
    button(page, "Ten hands").click()
    page.wait_for_selector(".game-table")


def test_a_browser_whose_store_is_full(visit):
    visit.page.add_init_script(FULL)
    page = open_set(visit, GOOD)
    answer(visit, "two notrump")
    button(page, "See how it went").click()
    assert "This browser keeps nothing here" in said_in_view(page)
    button(page, "Another topic").click()
    page.wait_for_selector("text=1 hand missed before")


def test_what_was_missed_comes_again_later_and_later(module):
    question = {"calls": ["1N", "P"], "dealer": 0, "vulnerability": "None", "hand": HAND}

    def due(time: float) -> list[Any]:
        found: list[Any] = module("games/repetition", "missedHands", "sayc", time)["value"]["due"]
        return found

    def take(right: bool, time: float) -> None:
        module("games/repetition", "answered", question, "sayc", right, time)

    minute = 60_000
    # what was never missed is not kept
    take(True, 0)
    assert due(1e15) == []
    take(False, 0)
    assert due(9 * minute) == []
    assert due(10 * minute) == [question]
    now = 10.0 * minute
    for days in (1, 3, 7, 21):
        take(True, now)
        assert due(now + days * DAY_MS - 1) == []
        now += days * DAY_MS
        assert due(now) == [question]
    # right often enough
    take(True, now)
    assert due(1e15) == []
    # missed again begins anew
    take(False, now)
    take(True, now)
    take(False, now)
    assert due(now + 10 * minute) == [question]
    assert module("games/repetition", "missedHands", "acol", 1e15)["value"]["all"] == []


@pytest.mark.parametrize("shape", some_in_check(2, "desk", "phone-dark", "desk-dark", "phone"))
def test_practice_fits_and_follows_the_rules(browser, service, axe, pictures, shape):
    for visit in visiting(browser, service, **SHAPES[shape]):
        page = open_set(visit, GOOD)
        assert axe(page, "#view") == []
        answer(visit, "two notrump")
        page.locator(".verdict summary").click()
        page.wait_for_selector(".verdict .kinds li")
        page.screenshot(path=pictures / f"{shape}-practice-verdict.png", full_page=True)
        assert axe(page, "#view") == []
        button(page, "See how it went").click()
        page.screenshot(path=pictures / f"{shape}-practice-end.png", full_page=True)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= SHAPES[shape]["viewport"]["width"]
        assert axe(page, "#view") == []
