"""Ten kinds of files made to fill the memory or to take for ever, for each reader.

Each is a beginning, a unit that comes again and again, and an end, written piece by piece.
"""

import gzip
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

KINDS: Final = (
    "line",
    "none",
    "tokens",
    "nesting",
    "packed",
    "names",
    "number",
    "notes",
    "open",
    "bytes",
)
"""What there is too much of: one line; records that are none; tokens in a record; brackets in
brackets; unpacked bytes; names of all sorts; one token; notes; what is never closed; bytes that are
no text."""

_DEAL: Final = "AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
_MD: Final = "3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,"
_BYTES: Final = b"\xf0\x9f\x82\xa1\xff\xc3"
_PIECE: Final = 1 << 20


class Bomb(NamedTuple):
    """A text: ``{n}`` in the unit stands for its number."""

    head: str
    unit: str
    tail: str = ""

    def pieces(self, size: int) -> Iterator[bytes]:
        """Give the text in pieces, about ``size`` bytes in all."""
        yield self.head.encode()
        numbered = "{n}" in self.unit
        written = number = 0
        if not numbered:
            unit = self.unit.encode("latin-1") if self.unit == _RAW else self.unit.encode()
            while written < size:
                piece = unit * max(1, min(_PIECE, size - written) // len(unit))
                yield piece
                written += len(piece)
        while numbered and written < size:
            some = "".join(self.unit.replace("{n}", str(number + one)) for one in range(10_000))
            number += 10_000
            yield some.encode()
            written += len(some)
        yield self.tail.encode()


_RAW: Final = _BYTES.decode("latin-1")

_LIN: Final[Mapping[str, Bomb]] = {
    "line": Bomb(f"qx|o1|md|{_MD}|nt|", "a squeeze "),
    "none": Bomb("", "qx|o1|"),
    "tokens": Bomb(f"qx|o1|md|{_MD}|", "mb|p|"),
    "nesting": Bomb(f"qx|o1|md|{_MD}|nt|", "((((([[[["),
    "packed": Bomb("", "qx|o1|\n"),
    "names": Bomb("", "vg|Cup {n},,I,1,2,A,0,B,0|rs|4SN=,|pn|a{n},b,c,d|"),
    "number": Bomb("qx|o", "1234567890"),
    "notes": Bomb(f"qx|o1|md|{_MD}|mb|1C|", "an|a club|nt|oh|"),
    "open": Bomb(f"qx|o1|md|{_MD}|mb|1C|", "an (\"{['"),
    "bytes": Bomb(f"qx|o1|md|{_MD}|nt|", _RAW),
}
_LINES: Final[Mapping[str, Bomb]] = {
    kind: Bomb(bomb.head, bomb.unit + "\n", bomb.tail) for kind, bomb in _LIN.items()
}
_PBN: Final[Mapping[str, Bomb]] = {
    "line": Bomb(f'[Board "1"]\n[Deal "N:{_DEAL}"]\n[Auction "N"]\n', "pass 1C "),
    "none": Bomb('[Event "a"]\n', '[Deal ""]\n\n'),
    "tokens": Bomb(f'[Deal "N:{_DEAL}"]\n[Play "N"]\n', "SA -  {x}\n"),
    "nesting": Bomb(f'[Deal "N:{_DEAL}"]\n', '{[((["'),
    "packed": Bomb("", '[Deal ""]\n\n'),
    "names": Bomb(f'[Deal "N:{_DEAL}"]\n', '[A{n} "x"]\n'),
    "number": Bomb(f'[Deal "N:{_DEAL}"]\n[Board "', "1234567890", '"]\n'),
    "notes": Bomb(f'[Deal "N:{_DEAL}"]\n[Auction "N"]\n1C =1=\n', '[Note "1:a club"]\n'),
    "open": Bomb(f'[Deal "N:{_DEAL}"]\n', '{ never "closed\n'),
    "bytes": Bomb(f'[Deal "N:{_DEAL}"]\n[Event "', _RAW),
}
_RESULTS: Final[Mapping[str, Bomb]] = {
    "line": Bomb(f'[Board "1"]\n[Deal "N:{_DEAL}"]\n[ScoreTable "Section;Contract"]\n', "A 4SN "),
    "none": Bomb(f'[Deal "N:{_DEAL}"]\n', '[Result "7"]\n\n'),
    "tokens": Bomb(
        f'[Board "1"]\n[Deal "N:{_DEAL}"]\n[ScoreTable "Declarer;Contract;Result"]\n', "N 7S 13\n"
    ),
    "nesting": Bomb(f'[Board "1"]\n[Deal "N:{_DEAL}"]\n[ScoreTable "A;B"]\n', '"a{"\n'),
    "packed": Bomb(f'[Board "1"]\n[Deal "N:{_DEAL}"]\n', '[Result "7"]\n\n'),
    "names": Bomb(f'[Board "1"]\n[Deal "N:{_DEAL}"]\n[ScoreTable "A', ";B{n}", '"]\nx y z\n'),
    "number": Bomb(f'[Deal "N:{_DEAL}"]\n[Result "', "1234567890", '"]\n'),
    "notes": Bomb(f'[Deal "N:{_DEAL}"]\n[Auction "N"]\n1C =1=\n', '[Note "{n}:a club"]\n'),
    "open": Bomb(f'[Deal "N:{_DEAL}"]\n[ScoreTable "A;B"]\n', '"never closed\n'),
    "bytes": Bomb(f'[Deal "N:{_DEAL}"]\n[ScoreTable "A;B"]\n', _RAW),
}
_RBN: Final[Mapping[str, Bomb]] = {
    "line": Bomb("% RBN\nH W:", "76.AKQ.T98.98765:"),
    "none": Bomb("% RBN\n", "B 1\nH W:\n\n"),
    "tokens": Bomb("% RBN\nB 1\nA NZ:", "PPPP1C"),
    "nesting": Bomb("% RBN\nB 1\n", "{{{(((\n"),
    "packed": Bomb("% RBN\n", "H W:\n\n"),
    "names": Bomb("% RBN\n", "E event {n}\nT title {n}\n\n"),
    "number": Bomb("% RBN\nH W:AKQ\nB ", "1234567890"),
    "notes": Bomb("% RBN\nB 1\nA NZ:1C^1P\n", "1 a club\n"),
    "open": Bomb("% RBN\nB 1\n", "{ never closed\n\n"),
    "bytes": Bomb("% RBN\nE ", _RAW),
}
_HANDS: Final[Mapping[str, Bomb]] = {
    "line": Bomb(f"N:{_DEAL}\n", "AKQJT98765432... "),
    "none": Bomb(f"N:{_DEAL}\n", "N:\n"),
    "tokens": Bomb(f"N:{_DEAL}\nN:", "- "),
    "nesting": Bomb(f"N:{_DEAL}\n", "(((("),
    "packed": Bomb(f"N:{_DEAL}\n", "x\n"),
    "names": Bomb(f"N:{_DEAL}\n", f"N:{_DEAL}\n"),
    "number": Bomb(f"N:{_DEAL}\n", "1234567890"),
    "notes": Bomb(f"N:{_DEAL}\n", "# a note\n"),
    "open": Bomb(f"N:{_DEAL}\n", '[Deal "'),
    "bytes": Bomb(f"N:{_DEAL}\n", _RAW),
}
_LINK: Final = "https://x.org/handviewer.html?"
_LINKS: Final[Mapping[str, Bomb]] = {
    "line": Bomb(f"{_LINK}lin=md%7C{_MD}%7C", "mb%7Cp%7C"),
    "none": Bomb("", f"{_LINK}lin=x\n"),
    "tokens": Bomb(f"{_LINK}n=s&a=", "p1c"),
    "nesting": Bomb(f"{_LINK}n=s&a=", "1c("),
    "packed": Bomb("", f"{_LINK}n=s\n"),
    "names": Bomb(f"{_LINK}n=s", "&n{n}=x"),
    "number": Bomb(f"{_LINK}n=s&b=", "1234567890"),
    "notes": Bomb(f"{_LINK}n=s&a=1c", "(a club)"),
    "open": Bomb(f'"{_LINK}n=s&a=1c', "{oh (no "),
    "bytes": Bomb(f"{_LINK}lin=", "%F0%9F%82%A1%FF%00"),
}
_ROWS: Final[Mapping[str, Bomb]] = {
    "line": Bomb('{"prior": [], "call": "1N", "name": "', "a notrump ", '"}\n'),
    "none": Bomb("", '{"prior": [], "call": "1N"}\n'),
    "tokens": Bomb('{"prior": [], "call": "1N", "criteria": ["HCP', " + HCP", ' > 1"]}\n'),
    "nesting": Bomb("", "["),
    "packed": Bomb("", '{"prior": [], "call": "P"}\n'),
    "names": Bomb("{", '"name{n}": 1, ', '"call": "P"}\n'),
    "number": Bomb('{"prior": [], "call": "1N", "rank": ', "1234567890", "}\n"),
    "notes": Bomb('{"prior": [], "call": "1N", "tags": [', '"a tag", ', '"x"]}\n'),
    "open": Bomb('{"prior": [], "call": "1N", "name": "', "never closed\n"),
    "bytes": Bomb('{"prior": [], "call": "1N", "name": "', _RAW),
}
_LITERAL: Final[Mapping[str, Bomb]] = {
    "line": Bomb("rows = [", "(0, (), ('1N',), 'Strong', ['HCP >= 15']), ", "]\n"),
    "none": Bomb("rows = [\n", "(),\n", "]\n"),
    "tokens": Bomb("rows = [(0, (), ('1N',), 'Strong', [", "'HCP >= 15', ", "])]\n"),
    "nesting": Bomb("rows = ", "["),
    "packed": Bomb("rows = [\n", "(0, (), ('1N',), '', []),\n", "]\n"),
    "names": Bomb("", "a{n} = 1\n"),
    "number": Bomb("rows = [(", "1234567890", ", (), ('1N',), '', [])]\n"),
    "notes": Bomb("rows = [\n", "# a note\n", "]\n"),
    "open": Bomb("rows = [(0, (), ('1N',), '", "never closed "),
    "bytes": Bomb("rows = [(0, (), ('1N',), '", _RAW),
}
_SYSTEM: Final[Mapping[str, Bomb]] = {
    "line": Bomb("opening:\n  1C = Club: ", "5+ clubs, "),
    "none": Bomb("opening:\n", "  nothing = at all: is here\n"),
    "tokens": Bomb("opening:\n  1C = Club: 12+ points", ",\n    5+ clubs"),
    "nesting": Bomb("opening:\n  1C = Club: ", "either ("),
    "packed": Bomb("opening:\n", "  1C = Club: any hand\n"),
    "names": Bomb("", "define name {n} = 12+ points\n"),
    "number": Bomb("opening:\n  1C = Club: ", "1234567890", "+ points\n"),
    "notes": Bomb("opening:\n  1C = Club: any hand\n", "-- a note\n"),
    "open": Bomb('opening:\n  1C = "', "never closed\n"),
    "bytes": Bomb("opening:\n  1C = ", _RAW),
}
_BML: Final[Mapping[str, Bomb]] = {
    "line": Bomb("# Notes\n\n1C ", "12+ points "),
    "none": Bomb("", "1C\n"),
    "tokens": Bomb("1C ", "5+ clubs; "),
    "nesting": Bomb("1C a club\n", "  1D a diamond ((((\n    2C raise\n"),
    "packed": Bomb("", "1C 12+, 3+ clubs\n"),
    "names": Bomb("", "# Chapter {n}\n\n1C 12+, 3+ clubs\n  1D (name {n})\n\n"),
    "number": Bomb("1C ", "1234567890", "+ points\n"),
    "notes": Bomb("1C 12+\n", "#PASTE nowhere\n"),
    "open": Bomb("#COPY x\n1C 12+\n", "#CUT never closed\n"),
    "bytes": Bomb("1C ", _RAW),
}
_BSS: Final[Mapping[str, Bomb]] = {
    "line": Bomb("*00{Ours}=NYYYYYY\n", "001C=NYNNN0000"),
    "none": Bomb("*00{Ours}=NYYYYYY\n", "00=x\n"),
    "tokens": Bomb("*00{Ours}=NYYYYYY\n001C=NYNNN0000", "5+ clubs "),
    "nesting": Bomb("*00{Ours}=NYYYYYY\n", "001C1D1H1S=NYNNN0000a (((\n"),
    "packed": Bomb("*00{Ours}=NYYYYYY\n", "001C=NYNNN0000clubs\n"),
    "names": Bomb("*00{Ours}=NYYYYYY\n", "001C{a{n}}=NYNNN0000\n"),
    "number": Bomb("*00{Ours}=NYYYYYY\n001C=NYNNN", "1234567890"),
    "notes": Bomb("*00{Ours}=NYYYYYY\n", "% a note\n"),
    "open": Bomb("*00{", "never closed\n"),
    "bytes": Bomb("*00{Ours}=NYYYYYY\n001C=NYNNN0000", _RAW),
}
_SCRIPT: Final[Mapping[str, Bomb]] = {
    "line": Bomb("condition hcp(north) >= 15", " and hcp(north) >= 15"),
    "none": Bomb("", ";\n"),
    "tokens": Bomb("condition 1", "+1"),
    "nesting": Bomb("condition ", "("),
    "packed": Bomb("", "produce 1\n"),
    "names": Bomb("", "name{n} = hcp(north)\n"),
    "number": Bomb("produce ", "1234567890"),
    "notes": Bomb("produce 1\n", "# a note\n"),
    "open": Bomb('action print("', "never closed "),
    "bytes": Bomb("condition ", _RAW),
}
_CASES: Final[Mapping[str, Bomb]] = {
    "line": Bomb("AKQ.AKQ.AKQ.AKQJ  ", "1C P "),
    "none": Bomb("", "no case at all\n"),
    "tokens": Bomb("AKQJT98765432... - : 1C", " P"),
    "nesting": Bomb("", "{"),
    "packed": Bomb("", '{"hand": "AKQJT98765432...", "expected": "1C"}\n'),
    "names": Bomb("", "group {n}\n"),
    "number": Bomb('{"hand": "AKQJT98765432...", "expected": ', "1234567890", "}\n"),
    "notes": Bomb("", "-- a note\n"),
    "open": Bomb('{"hand": "', "never closed "),
    "bytes": Bomb("", _RAW),
}
_TEXTS: Final[Mapping[str, Bomb]] = {
    "line": Bomb('{"announcements": ["', "a strong notrump -- 15-17 HCP; ", '"]}\n'),
    "none": Bomb("", '{"announcements": []}\n'),
    "tokens": Bomb('{"announcements": [', '"a strong notrump", ', '""]}\n'),
    "nesting": Bomb("", "["),
    "packed": Bomb("", '{"announcements": ["a strong notrump"]}\n'),
    "names": Bomb("", '{"announcements": ["notrump {n} -- 15-17 HCP"]}\n'),
    "number": Bomb("", "1234567890"),
    "notes": Bomb("", '{"announcements": ["a", "a", "a"]}\n'),
    "open": Bomb('{"announcements": ["', "never closed ("),
    "bytes": Bomb('{"announcements": ["', _RAW),
}
_EXPRESSIONS: Final[Mapping[str, Bomb]] = {
    "line": Bomb("HCP >= 1", " and HCP >= 1"),
    "none": Bomb("", "no expression\n"),
    "tokens": Bomb("1", " + 1"),
    "nesting": Bomb("", "not ("),
    "packed": Bomb("", "HCP >= 15\n"),
    "names": Bomb("", "Name{n} >= 15\n"),
    "number": Bomb("HCP >= ", "1234567890"),
    "notes": Bomb("", "# a note\n"),
    "open": Bomb("HCP >= (", "1 + (2 - "),
    "bytes": Bomb("HCP >= ", _RAW),
}
_CSV: Final[Mapping[str, Bomb]] = {
    "line": Bomb("auction,call,", "column,"),
    "none": Bomb("auction,action\n", ",\n"),
    "tokens": Bomb("auction,action\n1N P,", '"a",'),
    "nesting": Bomb("auction,action\n", '"(((""'),
    "packed": Bomb("auction,action\n", "1N,drop\n"),
    "names": Bomb("", "column{n},"),
    "number": Bomb("auction,rank\n1N,", "1234567890"),
    "notes": Bomb("auction,action\n", "# a note\n"),
    "open": Bomb('auction,action\n"', "never closed\n"),
    "bytes": Bomb("auction,action\n", _RAW),
}
_JSON: Final[Mapping[str, Bomb]] = {
    "line": Bomb('{"deals": [{"deal": "', "AKQJT98765432", '"}]}'),
    "none": Bomb('{"deals": [', "{},", "{}]}"),
    "tokens": Bomb('{"deals": [{"deal": "N:', "- ", '"}]}'),
    "nesting": Bomb('{"deals": ', "[", ""),
    "packed": Bomb('{"deals": [', '{"deal": ""},', "{}]}"),
    "names": Bomb('{"deals": [{', '"name{n}": 1,', '"x": 1}]}'),
    "number": Bomb('{"deals": [', "1234567890", "]}"),
    "notes": Bomb('{"deals": [{"deal": "x"}], "x": [', "null,", "0]}"),
    "open": Bomb('{"deals": [{"deal": "', "never closed"),
    "bytes": Bomb('{"deals": "', _RAW),
}

FORMATS: Final[Mapping[str, tuple[str, Mapping[str, Bomb]]]] = {
    "lin": (".lin", _LIN),
    "lin lines": (".lin", _LINES),
    "pbn": (".pbn", _PBN),
    "pbn results": (".pbn", _RESULTS),
    "rbn": (".rbn", _RBN),
    "hands": (".txt", _HANDS),
    "links": (".txt", _LINKS),
    "rows": (".jsonl", _ROWS),
    "literal rows": (".py", _LITERAL),
    "system": (".bidding", _SYSTEM),
    "system rows": (".bidding", _SYSTEM),
    "notes": (".bml", _BML),
    "card": (".bss", _BSS),
    "script": (".dlr", _SCRIPT),
    "cases": (".cases", _CASES),
    "announcements": (".jsonl", _TEXTS),
    "user terms": (".txt", _EXPRESSIONS),
    "overlay": (".csv", _CSV),
    "request": (".json", _JSON),
    "manifest": (".json", _JSON),
    "memory": (".json", _JSON),
}
"""Ending and bombs of each reader; :mod:`tests.bombs.support_readers` has the readers."""

PACKED: Final = ("lin", "lin lines", "pbn", "pbn results", "rbn", "hands", "links")
"""What is read from zip files too; of the others a packed file is one of another kind."""


def write_bomb(reader: str, kind: str, size: int, folder: Path) -> Path:
    """Write a bomb of about ``size`` bytes, unpacked; its path."""
    suffix, bombs = FORMATS[reader]
    bomb = bombs[kind]
    path = folder / f"{kind}{suffix}"
    if kind != "packed":
        with path.open("wb") as file:
            file.writelines(bomb.pieces(size))
    elif reader in PACKED:
        path = path.with_suffix(".zip")
        # bytes that pack to a hundredth, so that the ratio lets them through
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
            archive.open(f"inner{suffix}", "w", force_zip64=True) as member,
        ):
            member.writelines(bomb.pieces(size))
    else:
        with gzip.open(path, "wb", compresslevel=1) as file:
            file.writelines(bomb.pieces(size))
    return path


def described(found: Mapping[str, object]) -> str:
    """One line about what became of a bomb."""
    return json.dumps(found, ensure_ascii=False)[:400]
