"""Links to BBO's handviewer, turned into LIN.

Such a link holds a board as LIN in the parameter ``lin``, or in parameters of its own: ``n``,
``e``, ``s``, ``w`` hands, ``nn`` … names, ``d`` dealer, ``v`` vulnerability, ``b`` board, ``a``
auction, ``p`` play. Described in "Handviewer documentation" of Bridge Base Online.

Pages of hand records (myhands, travellers) have the same LIN in a call, ``hv_popuplin('…')``,
beside a link that only names the board. Links of our own page are read with them
(:mod:`.page_links`).
"""

import html
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from bidcascade.loaders.files.encodings import UTF8, decode_text, decode_utf8
from bidcascade.loaders.frames.frame import reader_remark

from .page_links import page_boards, page_links

_LIN_PARAMETER = re.compile(rb"(?:[?&;]|\\u0026)lin=(?:[ \t+]|%20)*([^&\s\"'<>]+)")
_BAR = re.compile(rb"\||%7[Cc]")
_BARE_PART = re.compile(rb"[^&\s\"'<>]*")
_QUOTED_PARTS = {
    quote: re.compile(rb"(?:[^&\r\n%b]|&(?=[ \t]))*" % quote) for quote in (b'"', b"'")
}
_WORDS = rb"[^|%&\r\n]*(?:(?:%(?!7[Cc])|&(?=[ \t]))[^|%&\r\n]*)*"
_SAID_END = rb"(?:\||%7[Cc])(?=(?:[A-Za-z]{2}(?:\||%7[Cc])|[\s\"'<>)\],.;&]|\Z))"
_SAID = re.compile(rb"[&\s\"'<>]" + _WORDS + _SAID_END)
"""From what would end a bare link to the bar that ends the value it stands in, with a token or no
more behind it."""
_SAID_ON_LINES = re.compile(
    rb"(?:\r\n|[&\s\"'<>])" + _WORDS + rb"(?:\r?\n" + _WORDS + rb"){0,2}" + _SAID_END
)
"""The same of what people say, over the ends of a few lines."""
_NEXT_TOKEN = re.compile(rb"[ \t]+(?=[A-Za-z]{2}(?:\||%7[Cc]))")
_NEXT_LINE = re.compile(
    rb"\r?\n[ \t]*(?=(?!(?i:pn|pw|qx|vg|rs|rh|st|md|https?))[A-Za-z]{2}(?:\||%7[Cc]))"
)
"""The end of a line within a link that a mail has wrapped: no board begins behind it."""
_LINE_END = re.compile(rb"(?<![ \t])[ \t]*\r?\n[ \t]*")
_TEXT_VALUE = re.compile(rb"(?:an|nt|ah|pn)(?:\||%7[Cc])[^|%]*\Z", re.IGNORECASE)
_UNICODE = re.compile(rb"((?:%u[0-9A-Fa-f]{4})+)")
_TWICE = re.compile(rb"[^%]*(?:%25(?:u[0-9A-Fa-f]{4}|[0-9A-Fa-f]{2})[^%]*)+")
_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")
_POPUP = re.compile(rb"popuplin\(\s*(\\?['\"]|&#0?39;|&#x27;|&quot;|&apos;)")
_ADDRESS = re.compile(rb"([\"']?)(?:https?:)?//[^\s\"'<>?]{0,200}+\?")
_HAND = re.compile(rb"(?:\A|[&;])[nesw]=[^&]")
_BARE_END = re.compile(rb"[\s\"'<>]|\Z")
_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
_CALL = re.compile(r"[1-7](?:NT?|[CDHS])|PASS|P|XX|X|DBL|D|RDBL|RD|R", re.IGNORECASE | re.ASCII)
_CARD = re.compile(r"[SHDC](?:10|[AKQJT2-9])", re.IGNORECASE | re.ASCII)
_DOUBLES = ("X", "D", "DBL")
_IGNORED = " \t\r\n,?"
_DEALER = {"s": "1", "w": "2", "n": "3", "e": "4"}
_CONTRACT_ONLY = re.compile(r"-[1-7](?:NT?|[CDHS])X{0,2}[NESW]?", re.IGNORECASE | re.ASCII)
_BLANKS = re.compile(r"\s+")
_AROUND = b"\xef\xbb\xbf \t\r\n"
_GOES_ON = (b" ", b"\t", b"\r", b"\n", b"&", b'"', b"'", b"<", b">")
_OPENING_SIGNS = (b" ", b"\t", b"\n", b"\r", b'"', b"'", b"<", b">")
_LONGEST_ADDRESS = 1000
_LONGEST_TEXT = 1000


class BoardLink(NamedTuple):
    """A board that a link holds."""

    start: int
    """Place of the link in the text, or of its ``lin`` parameter."""
    lin: bytes
    """The board as LIN, UTF-8."""
    encoding: str
    is_popup: bool = False
    """Whether it is a call; beside a link of the same board it is left out."""


def find_links(data: bytes) -> list[BoardLink]:
    """List the boards of handviewer links and links of the page in a text, in order.

    A link ends with the quote it stands in, else with the line if the text begins with it and the
    line holds no other, else with the next blank. In LIN a blank ends it only where no value or
    token goes on behind it, and so does the end of a line. Stops behind a bare link are no part of
    it, nor are closing brackets that do not open in it.
    """
    beginning = _beginning(data)
    links = [
        _lin_link(match.start(), _LINE_END.sub(b" ", _lin_value(data, match, beginning)))
        for match in _LIN_PARAMETER.finditer(data)
    ]
    links += _popups(data)
    for start, query in _queries(data):
        if _HAND.search(query) and not _LIN_PARAMETER.search(b"&" + query):
            links.append(_parameter_link(start, query))
    links += (
        BoardLink(start, lin.encode(), UTF8)
        for start, query in page_links(data)
        for lin in page_boards(query)
    )
    links.sort(key=lambda link: link.start)
    return [
        link
        for before, link in zip([None, *links], links, strict=False)
        if not (link.is_popup and before and not before.is_popup and before.lin == link.lin)
    ]


def first_link(data: bytes) -> int:
    """Place of the first link in a text that holds a board, -1 if there is none."""
    found = (_LIN_PARAMETER.search(data), _POPUP.search(data))
    places = [match.start() for match in found if match is not None]
    for start, query in _queries(data):
        if _HAND.search(query):
            places.append(start)
            break
    places += (link.start for link in islice(page_links(data), 1))
    return min(places, default=-1)


def _beginning(data: bytes) -> int:
    """Where what a text says begins."""
    return len(data) - len(data.lstrip(_AROUND))


def _lin_value(data: bytes, match: re.Match[bytes], beginning: int) -> bytes:
    # other parameters may follow, and a quote ends what is not bare
    value = data[match.start(1) : _lin_end(data, match, beginning)]
    end = match.start(1) + len(value)
    is_bare = data[end : end + 1] not in (b"&", b'"', b"'")
    return _without_stops(value) if is_bare else value


def _lin_end(data: bytes, match: re.Match[bytes], beginning: int) -> int:
    """Where the LIN of a link ends: people's names and explanations have blanks and apostrophes."""
    start, end = match.start(1), match.end(1)
    if data[end : end + 1] not in _GOES_ON:
        return end
    opening = _opening(data, match.start())
    quote = data[max(opening - 1, 0) : opening]
    if quote in _QUOTED_PARTS:
        found = _QUOTED_PARTS[quote].match(data, start)
        assert found is not None
        if data[found.end() : found.end() + 1] in (quote, b"&"):
            return found.end()
    bars = len(_BAR.findall(data, start, end))
    while end < len(data):
        more = _more(data, start, end, in_value=bool(bars % 2))
        if more is None or b"://" in more[0] or b"lin=" in more[0]:
            break
        part = _BARE_PART.match(data, more.end())
        assert part is not None
        bars += len(_BAR.findall(data, end, part.end()))
        end = part.end()
    if bars % 2 and opening <= beginning:
        # the text begins with it: what is said of the last call goes on to the end of the line
        line = data[end : _line_end(data, end)]
        if _TEXT_VALUE.search(data, max(start, end - _LONGEST_TEXT), end) and b"|" not in line:
            end += len(line.rstrip()) if b"://" not in line and b"&" not in line else 0
    return end


def _more(data: bytes, start: int, end: int, *, in_value: bool) -> re.Match[bytes] | None:
    """Match what goes on behind the sign that would end the LIN of a bare link."""
    if not in_value:
        is_wrapped = data[end : end + 1] in (b"\r", b"\n")
        return (_NEXT_LINE if is_wrapped else _NEXT_TOKEN).match(data, end)
    is_text = _TEXT_VALUE.search(data, max(start, end - _LONGEST_TEXT), end) is not None
    return (_SAID_ON_LINES if is_text else _SAID).match(data, end)


def _opening(data: bytes, place: int) -> int:
    """Where the address that a parameter belongs to begins."""
    begun = max(place - _LONGEST_ADDRESS, 0)
    before = max(data.rfind(sign, begun, place) for sign in _OPENING_SIGNS)
    return before + 1 if before >= 0 else begun


def _line_end(data: bytes, place: int) -> int:
    end = data.find(b"\n", place)
    return len(data) if end < 0 else end


def _without_stops(text: bytes) -> bytes:
    """Take from a bare link what ends the sentence or the brackets that it stands in."""
    # exclamation marks and stars stay: they alert a call
    surplus = {closing: text.count(closing) - text.count(opening) for opening, closing in _BRACKETS}
    end = len(text)
    while (last := text[end - 1 : end]) and (last in b".,;:?" or surplus.get(last, 0) > 0):
        surplus[last] = surplus.get(last, 0) - 1
        end -= 1
    return text[:end]


def _lin_link(start: int, value: bytes) -> BoardLink:
    text, encoding = decode_utf8(_unquoted(value))
    return BoardLink(start, text, encoding)


def _unquoted(value: bytes) -> bytes:
    """Bytes of a percent-encoded value; older pages wrote ``%u0142`` beside ``%F3`` of Latin-1."""
    # a link that was put into another one, as a shortener does, is escaped twice
    if _TWICE.fullmatch(value) is not None:
        value = value.replace(b"%25", b"%")
    # beside blanks that were left as they are, so was a plus
    value = value if b" " in value else value.replace(b"+", b" ")
    if _UNICODE.search(value) is None:
        return unquote_to_bytes(value)
    parts = _UNICODE.split(value)
    parts[::2] = [
        _ESCAPED.sub(lambda code: chr(int(code[1], 16)).encode(), part) for part in parts[::2]
    ]
    parts[1::2] = [
        bytes.fromhex(part.replace(b"%u", b"").decode()).decode("utf-16-be", "replace").encode()
        for part in parts[1::2]
    ]
    return b"".join(parts)


def _popups(data: bytes) -> Iterator[BoardLink]:
    """Give the boards in calls, which end with the quote that they begin with, in their line."""
    end = 0
    while (match := _POPUP.search(data, end)) is not None:
        start, end = match.end(), data.find(b"\n", match.end())
        end = len(data) if end < 0 else end
        closing = data.find(match[1] + b")", start, end)
        if closing >= 0:
            end = closing
        text = html.unescape(data[start:end].decode("latin-1")).encode("latin-1", "replace")
        yield _lin_link(match.start(), text.replace(b"\\'", b"'"))._replace(is_popup=True)


def _queries(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Start of each address with a query, and the query."""
    beginning = _beginning(data)
    end = 0
    while (match := _ADDRESS.search(data, end)) is not None:
        start, quote = match.end(), match[1]
        if quote:
            end = data.find(quote, start)
            end = len(data) if end < 0 else end
            # the bytes stand for themselves until the parameters are apart
            text = html.unescape(data[start:end].decode("latin-1"))
            yield match.start(), text.encode("latin-1", "replace")
            continue
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        if match.start() != beginning or data.find(b"://", start, end) >= 0:
            found = _BARE_END.search(data, start)
            end = len(data) if found is None else found.start()
        query = _without_stops(data[start:end].rstrip())
        yield match.start(), query.replace(b"&amp;", b"&")


def _parameter_link(start: int, query: bytes) -> BoardLink:
    values: dict[str, str] = {}
    encodings = set()
    for parameter in query.partition(b"#")[0].split(b"&"):
        name, _, value = parameter.partition(b"=")
        text, encoding = decode_text(_unquoted(value))
        encodings.add(encoding)
        # a bar would end the LIN value
        values.setdefault(name.decode("latin-1").lower(), text.replace("|", "/"))
    encodings -= {UTF8}
    return BoardLink(start, "".join(_lin(values)).encode(), min(encodings, default=UTF8))


def _lin(values: dict[str, str]) -> Iterator[str]:
    """Give the LIN tokens of one board."""
    get = values.get
    names = [_one_line(get(f"{seat}n", "").replace(",", " ")) for seat in "swne"]
    if any(names):
        yield f"pn|{','.join(names)}|"
    named = get("d", "").strip()
    # a word that names no seat does not leave it to the board's number
    dealer = _DEALER.get(named.lower()[:1], "3" if named.strip("?-") else "")
    # a comma would shift the hands
    hands = ",".join(get(seat, "").strip().replace(",", "/") for seat in "swne")
    yield f"md|{dealer}{hands}|"
    if board := get("b", "").strip():
        yield f"ah|Board {board}|"
    if vulnerability := get("v", "").strip().lower():
        yield f"sv|{vulnerability}|"
    if named.strip("?-") and named.lower()[:1] not in _DEALER:
        yield f"nt|{reader_remark('a seat (N, E, S or W) in d', named)}|"
    yield from _auction(get("a", "").strip())
    yield from _play(get("p", ""))
    yield "pg||"


def _auction(text: str) -> Iterator[str]:
    """Give the calls: ``!`` and ``*`` alert, parentheses explain, braces hold remarks."""
    # ``-4SW`` is no auction but a contract and a leader; a link that has only these gives no call,
    # and tells so
    if _CONTRACT_ONLY.fullmatch(text):
        yield f"nt|{reader_remark('an auction in a', text)}|"
        return
    at = len(text) - len(text.lstrip("-"))
    is_doubled = False
    while at < len(text):
        if text[at] in _IGNORED:
            at += 1
        elif text[at] == "{":
            remarks, at = _enclosed(text, at, "}")
            yield remarks
        elif found := _CALL.match(text, at):
            call = found[0].upper()
            if call == "XX" and not is_doubled:
                # the first of three, a double and a redouble
                call = "X"
            at += len(call)
            is_doubled = call in _DOUBLES or (is_doubled and call[0] == "P")
            alert = explanations = ""
            while text[at : at + 1] in ("!", "*", "("):
                if text[at] == "(":
                    explanations, at = _enclosed(text, at, ")")
                else:
                    alert = "!"
                    at += 1
            yield f"mb|{call}{alert}|"
            yield explanations
        else:
            yield f"mb|{text[at]}|"
            return


def _play(text: str) -> Iterator[str]:
    """Give the cards; braces hold remarks."""
    at = 0
    while at < len(text):
        if text[at] in _IGNORED:
            at += 1
        elif text[at] == "{":
            remarks, at = _enclosed(text, at, "}")
            yield remarks
        elif card := _CARD.match(text, at):
            at = card.end()
            yield f"pc|{card[0]}|"
        else:
            yield f"pc|{text[at : at + 2]}|"
            return


def _enclosed(text: str, start: int, closing: str) -> tuple[str, int]:
    """Tokens of the text in the brackets that open at ``start``, and where it ends."""
    # it may hold other brackets; where nothing closes it, it goes on to the end, and tells so
    key = "nt" if closing == "}" else "an"
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == text[start]) - (text[at] == closing)
        if not depth:
            value = _one_line(text[start + 1 : at])
            return f"{key}|{value}|" if value else "", at + 1
    value = _one_line(text[start + 1 :])
    remark = reader_remark(f"'{closing}' before the end", text[start] + value)
    return f"{key}|{value}|nt|{remark}|", len(text)


def _one_line(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()
