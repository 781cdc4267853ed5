"""Engines of others: the line protocol, programs that answer it, and those that do not."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import (
    Auction,
    EngineFailed,
    InvalidInput,
    Seat,
    Vulnerability,
    format_calls,
    parse_calls,
    parse_hand,
)
from bidcascade.seats.foreign.bidding import EngineFault, bid_out
from bidcascade.seats.foreign.process import ProcessEngine
from bidcascade.seats.foreign.protocol import (
    Reply,
    Turn,
    format_reply,
    format_turn,
    parse_reply,
    parse_turn,
)
from bidcascade.systems import System, open_system
from bidcascade.workshop.boards.compare import SystemMatch
from bidcascade.workshop.boards.scored_boards import Budget
from tests.support.auctions import random_auction
from tests.support.deals import deals_in_turn
from tests.support.examples import rows_in_check
from tests.support.systems import SMALL

PYTHON = sys.executable
ROOT = Path(__file__).parents[2]
DEALS = deals_in_turn(40, 3)


def bot(body: str, *, head: str = "") -> list[str]:
    """Command of an engine: Python that is run for each question ``line``."""
    program = f"import sys, time, os\n{head}\nfor line in sys.stdin:\n"
    return [PYTHON, "-S", "-c", program + "".join(f"    {one}\n" for one in body.splitlines())]


def says(text: str) -> list[str]:
    return bot(f"print({text!r}, flush=True)")


def turn(calls: str = "") -> Turn:
    return Turn(
        parse_hand("AQ4.KJ3.K876.Q52"), Seat.NORTH, Vulnerability.NONE, tuple(parse_calls(calls))
    )


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(pid: int) -> bool:
    """Whether a process has ended, soon."""
    for _ in range(200):
        if not is_running(pid):
            return True
        time.sleep(0.05)
    return False


# --- lines ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "name"), [("python3 bots/passes.py -q", "passes"), ("./bot --fast", "bot")]
)
def test_an_engine_is_named_after_its_script_or_program(command, name):
    assert ProcessEngine(command).name == name


@given(st.integers(0, 10**6), st.sampled_from(Seat), st.sampled_from(Vulnerability))
def test_questions_are_read_as_they_were_written(seed, dealer, vulnerability):
    calls = random_auction(seed)
    hand = int(deals_in_turn(1, seed).hands[0, 0])
    asked = Turn(hand, dealer, vulnerability, calls)
    if Auction.of(calls).is_complete:
        with pytest.raises(InvalidInput, match="an auction that goes on"):
            parse_turn(format_turn(asked))
    else:
        assert parse_turn(format_turn(asked)) == asked


@given(st.integers(0, 37), st.text(max_size=40))
def test_answers_are_read_as_they_were_written(call, meaning):
    line = format_reply(Reply(call, meaning))
    assert "\n" not in line
    found = parse_reply(line.encode("utf-8", "replace"))
    assert found.call == call
    assert parse_reply(format_reply(found).encode()) == found


@pytest.mark.parametrize(
    ("line", "call"),
    [
        (b"pass\r\n", 0), (b"\xef\xbb\xbf1NT", 7), ("2♥ weak".encode(), 10), (b"  Dbl  ", 1),
        (b"XX\tvalues", None), (b"", None), (b"1N-P", None), (b"8C", None), (b"1N\xff", None),
        ("1N".encode("utf-16"), None), (b"1\x00N\x00\r\x00", None), (b"1N P", 7),
    ],
)  # fmt: skip
def test_answers_of_many_programs(line, call):
    if call is None:
        with pytest.raises(EngineFailed, match="expected a"):
            parse_reply(line)
    else:
        assert parse_reply(line).call == call


@pytest.mark.parametrize(
    "line",
    [
        "", "AQ4.KJ3.K876.Q52", "AQ4.KJ3.K876.Q52 N", "AQ4.KJ3.K876.Q5 N None",
        "AQ4.KJ3.K876.Q52 X None", "AQ4.KJ3.K876.Q52 N All? P", "AQ4.KJ3.K876.Q52 N None 1N 1C",
    ],
)  # fmt: skip
def test_what_is_no_question(line):
    with pytest.raises(InvalidInput, match="expected hand, dealer, vulnerability and calls"):
        parse_turn(line)


# --- engines that answer --------------------------------------------------------------------------


def test_a_system_behind_the_protocol_bids_as_the_system_does(tmp_path):
    """Ask one system as an engine: both tables of a match come to the same."""
    script = tmp_path / "small.py"
    script.write_text(
        "import sys\n"
        "from bidcascade.seats.foreign.protocol import Reply, format_reply, parse_turn\n"
        "from tests.support.systems import SMALL\n"
        "for line in sys.stdin:\n"
        "    turn = parse_turn(line)\n"
        "    choice = SMALL.bid(turn.hand, turn.calls, dealer=turn.dealer,\n"
        "                       vulnerability=turn.vulnerability)\n"
        "    print(format_reply(Reply(choice.call)), flush=True)\n"
    )
    command = [
        PYTHON,
        "-c",
        f"import sys; sys.path[:0] = {sys.path!r}; exec(open({str(script)!r}).read())",
    ]
    with ProcessEngine(command) as engine:
        match = SystemMatch(engine, SMALL, DEALS)
        alone = SystemMatch(SMALL, SMALL, DEALS)
        assert (match.contracts == alone.contracts).all()
        told = [match.endings.auction(one) for one in match.ending.ravel()]
        assert told == [alone.endings.auction(one) for one in alone.ending.ravel()]
        assert engine.seconds > 0


def test_two_systems_bid_call_by_call_as_their_places_do():
    other = System.parse("opening:\n  1NT = Weak: 12-14 points, balanced", name="other")
    match = SystemMatch(SMALL, other, DEALS)
    for table, pair in enumerate([(SMALL, other), (other, SMALL)]):
        crossed = DEALS.dealer % 2 == 1
        for deal, calls in enumerate(bid_out(*pair, DEALS)):
            sits = table if not crossed[deal] else 1 - table
            assert match.endings.auction(int(match.ending[sits, deal])) == calls


def test_an_engine_sees_what_a_player_sees(tmp_path):
    log = tmp_path / "log"
    with ProcessEngine(bot(f"open({str(log)!r}, 'a').write(line); print('P', flush=True)")) as one:
        bid_out(one, one, DEALS)
    asked = [parse_turn(line) for line in log.read_text().splitlines()]
    assert len(asked) == 4 * len(DEALS)
    for number, found in enumerate(asked):
        depth, deal = divmod(number, len(DEALS))
        dealer = int(DEALS.dealer[deal])
        assert found == Turn(
            int(DEALS.hands[(dealer + depth) % 4, deal]),
            Seat(dealer),
            Vulnerability(DEALS.vulnerability[deal]),
            (0,) * depth,
        )


def test_thousands_of_questions_wait_in_the_pipe():
    asked = [turn("1C P 1D P 1H P 1S P 1N P 2C P 2D P 2H P 2S P 2N P")] * 5000
    with ProcessEngine(says("# thinking\nP " + "x" * 300)) as engine:
        assert engine.answers(asked) == [Reply(0, "x" * 300)] * 5000
        assert engine.answers([]) == []


def test_remarks_and_standard_error_disturb_nothing():
    head = "print('# ready', flush=True); sys.stderr.write('x' * 300_000); sys.stderr.flush()"
    body = "sys.stderr.write('y' * 3000); print('# hm\\n#\\nP # no remark', flush=True)"
    with ProcessEngine(bot(body, head=head)) as engine:
        assert engine.answers([turn()] * 200) == [Reply(0, "# no remark")] * 200
        assert engine.answers([turn()]) == [Reply(0, "# no remark")]


def test_an_engine_is_started_anew_after_its_end():
    with ProcessEngine(says("P")) as engine:
        for _ in range(2):
            assert engine.answers([turn()]) == [Reply(0)]
            engine.close()
            engine.close()


def test_nothing_is_left_open():
    before = open_files()
    for _ in range(3):
        with ProcessEngine(says("P")) as engine:
            engine.answers([turn()])
    assert open_files() == before


# --- engines that do not --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "message", "fault"),
    rows_in_check(range(0, 16, 2), *[
        (bot("time.sleep(60)"), r"a call within 1\.5 s .*flush.*got none", "too late"),
        (bot("print('P')", head="sys.stdout = open(1, 'w', 9999)"), "got none", "too late"),
        (bot("sys.stdout.write('P'); sys.stdout.flush(); time.sleep(60)"), "within", "too late"),
        (bot("while True: print('# hm', flush=True); time.sleep(0.01)"), "within", "too late"),
        (bot("sys.exit(3)"), r"got the end \(exit code 3\)", "ended"),
        (bot("print('P', flush=True); sys.exit(0)"), r"got the end \(exit code 0\)", "ended"),
        (bot("os.kill(os.getpid(), 9)"), r"got the end \(exit code 137\)", "ended"),
        (bot("1 / 0"), "the end .*ZeroDivisionError", "ended"),
        (["sh", "-c", "exit 5"], r"the end \(exit code 5\)", "ended"),
        (says("P\nP"), r"one line for each question, got (another|\d+ more)", "too much"),
        (bot("while True: sys.stdout.write('x' * 9999)"), "lines of at most 4096", "too much"),
        (bot("while True: print('#' * 999)"), "bytes of remarks", "too much"),
        ([*bot("")[:-1], "while True: print('P')"], r"got (another|\d+ more)", "too much"),
    ]),
)  # fmt: skip
def test_an_engine_that_fails_is_ended_and_told(command, message, fault, monkeypatch):
    # an engine that is late is not waited for; all others may be slow
    limits = (0.5, 1.0) if fault == "too late" else (60.0, 60.0)
    monkeypatch.setattr("bidcascade.seats.foreign.process.START_S", limits[1])
    engine = ProcessEngine(command, timeout_s=limits[0], name="odd")
    before = open_files()

    def ask():
        with engine:
            for _ in range(20):
                engine.answers([turn("1N P")] * 20, range(17, 37))

    with pytest.raises(EngineFailed, match=message) as raised:
        ask()
    assert raised.value.fault == fault
    assert "'odd'" in str(raised.value)
    assert "AQ4.KJ3.K876.Q52, dealer N, vulnerable None, S after 1N P" in str(raised.value)
    assert str(raised.value).startswith("deal ")
    assert open_files() == before


def test_a_line_too_many_is_an_error_at_the_end():
    engine = ProcessEngine(bot("print('P', flush=True); time.sleep(0.3); print('P', flush=True)"))
    message = r"got 1 more from the engine .* other questions"
    with pytest.raises(EngineFailed, match=message), engine:
        assert engine.answers([turn()]) == [Reply(0)]


@pytest.mark.parametrize(
    ("text", "message", "fault"),
    [
        ("1C", r"deal 0, .* after 1C: expected a legal call, got 1C: insufficient", "illegal"),
        ("XX", "to open: expected a legal call, got XX: there is no double", "illegal"),
        ("hello", "to open: expected a call .* got 'hello'", "unreadable"),
    ],
)
def test_calls_that_cannot_be_used_name_deal_and_auction(text, message, fault):
    with ProcessEngine(says(text)) as engine:
        with pytest.raises(EngineFailed, match=message) as raised:
            SystemMatch(engine, engine, DEALS)
        assert raised.value.fault == fault
        faults: list[EngineFault] = []
        auctions = bid_out(engine, engine, DEALS, faults=faults)
    # a pass is made for each
    assert {format_calls(calls) for calls in auctions} == {
        "1C P P P" if text == "1C" else "P P P P"
    }
    assert len(faults) == len(DEALS) * (3 if text == "1C" else 4)
    assert {one.kind for one in faults} == {fault}
    assert {one.deal for one in faults} == set(range(len(DEALS)))


@pytest.mark.parametrize("command", ["", "   ", "no-such-program-anywhere", '"open quote', "/etc"])
def test_what_cannot_be_started(command):
    with pytest.raises(EngineFailed, match="expected") as raised:
        ProcessEngine(command).answers([turn()])
    assert raised.value.fault == "no start"


@pytest.mark.parametrize(
    "leaves",
    [False, pytest.param(True, marks=pytest.mark.skipif(sys.platform != "linux", reason="Linux"))],
)
@pytest.mark.parametrize("how", ["close", "late", "killed"])
def test_all_that_an_engine_started_ends_with_it(how, leaves, tmp_path):
    """End a child of the engine that ignores every signal it may ignore, and its output.

    It may have left the engine's session.
    """
    child = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"
    engine = bot(
        f"import subprocess; open({str(tmp_path / 'pids')!r}, 'a').write(f'{{os.getpid()}} '"
        f" + str(subprocess.Popen([sys.executable, '-c', {child!r}],"
        f" start_new_session={leaves}).pid))\n"
        + ("time.sleep(600)" if how == "late" else "print('P', flush=True)"),
    )
    if how == "killed":
        program = (
            f"import sys, os; sys.path[:0] = {sys.path!r}\n"
            "from tests.seats.test_foreign_engines import ProcessEngine, turn\n"
            f"engine = ProcessEngine({engine!r}); engine.answers([turn()]); os.kill(os.getpid(), 9)"
        )
        subprocess.run([PYTHON, "-c", program], check=False, cwd=ROOT)
    else:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("bidcascade.seats.foreign.process.START_S", 3.0)
            running = ProcessEngine(engine, timeout_s=0.1)
            if how == "late":
                with pytest.raises(EngineFailed, match="within"):
                    running.answers([turn()])
            else:
                running.answers([turn()])
                running.close()
    pids = [int(one) for one in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    assert all(map(ends, pids))


# --- the bots of the page -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bots(tmp_path_factory):
    """Commands of the page's bots, by their files; those whose language is absent are left out."""
    from tests.support.docs import blocks_of, page_text

    folder = tmp_path_factory.mktemp("bots")
    for block in blocks_of(page_text("docs/engines.md")):
        if block.mark.startswith("file: "):
            (folder / block.mark.removeprefix("file: ")).write_text(block.body)
    found = {"bot.py": [PYTHON, str(folder / "bot.py")]}
    if shutil.which("node"):
        found["bot.js"] = ["node", str(folder / "bot.js")]
    if compiler := shutil.which("g++") or shutil.which("c++"):
        program = folder / "bot"
        subprocess.run([compiler, "-o", program, folder / "bot.cpp"], check=True, timeout=200)
        found["bot.cpp"] = [str(program)]
    return found


@pytest.mark.checkout
@pytest.mark.page("docs/engines.md")
@pytest.mark.parametrize("name", ["bot.py", "bot.js", "bot.cpp"])
def test_each_bot_of_the_page_bids_a_thousand_boards(bots, name):
    if name not in bots:
        pytest.skip(f"no compiler or interpreter for {name}")
    deals = deals_in_turn(1000, 5)
    sayc = open_system("sayc")
    with ProcessEngine(bots[name]) as engine:
        auctions = bid_out(engine, sayc, deals)
        meanings = {one.meaning for one in engine.answers([turn(), turn("1C P")])}
    assert meanings == {"15-17 balanced", ""}
    if name != "bot.py":
        with ProcessEngine(bots["bot.py"]) as first:
            assert bid_out(first, sayc, deals) == auctions


@pytest.mark.checkout
@pytest.mark.page("docs/engines.md")
def test_a_match_with_a_bot_is_worked_out(bots):
    deals = deals_in_turn(60, 6)
    known = np.full((60, 20), 8, np.int8)
    with ProcessEngine(bots["bot.py"]) as engine:
        match = SystemMatch(engine, SMALL, deals)
    match.work_out(None, Budget(), known)
    assert match.names == ("bot", SMALL.name)
    assert match.done.all()
