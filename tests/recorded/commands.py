"""Runs the commands of ``commands.txt`` in this process, each from the same folder."""

import contextlib
import io
import os
import shlex
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from time import perf_counter
from typing import Any

from .answers import LEFT_OUT, body_text, cleaned, shape
from .inputs import write_archives

HERE = Path(__file__).parent
_TEXTS = {
    "DEAL": "N:AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 T32.T94.JT2.A876",
    "HAND": "AQ4.KJ3.K876.Q52",
    "LIN": "md|3SJ876HA65DQ93CJ94,ST32HT94DJT2CA876,SAQ4HKJ3DK876CQ52,|sv|o|",
    "ENDING": "N:KJ.Q.A. Q..K.QJ A.K.J.K .AJ.Q.A",
}


def all_commands(systems: Mapping[str, str]) -> list[list[str]]:
    """Words of all commands, in their order."""
    found = []
    for line in (HERE / "commands.txt").read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        twice = line.startswith("* ")
        words = [_TEXTS.get(word, word) for word in shlex.split(line.removeprefix("* "))]
        for name, system in systems.items():
            words = [word.replace(f"{name}.bidding", system) for word in words]
        found.append(words)
        if twice:
            # what it writes goes beside what it wrote before
            found.append(
                [
                    word.replace("out/", "out/json-") if before in ("--out", "--rejects") else word
                    for before, word in zip(["", *words], words, strict=False)
                ]
                + ["--json"]
            )
    return found


def record_commands(
    folder: Path, only: Set[str] = frozenset(), *, systems: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Run all commands; a line of the record for each."""
    write_archives(folder)
    (folder / "out").mkdir()
    before = Path.cwd()
    os.chdir(folder)
    try:
        for words in all_commands(systems):
            # one reads what others of its kind wrote
            if only and words[0] not in {one.partition(" ")[0] for one in only}:
                continue
            start = perf_counter()
            line = {**_run(words, folder), "took": perf_counter() - start}
            if not only or line["operation"] in only:
                yield line
    finally:
        os.chdir(before)


def _run(words: list[str], folder: Path) -> dict[str, Any]:
    from bidcascade.service.cli import main

    names = {str(folder): LEFT_OUT, str(folder.parent): LEFT_OUT}
    known = _files(folder)
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words)
        except SystemExit as end:
            code = f"left with {end.code}"  # type: ignore[assignment]
    parts = [body_text("", stream.buffer.getvalue(), names) for stream in (out, err)]  # type: ignore[attr-defined]
    written = _files(folder)
    for name in sorted(name for name, state in written.items() if known.get(name) != state):
        parts.append(f"{name}:\n{body_text('', (folder / name).read_bytes(), names)}")
    body = "\n".join(part for part in parts if part)
    return {
        "operation": _operation(words),
        "request": cleaned(shlex.join(words), names),
        "status": code,
        "kind": "--json" if words[-1] == "--json" else "text",
        # versions and places of this machine
        "body": shape(body) if words == ["info", "--json"] else body,
    }


def _operation(words: list[str]) -> str:
    """Name of a command in the record: with its action, if it has some."""
    has_actions = words[0] in ("archive", "export", "system", "table", "table-manager")
    return " ".join(words[:2] if has_actions else words[:1])


def _files(folder: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for path in (folder / "out").rglob("*"):
        if path.is_file():
            state = path.stat()
            found[str(path.relative_to(folder))] = (state.st_mtime_ns, state.st_size)
    return found
