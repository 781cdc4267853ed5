"""The files that a job leaves to download, made from the folder of its batch.

Each is written whole or not at all, and always with the same bytes: a job that was killed while it
wrote them goes on with those that are missing.

    Parquet     auctions.parquet; mode all also boards.parquet, entries.parquet; counts.parquet
    JSON Lines  auctions.jsonl, a line a board; counts.jsonl, a line an entry
    PBN         auctions.pbn, the boards with the auction that the table bids (mode first)
    always      rejects.jsonl, a line for each record that is no deal
"""

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, get_args

import polars as pl

from bidcascade.engine.engine import Engine
from bidcascade.engine.questions.service.jobs import ResultForm
from bidcascade.engine.runs.annotated_boards import RowsOf, annotated_games
from bidcascade.engine.runs.manifest import Manifest
from bidcascade.engine.runs.readable import call_texts
from bidcascade.loaders.files.whole_files import can_write, whole_file
from bidcascade.loaders.inputs import Source
from bidcascade.table.formats.parquet import write_frames

from .store import ResultFile

RESULT_FORMS: Final[tuple[ResultForm, ...]] = get_args(ResultForm)

MEDIA_TYPES: Final = {
    ".parquet": "application/vnd.apache.parquet",
    ".jsonl": "application/jsonl",
    ".pbn": "application/x-pbn",
    ".html": "text/html",
    ".md": "text/markdown",
    ".json": "application/json",
}
REJECTS: Final = "rejects.jsonl"
_GROUP_ROWS: Final = 1 << 18


def result_names(mode: str, forms: Iterable[str]) -> list[str]:
    """Names of the files that a job leaves."""
    stem = "counts" if mode == "counts" else "auctions"
    names = []
    for form in RESULT_FORMS:
        if form not in forms:
            continue
        names.append(f"{stem}.{form}")
        if form == "parquet" and mode == "all":
            names += ["boards.parquet", "entries.parquet"]
    return [*names, REJECTS]


def write_results(
    engine: Engine, batch: Path, folder: Path, sources: Sequence[Source], forms: Iterable[str]
) -> list[ResultFile]:
    """Write the files that are missing, from a batch that is finished.

    Parameters
    ----------
    engine : Engine
    batch : path
        Folder of the batch.
    folder : path
        Where they go; made if it is not there.
    sources : sequence of Source
        What the batch read; read again for PBN.
    forms : iterable of str
        Some of :data:`RESULT_FORMS`.

    Raises
    ------
    CannotWrite
        If a file cannot be written.
    """
    manifest = Manifest.read(batch)
    mode: str = manifest.options["mode"]
    folder.mkdir(exist_ok=True)
    names = result_names(mode, forms)
    for stray in folder.iterdir():
        if stray.name not in names:
            stray.unlink()
    for name in names:
        path = folder / name
        if path.exists():
            continue
        with whole_file(path) as partial, can_write(path):
            if name == REJECTS:
                _write_lines(_frames(batch, manifest.named("rejects-")), partial)
            elif name.endswith(".parquet"):
                _join_parquet([batch / one for one in _files_of(manifest, name)], partial)
            elif name.endswith(".pbn"):
                answers = _frames(batch, manifest.named("auctions-"))
                with partial.open("w", encoding="utf-8", newline="\n") as file:
                    file.writelines(annotated_games(engine, sources, answers))
            else:
                _write_lines(_lines(batch, manifest, mode), partial)
    return [result_file(folder / name) for name in names]


def result_file(path: Path) -> ResultFile:
    """Tell what is to be said about a file to download."""
    return ResultFile(path.name, path.stat().st_size, MEDIA_TYPES[path.suffix])


def _files_of(manifest: Manifest, name: str) -> list[str]:
    if name in manifest.results:
        return [name]
    return list(manifest.named(f"{Path(name).stem}-"))


def _frames(batch: Path, names: Iterable[str]) -> Iterator[pl.DataFrame]:
    for name in names:
        yield pl.read_parquet(batch / name)


def _join_parquet(parts: list[Path], target: Path) -> None:
    """Write the rows of some files of one schema as one file, without holding them all."""
    # the same rows give the same bytes, however they lie in the files

    def groups() -> Iterator[pl.DataFrame]:
        rows = RowsOf(pl.read_parquet(part) for part in parts)
        while (group := rows.take(_GROUP_ROWS)).height:
            # polars cuts pages by how rows lie in memory: nothing of that is left after this
            stream = io.BytesIO()
            group.rechunk().write_ipc_stream(stream, compat_level=pl.CompatLevel.oldest())
            yield pl.read_ipc_stream(stream.getvalue())

    schema = pl.Schema(pl.read_parquet_schema(parts[0]))
    write_frames(groups(), schema, target, row_group_size=_GROUP_ROWS, statistics=False)


def _write_lines(frames: Iterable[pl.DataFrame], target: Path) -> None:
    with target.open("wb") as file:
        for frame in frames:
            if frame.height:
                frame.write_ndjson(file)


# --- JSON Lines ----------------------------------------------------------------------------------


def _lines(batch: Path, manifest: Manifest, mode: str) -> Iterator[pl.DataFrame]:
    if mode == "counts":
        yield from _frames(batch, ["counts.parquet"])
    elif mode == "first":
        for frame in _frames(batch, manifest.named("auctions-")):
            yield _with_calls(frame)
    else:
        entries = pl.read_parquet(batch / "entries.parquet", columns=["entry", "calls"])
        described = entries.with_columns(pl.col("calls").str.split(" "))
        for part in manifest.parts:
            boards = [name for name in part.files if name.startswith("boards-")]
            if boards:
                auctions = [name for name in part.files if name.startswith("auctions-")]
                yield from _boards_with_auctions(batch, boards[0], auctions, described)


def _with_calls(frame: pl.DataFrame) -> pl.DataFrame:
    """Auctions as lists of texts of calls, under the name that other answers have for them."""
    lists = {"auction": "calls", "source_auction": "source_calls"}
    named = {old: new for old, new in lists.items() if old in frame.columns}
    return (
        frame.drop(named.values(), strict=False).with_columns(map(call_texts, named)).rename(named)
    )


def _boards_with_auctions(
    batch: Path, boards_file: str, auction_files: Sequence[str], entries: pl.DataFrame
) -> Iterator[pl.DataFrame]:
    """Boards of a part, each with the list of its auctions; a file of auctions at a time."""
    boards = pl.read_parquet(batch / boards_file)
    first = 0
    for number, name in enumerate(auction_files, 1):
        auctions = pl.read_parquet(batch / name)
        last = boards.height
        if number < len(auction_files) and auctions.height:
            # the auctions of a deal are never in two files
            last = int(auctions["deal"][-1]) - int(boards["deal"][0]) + 1
        some = boards.slice(first, last - first)
        first = last
        # auctions of systems say their calls themselves
        with_calls = (
            auctions.with_columns(pl.col("calls").str.split(" "))
            if "calls" in auctions.columns
            else auctions.join(entries, on="entry", how="left", maintain_order="left")
        )
        listed = with_calls.group_by("deal", maintain_order=True).agg(
            auctions=pl.struct("calls", "entry")
        )
        empty = pl.lit([], dtype=listed.schema["auctions"])
        yield some.join(listed, on="deal", how="left", maintain_order="left").with_columns(
            pl.col("auctions").fill_null(empty)
        )
