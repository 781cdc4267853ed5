"""What CI counts as a line of code, and what with it is compared."""

import importlib.util
import os
import shutil
import subprocess

import pytest

from tests.support.docs import CHECKOUT

pytestmark = pytest.mark.checkout

PYTHON = '''"""What the module
is for."""

# a remark
LIMIT = 3  # counts
"""What it limits."""


def double(value):
    """Not counted."""
    text = """counted, for it

    is data"""
    return (
        value * 2,
        text,
    )
'''
JAVASCRIPT = r"""// a remark
/* two lines
   of it */ const one = "/* no remark */";

const two = `
  // text
`; // a remark
const three = text.replace(/["'`/*]/g, ""); /* a remark
that goes on */
"""
CUDA = """#include "base.hpp"  // counts
/*
 * drawn
 */
__global__ void count(int *out) { /* here */
    // nothing
    out[0] = '/';
}
"""


@pytest.fixture(scope="module")
def counter():
    spec = importlib.util.spec_from_file_location("counter", CHECKOUT / ".ci" / "token_lines.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("kind", "text", "lines"),
    [
        (".py", PYTHON, 9),
        (".py", "", 0),
        (".js", JAVASCRIPT, 5),
        (".cu", CUDA, 4),
        (".hpp", "// only\n\n", 0),
        (".css", "/* sizes */\na {\n  background: url(//x); /* why */\n}\n", 3),
        (".lark", '// rules\nstart: "//" name\nname: /[a-z\\/]+/ // letters\n', 2),
        (".html", "<!-- a\nremark -->\n<p>text</p>\n\n", 1),
        (".md", "# Text\n", 0),
    ],
)
def test_lines_with_code_are_counted(counter, kind, text, lines):
    assert counter.token_lines(kind, text) == lines


def test_every_room_has_code(counter):
    # one file of each: nox -s style counts them all
    found = set()
    for path, text in counter.files_here():
        room = path.partition("/")[0]
        if room not in found and counter.by_room([(path, text)])[room]:
            found.add(room)
    assert found == set(counter.ROOMS)


def test_a_checkout_is_compared_with_what_has_landed(counter, tmp_path, monkeypatch, capsys):
    """An earlier day, then the remote's main, or what is named; none where there is no commit."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")

    def git(*words, day=1):
        told = {f"GIT_{who}_DATE": f"2026-01-0{day}T12:00:00" for who in ("AUTHOR", "COMMITTER")}
        told = {**os.environ, **told, "GIT_CONFIG_GLOBAL": os.devnull}
        names = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *names, *words], cwd=tmp_path, check=True, env=told)

    def last_line(*arguments):
        counter.main(list(arguments))
        return capsys.readouterr().out.splitlines()[-1].split()

    monkeypatch.setattr(counter, "ROOT", tmp_path)
    file = tmp_path / "bridge" / "calls.py"
    file.parent.mkdir()
    file.write_text("ONE = 1\n", "utf-8")
    assert last_line() == ["all", "1"]
    git("init", "-q")
    for day in (1, 2, 2):
        git("add", ".", day=day)
        git("commit", "-qm", "More", day=day)
        file.write_text(f"{file.read_text('utf-8')}# a remark\nTWO = 2\n", "utf-8")
    assert last_line() == ["all", "4", "+3"]
    git("update-ref", "refs/remotes/origin/main", "HEAD~1")
    assert last_line() == ["all", "4", "+2"]
    assert last_line("HEAD") == ["all", "4", "+1"]
    with pytest.raises(SystemExit, match="expected a commit, got 'nothing'"):
        last_line("nothing")
