"""The command line where all goes well: what each command prints and writes."""

import json
import os
import re
import signal
import subprocess
import time
from contextlib import suppress

import polars as pl
import pytest

from bidcascade.bridge import Auction, InvalidInput, format_calls, parse_calls
from bidcascade.engine import Engine
from bidcascade.engine.runs.deal_files import deal_sink
from bidcascade.engine.settings import Settings
from bidcascade.loaders import random_deals, read_deals, write_deal_parquet
from bidcascade.service.cli import BAD_INPUT, COMMANDS, main, make_parser
from bidcascade.systems import open_table
from tests.support.cli import command, environment, run_apart, run_python, write_inputs
from tests.support.examples import is_full_run
from tests.support.service import DEAL, write_small_table
from tests.support.systems import compile_few

LIN = "md|3SJ876HA65DQ93CJ94,ST32HT94DJT2CA876,SAQ4HKJ3DK876CQ52,|sv|o|"


@pytest.fixture
def run(capfd):
    """Run the command line in this process; it must end well."""

    def run_here(*arguments, code=0):
        found = main([str(one) for one in arguments])
        out, err = capfd.readouterr()
        assert found == code, err
        return out

    return run_here


@pytest.fixture
def small(tmp_path):
    return write_small_table(tmp_path)


@pytest.fixture
def inputs(tmp_path):
    return write_inputs(tmp_path, 60)


def test_auctions_of_a_deal(run, small):
    out = run("auctions", DEAL, "--table", small)
    assert f"{DEAL}  dealer N, vulnerable None" in out
    assert re.search(r"^ 1N +Strong notrump / Flat notrump$", out, re.MULTILINE)
    total = int(re.search(r"^(\d+) auctions$", out, re.MULTILINE)[1])
    out = run("auctions", DEAL, "--table", small, "--limit", 1)
    assert out.rstrip().endswith(f"{total} auctions, the first 1 listed")


def test_auctions_as_the_service_answers_them(run, small):
    value = json.loads(run("auctions", DEAL, LIN, "--table", small, "--json", "--limit", 1))
    assert value["backend"] in ("cpu", "cuda")
    assert value["table"]["profile"] == "gib"
    first, second = value["results"]
    assert first == second
    assert first["auctions"] == [
        {
            "calls": ["1N"],
            "completed": False,
            "entry": 0,
            "variants": ["Strong notrump", "Flat notrump"],
        }
    ]
    assert first["truncated"]
    asked = json.dumps({"deals": [{"deal": DEAL}], "limit": 1})
    answer = json.loads(run("get", "/v1/auctions", "--data", asked, "--table", f"small={small}"))
    assert answer["results"] == [first]


def test_the_one_auction(run):
    out = run("auctions", DEAL, "--mode", "first", "--dealer", "E", "--vul", "All")
    head, line = out.splitlines()
    assert head.endswith("dealer E, vulnerable Both")
    calls, contract = line.strip().split("  ")[:2]
    auction = Auction.of(parse_calls(calls), 1)
    assert auction.is_complete
    bought = auction.contract
    assert contract == ("Pass" if bought is None else f"{str(bought)[:-1]} by {str(bought)[-1]}")


@pytest.mark.slow
def test_auctions_of_files_and_of_standard_input(run, inputs):
    deals = read_deals(inputs).deals
    found = Engine.open("sayc").auctions(deals, mode="first")
    out = run("auctions", *inputs, "--mode", "first")
    lines = [line.strip().split("  ")[0] for line in out.splitlines()[1::2]]
    assert lines == [format_calls(auction) for auction in found["auction"]]
    done = subprocess.run(
        command("auctions", "-", "--mode", "first", "--json"),
        input=inputs[0].read_bytes(),
        env=environment(),
        capture_output=True,
        check=True,
    )
    assert len(json.loads(done.stdout)["results"]) == 20
    assert b"2 records of '-' are no deals" in done.stderr


def test_a_bid_and_why(run, small):
    out = run("bid", "AQ4.KJ3.K876.Q52", "--table", small, "--explain")
    assert out.splitlines()[:4] == [
        "1N  Strong notrump",
        "* 1N  Strong notrump",
        "       yes  15 <= HCP <= 17  (15)",
        "* 1N  Flat notrump",
    ]
    value = json.loads(
        run("bid", "J876.A65.Q93.J94", "--auction", "1NT pass", "--table", small, "--json")
    )
    assert (value["call"], value["default_pass"]) == ("P", False)
    assert value["candidates"][0]["criteria"] == [
        {"expression": "SL_H >= 4", "value": 3, "holds": False}
    ]
    assert value["table"]["undescribed"] == "pass"


@pytest.mark.parametrize(
    ("hand", "auction", "told"),
    [
        ("J876.K65.Q93.T94", "",
         "   no call above P fits: "
         "1C needs 12+ points, or the rule of 20 and 10+ points (you have 6 points)"),
        ("AQ4.KJ3.KJ76.A52", "1D P P X",
         "   no call above P fits: 3N needs 21+ points (you have 18)"),
    ],
)  # fmt: skip
def test_a_call_for_want_of_others_says_what_is_missing(run, hand, auction, told):
    asked = ("bid", hand, "--auction", auction, "--table", "sayc")
    assert run(*asked).splitlines()[1:] == [told]
    # JSON has it with the other reasons
    (near,) = json.loads(run(*asked, "--json", "--explain"))["nearest"]
    assert f"{near['call']} needs {near['needs']}" in told
    assert "nearest" not in json.loads(run(*asked, "--json"))


def test_the_only_call_says_so(run, tmp_path):
    text = tmp_path / "small.bidding"
    text.write_text("system Small\nopening:\n  1C = Always: any hand\n", "utf-8")
    out = run("bid", "J876.K65.Q93.T94", "--table", text).splitlines()
    assert out[0].startswith("1C  Always: any hand")
    assert out[1:] == ["   no other call stands above it"]


def test_a_bid_outside_the_table(run, small):
    out = run("bid", "J876.A65.Q93.J94", "--auction", "7C", "--table", small)
    assert out == "P  pass by default: the table does not have '7C'\n"


def test_load_and_its_rejects(run, inputs, tmp_path, capfd):
    out, rejects = tmp_path / "deals.parquet", tmp_path / "rejects.parquet"
    summary = json.loads(run("load", *inputs, "--out", out, "--rejects", rejects, "--json"))
    told = {"play_disagrees": 0, "contracts_lost": 0, "unread": 0}
    assert summary == {"boards": 60, "rejects": 3, "rejects_listed": 3, **told}
    read = read_deals(inputs)
    assert pl.read_parquet(out).equals(read.deals)
    assert pl.read_parquet(rejects).equals(read.rejects)


@pytest.mark.parametrize("ending", ["lin", "pbn", "rbn", "parquet"])
def test_deals_in_each_format(run, tmp_path, ending):
    out = tmp_path / f"deals.{ending}"
    run("deals", 7, "--seed", 3, "--out", out, "--dealer", "S", "--vul", "EW")
    found = read_deals(out).deals
    expected = random_deals(7, seed=3)
    assert found.select("north", "east").equals(expected.select("north", "east"))
    assert found["dealer"].unique().to_list() == ["S"]
    assert found["vulnerability"].unique().to_list() == ["EW"]
    assert [file.name for file in tmp_path.iterdir()] == [out.name]


def test_deals_under_a_condition(run, tmp_path):
    out = tmp_path / "deals.parquet"
    run("deals", 20, "--seed", 3, "--where", "HCP_N >= 20 and SL_N_S + SL_S_S > 8", "--out", out)
    found = pl.read_parquet(out)
    assert found.height == 20
    spades = 0x1FFF << 39
    fit = ((found["north"] | found["south"]) & spades).map_elements(int.bit_count, pl.Int64)
    assert fit.min() > 8
    assert found["board"].to_list() == list(range(1, 21))
    # fewer deals of a seed are the first of more
    condition = ("--where", "HCP_N >= 20 and SL_N_S + SL_S_S > 8")
    run("deals", 5, "--seed", 3, *condition, "--out", out, "--force")
    assert pl.read_parquet(out).equals(found.head(5))


def test_deals_with_known_cards_and_several_conditions(run, tmp_path):
    out = tmp_path / "deals.parquet"
    run(
        "deals",
        30,
        "--seed",
        3,
        "--where",
        "HCP_N >= 20",
        "--where",
        "C_E_SK",
        "--known",
        "S:AQxx.xx+.+.-",
        "--dealer",
        "S",
        "--vul",
        "None",
        "--out",
        out,
    )
    found = pl.read_parquet(out)
    south, east = found["south"].to_list(), found["east"].to_list()
    assert all(hand >> 50 & 1 == 0 and hand >> 51 & 1 and hand >> 49 & 1 for hand in south)
    assert all((hand >> 39).bit_count() == 4 and not hand & 0x1FFF for hand in south)
    assert all(hand >> 50 & 1 for hand in east)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (["HCP_N > 37"], "no such deal where HCP_N > 37: no hand is left for N"),
        (["HCP_N >= 21", "HCP_S >= 20"], "no such deal where HCP_N >= 21, HCP_S >= 20"),
        (["Top5_N_S + Top5_S_S == 3 and Top5_N_S + Top5_S_S == 4"], "no deal meets Top5_N_S"),
        (["HCP_N + HCP_E + HCP_S + HCP_W == 39"], "is 40 in every deal"),
        (["SL_N_S * 3 == HCP_S * HCP_S + Losers_S * SL_N_S * 100 + 1"], "no such deal found"),
    ],
)
def test_no_such_deal(capfd, tmp_path, where, said):
    options = [word for text in where for word in ("--where", text)]
    out = tmp_path / "deals.lin"
    words = ["deals", "5", "--seed", "1", *options, "--most", "200000", "--out", str(out)]
    assert main(words) == BAD_INPUT
    assert said in capfd.readouterr().err
    assert not out.exists()


def test_fewer_deals_than_asked_for_are_an_error(capfd, tmp_path):
    out = tmp_path / "deals.lin"
    asked = ["deals", "400", "--seed", "1", "--where", "HCP_N * HCP_S >= 150", "--out", str(out)]
    assert main([*asked, "--most", "2000"]) == BAD_INPUT
    assert re.search(r"got [12]\d\d among 2,000; --most lets more", capfd.readouterr().err)
    assert not out.exists()


@pytest.mark.slow
def test_augment(run, inputs, tmp_path):
    out, file = tmp_path / "wide.parquet", tmp_path / "expressions.txt"
    file.write_text("# openings\nHCP >= 12\n\n15<=HCP<=17\n")
    run(
        "augment",
        inputs[2],
        "--out",
        out,
        "--terms",
        "SL_S",
        "--expressions",
        file,
        "--auctions",
        "1N",
        "P",
    )
    found = pl.read_parquet(out)
    assert found.columns[-14:] == [
        "SL_N_S", "SL_E_S", "SL_S_S", "SL_W_S",
        "HCP_N >= 12", "HCP_E >= 12", "HCP_S >= 12", "HCP_W >= 12",
        "15 <= HCP_N <= 17", "15 <= HCP_E <= 17", "15 <= HCP_S <= 17", "15 <= HCP_W <= 17",
        "1N", "P",
    ]  # fmt: skip
    assert found.height == 20
    run("augment", inputs[2], "--out", out, "--force")
    assert pl.read_parquet(out).columns[-24:-20] == ["HCP_N", "HCP_E", "HCP_S", "HCP_W"]


def test_parquet_to_standard_output(tmp_path):
    done = subprocess.run(
        command("deals", 5, "--seed", 1, "--out", "-"),
        env=environment(),
        capture_output=True,
        check=True,
    )
    assert pl.read_parquet(done.stdout)["board"].to_list() == [1, 2, 3, 4, 5]


@pytest.mark.slow
def test_batch(run, inputs, tmp_path, monkeypatch):
    if not is_full_run():
        compile_few(monkeypatch)
    value = json.loads(
        run("batch", *inputs, "--out", tmp_path / "out", "--mode", "counts", "--json")
    )
    assert (value["boards"], value["rejects"]) == (60, 3)
    counts = Engine(open_table("sayc")).counts(read_deals(inputs).deals)
    assert pl.read_parquet(tmp_path / "out/counts.parquet").equals(counts)


def test_tables(run, small, tmp_path):
    folder, rows = tmp_path / "kept", tmp_path / "rows.jsonl"
    assert "8 rows read" in run("table", "import", small, "--out", folder)
    digest = json.loads(run("table", "info", folder, "--json"))["digest"]
    assert digest in run("table", "info", folder)
    run("table", "export", folder, "--out", rows)
    report = json.loads(run("table", "import", rows, "--out", folder, "--force", "--json"))
    assert (report["digest"], report["rows"]) == (digest, 8)
    assert "Stayman" in run("table", "show", folder, "1N P")
    following = json.loads(run("table", "show", folder, "1N P", "--json"))
    assert [row["call"] for row in following] == ["2C", "3N", "P"]
    assert run("table", "lint", folder).startswith("7 entries")
    alone, on_deals = json.loads(
        run("table", "lint", folder, "--deals", 500, "--json", "--examples", 1)
    )
    assert alone["entries"] == on_deals["entries"] == 7
    assert on_deals["deals"] == 500


def test_user_terms_in_a_table(run, tmp_path):
    (tmp_path / "rows.jsonl").write_text(
        '{"prior": "", "call": "1S", "criteria": ["Strength >= 20"]}\n'
    )
    (tmp_path / "terms.txt").write_text("Strength = HCP + SL_S\n")
    run(
        "table",
        "import",
        tmp_path / "rows.jsonl",
        "--out",
        tmp_path / "t",
        "--user-terms",
        tmp_path / "terms.txt",
        "--undescribed",
        "allow",
    )
    info = json.loads(run("table", "info", tmp_path / "t", "--json"))
    assert info["user_terms"] == {"Strength": "HCP + SL_S"}
    assert info["undescribed"] == "allow"


def test_a_request_without_a_server_ends_in_order():
    ran = run_apart("get", "/v1/bid", "--data", '{"hand":"AQ4.KJ3.K876.Q52"}')
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["call"] == "1N"


def test_a_request_without_a_server_needs_no_key(run, small, monkeypatch):
    # where the settings of a service with keys are in the environment
    monkeypatch.setenv("BIDCASCADE_API_KEYS_FILE", "not-there.txt")
    monkeypatch.setenv("BIDCASCADE_HOST", "0.0.0.0")
    answer = json.loads(run("get", "/v1/tables", "--table", f"small={small}"))
    assert answer["tables"][0]["name"] == "small"


@pytest.mark.slow
def test_requests_without_a_server(run, small):
    assert json.loads(run("get", "/v1/tables"))["tables"][0]["name"] == "sayc"
    given = ("--table", small)
    assert json.loads(run("get", "/readyz", *given))["status"]
    following = json.loads(run("get", "/v1/tables/small/next?auction=1N-P", *given))
    assert following
    body = json.dumps({"hand": "K52.AQ3.9876.KJ2", "auction": ["1N", "P"]})
    answer = json.loads(run("get", "/v1/bid", "--data", body, *given))
    assert (
        answer["call"]
        == json.loads(run("bid", "K52.AQ3.9876.KJ2", "--auction", "1N P", "--json", *given))["call"]
    )


def test_info_names_backends_and_places(run, monkeypatch, tmp_path):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path))
    value = json.loads(run("info", "--json"))
    assert value["backends"]["reference"] is None
    assert value["backends"]["cpu"] is None
    assert value["cache"]["tables"] == str(tmp_path / "tables")
    out = run("info")
    assert re.search(r"^  reference +ready$", out, re.MULTILINE)
    assert "sayc" in out


def test_every_command_explains_itself(capsys):
    for name in COMMANDS:
        with pytest.raises(SystemExit) as left:
            main([name, "--help"])
        assert left.value.code == 0
        assert f"usage: bidcascade {name}" in capsys.readouterr().out


def test_each_setting_is_an_option_of_serve(capsys):
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    text = capsys.readouterr().out
    for name in Settings.model_fields:
        assert f"--{name.replace('_', '-')}" in text
        assert f"BIDCASCADE_{name.upper()}" in re.sub(r"\s+", "", text)


def test_version(run):
    assert run("--version").startswith("bidcascade ")


def test_nothing_heavy_is_loaded_for_help_and_info():
    code = (
        "import sys; from bidcascade.service.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(*(name for name in ('numpy', 'polars', 'fastapi') if name in sys.modules))"
    )
    for argument, allowed in (
        ("--help", set()),
        ("--version", set()),
        ("info", {"numpy", "polars"}),
    ):
        assert set(run_python(code, argument).out.splitlines()[-1].split()) <= allowed


def test_a_call_loads_nothing_that_it_does_not_use():
    code = (
        "import os, sys; from bidcascade.service.cli import main\n"
        "main(['bid', 'AKQ32.K32.432.32'])\n"
        "print(*(name for name in sys.argv[1:] if name in sys.modules))\n"
        "print('OPENBLAS_NUM_THREADS' in os.environ, len(os.listdir('/proc/self/task'))"
        " if sys.platform == 'linux' else 1)"
    )
    unused = [
        *("polars", "pydantic", "fastapi", "lark", "difflib", "subprocess", "concurrent.futures"),
        "bidcascade.systems.language.grammar.grammar",
        "bidcascade.systems.language.reader",
        "bidcascade.engine.questions.deals.auctions",
    ]
    # the first one parses the text where nobody has before
    run_python(code, *unused)
    assert run_python(code, *unused).out.splitlines()[-2:] == ["", "False 1"]


def test_a_command_is_read_by_its_own_parser_alone():
    def known(*words):
        (commands,) = (one for one in make_parser(words)._actions if one.dest == "command")
        return list(commands.choices)

    assert known("bid", "--help") == known("--debug", "bid") == ["bid"]
    # who asks which commands there are, or names none, is told all
    assert known() == known("--help", "bid") == known("bod") == list(COMMANDS)


def on_a_terminal(stream, *arguments, **more):
    """What a run writes to a stream that is a terminal."""
    import pty

    terminal, ours = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: ours}
    process = subprocess.Popen(
        command(*arguments), env=environment(TERM="xterm-256color", **more), **streams
    )
    os.close(ours)
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:  # so Linux tells that the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    assert process.wait(150) == 0
    return shown.decode()


COLOUR = re.compile(r"\x1b\[[0-9;]*[34][0-7]m")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_bars_and_colours_belong_to_terminals(inputs, small, tmp_path):
    arguments = ("batch", *inputs, "--table", small, "--mode", "first", "--out")
    shown = on_a_terminal("stderr", *arguments, tmp_path / "1")
    assert "batch first" in shown
    assert COLOUR.search(shown)
    assert not COLOUR.search(on_a_terminal("stderr", *arguments, tmp_path / "2", NO_COLOR="1"))
    plain = run_apart(*arguments, tmp_path / "3")
    assert plain[:2] == (0, "")
    assert plain[2].splitlines() == [
        "bidcascade: 60 boards, 3 rejects, 60 rows, 1 parts",
        f"bidcascade: wrote the answers to {tmp_path / '3'} (Parquet)",
    ]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="pipes are POSIX's")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_whoever_reads_may_stop(small, tmp_path, unbuffered):
    """As ``bidcascade … | head -1``: no noise."""
    path = tmp_path / "deals.parquet"
    write_deal_parquet(random_deals(3000, seed=1), path)
    with subprocess.Popen(
        command("auctions", path, "--table", small, "--limit", 5),
        env=environment(PYTHONUNBUFFERED=unbuffered),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_interrupted_from_the_keyboard(tmp_path):
    out = tmp_path / "deals.parquet"
    process = subprocess.Popen(
        command("deals", 10, "--seed", 1, "--where", "Losers_N + Losers_S <= 2", "--out", out),
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 150
    while not any(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors == "bidcascade: error: interrupted; nothing is kept\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
@pytest.mark.parametrize("error", [SystemError, BaseException, InvalidInput])
def test_an_interruption_may_come_out_as_another_error(monkeypatch, capsys, error):
    """ctypes makes a SystemError of an interrupted call, polars a panic that is no Exception."""

    def interrupted(options):
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        raise error("error return without exception set")

    monkeypatch.setattr("bidcascade.service.cli.info.info", interrupted)
    # whoever runs the tests in the background may ignore the signal
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert main(["info"]) == 130
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == "bidcascade: error: interrupted; nothing is kept\n"


def test_a_panic_is_an_internal_error(monkeypatch, capsys):
    def panics(options):
        raise BaseException("a panic of polars")

    monkeypatch.setattr("bidcascade.service.cli.info.info", panics)
    assert main(["info"]) == 70
    assert "internal error: BaseException: a panic of polars" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["lin", "pbn", "rbn"])
def test_several_inputs_are_one_file(run, tmp_path, kind):
    """First lines once, and nothing that lasts from the boards before."""
    named = f'[Event "cup"]\n[North "Ann"]\n[Board "1"]\n[Deal "{DEAL}"]\n'
    (tmp_path / "a.pbn").write_text(f"% PBN 2.1\n{named}")
    (tmp_path / "b.pbn").write_text(f'% PBN 2.1\n[Deal "{DEAL}"]\n')
    out = tmp_path / f"out.{kind}"
    run("load", str(tmp_path / "a.pbn"), str(tmp_path / "b.pbn"), "--out", str(out))
    with deal_sink(str(tmp_path / f"sink.{kind}")) as write:
        for name in ("a.pbn", "b.pbn", "a.pbn"):
            write(read_deals(tmp_path / name).deals)
    for path, boards in ((out, 2), (tmp_path / f"sink.{kind}", 3)):
        lines = path.read_text().splitlines()
        headers = {"lin": [], "pbn": ["% PBN 2.1", "% EXPORT"], "rbn": ["% RBN"]}[kind]
        assert [line for line in lines if line.startswith("%")] == headers == lines[: len(headers)]
        deals = read_deals(path).deals
        assert deals["event"].to_list() == ["cup", None, "cup"][:boards]
        assert deals["board"].to_list() == [1, None, 1][:boards]
        names = [None if one is None else one.to_list() for one in deals["players"]]
        assert names == [["Ann", "", "", ""], None, ["Ann", "", "", ""]][:boards]


def test_contracts_that_a_file_has_no_place_for_are_told(capfd, tmp_path):
    path = tmp_path / "a.pbn"
    played = f'[Deal "{DEAL}"]\n[Contract "1S"]\n[Declarer "N"]\n[Result "7"]\n'
    # with calls, or with board and room, LIN can tell it
    calls, table = '[Auction "N"]\n1S AP\n', '[Board "3"]\n[Room "Open"]\n'
    path.write_text("\n".join((played, played + calls, table + played, f'[Deal "{DEAL}"]\n')))
    for name, lost in (("out.lin", 1), ("out.txt", 1), ("out.pbn", 0), ("out.parquet", 0)):
        out = tmp_path / name
        assert main(["load", str(path), "--out", str(out)]) == 0
        told = "1 boards whose contract LIN has no place for"
        assert (told in capfd.readouterr().err) == bool(lost)
        assert main(["load", str(path), "--out", str(out), "--json", "--force"]) == 0
        assert json.loads(capfd.readouterr().out)["contracts_lost"] == lost
        assert read_deals(out).deals["contract"].null_count() == 1 + lost


def test_what_is_not_read_is_told(capfd, tmp_path):
    path = tmp_path / "a.pbn"
    path.write_text(f'[Deal "{DEAL}"]\n[Vulnerable "Who"]\n')
    assert main(["load", str(path), "--out", str(tmp_path / "out.pbn")]) == 0
    err = capfd.readouterr().err
    assert "1 boards, 0 rejects, 1 boards with something unread" in err
    told = "reader: expected a vulnerability (None, NS, EW or Both) in Vulnerable, got 'Who'"
    assert f"first unread: {told}" in err
    # what was told is kept with the board
    again = read_deals(tmp_path / "out.pbn").deals
    assert again["commentary"].to_list() == [[told]]


def test_a_sink_takes_many_frames(tmp_path):
    path = tmp_path / "deals.parquet"
    with deal_sink(str(path)) as write:
        for first in range(1, 100, 10):
            write(random_deals(10, seed=1, first=first))
    assert pl.read_parquet(path).equals(random_deals(100, seed=1))
    write_deal_parquet(random_deals(1, seed=1), path)
    with pytest.raises(RuntimeError, match="half way"), deal_sink(str(path)) as write:  # noqa: PT012
        write(random_deals(10, seed=1))
        write(random_deals(10, seed=1))
        raise RuntimeError("half way")
    assert pl.read_parquet(path).height == 1
    assert [file.name for file in tmp_path.iterdir()] == ["deals.parquet"]
