"""The language server, asked by pygls' own client over standard input and output."""

import asyncio
import contextlib
import json
import re
import subprocess

import pytest

from tests.check.missing import missing
from tests.support.cli import PROGRAM, command, environment, run_python

try:
    from lsprotocol import types
    from pygls.exceptions import JsonRpcException
    from pygls.lsp.client import LanguageClient
except ImportError:
    missing("no pygls: pip install '.[lsp]'")

TEXT = """\
include "page.bidding"
opening:
  1NT = Strong notrump: 15-17 points, balanced
  1H = Hearts ♥𝄞: 12+ points, good hearts; #major
after 1NT:
  2C = Stayman: 8+ points; forcing
"""
PAGE = "-- Suits worth a bid.\ndefine good X = 5+ X\n"


class Editor(LanguageClient):
    """Client that keeps what it is told of each text."""

    def __init__(self, folder):
        super().__init__("tests", "1")
        self.folder = folder
        self.told = {}
        self.heard = asyncio.Condition()

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        async def published(params):
            async with self.heard:
                self.told[params.uri.rpartition("/")[2]] = params.diagnostics
                self.heard.notify_all()

    def uri(self, name):
        return (self.folder / name).as_uri()

    def open(self, name, text):
        item = types.TextDocumentItem(self.uri(name), "bidding", 1, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, name, text):
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(2, self.uri(name)),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    async def diagnostics(self, name, fits):
        """Wait for diagnostics of a text that fit."""
        async with asyncio.timeout(60), self.heard:
            await self.heard.wait_for(lambda: name in self.told and fits(self.told[name]))
        return self.told[name]

    def at(self, name, line, character):
        """Parameters of a question about a place."""
        place = types.Position(line, character)
        return {"text_document": types.TextDocumentIdentifier(self.uri(name)), "position": place}


@contextlib.asynccontextmanager
async def editor(folder, **options):
    """Editor with a server of its own, begun and ended as the protocol says."""
    client = Editor(folder)
    program, *arguments = command("lsp", "--stdio")
    await client.start_io(program, *arguments, env=environment())
    try:
        await client.initialize_async(
            types.InitializeParams(types.ClientCapabilities(), initialization_options=options)
        )
        client.initialized(types.InitializedParams())
        yield client
        await client.shutdown_async(None)
        client.exit(None)
    finally:
        if client._server.returncode is None and not client._server.stdin.is_closing():
            client._server.stdin.close()
        await client.stop()
    assert client._server.returncode == 0


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "own.bidding").write_text(TEXT, "utf-8")
    (tmp_path / "page.bidding").write_text(PAGE, "utf-8")
    return tmp_path.resolve()


def _framed(body):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(data), data)


def _spoken(*parts):
    """What the server answers to bytes, and how it ends."""
    ran = subprocess.run(
        command("lsp", "--stdio"),
        input=b"".join(parts),
        capture_output=True,
        env=environment(),
        timeout=120,
        check=False,
    )
    messages = []
    rest = ran.stdout
    while rest:
        head, _, rest = rest.partition(b"\r\n\r\n")
        length = int(re.search(rb"Content-Length: (\d+)", head)[1])
        messages.append(json.loads(rest[:length]))
        rest = rest[length:]
    return messages, ran.returncode, ran.stderr.decode()


def _asked(number, method, **params):
    return _framed({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def _told(method, **params):
    return _framed({"jsonrpc": "2.0", "method": method, "params": params})


BEGUN = (
    _asked(1, "initialize", processId=None, rootUri=None, capabilities={}),
    _told("initialized"),
)
ENDED = (
    _framed({"jsonrpc": "2.0", "id": 99, "method": "shutdown"}),
    _framed({"jsonrpc": "2.0", "method": "exit"}),
)


@pytest.mark.parametrize(
    "wrong",
    [b"Content-Length: 100000000000000\r\n\r\n{}", b"Content-Length: 9" + b"9" * 5000 + b"\r\n\r\n",
     b"Content-Length: -5\r\n\r\n{}", b"Content-Length: many\r\n\r\n", _framed(b"{bad"),
     _framed(b"\xff\xfe"), _framed(b"[" * 100_000)],
)  # fmt: skip
def test_a_message_that_cannot_be_read_is_answered_and_the_next_is_read(wrong):
    messages, code, _ = _spoken(*BEGUN, wrong, *ENDED)
    answers = {one.get("id"): one for one in messages if "method" not in one}
    assert answers[None]["error"]["code"] in (-32700, -32600)
    assert answers[None]["error"]["message"].startswith("expected a ")
    assert "result" in answers[99]
    assert code == 0
    assert not [one for one in messages if one.get("method") == "window/showMessage"]


def test_a_change_of_a_text_that_was_not_opened_opens_it():
    uri = "untitled:own"
    change = {"text": "opening:\n 1H   = 5+ hearts\n"}
    messages, code, _ = _spoken(
        *BEGUN,
        _told("textDocument/didClose", textDocument={"uri": "untitled:other"}),
        _told("textDocument/didSave", textDocument={"uri": "untitled:third"}),
        _told(
            "textDocument/didChange",
            textDocument={"uri": uri, "version": 2},
            contentChanges=[change],
        ),
        _asked(
            2,
            "textDocument/formatting",
            textDocument={"uri": uri},
            options={"tabSize": 2, "insertSpaces": True},
        ),
        *ENDED,
    )
    assert code == 0
    assert "KeyError" not in json.dumps(messages)
    (answer,) = [one for one in messages if one.get("id") == 2]
    assert "1H = 5+ hearts" in answer["result"][0]["newText"]


def test_what_is_asked_behind_shutdown_is_refused():
    shutdown, end = ENDED
    messages, code, _ = _spoken(
        *BEGUN,
        _asked(6, "textDocument/hover"),
        shutdown,
        _asked(
            7,
            "textDocument/formatting",
            textDocument={"uri": "untitled:own"},
            options={"tabSize": 2, "insertSpaces": True},
        ),
        _asked("x", "nonsense"),
        end,
    )
    refused = {one["id"]: one["error"] for one in messages if "error" in one}
    # one without its place is answered too
    assert refused.pop(6)["code"] == -32602
    assert {number: one["code"] for number, one in refused.items()} == {7: -32600, "x": -32600}
    assert refused[7]["message"] == "expected exit behind shutdown, got textDocument/formatting"
    assert code == 0


def test_an_editor_asks_about_a_text(folder):
    async def ask():
        async with editor(folder, deals=0) as client:
            client.open("own.bidding", TEXT)
            # columns are counted in UTF-16, where one sign of the name is two
            line = TEXT.split("\n")[3]
            column = len(line[: line.index("good hearts")].encode("utf-16-le")) // 2

            place = client.at("own.bidding", 3, column + 1)
            (found,) = await client.text_document_definition_async(types.DefinitionParams(**place))
            assert found.uri == client.uri("page.bidding")
            assert (found.range.start.line, found.range.start.character) == (1, 7)

            said = await client.text_document_hover_async(types.HoverParams(**place))
            assert "define good X = 5+ X" in said.contents.value

            context = types.ReferenceContext(include_declaration=True)
            found = await client.text_document_references_async(
                types.ReferenceParams(context=context, **place)
            )
            assert [(one.range.start.line, one.range.start.character) for one in found] == [
                (3, column),
                (1, 7),
            ]

            edit = await client.text_document_rename_async(
                types.RenameParams(new_name="fine", **place)
            )
            assert {
                uri.rpartition("/")[2]: [
                    (one.range.start.character, one.range.end.character, one.new_text)
                    for one in edits
                ]
                for uri, edits in edit.changes.items()
            } == {"own.bidding": [(column, column + 4, "fine")], "page.bidding": [(7, 11, "fine")]}

            with pytest.raises(JsonRpcException, match="expected texts that read with the name"):
                await client.text_document_rename_async(
                    types.RenameParams(new_name="hearts", **place)
                )

            client.change("own.bidding", TEXT + "  2D   =  Transfer:5+ hearts\n  2H = Sign: 5+ sp")
            place = client.at("own.bidding", 7, 18)
            found = await client.text_document_completion_async(types.CompletionParams(**place))
            spades = next(one for one in found.items if one.label == "spades")
            assert spades.text_edit.range.start.character == 16

            identifier = types.TextDocumentIdentifier(client.uri("own.bidding"))
            options = types.FormattingOptions(tab_size=2, insert_spaces=True)
            (edit,) = await client.text_document_formatting_async(
                types.DocumentFormattingParams(identifier, options)
            )
            assert "\n  2D = Transfer: 5+ hearts\n" in edit.new_text

    asyncio.run(ask())


def test_what_is_wrong_is_told_as_one_types(folder):
    async def ask():
        async with editor(folder, deals=0) as client:
            client.open("own.bidding", TEXT.replace("15-17 points", "15-17 point,"))
            (wrong,) = await client.diagnostics("own.bidding", bool)
            assert (wrong.range.start.line, wrong.severity) == (2, types.DiagnosticSeverity.Error)
            client.change("own.bidding", TEXT)
            await client.diagnostics("own.bidding", lambda found: not found)
            # a page is wrong where a system that includes it is
            client.open("page.bidding", PAGE.replace("good", "goods"))
            (wrong,) = await client.diagnostics("own.bidding", bool)
            assert wrong.range.start.line == 3

    asyncio.run(ask())


def test_a_saved_text_is_tried_on_deals(folder):
    async def ask():
        async with editor(folder, deals=300) as client:
            client.open("own.bidding", TEXT)
            found = await client.diagnostics("own.bidding", bool)
            assert {one.code for one in found} >= {"gap"}
            gap = next(one for one in found if one.code == "gap")
            assert "Stayman" in gap.message
            assert gap.range.start == types.Position(5, 2)
            place = client.at("own.bidding", 2, 3)
            said = await client.text_document_hover_async(types.HoverParams(**place))
            assert (
                "**1N** as opening: Strong notrump: 15-17 points, balanced" in said.contents.value
            )
            # a condition of a table that means nothing is found where a hand is tested by it
            client.open("odd.bidding", "opening:\n  1C = Club: {Nothing_Known >= 2}\n")
            (wrong,) = await client.diagnostics("odd.bidding", bool)
            assert (wrong.range.start.line, wrong.severity) == (1, types.DiagnosticSeverity.Error)

    asyncio.run(ask())


def test_nonsense_is_answered_and_the_server_goes_on(folder):
    async def ask():
        async with editor(folder, deals="many") as client:
            far = client.at("own.bidding", 999, 999)
            gone = client.at("gone.bidding", 0, 0)
            for place in (far, gone):
                params = types.CompletionParams(**place)
                assert (await client.text_document_completion_async(params)) is not None
                assert await client.text_document_hover_async(types.HoverParams(**place)) is None
                found = await client.text_document_definition_async(types.DefinitionParams(**place))
                assert not found
                with pytest.raises(JsonRpcException, match="expected a name"):
                    await client.text_document_rename_async(
                        types.RenameParams(new_name="x", **place)
                    )
            client.open("own.bidding", "opening:\n\t1C = Tab: 5+ clubs\n")
            (wrong,) = await client.diagnostics("own.bidding", bool)
            assert "tab" in wrong.message
            identifier = types.TextDocumentIdentifier(client.uri("own.bidding"))
            options = types.FormattingOptions(tab_size=2, insert_spaces=True)
            with pytest.raises(JsonRpcException, match="a tab stands here"):
                await client.text_document_formatting_async(
                    types.DocumentFormattingParams(identifier, options)
                )

    asyncio.run(ask())


def test_without_the_extra_the_command_says_so():
    hidden = "import sys; sys.modules['pygls'] = None; "
    ran = run_python(hidden + PROGRAM, "lsp")
    assert ran.code == 3
    assert "expected the extra 'lsp' (pip install 'bidcascade[lsp]')" in ran.err
