"""A language server for texts of systems: the protocol, for what the packages below answer.

The protocol is https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/.
Lines and columns are counted from 0 there, and columns in units that the editor names.
"""

import asyncio
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import PositionCodec

from bidcascade.bridge import BidcascadeError, InvalidSystem
from bidcascade.systems.checking.check import Finding, check_system
from bidcascade.systems.checking.line_uses import LineUse, line_uses, sentence_of
from bidcascade.systems.language.editing.completion import CompletionKind
from bidcascade.systems.language.editing.edited_texts import EditedTexts, FoundName, is_shipped
from bidcascade.systems.language.editing.formatter import format_system_text
from bidcascade.systems.language.editing.names import NamePlace
from bidcascade.systems.language.errors import Complaint
from bidcascade.systems.system import System
from bidcascade.version import package_version

NAME: Final = "bidcascade"
DEALS: Final = 500
"""Random deals that a text is tried on when it was opened or saved."""
MOST_DEALS: Final = 20_000
_PAUSE_S: Final = 0.2
"""Without a change for so long, a text is read."""
_REFUSED: Final = -32803
"""RequestFailed of the protocol: what was asked is understood and cannot be done."""
_WRONG_MESSAGE: Final = -32600
"""InvalidRequest of JSON-RPC."""
_NO_JSON: Final = -32700
"""ParseError of JSON-RPC."""
_LONGEST_MESSAGE: Final = 1 << 26
_LONGEST_HEADER: Final = 1 << 16
_LENGTH: Final = re.compile(rb"Content-Length:[ \t]*([^\r\n]*?)[ \t]*\r?\n\Z", re.IGNORECASE)
_NOWHERE: Final = Path("/unsaved texts")
"""Folder of texts that have no file: nothing lies beside them."""

_WORD: Final = re.compile(r"[\w'’-]+|.|$")
_PLACE: Final = re.compile(r"([^\s(]+):(\d+)")
_SEVERITY: Final = {
    "gap": types.DiagnosticSeverity.Warning,
    "double claim": types.DiagnosticSeverity.Warning,
    "double meaning": types.DiagnosticSeverity.Warning,
    "strong pass": types.DiagnosticSeverity.Information,
    "dead line": types.DiagnosticSeverity.Hint,
    "long condition": types.DiagnosticSeverity.Information,
}
"""Findings that are told; what few deals reach is found by ``bidcascade system lint``."""
_LEAST_OFFERED: Final = 100
"""Deals on which a line could have been chosen, before it is told that it never was."""
_KINDS: Final[Mapping[CompletionKind, types.CompletionItemKind]] = {
    "word": types.CompletionItemKind.Keyword,
    "condition": types.CompletionItemKind.Variable,
    "convention": types.CompletionItemKind.Function,
    "parameter": types.CompletionItemKind.Property,
    "option": types.CompletionItemKind.EnumMember,
    "tag": types.CompletionItemKind.Constant,
    "file": types.CompletionItemKind.File,
}


class _Tried:
    """What a system did on random deals, and the texts that it was read of."""

    def __init__(
        self,
        system: System,
        uses: Mapping[tuple[str, int], LineUse],
        findings: list[Finding],
        texts: Mapping[Path, str],
    ) -> None:
        self.system = system
        self.uses = uses
        self.findings = findings
        self.texts = texts


class _Desk:
    """Texts that the editor has open, with what is known of them."""

    def __init__(self, server: LanguageServer) -> None:
        self.server = server
        self.texts = EditedTexts()
        self.deals = DEALS
        self._uris: dict[Path, str] = {}
        self._tried: dict[Path, _Tried] = {}
        self._waiting: dict[Path, asyncio.Task[None]] = {}
        self._sent: dict[Path, int] = {}
        # deals are bid for one text at a time: who saves often is not to wait for all of it
        self._trying = asyncio.Lock()

    # ------------------------------------------------------------------ files and places
    def path_of(self, uri: str) -> Path:
        """File of an address, links followed; a text without one has a name alone."""
        found = to_fs_path(uri) if uri.startswith("file:") else None
        path = Path(found).resolve() if found else _NOWHERE / re.sub(r"\W+", "-", uri)
        self._uris.setdefault(path, uri)
        return path

    def uri_of(self, path: Path) -> str:
        """Address of a file, as the editor has named it."""
        return self._uris.get(path) or from_fs_path(str(path)) or ""

    def lines_of(self, path: Path) -> list[str]:
        """Lines of a text."""
        return self.texts.text(path).replace("\r\n", "\n").split("\n")

    @property
    def _codec(self) -> PositionCodec:
        return self.server.workspace.position_codec

    def here(self, uri: str, position: types.Position) -> tuple[Path, int, int]:
        """File, line and column, from 1, of a place that the editor names."""
        path = self.path_of(uri)
        lines = self.lines_of(path)
        if position.line >= len(lines):
            return path, position.line + 1, 1
        found = self._codec.position_from_client_units(lines, position)
        return path, found.line + 1, found.character + 1

    def range_of(self, path: Path, line: int, column: int, length: int = -1) -> types.Range:
        """Range of so many characters, or of the word that begins there."""
        lines = self.lines_of(path)
        at = min(max(line, 1), len(lines)) - 1
        column = max(column, 1) - 1
        if length < 0:
            read = _WORD.match(lines[at], column)
            length = 0 if read is None else len(read[0])
        edge = self._codec.client_num_units
        start, end = edge(lines[at][:column]), edge(lines[at][: column + length])
        return types.Range(types.Position(at, start), types.Position(at, end))

    def location_of(self, path: Path, place: NamePlace) -> types.Location:
        """Where a name stands."""
        found = self.range_of(path, place.line, place.column, place.length)
        return types.Location(self.uri_of(path), found)

    # ------------------------------------------------------------------ what is wrong
    def changed(self, path: Path, *, is_saved: bool) -> None:
        """Read a text when it has been left alone for a moment; try it too when it was saved."""
        waiting = self._waiting.pop(path, None)
        if waiting is not None:
            waiting.cancel()
        self._waiting[path] = asyncio.ensure_future(self._look_at(path, is_saved=is_saved))

    async def _look_at(self, path: Path, *, is_saved: bool) -> None:
        if not is_saved:
            await asyncio.sleep(_PAUSE_S)
        try:
            complaints = await asyncio.to_thread(self.texts.complaints, path)
            self._send(complaints)
            if not is_saved or not self.deals or any(complaints.values()):
                return
            async with self._trying:
                for system in self.texts.systems(path):
                    self._take(system, await asyncio.to_thread(self._try, system), complaints)
            self._send(complaints)
        except (BidcascadeError, OSError) as error:
            message = f"{path.name}: {str(error).partition(chr(10))[0]}"
            self.server.window_log_message(
                types.LogMessageParams(types.MessageType.Warning, message)
            )

    def _take(
        self,
        system: Path,
        tried: "_Tried | tuple[Complaint, ...]",
        complaints: dict[Path, list[Complaint]],
    ) -> None:
        if isinstance(tried, _Tried):
            self._tried[system] = tried
            return
        named = {file.name: file for file in complaints}
        for one in tried:
            complaints[named.get(one.where.file, system)].append(one)

    def _try(self, path: Path) -> _Tried | tuple[Complaint, ...]:
        """Bid deals with a system; what then is wrong is told where hands are tested by it."""
        text = self.texts.read(path)
        if text is None:
            return ()
        files = self.texts.systems(path).get(path, {path})
        texts = {one: self.texts.text(one) for one in files}
        system = System(text, path.stem)
        try:
            findings = check_system(system, deals=self.deals, auctions=()).findings
            uses = line_uses(system, deals=self.deals)
        except InvalidSystem as error:
            return error.complaints
        return _Tried(system, uses, [one for one in findings if one.kind in _SEVERITY], texts)

    def _send(self, found: Mapping[Path, list[Complaint]]) -> None:
        """Send what is wrong in each file, and findings on deals unless a text has changed."""
        for path, complaints in found.items():
            if is_shipped(path):
                continue
            diagnostics = [self._complaint(path, one) for one in complaints]
            for tried in self._tried.values():
                if all(self.texts.text(one) == text for one, text in tried.texts.items()):
                    diagnostics += self._findings(path, tried)
            if diagnostics or self._sent.get(path):
                self._sent[path] = len(diagnostics)
                self.server.text_document_publish_diagnostics(
                    types.PublishDiagnosticsParams(self.uri_of(path), diagnostics)
                )

    def _complaint(self, path: Path, found: Complaint) -> types.Diagnostic:
        advice = f" ({found.advice})" if found.advice else ""
        return types.Diagnostic(
            self.range_of(path, found.where.line, found.where.column),
            f"{found.message}{advice}",
            severity=types.DiagnosticSeverity.Error,
            source=NAME,
        )

    def _findings(self, path: Path, tried: _Tried) -> Iterable[types.Diagnostic]:
        for found in tried.findings:
            places = [
                (int(line), file) for file, line in _PLACE.findall(found.text) if file == path.name
            ]
            if not places or path not in tried.texts:
                continue
            if found.kind == "dead line" and found.deals < _LEAST_OFFERED:
                continue
            line = self.lines_of(path)[places[0][0] - 1 : places[0][0]]
            indent = len(line[0]) - len(line[0].lstrip()) if line else 0
            counted = f", on {found.deals:,} of {self.deals:,} deals" if found.deals else ""
            example = f" ({'; '.join(found.examples)})" if found.examples else ""
            yield types.Diagnostic(
                self.range_of(path, places[0][0], indent + 1, len("".join(line).strip())),
                f"{found.kind}: {found.text}{counted}{example}",
                severity=_SEVERITY[found.kind],
                source=NAME,
                code=found.kind,
            )

    # ------------------------------------------------------------------ what it means
    def meaning(self, path: Path, line: int, column: int) -> str:
        """Say in Markdown what stands at a place means, and how its line is used on deals."""
        texts = [self.texts.meaning(path, line, column)]
        logical = self.texts.logical_line(path, line)
        for tried in self._tried.values() if logical is not None else ():
            assert logical is not None
            use = tried.uses.get((path.name, logical.where().line))
            if use is None or tried.texts.get(path) != self.texts.text(path):
                continue
            before = f"after {use.auction}" if use.auction else "as opening"
            texts.append(
                f"**{use.call}** {before}: {sentence_of(tried.system, use)}\n\n"
                f"Made on {use.chosen:,} of the {use.offered:,} times that it could be "
                f"({use.deals:,} random deals, {tried.system.name})."
            )
            break
        return "\n\n---\n\n".join(filter(None, texts))


class _Protocol(LanguageServerProtocol):
    """Answers what pygls drops: requests behind ``shutdown``, and changes of what is not open."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Make a message of JSON; a request of which no message can be made is answered too."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if data.get("id") is None or "method" not in data:
                raise
            self._send_response(data["id"], error=error.to_response_error())
            return None

    def handle_message(self, message: Any) -> None:
        if message is None:
            return
        method, number = getattr(message, "method", ""), getattr(message, "id", None)
        if self._shutdown and method and number is not None:
            refused = JsonRpcException(
                f"expected exit behind shutdown, got {method}", _WRONG_MESSAGE
            )
            self._send_response(number, error=refused.to_response_error())
            return
        if isinstance(message, types.DidChangeTextDocumentNotification) and not self._shutdown:
            self._open_changed(message.params)
        super().handle_message(message)

    def _open_changed(self, params: types.DidChangeTextDocumentParams) -> None:
        """Take a text that was not opened as opened by its first change, which holds all of it."""
        named = params.text_document
        if named.uri not in self.workspace.text_documents:
            item = types.TextDocumentItem(named.uri, "bidding", named.version, "")
            self.workspace.put_text_document(item)


class _Server(LanguageServer):
    """Answers what is no JSON, instead of showing it to the user."""

    def report_server_error(self, error: Exception, source: Any) -> None:
        if isinstance(error, ValueError | RecursionError):
            self.refuse(_NO_JSON, f"expected a message in JSON, got {error}")
        else:
            super().report_server_error(error, source)

    def refuse(self, code: int, message: str) -> None:
        """Answer a message of which it is not known what it asks."""
        error = {"code": code, "message": message}
        body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
        writer = self.protocol.writer
        if writer is not None:
            writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def speak(self, heard: BinaryIO, spoken: BinaryIO) -> None:
        """Serve an editor until it ends the server."""
        self.start_io(cast("BinaryIO", _Heard(self, heard)), spoken)


class _Heard:
    """Messages of an editor; behind one that is too long to be read the next is looked for."""

    def __init__(self, server: _Server, stream: BinaryIO) -> None:
        self._server = server
        self._stream = stream
        self._is_lost = False

    def readline(self) -> bytes:
        """Read a line of a head."""
        line = self._stream.readline(_LONGEST_HEADER)
        found = _LENGTH.search(line)
        if found is None or (found.start() and not self._is_lost):
            return line
        length = found[1]
        if length.isdigit() and len(length) < 20 and int(length) <= _LONGEST_MESSAGE:
            self._is_lost = False
            return b"Content-Length: %b\r\n" % length
        self._is_lost = True
        got = length[:40].decode("ascii", "replace")
        wanted = f"a Content-Length of at most {_LONGEST_MESSAGE:,}"
        self._server.refuse(_WRONG_MESSAGE, f"expected {wanted}, got {got!r}")
        return b"\n"

    def read(self, length: int) -> bytes:
        """Read a body."""
        return self._stream.read(length)


def make_server() -> _Server:
    """Make the server, which then speaks over standard input and output.

    Examples
    --------
    >>> make_server().name
    'bidcascade'
    """
    server = _Server(
        NAME,
        package_version(),
        text_document_sync_kind=types.TextDocumentSyncKind.Full,
        protocol_cls=_Protocol,
    )
    desk = _Desk(server)
    _add_texts(server, desk)
    _add_questions(server, desk)
    _add_changes(server, desk)
    return server


def _add_texts(server: LanguageServer, desk: _Desk) -> None:
    """Take in what the editor tells of its texts."""

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        given: Any = params.initialization_options
        deals = given.get("deals") if isinstance(given, dict) else None
        if isinstance(deals, int) and not isinstance(deals, bool):
            desk.deals = min(max(deals, 0), MOST_DEALS)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        path = desk.path_of(params.text_document.uri)
        desk.texts.hold(path, params.text_document.text)
        desk.changed(path, is_saved=True)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        path = desk.path_of(uri)
        desk.texts.hold(path, server.workspace.get_text_document(uri).source)
        desk.changed(path, is_saved=False)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        desk.changed(desk.path_of(params.text_document.uri), is_saved=True)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        desk.texts.let_go(desk.path_of(params.text_document.uri))


def _add_questions(server: LanguageServer, desk: _Desk) -> None:
    """Answer what the editor asks about a place."""

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION,
        types.CompletionOptions(trigger_characters=[" ", "#", '"', "("]),
    )
    def complete(params: types.CompletionParams) -> types.CompletionList:
        path, line, column = desk.here(params.text_document.uri, params.position)
        items = []
        for number, one in enumerate(desk.texts.proposals(path, line, column)):
            start = desk.range_of(path, line, one.column, 0).start
            edit = types.TextEdit(types.Range(start, params.position), one.text)
            items.append(
                types.CompletionItem(
                    one.text,
                    kind=_KINDS[one.kind],
                    detail=one.detail or None,
                    text_edit=edit,
                    # what is typed may be several words
                    filter_text=one.text,
                    sort_text=f"{number:04}",
                )
            )
        # which words fit changes with each word, not each letter alone
        return types.CompletionList(is_incomplete=True, items=items)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        text = desk.meaning(*desk.here(params.text_document.uri, params.position))
        content = types.MarkupContent(types.MarkupKind.Markdown, text)
        return types.Hover(content) if text else None

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> list[types.Location]:
        found = desk.texts.definitions(*desk.here(params.text_document.uri, params.position))
        return [desk.location_of(one.path, one.place) for one in found]

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(params: types.ReferenceParams) -> list[types.Location]:
        path, line, column = desk.here(params.text_document.uri, params.position)
        name = desk.texts.name_at(path, line, column)
        found: list[FoundName] = [] if name is None else desk.texts.same_names(path, name)
        return [
            desk.location_of(one.path, one.place)
            for one in found
            if params.context.include_declaration or not one.place.defines
        ]


def _add_changes(server: LanguageServer, desk: _Desk) -> None:
    """Make the changes that the editor asks for."""

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(params: types.PrepareRenameParams) -> types.Range | None:
        path, line, column = desk.here(params.text_document.uri, params.position)
        name = desk.texts.name_at(path, line, column)
        if name is None or name.kind == "file":
            return None
        return desk.range_of(path, name.line, name.column, name.length)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename(params: types.RenameParams) -> types.WorkspaceEdit:
        path, line, column = desk.here(params.text_document.uri, params.position)
        try:
            edits = desk.texts.renamed(path, line, column, params.new_name)
        except BidcascadeError as error:
            raise _refused(error) from None
        return types.WorkspaceEdit(
            changes={
                desk.uri_of(file): [
                    types.TextEdit(desk.range_of(file, one.line, one.column, one.length), new)
                    for one, new in some
                ]
                for file, some in edits.items()
            }
        )

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def lay_out(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        path = desk.path_of(params.text_document.uri)
        text = desk.texts.text(path)
        try:
            laid_out = format_system_text(text)
        except InvalidSystem as error:
            raise _refused(error) from None
        if laid_out == text:
            return []
        end = types.Position(len(desk.lines_of(path)), 0)
        return [types.TextEdit(types.Range(types.Position(0, 0), end), laid_out)]


def _refused(error: BidcascadeError) -> JsonRpcException:
    return JsonRpcException(str(error).partition("\n")[0], _REFUSED)
