"""Command ``table-manager``: programs play over loopback, and what fails is told."""

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bidcascade.loaders import read_deals
from bidcascade.service.cli import BAD_ARGUMENTS, NO_BACKEND, main
from tests.support.cli import command, environment

TINY = "opening:\n  1NT = Strong: 15-17 points, balanced; artificial\n  1C = Other: 12+ points\n"


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.bidding").write_text(TINY)
    return "tiny.bidding"


def test_two_systems_play_and_leave_a_log(tiny, capsys):
    arguments = ["table-manager", "host", "--ns", tiny, "--ew", "engine:sed -u s/.*/P/"]
    arguments += ["--card-ms", "0"]
    assert main([*arguments, "--boards", "6", "--log", "match.pbn", "--room", "closed"]) == 0
    out, err = capsys.readouterr()
    assert re.fullmatch(
        r"tiny N \(N/S\) against sed E \(E/W\): 6 boards, [+-][\d,]+ points .*\n", out
    )
    assert "wrote 6 boards to match.pbn (PBN)" in err
    log = read_deals("match.pbn", whole=True).deals
    assert log.height == 6
    played = log.filter(log["contract"] != "Pass")
    assert played.height
    assert set(played["play"].list.len().to_list()) == {52}
    # artificial calls are alerted
    opened = log.filter(log["auction"].list.contains(7))
    assert all("Strong" in texts for texts in opened["announcements"].to_list())


def test_seats_that_weigh_cards_play_too(tiny, capsys):
    """One board, and the time of a few layouts."""
    arguments = ["table-manager", "host", "--ns", tiny, "--ew", tiny, "--boards", "1"]
    assert main([*arguments, "--card-ms", "60", "--weigh-cards", "--log", "match.pbn"]) == 0
    assert set(read_deals("match.pbn", whole=True).deals["play"].list.len().to_list()) <= {0, 52}


def test_cards_over_a_number_of_layouts_are_the_same_again(tiny, capsys):
    arguments = ["table-manager", "host", "--ns", tiny, "--ew", tiny, "--boards", "1"]
    for name in ("one.pbn", "two.pbn"):
        assert main([*arguments, "--layouts", "4", "--log", name]) == 0
    assert Path("one.pbn").read_bytes() == Path("two.pbn").read_bytes()
    assert main([*arguments, "--layouts", "4", "--card-ms", "50"]) == BAD_ARGUMENTS
    assert "expected --card-ms or --layouts, got both" in capsys.readouterr().err


def test_claims_are_taken_where_they_are_asked_for(tiny, capsys):
    """Boards end early, with their tricks, and the log says who claimed."""
    arguments = ["table-manager", "host", "--ns", tiny, "--ew", tiny, "--boards", "12"]
    arguments += ["--seed", "3", "--card-ms", "0"]
    assert main([*arguments, "--log", "whole.pbn"]) == 0
    assert main([*arguments, "--claims", "--log", "claims.pbn"]) == 0
    whole, claims = (read_deals(name, whole=True).deals for name in ("whole.pbn", "claims.pbn"))
    claimed = claims.filter(claims["commentary"].list.len() > 0)
    assert claimed.height
    assert all("claims" in one[0] for one in claimed["commentary"].to_list())
    assert (claimed["play"].list.len() < 52).all()
    for name in ("contract", "tricks", "score"):
        assert claims[name].to_list() == whole[name].to_list()


def test_programs_come_from_outside(tiny, tmp_path):
    hosting = subprocess.Popen(
        command(
            "table-manager",
            "host",
            "--ns",
            tiny,
            "--boards",
            "2",
            "--seating-s",
            "100",
            "--card-ms",
            "0",
        ),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert hosting.stderr is not None
    port = re.search(r":(\d+)$", hosting.stderr.readline().strip())[1]
    sits = [
        subprocess.Popen(
            command(
                "table-manager",
                "sit",
                seat,
                tiny,
                "--port",
                port,
                "--team",
                "guests",
                "--card-ms",
                "0",
            ),
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        for seat in "EW"
    ]
    for one in sits:
        assert "2 boards played" in one.communicate(timeout=200)[1]
    out, err = hosting.communicate(timeout=200)
    assert "against guests (E/W): 2 boards" in out, err


def test_an_engine_that_fails_is_told_and_the_log_kept(tiny, capsys):
    Path("dies.py").write_text(
        "import sys\n"
        "for number, line in enumerate(sys.stdin):\n"
        "    print('P' if number < 6 else 'oops', flush=True)\n"
    )
    dies = f"engine:{sys.executable} dies.py"
    arguments = ["table-manager", "host", "--ns", dies, "--ew", tiny, "--boards", "30"]
    arguments += ["--card-ms", "0"]
    assert main([*arguments, "--log", "part.pbn"]) == NO_BACKEND
    err = capsys.readouterr().err
    assert "expected a call (P, X, XX or 1C … 7N), got 'oops'" in err
    assert 0 < read_deals("part.pbn", whole=True).deals.height < 30


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["host", "--seating-s", "1"], NO_BACKEND, "expected four programs within 1 s"),
        (["host", "--boards", "3", "--from", "x.pbn"], BAD_ARGUMENTS, "--boards or --from"),
        (["host", "--ns", "nowhere"], BAD_ARGUMENTS, "nowhere"),
        (["host", "--log", "match.lin"], BAD_ARGUMENTS, "ending in .pbn, got 'match.lin'"),
        (["sit", "Q", "sayc"], BAD_ARGUMENTS, "Q"),
        (["sit", "N"], BAD_ARGUMENTS, "SYSTEM"),
    ],
)
def test_what_is_wrong(arguments, code, message, capsys):
    assert main(["table-manager", *arguments]) == code
    assert message in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="only there all of 127.0.0.0/8 is loopback")
def test_seats_of_ours_come_to_the_address_of_the_table(tiny, capsys):
    arguments = ["table-manager", "host", "--host", "127.0.0.2", "--ns", tiny, "--ew", tiny]
    assert main([*arguments, "--boards", "1", "--card-ms", "0", "--seating-s", "20"]) == 0
    assert "1 boards" in capsys.readouterr().out


def test_nobody_listens(tiny, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert main(["table-manager", "sit", "N", tiny, "--port", str(port)]) == NO_BACKEND
    assert f"expected a table manager at 127.0.0.1:{port}" in capsys.readouterr().err
