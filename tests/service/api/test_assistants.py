"""Assistants that ask by the Model Context Protocol: the SDK's own client, over both transports."""

import asyncio
import json
import subprocess
import sys
from contextlib import asynccontextmanager

import pytest
from pydantic import TypeAdapter

from bidcascade.engine.questions.bidding.bids import BidRequest
from bidcascade.engine.settings import Settings
from bidcascade.service.api.http.keys import new_key
from tests.check.missing import missing
from tests.support.cli import PROGRAM, environment, run_python
from tests.support.service import DEAL, ask, loaded_app, post, ready_server

try:
    import httpx2
    from mcp import Client, MCPError, StdioServerParameters
    from mcp.client.streamable_http import streamable_http_client

    from bidcascade.service.api.assistants import Assistants, tools_of
except ImportError:
    missing("no mcp: pip install '.[mcp]'")

HAND = "AQ4.KJ3.K876.Q52"


@pytest.fixture(scope="module")
def app():
    return loaded_app(table="sayc", mcp=True)


@asynccontextmanager
async def spoken_to(app, **more):
    """Client of an application in this process."""
    async with Client(Assistants(app).server, **more) as client:
        yield client


def text_of(result):
    return "\n".join(one.text for one in result.content)


def test_there_is_a_tool_for_every_question(app):
    document = app.openapi()
    asked = {
        operation["operationId"]
        for operations in document["paths"].values()
        for method, operation in operations.items()
        if {"answers", "tables", "systems", "archives"} & {*operation.get("tags", ())}
        and method in ("get", "post")
    }
    tools = tools_of(document)
    assert asked <= tools.keys()
    assert {"bid", "auctions", "systemCheck", "compare", "archiveBoards"} <= asked
    # none that changes something
    assert not {"tableReload", "jobCreate", "jobDelete", "archiveDelete"} & tools.keys()


def test_arguments_are_those_of_the_question(app):
    schema = tools_of(app.openapi())["bid"].tool.input_schema
    own = TypeAdapter(BidRequest).json_schema()
    assert schema["properties"].keys() == own["properties"].keys()
    assert schema["required"] == own["required"]
    # it stands alone: what it refers to comes with it
    named = {one.split('"')[0] for one in json.dumps(schema).split("#/$defs/")[1:]}
    assert named == schema["$defs"].keys()
    assert "#/components" not in json.dumps(schema)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_tool_answers_what_the_service_answers(app, mode):
    async def speak():
        async with spoken_to(app, mode=mode) as client:
            told = await client.call_tool("bid", {"hand": HAND})
            next_calls = await client.call_tool("tableNext", {"name": "sayc", "auction": "1N-P"})
            return told, next_calls

    told, next_calls = asyncio.run(speak())
    assert not told.is_error
    assert told.structured_content == json.loads(text_of(told))
    assert told.structured_content == post(app, "/v1/bid", {"hand": HAND}).json()
    assert told.structured_content["call"] == "1N"
    assert (
        next_calls.structured_content == ask(app, "GET", "/v1/tables/sayc/next?auction=1N-P").json()
    )


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("bid", {}, "hand: "),
        ("bid", {"hand": "AKQ"}, "hand: "),
        ("bid", {"hand": 7}, "hand: "),
        ("bid", {"hand": HAND, "table": "none"}, "none"),
        ("bid", {"hand": HAND, "auction": "1N 1C"}, "auction[1]: "),
        ("bid", {"hand": HAND, "bogus": 1}, "bogus: "),
        ("auctions", {"deals": [{"deal": DEAL}] * 3, "limit": -1}, "limit: "),
        ("auctions", {"deals": "N:AQ4"}, "deals: "),
        ("systemCheck", {"system": {"text": "1C", "table": "sayc"}}, "expected a text or a table"),
        ("table", {}, "name: expected a text, got None"),
        ("table", {"name": "../x"}, "../x"),
        ("table", {"name": ["sayc"]}, "name: expected a text, got ['sayc']"),
        ("tableNext", {"name": "sayc", "auction": "zz"}, "zz"),
        ("tableNext", {"name": "sayc", "calls": "1N"}, "calls: expected one of name, auction"),
        ("tableLint", {"name": "sayc", "examples": {"a": 1}}, "examples"),
    ],
)
def test_nonsense_is_told_to_whoever_asks(app, tool, arguments, said):
    async def speak():
        async with spoken_to(app) as client:
            wrong = await client.call_tool(tool, arguments)
            right = await client.call_tool("bid", {"hand": HAND})
            return wrong, right

    wrong, right = asyncio.run(speak())
    assert wrong.is_error
    assert said in text_of(wrong)
    assert not right.is_error


def test_limits_of_the_service_hold_for_tools(tmp_path):
    app = loaded_app(tmp_path, max_request_deals=2)

    async def speak():
        async with spoken_to(app) as client:
            return await client.call_tool("auctions", {"deals": [{"deal": DEAL}] * 3})

    told = asyncio.run(speak())
    assert told.is_error
    assert "expected at most 2 deals" in text_of(told)


def test_a_tool_or_page_that_is_not_there_is_named(app):
    async def speak():
        async with spoken_to(app) as client:
            with pytest.raises(MCPError, match="got 'bids'; did you mean 'bid'"):
                await client.call_tool("bids", {})
            with pytest.raises(MCPError, match="expected a page that is there"):
                await client.read_resource("bidcascade://docs/../pyproject.toml")

    asyncio.run(speak())


def test_pages_can_be_read(app):
    async def speak():
        async with spoken_to(app) as client:
            there = {one.name: one for one in (await client.list_resources()).resources}
            return there, {
                name: (await client.read_resource(str(one.uri))).contents[0].text
                for name, one in there.items()
            }

    there, texts = asyncio.run(speak())
    assert {"phrases.md", "terms.md", "openapi.json", "systems.md", "sayc.bidding"} <= there.keys()
    assert json.loads(texts["openapi.json"]) == app.openapi()
    assert 'include "doubles.bidding"' in texts["sayc.bidding"]
    assert all(texts.values())
    assert there["systems.md"].mime_type == "text/markdown"


def test_a_question_to_a_text_is_answered(app):
    text = "opening:\n  1NT = Strong: 15-17 points, ballanced\n"

    async def speak():
        async with spoken_to(app) as client:
            return await client.call_tool("systemCheck", {"system": {"text": text}, "deals": 50})

    told = asyncio.run(speak())
    assert told.structured_content["complaints"][0]["line"] == 2


def test_over_http_keys_and_limits_are_those_of_the_service(tmp_path):
    key, entry = new_key("club", "read")
    keys = tmp_path / "keys.txt"
    keys.write_text(entry.line() + "\n", "utf-8")

    async def speak(url):
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            async with Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client:
                tools = await client.list_tools()
                told = await client.call_tool("bid", {"hand": HAND})
                wrong = await client.call_tool("bid", {"hand": "AKQ"})
            # one that is too long, one that is no JSON, one that is no POST: the service goes on
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "x": "y" * 70_000})
            json_type = {"Content-Type": "application/json"}
            statuses = [
                (await http.post(f"{url}/mcp", content=body, headers=json_type)).status_code,
                (await http.post(f"{url}/mcp", content="{", headers=json_type)).status_code,
                (await http.get(f"{url}/mcp")).status_code,
            ]
            transport = streamable_http_client(f"{url}/mcp", http_client=http)
            async with Client(transport, mode="legacy") as client:
                again = await client.call_tool("bid", {"hand": HAND})
        async with httpx2.AsyncClient() as stranger:
            refused = await stranger.post(f"{url}/mcp", json={"jsonrpc": "2.0", "id": 1})
        return tools, told, wrong, again, statuses, refused

    settings = {"api_keys_file": str(keys), "mcp": True, "max_request_bytes": 65_536}
    with ready_server(tmp_path, **settings) as (url, _):
        tools, told, wrong, again, statuses, refused = asyncio.run(speak(url))
    assert "bid" in {one.name for one in tools.tools}
    assert told.structured_content["call"] == "1N"
    assert again.structured_content["call"] == told.structured_content["call"]
    assert wrong.is_error
    assert statuses[0] == 413
    assert statuses[1] == 400
    assert statuses[2] == 405
    assert refused.status_code == 401
    assert refused.json()["type"].endswith("unauthorized")


def test_a_key_for_a_question_is_that_of_its_client(tmp_path):
    """A tool needs the key that its operation needs, over any stream."""
    key, entry = new_key("club", "read")
    keys = tmp_path / "keys.txt"
    keys.write_text(entry.line() + "\n", "utf-8")
    app = loaded_app(tmp_path, api_keys_file=str(keys))

    async def speak(own):
        async with Client(Assistants(app, own).server) as client:
            return await client.call_tool("bid", {"hand": HAND})

    assert "expected a key of this service" in text_of(asyncio.run(speak("")))
    assert asyncio.run(speak(key)).structured_content["call"] == "1N"


def test_the_command_speaks_over_standard_input_and_output(tmp_path):
    async def speak():
        program = StdioServerParameters(
            command=sys.executable,
            args=["-c", PROGRAM, "mcp", "--table", "sayc", "--backend", "reference"],
            env=environment(BIDCASCADE_CACHE=str(tmp_path)),
        )
        async with Client(program, read_timeout_seconds=100) as client:
            told = await client.call_tool("bid", {"hand": HAND})
            wrong = await client.call_tool("bid", {"hand": "AKQ"})
            return client.server_info, told, wrong

    info, told, wrong = asyncio.run(speak())
    assert info is None or info.name == "bidcascade"
    assert told.structured_content["call"] == "1N"
    assert wrong.is_error


def test_an_assistant_is_greeted_before_the_service_is_made():
    """Questions wait for the service; what went wrong with it is told to whoever asks."""

    async def speak():
        promise = asyncio.get_running_loop().create_future()
        async with Client(Assistants(promise).server) as client:
            asked = asyncio.create_task(client.list_tools())
            # answered before, without a service
            await client.list_resources()
            is_waiting = not asked.done()
            promise.set_result(loaded_app(table="sayc"))
            return is_waiting, await asked

    is_waiting, told = asyncio.run(speak())
    assert is_waiting
    assert "bid" in {one.name for one in told.tools}


def test_what_answers_the_greeting_loads_nothing_of_the_service():
    program = "import sys; import bidcascade.service.api.assistants; print(*sys.modules)"
    ran = run_python(program)
    assert ran.code == 0, ran.err
    assert not {"fastapi", "polars", "numpy", "bidcascade.engine.engine"} & {*ran.out.split()}


def test_keys_that_cannot_be_read_end_the_command_at_once(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "mcp", "--api-keys-file", str(tmp_path / "none")],
        env=environment(BIDCASCADE_CACHE=str(tmp_path)),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as ran:
        assert ran.wait(timeout=60) == 2
        assert b"none" in ran.stderr.read()


def test_what_is_no_message_is_answered(tmp_path):
    lines = [
        b"{bad",
        b"\xff\xfe",
        b"[]",
        b"",
        b'{"jsonrpc": "2.0", "id": 7, "method": 5}',
        b'{"jsonrpc": "1.0", "id": "x", "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 8, "method": "ping"}',
    ]
    begun = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "tests", "version": "1"},
        },
    }
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "mcp", "--table", "sayc", "--backend", "reference"],
        env=environment(BIDCASCADE_CACHE=str(tmp_path)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as ran:
        ran.stdin.write(b"\n".join([json.dumps(begun).encode(), *lines, b""]))
        ran.stdin.flush()
        answers = [json.loads(ran.stdout.readline()) for _ in range(7)]
        ran.stdin.close()
        assert ran.wait(timeout=60) == 0
    codes = [(one["id"], one["error"]["code"]) for one in answers if "error" in one]
    assert sorted(codes, key=str) == [
        ("x", -32600),
        (7, -32600),
        (None, -32600),
        (None, -32700),
        (None, -32700),
    ]
    assert {one["id"] for one in answers if "result" in one} == {1, 8}


FAILS_AT_START = """
from contextlib import asynccontextmanager
from bidcascade.service.cli.services import assistance
from fastapi import FastAPI

@asynccontextmanager
async def fails(app):
    raise OSError("the disk is gone")
    yield

assistance._service = lambda settings: FastAPI(lifespan=fails)
"""


def test_a_service_that_cannot_start_is_told_to_who_asks(tmp_path):
    begun = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    }
    asked = [("initialize", begun), ("tools/list", {})]
    with subprocess.Popen(
        [sys.executable, "-c", FAILS_AT_START + PROGRAM, "mcp"],
        env=environment(BIDCASCADE_CACHE=str(tmp_path)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as ran:
        for number, (method, params) in enumerate(asked):
            one = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            ran.stdin.write(json.dumps(one).encode() + b"\n")
            ran.stdin.flush()
            answer = json.loads(ran.stdout.readline())
            assert (answer["id"], "error" in answer) == (number, number == 1)
        ran.stdin.close()
        assert ran.wait(timeout=60)
        assert b"the disk is gone" in ran.stderr.read()


@pytest.mark.parametrize(
    "flag", [("--port", "8123"), ("--host", "0.0.0.0"), ("--cors-origins", "x")]
)
def test_what_belongs_to_http_is_told_without_it(flag):
    ran = run_python(PROGRAM, "mcp", *flag)
    assert ran.code == 1
    assert f"expected --http beside {flag[0]}: " in ran.err


def test_a_service_has_no_assistants_unless_it_is_asked_for_them(tmp_path):
    assert not Settings().mcp
    app = loaded_app(tmp_path)
    assert ask(app, "POST", "/mcp", body={}).status_code == 404


def test_without_the_extra_the_command_says_so():
    hidden = "import sys; sys.modules['mcp'] = None; "
    for arguments in (["mcp"], ["mcp", "--http"], ["serve", "--mcp", "--port", "0"]):
        ran = run_python(hidden + PROGRAM, *arguments)
        assert ran.code == 3, ran
        assert "expected the extra 'mcp' (pip install 'bidcascade[mcp]')" in ran.err


def test_the_service_loads_the_extra_for_assistants_alone():
    program = (
        "import sys; import bidcascade.service.api.app; "
        "import bidcascade.service.cli.services.assistance; "
    )
    ran = run_python(program + "print(*sys.modules)")
    assert ran.code == 0, ran.err
    assert not {"mcp", "mcp_types", "pygls", "lsprotocol"} & {*ran.out.split()}
