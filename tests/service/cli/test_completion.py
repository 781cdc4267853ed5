"""Shells complete commands and options, by the program's own answers."""

import pytest

from bidcascade.service.cli import COMMANDS, DONE, main
from bidcascade.service.cli.completion import SHELLS
from tests.support.cli import PROGRAM, run_python


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_for_each_shell(capsys, shell):
    assert main(["completion", shell]) == DONE
    script = capsys.readouterr().out
    assert "bidcascade" in script
    assert "_ARGCOMPLETE" in script


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("bidcascade ba", {"bank", "batch"}),
        ("bidcascade ", {*COMMANDS}),
        ("bidcascade deals --see", {"--seed"}),
        ("bidcascade table li", {"lint"}),
        ("bidcascade batch --backend c", {"cpu", "cuda"}),
        ("bidcascade table", {"table", "table-manager"}),
        ("bidcascade nonsense --x", set()),
    ],
)
def test_words_that_may_stand_next(tmp_path, line, words):
    told = tmp_path / "told"
    ran = run_python(
        PROGRAM,
        _ARGCOMPLETE="1",
        _ARGCOMPLETE_IFS="\n",
        _ARGCOMPLETE_SUPPRESS_SPACE="1",
        _ARGCOMPLETE_STDOUT_FILENAME=str(told),
        COMP_LINE=line,
        COMP_POINT=str(len(line)),
    )
    assert ran.err == ""
    found = set(told.read_text().split("\n")) - {""}
    assert {one for one in found if not one.startswith("-") or one in words} == words
