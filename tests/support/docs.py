"""Code blocks of the documentation: taken out of the pages, run, and compared with what is shown.

A page's blocks run one after the other in one folder, so that later ones may use what earlier ones
made. What a block is for is told by its language and by a comment in the line before it:

* ``sh``: commands of ``bidcascade``, and ``curl`` to the service, which is asked in this process;
* ``text`` or ``json`` behind ``sh``: what the commands print, where ``…`` stands for anything;
* ``python``: run, all blocks of a page in one namespace; ``pycon``: a doctest in the same one;
* ``<!-- file: NAME -->``: written to that file; ``<!-- exit N -->``: the last command ends so;
* ``<!-- needs: LIBRARY -->``: run where the library is installed, which it has to be in CI;
* ``<!-- not run -->`` and ``<!-- ci:… -->``: left alone.
"""

import contextlib
import doctest
import importlib.util
import io
import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bidcascade.engine.settings import Settings
from bidcascade.service.api.app import create_app
from bidcascade.service.cli import COMMANDS, main, make_parser
from tests.service.jobs.support_jobs import wait_for
from tests.support.service import ask

CHECKOUT = Path(__file__).parents[2]
SERVICE = "http://127.0.0.1:8000"
_BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]*?) -->\n)?```(?P<language>\w*)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    """A fenced block of a page."""

    line: int
    mark: str
    language: str
    body: str
    follows: bool
    """Whether nothing stands between the block before and this one."""


def page_text(name: str) -> str:
    """Text of a page; a test that asks for one is marked ``checkout``."""
    return (CHECKOUT / name).read_text("utf-8")


def blocks_of(text: str) -> list[Block]:
    """Fenced blocks of a page in order."""
    blocks = []
    end = 0
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        follows = not text[end : match.start()].strip()
        blocks.append(Block(line, match["mark"] or "", match["language"], match["body"], follows))
        end = match.end()
    return blocks


def commands_of(script: str) -> Iterator[list[str]]:
    """Commands of a shell block as words; a command goes on while a quote or ``\\`` is open."""
    waiting = ""
    for line in script.splitlines():
        waiting += line
        if waiting.endswith("\\"):
            waiting = waiting[:-1]
            continue
        try:
            words = shlex.split(waiting, comments=True)
        except ValueError:
            waiting += "\n"
            continue
        waiting = ""
        if words:
            yield words
    assert not waiting, f"expected a whole command, got {waiting!r}"


def squeezed(text: str, language: str) -> str:
    """Text as it is compared: JSON without blanks, else without those at the ends of lines."""
    if language == "json":
        return re.sub(r"\s+", "", text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def matches(shown: str, printed: str, language: str = "text") -> bool:
    """Whether a text was printed as it is shown; ``…`` stands for anything."""
    parts = map(re.escape, squeezed(shown, language).split("…"))
    return re.fullmatch(".*?".join(parts), squeezed(printed, language), re.DOTALL) is not None


_PROGRESS = r"^bidcascade: [\w ]+: .* \(after .*\)\n"
"""A line of progress, which comes where a machine is slow."""


def text_in(stream: io.TextIOWrapper) -> str:
    """Text that was written to a stream so far, without how far work that took long was."""
    return re.sub(_PROGRESS, "", stream.buffer.getvalue().decode(), flags=re.MULTILINE)


class Page:
    """Runs the blocks of one page; the current folder is where their files go."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        self.printed: str | None = None
        self.ran: list[str] = []
        self._app: Any = None
        self._job = ""

    def close(self) -> None:
        """End what the service that was asked has begun."""
        if self._app is not None:
            self._app.state.own.jobs.close()

    def run(self, block: Block) -> None:
        where = f"{self.name}:{block.line}"
        if not block.follows:
            self.printed = None
        mark, _, argument = block.mark.partition(": ")
        if mark == "not run" or mark.startswith("ci:"):
            self.printed = None
            return
        if mark == "needs" and importlib.util.find_spec(argument) is None:
            assert not os.environ.get("CI"), f"{where}: {argument} is not installed"
            self.printed = None
            return
        if mark == "file":
            Path(argument).write_text(block.body, "utf-8")
        elif block.language == "sh":
            exit_code = int(mark.removeprefix("exit ")) if mark.startswith("exit ") else 0
            self.printed = self._run_shell(block.body, exit_code, where)
            return
        elif block.language in ("text", "json") and self.printed is not None:
            assert matches(block.body, self.printed, block.language), (
                f"{where} shows\n{block.body}\nbut printed is\n{self.printed}"
            )
        elif block.language == "python":
            # a page of our own, in its own namespace
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block.body, where, "exec"), self.namespace)
            self.ran.append("python")
        elif block.language == "pycon":
            self._run_session(block, where)
        else:
            assert block.language in ("", "text"), f"{where} is neither run nor marked"
        self.printed = None

    def _run_shell(self, script: str, exit_code: int, where: str) -> str:
        # the bytes below the text are written to as well
        printed = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True)
        code = 0
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            for words in commands_of(script):
                assert code == 0, f"{where}: {code} before {shlex.join(words)}: {text_in(printed)}"
                if words[0] == "curl":
                    printed.write(self._curl(words, where))
                    continue
                assert words[0] == "bidcascade", f"{where}: {words[0]!r} cannot be run"
                if words[1] in COMMANDS:
                    self.ran.append(words[1])
                if words[1] in ("serve", "lsp", "mcp"):
                    # they would not come back
                    make_parser(words[1:]).parse_args(words[1:])
                    continue
                code = main(words[1:])
        assert code == exit_code, f"{where}: exit code {code}: {text_in(printed)}"
        return text_in(printed)

    def _curl(self, words: list[str], where: str) -> str:
        """Ask the service; ``$JOB`` is the job that was begun last, which is waited for."""
        method, url, headers, target = "GET", "", {}, None
        content: bytes | None = None
        rest = iter(words[1:])
        for word in rest:
            if word in ("-d", "--data"):
                method, content = "POST", next(rest).encode()
                json.loads(content)
            elif word in ("-T", "--upload-file"):
                content = Path(next(rest)).read_bytes()
            elif word in ("-X", "--request"):
                method = next(rest)
            elif word in ("-o", "--output"):
                target = Path(next(rest))
            elif word in ("-H", "--header"):
                name, _, value = next(rest).partition(": ")
                headers[name] = value
            elif not word.startswith("-"):
                url = word.replace("$JOB", self._job)
        assert url.startswith(SERVICE), f"{where}: {url!r}"
        if self._app is None:
            self._app = create_app(
                Settings(backend="cpu", data_folder="data", archives_folder="archives")
            )
            self._app.state.own.tables.load()
        answer = ask(self._app, method, url[len(SERVICE) :], content=content, headers=headers)
        assert answer.is_success, f"{where}: {answer.text}"
        self.ran.append("curl")
        if answer.status_code == 202:
            self._job = answer.json()["id"]
            wait_for(self._app, self._job)
        if target is not None:
            target.write_bytes(answer.content)
            return ""
        return answer.text

    def _run_session(self, block: Block, where: str) -> None:
        test = doctest.DocTestParser().get_doctest(
            block.body, self.namespace, self.name, where, block.line
        )
        assert test.examples, f"{where}: no example"
        report: list[str] = []
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        runner = doctest.DocTestRunner(optionflags=flags, verbose=False)
        runner.run(test, out=report.append, clear_globs=False)
        self.namespace.update(test.globs)
        assert runner.summarize(verbose=False).failed == 0, "".join(report)
        self.ran.append("python")


def run_page(name: str) -> list[str]:
    """Run all blocks of a page; the commands that ran are returned."""
    page = Page(name)
    try:
        for block in blocks_of(page_text(name)):
            page.run(block)
    finally:
        page.close()
    return page.ran
