"""The command line where something is wrong: one line, the right exit code, nothing left behind."""

import json
import os
import pickle
import socket
import subprocess
import zipfile
from pathlib import Path

import pytest

from bidcascade.bridge import BackendUnavailable
from bidcascade.kernels import why_unavailable
from bidcascade.loaders import random_deals, write_deal_parquet
from bidcascade.service import cli
from bidcascade.service.cli import main
from tests.support.cli import NO_BYTECODE, command, environment, run_apart, write_inputs
from tests.support.examples import rows_in_check
from tests.support.service import DEAL, write_small_table

pytestmark = pytest.mark.slow

HAND = "K52.AQ3.9876.KJ2"
LEAD = ("lead", HAND)
INFER = ("infer", "N:KJ.Q.A. Q..K.QJ A.K.J.K .AJ.Q.A", "--strain", "NT", "--declarer", "S",
         "--leader", "S", "--play")  # fmt: skip
COMPARE = ("compare", "{strong.bidding}", "{weak.bidding}")
BAD_ARGUMENTS, BAD_INPUT, NO_BACKEND = 1, 2, 3


class Poison:
    """A pickle of this would run a command."""

    def __reduce__(self):
        return os.system, ("touch poisoned",)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files and folders that are no good, by name."""
    folder = tmp_path_factory.mktemp("bad")
    write_deal_parquet(random_deals(50, seed=1), folder / "good.parquet")
    whole = (folder / "good.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    (folder / "noise.parquet").write_bytes(whole[:200] + bytes(500) + whole[700:])
    (folder / "evil.pkl").write_bytes(pickle.dumps([Poison()]))
    (folder / "empty.lin").touch()
    (folder / "empty").mkdir()
    (folder / "page.lin").write_text("<html><body>404 Not Found</body></html>")
    (folder / "short.lin").write_text("md|3SAKQ,HAKQ,DAKQ,|mb|1C|pg||\n")
    (folder / "title.lin").write_text("vg|Cup,Final,I,1,16,A,0,B,0|\npn|a,b,c,d|pg||\n")
    (folder / "expressions.txt").write_text("HCP >= 15\nHPC >= 3\n")
    (folder / "broken.txt").write_text("HCP >= 15\nBalanced and\n")
    (folder / "bytes.txt").write_bytes(b"HCP >= 15 \xff\xfe\n")
    (folder / "unknown.jsonl").write_text('{"prior": "", "call": "1N", "criteria": ["HPC > 1"]}\n')
    (folder / "syntax.jsonl").write_text('{"prior": "", "call": "1N", "criteria": ["HCP >"]}\n')
    (folder / "call.jsonl").write_text('{"prior": "", "call": "8N"}\n')
    for name, points in (("strong", "15-17"), ("weak", "12-14")):
        text = f"opening:\n  1NT = Strong: {points} points, balanced\n"
        (folder / f"{name}.bidding").write_text(text)
    (folder / "policy.csv").write_text("auction,call,probability\n,1C,0.5\n")
    small = write_small_table(folder)
    assert main(["table", "import", str(small), "--out", str(folder / "future")]) == 0
    manifest = folder / "future/manifest.json"
    value = json.loads(manifest.read_text())
    (key,) = (name for name in value if "version" in name)
    manifest.write_text(json.dumps({**value, key: 99}))
    return folder


CASES = [
    # what is typed is wrong
    ((), BAD_ARGUMENTS, "expected a command"),
    (("auction",), BAD_ARGUMENTS, "invalid choice: 'auction'"),
    (("intrepret", "1N"), BAD_ARGUMENTS, "; did you mean 'interpret'? (see bidcascade --help)"),
    (("bid",), BAD_ARGUMENTS, "required: HAND"),
    (("bid", HAND, "--verbose"), BAD_ARGUMENTS, "unrecognized arguments: --verbose"),
    (("bid", HAND, "--tabel", "sayc"), BAD_ARGUMENTS,
     "--tabel sayc; did you mean --table instead of --tabel? (see bidcascade bid --help)"),
    (("deals", "5", "--sed=1", "--out", "OUT.lin"), BAD_ARGUMENTS,
     "did you mean --seed instead of --sed? (see bidcascade deals --help)"),
    (("deals", "9", "--vulnerability", "NS"), BAD_ARGUMENTS, "did you mean --vul instead of"),
    (("--verson",), BAD_ARGUMENTS, "did you mean --version instead of --verson?"),
    (("system", "chek", "--tabel", "x"), BAD_ARGUMENTS, "; did you mean 'check'? (see"),
    (("table", "show", "sayc", "--jsn"), BAD_ARGUMENTS, "see bidcascade table show --help"),
    (("bid", "K52.AQ3.9876.KJ"), BAD_ARGUMENTS, "expected 13 cards, got 12"),
    (("bid", "K52.AQ3.9876.KJK"), BAD_ARGUMENTS, "K"),
    (("bid", "hello"), BAD_ARGUMENTS, "'hello'"),
    (("bid", HAND, "--auction", "1N P 1C"), BAD_ARGUMENTS, "call 3, '1C', is illegal"),
    (("bid", HAND, "--auction", "1N Q"), BAD_ARGUMENTS, "got 'Q'"),
    (("bid", HAND, "--auction", "1N P P P"), BAD_ARGUMENTS, "got '1N P P P'"),
    (("bid", HAND, "--dealer", "Q"), BAD_ARGUMENTS, "expected a seat (N, E, S or W), got 'Q'"),
    (("bid", HAND, "--vul", "we"), BAD_ARGUMENTS, "expected a vulnerability"),
    (("bid", HAND, "--table", "culbertson"), BAD_ARGUMENTS, "got 'culbertson'"),
    (("explain", "1N P", "--table", "acoll"), BAD_ARGUMENTS, "did you mean 'acol'?"),
    (("system", "show", "nope", "1N"), BAD_ARGUMENTS, "expected a system's name (acol, "),
    (("explain", "1N", "--table", "{small.jsonl}"), BAD_ARGUMENTS, "got a table of rows: "),
    (("system", "card", "{small.jsonl}"), BAD_ARGUMENTS, "a table of rows: "),
    (("bid", HAND, "--profile", "mlbridge"), BAD_ARGUMENTS, "only with a file of rows"),
    (("bid", HAND, "--backend", "abacus"), BAD_ARGUMENTS, "invalid choice: 'abacus'"),
    (("bid", HAND, "--backend", "cdua"), BAD_ARGUMENTS, "; did you mean 'cuda'? (see"),
    (("auctions", "N:AQ4 AQ4"), BAD_ARGUMENTS, "expected four hands"),
    (("auctions", DEAL.replace("AQ4", "AK4")), BAD_ARGUMENTS, "duplicate card: SK"),
    (("auctions", "md|3SAKQ,,,|"), BAD_ARGUMENTS, "3"),
    (("auctions", DEAL, "--dealer", "Q"), BAD_ARGUMENTS, "got 'Q'"),
    (("auctions", DEAL, "--vul", "we"), BAD_ARGUMENTS, "got 'we'"),
    (("auctions", DEAL, "--limit", "-1"), BAD_ARGUMENTS, "argument --limit: expected a whole"),
    (("auctions", DEAL, "--limit", "0"), BAD_ARGUMENTS, "got '0'"),
    (("auctions", DEAL, "--mode", "first", "--limit", "5"), BAD_ARGUMENTS, "only with --mode all"),
    (("auctions", DEAL, "--limit", "many"), BAD_ARGUMENTS, "got 'many'"),
    (("auctions", DEAL, "--mode", "first", "--completed"), BAD_ARGUMENTS, "only with --mode all"),
    (("deals", "0", "--seed", "1", "--out", "OUT.lin"), BAD_ARGUMENTS, "got '0'"),
    (("deals", "5", "--seed", "-1", "--out", "OUT.lin"), BAD_ARGUMENTS, "got '-1'"),
    (("deals", "5", "--seed", "1", "--out", "OUT.doc"), BAD_ARGUMENTS, "output ending in"),
    (("deals", "5", "--seed", "1", "--out", "no/x.lin"), BAD_ARGUMENTS, "folder that exists"),
    (("deals", "5", "--seed", "1", "--dealer", "Q", "--out", "OUT.lin"), BAD_ARGUMENTS, "'Q'"),
    (("deals", "5", "--seed", "1", "--where", "HCP > 3", "--out", "OUT.lin"),
     BAD_ARGUMENTS, "expected a seat with the term 'HCP'"),
    (("deals", "5", "--seed", "1", "--where", "HPC_N > 3", "--out", "OUT.lin"),
     BAD_ARGUMENTS, "did you mean 'HCP_N'"),
    (("deals", "5", "--seed", "1", "--where", "HCP_N >", "--out", "OUT.lin"),
     BAD_ARGUMENTS, "expected an operand at character 8"),
    (("augment", "{good.parquet}", "--out", "OUT", "--terms", "HPC"), BAD_ARGUMENTS, "'HPC'"),
    (("augment", "{good.parquet}", "--out", "OUT", "--auctions", "7N 1C"), BAD_ARGUMENTS, "'1C'"),
    (("batch", "{good.parquet}", "--out", "OUT", "--mode", "first", "--completed"),
     BAD_ARGUMENTS, "only with --mode all"),
    (("batch", "{good.parquet}", "--out", "OUT", "--mode", "counts", "--limit", "3"),
     BAD_ARGUMENTS, "expected --limit only with --mode all"),
    (("batch", "{good.parquet}", "--out", "OUT", "--table", "sayc", "--max-depth", "3"),
     BAD_ARGUMENTS, "expected --max-depth only with --mode all"),
    (("batch", "{good.parquet}", "--out", "OUT", "--mode", "all", "--limit", "0"),
     BAD_ARGUMENTS, "got '0'"),
    (("batch", "{good.parquet}", "--out", "OUT", "--jobs", "0"), BAD_ARGUMENTS, "got '0'"),
    (("load", "{good.parquet}", "--out", "OUT.parquet", "--rejects", "OUT.parquet"),
     BAD_ARGUMENTS, "expected two outputs, got 'OUT.parquet' for both"),
    (("load", "{good.parquet}", "--out", "OUT.parquet", "--rejects", "{good.parquet}", "--force"),
     BAD_ARGUMENTS, "expected an output that is no input"),
    (("load", "{good.parquet}", "--out", "OUT.parquet", "--rejects", "{short.lin}"),
     BAD_ARGUMENTS, "expected a Parquet file as output"),
    (("table", "counts", "{small.jsonl}", "{good.parquet}", "--out", "{good.parquet}", "--force"),
     BAD_ARGUMENTS, "expected an output that is no input"),
    (("table", "counts", "{small.jsonl}", "{good.parquet}", "--out", "{small.jsonl}"),
     BAD_ARGUMENTS, "expected a Parquet file as output"),
    (("table", "mine", "{good.parquet}", "--out", "OUT", "--rejects", "{short.lin}"),
     BAD_ARGUMENTS, "expected a Parquet file as output"),
    (("table", "policy", "{small.jsonl}", "{policy.csv}", "--out", "{small.jsonl}", "--force"),
     BAD_ARGUMENTS, "expected an output that is no input"),
    (("table", "learn", "{small.jsonl}", "{good.parquet}", "--out", "OUT", "--lift", "2"),
     BAD_ARGUMENTS, "expected --lift only with --rules"),
    (("table", "learn", "{small.jsonl}", "{good.parquet}", "--out", "OUT", "--most-rules", "2"),
     BAD_ARGUMENTS, "expected --most-rules only with --rules"),
    (("table", "learn", "{small.jsonl}", "--out", "OUT", "--layer", "learned", "--rules"),
     BAD_ARGUMENTS, "expected --rules only with archives to learn from"),
    (("table", "learn", "{small.jsonl}", "--out", "OUT", "--layer", "learned",
      "--minimum-hands", "3"),
     BAD_ARGUMENTS, "expected --minimum-hands only with archives to learn from"),
    (("table", "lint", "{small.jsonl}", "--seed", "3"),
     BAD_ARGUMENTS, "expected --seed only with --deals"),
    (("table", "lint", "{small.jsonl}", "--from", "{good.parquet}", "--seed", "3"),
     BAD_ARGUMENTS, "expected --seed only with --deals"),
    (("table", "show", "sayc", "1N 1C"), BAD_ARGUMENTS, "call 2, '1C', is illegal"),
    (("table", "paint"), BAD_ARGUMENTS, "invalid choice: 'paint'"),
    (("get", "/v1/nothing"), BAD_ARGUMENTS, "status 404"),
    (("get", "v1/tables"), BAD_ARGUMENTS, "expected a path"),
    (("get", "/v1/bid", "--data", "{{"), BAD_ARGUMENTS, "status 400"),
    (("get", "/v1/tables", "--table", "culbertson"), BAD_ARGUMENTS, "'culbertson'"),
    (("serve", "--port", "123456"), BAD_ARGUMENTS, "got '123456'"),
    (("serve", "--host", "256.256.256.256"), BAD_ARGUMENTS, "cannot listen on"),
    (LEAD, BAD_ARGUMENTS, "expected an auction or a contract, and not both"),
    ((*LEAD, "1N", "--contract", "3NE"), BAD_ARGUMENTS, "an auction or a contract, and not both"),
    ((*LEAD, "P P P P"), BAD_ARGUMENTS, "an auction that ends in a contract"),
    ((*LEAD, "1N 1C"), BAD_ARGUMENTS, "insufficient"),
    ((*LEAD, "1N P"), BAD_ARGUMENTS,
     "expected an auction that is over, got '1N P', where South is to call"),
    ((*LEAD, "1N P 3N P P"), BAD_ARGUMENTS, "expected an auction that is over"),
    ((*LEAD, "--contract", "8NE"), BAD_ARGUMENTS, "expected a contract such as"),
    ((*LEAD, "1N P 3N", "--known", "W:K+.+.+.+"), BAD_ARGUMENTS, "SK in W and in another hand"),
    ((*LEAD, "--contract", "3NE", "--known", "S:K+.+.+.+"), BAD_ARGUMENTS,
     "other hands than the leader's, S"),
    ((*LEAD, "--contract", "3NE", "--where", "HCP_N >="), BAD_ARGUMENTS, "expected an operand"),
    ((*LEAD, "--contract", "3NE", "--layouts", "0"), BAD_ARGUMENTS, "a whole number of at least 1"),
    (("lead", "K52.AQ3", "1N"), BAD_ARGUMENTS, "expected"),
    ((*INFER, "S2"), BAD_ARGUMENTS, "a card that South may play"),
    ((*INFER, "X9"), BAD_ARGUMENTS, "expected a card"),
    ((*INFER, "SA", "--ties", "maybe"), BAD_ARGUMENTS, "expected ties"),
    ((*INFER, "SA", "--ties", "softmax:-1"), BAD_ARGUMENTS, "a temperature above 0"),
    ((*INFER, "SA", "--exact", "--layouts", "3"), BAD_ARGUMENTS, "--exact without"),
    ((*INFER, "SA", "--trick", "S2"), BAD_ARGUMENTS, "expected hands"),
    ((*COMPARE[:2], "nothing.bidding"), BAD_ARGUMENTS, "nothing.bidding"),
    ((*COMPARE, "--dd-budget", "soon"), BAD_ARGUMENTS, "a budget"),
    (("compare", "sayc", "acol", "--dd-budget", "-3"), BAD_ARGUMENTS, "a budget"),
    (("bid", HAND, "--search", "5", "--scoring", "imps"), BAD_ARGUMENTS,
     "expected --scoring with --simulate, got it without"),
    (("bid", HAND, "--simulate", "5", "--doubled"), BAD_ARGUMENTS,
     "expected --doubled with --search, got it without"),
    (("bid", HAND, "--seed", "0"), BAD_ARGUMENTS,
     "expected --seed with --simulate or --search, got it without"),
    (("bid", HAND, "--tricks", "table"), BAD_ARGUMENTS, "--tricks with --simulate or --search"),
    (("bid", HAND, "--budget-ms", "5"), BAD_ARGUMENTS, "--budget-ms with --simulate or --search"),
    (("bid", HAND, "--simulate", "5", "--meanings", "acol"), BAD_ARGUMENTS,
     "expected --meanings with a foreign engine as --table, got 'sayc'"),
    (("bid", HAND, "--table", "engine:cat", "--option", "drury"), BAD_ARGUMENTS,
     "--overlay or --option, got a foreign engine"),
    (("bid", HAND, "--search", "0"), BAD_ARGUMENTS, "a number of deals from 1, got '0'"),
    (("bid", HAND, "--search", "--search-kinds", "nope"), BAD_ARGUMENTS, "kinds of decisions"),
    (("bid", HAND, "--search", "5000"), BAD_ARGUMENTS, "expected a layouts from 1 to 1,000"),
    (("bid", HAND, "--search", "--margin", "101"), BAD_ARGUMENTS, "a margin from 0 to 100"),
    (("deals", "2", "--seed", "1", "--theme", "slams"), BAD_ARGUMENTS, "expected a theme"),
    ((*COMPARE, "sayc"), BAD_ARGUMENTS, "expected two systems"),
    ((*COMPARE, "--deals", "0"), BAD_ARGUMENTS, "whole number"),
    ((*COMPARE, "--out", "{weak.bidding}"), BAD_ARGUMENTS, "a folder"),
    ((*COMPARE, "--resume"), BAD_ARGUMENTS, "--resume with --out"),
    ((*COMPARE, "--from", "x", "--deals", "3"), BAD_ARGUMENTS, "got --deals and --from"),
    ((*COMPARE, "--from", "{weak.bidding}"), BAD_INPUT, "got none"),
    (("system", "show", "culbertson"), BAD_ARGUMENTS, "got 'culbertson'"),
    # what is read is wrong
    (("load", "{nowhere.lin}", "--out", "OUT.lin"), BAD_INPUT, "nowhere.lin"),
    (("load", "{empty.lin}", "--out", "OUT.lin"), BAD_INPUT, "empty"),
    (("load", "{empty}", "--out", "OUT.lin"), BAD_INPUT, "expected deals, got none"),
    (("load", "{page.lin}", "--out", "OUT.lin"), BAD_INPUT, "HTML"),
    (("load", "{short.lin}", "--out", "OUT.lin"), BAD_INPUT, "short.lin, record 1"),
    (("load", "{title.lin}", "--out", "OUT.lin"), BAD_INPUT, "no board in the inputs"),
    (("load", "{cut.parquet}", "--out", "OUT.parquet"), BAD_INPUT, "cut.parquet"),
    (("load", "{noise.parquet}", "--out", "OUT.parquet"), BAD_INPUT, "noise.parquet"),
    (("load", "{evil.pkl}", "--out", "OUT.parquet"), BAD_INPUT, "evil.pkl"),
    (("auctions", "{cut.parquet}"), BAD_INPUT, "cut.parquet"),
    (("auctions", "{empty}"), BAD_INPUT, "got none: no board in the inputs"),
    (("augment", "{cut.parquet}", "--out", "OUT"), BAD_INPUT,
     "expected deals, got none; first reject: "),
    (("augment", "{good.parquet}", "--out", "OUT", "--expressions", "{expressions.txt}"),
     BAD_INPUT, "expressions.txt, line 2: unknown term 'HPC'"),
    (("augment", "{good.parquet}", "--out", "OUT", "--expressions", "{broken.txt}"),
     BAD_INPUT, "broken.txt, line 2: expected an operand"),
    (("augment", "{good.parquet}", "--out", "OUT", "--expressions", "{bytes.txt}"),
     BAD_INPUT, "expected text in UTF-8"),
    (("augment", "{good.parquet}", "--out", "OUT", "--expressions", "{nowhere}"),
     BAD_INPUT, "no such file"),
    (("batch", "{empty.lin}", "--out", "OUT"), BAD_INPUT, "empty"),
    (("batch", "{empty}", "--out", "OUT"), BAD_INPUT, "expected deals, got none"),
    (("batch", "{cut.parquet}", "--out", "OUT"), BAD_INPUT, "cut.parquet"),
    (("table", "import", "{evil.pkl}", "--out", "OUT"), BAD_INPUT, "system"),
    (("table", "import", "{empty.lin}", "--out", "OUT"), BAD_INPUT, "empty"),
    (("table", "import", "{unknown.jsonl}", "--out", "OUT"), BAD_INPUT, "HPC"),
    (("table", "import", "{syntax.jsonl}", "--out", "OUT"), BAD_INPUT, "expected an operand"),
    (("table", "import", "{call.jsonl}", "--out", "OUT"), BAD_INPUT, "8N"),
    (("table", "import", "{nowhere}", "--out", "OUT"), BAD_INPUT, "nowhere"),
    (("table", "import", "{good.parquet}", "--out", "OUT"), BAD_INPUT, "good.parquet"),
    (("bid", HAND, "--table", "{unknown.jsonl}"), BAD_INPUT, "HPC"),
    (("bid", HAND, "--table", "{evil.pkl}"), BAD_INPUT, "system"),
    (("table", "info", "{future}"), BAD_INPUT, "99"),
    (("batch", "{good.parquet}", "--out", "OUT", "--table", "{future}"), BAD_INPUT, "99"),
    (("table", "info", "{empty}"), BAD_INPUT, "empty"),
    (("table", "show", "sayc", "7N X XX"), BAD_INPUT, "7N"),
    (("table", "import", "{syntax.jsonl}", "--out", "OUT", "--user-terms", "{bytes.txt}"),
     BAD_INPUT, "bytes.txt': byte 0xff at 10"),
    (("table", "learn", "{call.jsonl}", "x.lin", "--out", "OUT", "--rules", "--expressions",
      "{nowhere}"), BAD_INPUT, "8N"),
    (("table", "announcements", "{short.lin}"), BAD_INPUT, "expected announcements, got none"),
    (("system", "fmt", "{bytes.txt}"), BAD_INPUT, "bytes.txt': byte 0xff at 10"),
    (("api-key", "club", "--file", "{bytes.txt}"), BAD_INPUT, "bytes.txt: expected UTF-8"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "code", "message"),
    rows_in_check(range(0, len(CASES), 3), *CASES),
    ids=lambda case: str(case)[:60],
)
def test_one_line_and_nothing_left(files, tmp_path, monkeypatch, capfd, words, code, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BIDCASCADE_CACHE", str(files / "cache"))
    arguments = [
        str(files / word[1:-1]) if word.startswith("{") and word.endswith("}") else word
        for word in words
    ]
    assert main(arguments) == code
    _, errors = capfd.readouterr()
    (line,) = errors.splitlines()
    assert line.startswith("bidcascade: error: ")
    assert message in line or message in line.lower()
    assert not list(tmp_path.iterdir())


def test_a_backend_that_is_not_there(capfd, monkeypatch):
    if why_unavailable("cuda") is None:
        pytest.skip("there is a GPU")
    assert main(["bid", HAND, "--backend", "cuda"]) == NO_BACKEND
    assert main(["batch", "deals.lin", "--out", "out", "--backend", "cuda"]) == NO_BACKEND
    first, second = capfd.readouterr().err.splitlines()
    assert first == second
    assert "backend 'cuda' cannot run here: " in first


@pytest.mark.skipif(os.name != "posix", reason="the shell's way to close a stream")
@pytest.mark.parametrize(
    ("closed", "arguments", "code", "message"),
    [
        ("<&-", ("auctions", "-"), BAD_INPUT, "expected deals in '-', got none; first reject"),
        (">&-", ("bid", HAND), 0, ""),
        ("2>&-", ("bid", "hello"), BAD_ARGUMENTS, ""),
        ("2>&-", ("load", "{good.parquet}", "--out", "OUT.lin"), 0, ""),
    ],
)
def test_a_closed_stream_is_no_error_of_ours(files, tmp_path, closed, arguments, code, message):
    names = {"OUT.lin": str(tmp_path / "OUT.lin"), "{good.parquet}": str(files / "good.parquet")}
    words = command(*(names.get(word, word) for word in arguments))
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *words],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=200,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert "internal error" not in done.stdout + done.stderr
    assert message in done.stderr


def test_debug_shows_where(capfd):
    assert main(["bid", "hello", "--debug"]) == BAD_ARGUMENTS
    errors = capfd.readouterr().err
    assert "Traceback" in errors
    assert errors.splitlines()[-1].startswith("bidcascade: error: ")


def test_an_error_of_ours_is_one_line_too(capfd, monkeypatch):
    def broken(words):
        raise RuntimeError("a bug\nin two lines")

    monkeypatch.setattr(cli, "make_parser", broken)
    assert main(["info"]) == cli.INTERNAL_ERROR
    assert capfd.readouterr().err == (
        "bidcascade: error: internal error: RuntimeError: a bug (--debug shows where)\n"
    )
    assert cli.exit_code(BackendUnavailable("no")) == NO_BACKEND
    assert cli.exit_code(MemoryError()) == BAD_INPUT


def test_a_port_in_use():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run_apart("serve", "--port", port)
    assert done == (
        BAD_ARGUMENTS,
        "",
        f"bidcascade: error: cannot listen on 127.0.0.1:{port}: address already in use\n",
    )


SEVERAL = """
import json, resource, sys
from bidcascade.service.cli import main
kind, limit = sys.argv[1].split("=")
resource.setrlimit(getattr(resource, kind), (int(limit), int(limit)))
print(json.dumps([main(words) for words in json.loads(sys.argv[2])]))
"""


def run_limited(limit, commands, folder):
    """Run several commands in one process under a limit; exit codes, and the lines of errors."""
    arguments = command(limit, json.dumps([list(map(str, words)) for words in commands]))
    arguments[2] = SEVERAL
    done = subprocess.run(
        arguments,
        env=environment(**NO_BYTECODE),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout), done.stderr.splitlines()


@pytest.mark.skipif(os.name != "posix", reason="limits are POSIX's")
def test_a_full_disk(tmp_path):
    """The system refuses files beyond a size, as it does where the disk is full."""
    good = tmp_path / "good.parquet"
    write_deal_parquet(random_deals(2000, seed=1), good)
    commands = [
        ("deals", 20000, "--seed", 1, "--out", "out.parquet"),
        ("deals", 2000, "--seed", 1, "--out", "out.lin"),
        ("deals", 2000, "--seed", 1, "--out", "out.pbn"),
        ("augment", good, "--out", "out.parquet", "--backend", "reference"),
        ("load", good, "--out", "out.pbn"),
    ]
    codes, errors = run_limited("RLIMIT_FSIZE=20000", commands, tmp_path)
    assert codes == [BAD_INPUT] * len(commands), errors
    for line, words in zip(errors, commands, strict=True):
        (out,) = (word for word in words if str(word).startswith("out."))
        assert line.startswith(f"bidcascade: error: cannot write '{out}': ")
    assert [file.name for file in tmp_path.iterdir()] == ["good.parquet"]


@pytest.mark.skipif(os.name != "posix", reason="limits are POSIX's")
@pytest.mark.parametrize("form", ["lin", "pbn", "rbn", "txt", "jsonl"])
def test_a_disk_that_is_full_when_the_file_is_closed(form, tmp_path):
    """The last bytes do not fit, which are written when the file is closed."""
    good, whole = tmp_path / "good.parquet", tmp_path / f"whole.{form}"
    write_deal_parquet(random_deals(40, seed=1), good)
    assert run_limited("RLIMIT_FSIZE=1000000", [("load", good, "--out", whole)], tmp_path)[0] == [0]
    limit = whole.stat().st_size - 1
    commands = [
        ("load", good, "--out", f"out.{form}"),
        ("deals", 40, "--seed", 1, "--out", f"out.{form}"),
    ]
    codes, errors = run_limited(f"RLIMIT_FSIZE={limit}", commands, tmp_path)
    assert codes == [BAD_INPUT] * 2
    assert errors == [f"bidcascade: error: cannot write 'out.{form}': File too large"] * 2
    assert {file.name for file in tmp_path.iterdir()} == {good.name, whole.name}


@pytest.mark.skipif(os.name != "posix", reason="needs sparse files and limits")
def test_two_gigabytes_of_garbage(tmp_path):
    big, good = tmp_path / "big.bin", tmp_path / "good.parquet"
    write_deal_parquet(random_deals(5, seed=1), good)
    noise = b"".join(json.dumps(number * 7919 % 104729).encode() for number in range(500))
    with big.open("wb") as file:
        file.write(b"\x01" + noise)
        file.truncate(2 << 30)
    commands = [
        ("load", big, "--out", "out.parquet"),
        ("batch", big, "--out", "out"),
        ("auctions", big),
        ("table", "import", big, "--out", "out"),
        ("bid", HAND, "--table", big),
        ("augment", good, "--out", "out.parquet", "--expressions", big),
    ]
    # as much data as half of the file is more than any of these may take
    codes, errors = run_limited(f"RLIMIT_DATA={1 << 30}", commands, tmp_path)
    assert codes == [BAD_INPUT] * len(commands)
    assert len(errors) == len(commands)
    for line in errors:
        assert line.startswith("bidcascade: error: ")
        assert "memory" not in line
    assert {file.name for file in tmp_path.iterdir()} == {"big.bin", "good.parquet"}


def test_the_poison_was_never_run(files):
    assert not Path("poisoned").exists()
    assert not (files / "poisoned").exists()


def test_a_batch_that_is_there_already(tmp_path):
    inputs = write_inputs(tmp_path, 30)
    out = tmp_path / "out"
    assert main(["batch", *map(str, inputs), "--out", str(out), "--mode", "first"]) == 0
    again = run_apart("batch", *inputs, "--out", out, "--mode", "first")
    assert (again.code, again.err.count("\n")) == (BAD_INPUT, 1)
    assert "which is there; --resume goes on with it, --force replaces it" in again.err
    other = run_apart("batch", *inputs, "--out", out, "--mode", "all", "--resume")
    assert (other.code, other.err.count("\n")) == (BAD_INPUT, 1)
    assert "another option mode" in other.err


def test_names_that_are_no_utf8(tmp_path):
    """Deals are read by them; what would have to be written down is refused."""
    name = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    folder = Path(name)
    folder.mkdir()
    good = folder / os.fsdecode(b"\xff.parquet")
    write_deal_parquet(random_deals(3, seed=1), tmp_path / "good.parquet")
    (tmp_path / "good.parquet").rename(good)
    out, archives = tmp_path / "out", tmp_path / "archives"
    for command_line in (
        ["load", folder, good, "--out", tmp_path / "deals.parquet"],
        ["load", good, "--out", tmp_path / "deals.lin"],
        ["batch", folder, "--out", out, "--mode", "first"],
        ["augment", good, "--out", tmp_path / "augmented.parquet"],
        ["archive", "add", "club", folder, "--folder", archives],
        ["archive", "add", "club", good, "--folder", archives],
    ):
        ran = run_apart(*command_line)
        assert ran.code == 0, ran.err
    for command_line in (
        ["load", good, "--out", folder / "deals.parquet"],
        ["load", good, "--out", folder / "deals.lin"],
        ["batch", good, "--out", folder / "out"],
        ["archive", "add", "club", good, "--folder", folder],
        ["bid", HAND, "--table", good],
        ["bid", HAND, "--overlay", good],
        ["table", "import", good, "--out", tmp_path / "table"],
        ["system", "check", good],
        ["interpret", name],
    ):
        ran = run_apart(*command_line)
        assert ran.code in (BAD_ARGUMENTS, BAD_INPUT), (command_line, ran.err)
        assert ran.err.startswith("bidcascade: error: expected text in UTF-8")
        assert ran.err.count("\n") == 1


def test_no_control_characters_reach_the_terminal(tmp_path):
    """Names of files are data of somebody."""
    bad = "\x1b[31mred\x07\u202e\x9b2J"
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / f"{bad}.lin").write_text("md|3SAKQ,HAKQ,DAKQ,|mb|1C|pg||\n")
    (folder / f"{bad}.bidding").write_text(f"opening:\n  1NT = {bad}: 15-17 pionts\n")
    (folder / f"{bad}.jsonl").write_text('{"prior": "", "call": "1N", "criteria": ["HPC"]}\n')
    with zipfile.ZipFile(folder / f"{bad}.zip", "w") as archive:
        archive.writestr(f"{bad}.lin", "md|3SAKQ,HAKQ,DAKQ,|mb|1C|pg||\n")
    write_deal_parquet(random_deals(3, seed=1), folder / "good.parquet")
    system, rows = folder / f"{bad}.bidding", folder / f"{bad}.jsonl"
    archives = ("--folder", tmp_path / "archives")
    for command_line in (
        ["load", folder, "--out", tmp_path / "deals.parquet"],
        ["load", folder, "--out", tmp_path / f"{bad}.lin"],
        ["load", folder / f"{bad}.lin", "--out", tmp_path / "none.parquet"],
        ["load", folder / f"{bad}.zip", "--out", tmp_path / "none.parquet"],
        ["load", folder / f"no{bad}.lin", "--out", tmp_path / "none.parquet"],
        ["archive", "add", "club", folder, *archives],
        ["archive", "show", "club", *archives],
        ["archive", "boards", "club", *archives],
        ["system", "check", system],
        ["system", "fmt", system],
        ["bid", HAND, "--table", system],
        ["bid", HAND, "--table", rows],
        ["table", "import", rows, "--out", tmp_path / "table"],
        ["bid", HAND, "--overlay", rows],
        ["bid", bad],
        [bad],
    ):
        ran = run_apart(*command_line)
        for sign in bad:
            assert sign.isprintable() or sign not in ran.out + ran.err, (command_line, ran)
