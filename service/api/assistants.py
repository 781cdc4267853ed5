"""Assistants that ask by the Model Context Protocol: a tool for every question, pages to read.

The protocol is https://modelcontextprotocol.io/specification. A tool is an operation of the API:
its arguments are those of the operation, which is asked with the key and for the client of whoever
called the tool. So keys, limits and errors are those of REST.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, urlencode

import mcp_types as types
from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.shared.message import SessionMessage
from pydantic import ValidationError
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from bidcascade.version import package_version

if TYPE_CHECKING:
    from fastapi import FastAPI
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from .in_process import RawResponse
    from .shared.work import AppState

PATH: Final = "/mcp"
INSTRUCTIONS: Final = """\
Bidding of bridge. Calls are written P X XX 1C … 7N, hands S.H.D.C with T for the ten, as
AK5.Q32.KJ52.Q97; auctions from the dealer on, as "1N P 2C P". Ask `tables` for the systems that are
loaded; `bid` for the call of a hand with its reasons, `tableExplain` for what an auction shows,
`systemCheck` for a system's text. The resources say how texts are written and what terms mean.
"""
_TAGS: Final = {"answers", "tables", "systems", "archives"}
"""Operations of these are questions, where they change nothing."""
_ALSO: Final = {"jobs", "job"}
_CHANGING: Final = {"delete", "put", "patch"}
_REFERENCE: Final = "#/components/schemas/"
_DOCS: Final = "bidcascade://docs/"
_SYSTEMS: Final = "bidcascade://systems/"
_QUOTED: Final = 100
"""Characters of a line that is no message."""
_NOT_FOUND: Final = -32602
"""What the protocol has for resources and tools that are not there: invalid parameters."""


class Tool(NamedTuple):
    """An operation of the API as a tool.

    Attributes
    ----------
    path : str
        With names of arguments in braces.
    in_path : tuple of str
        These names.
    in_body : bool
        Whether arguments are the fields of a body, else of the query.
    tool : mcp_types.Tool
        What assistants are told of it.
    """

    path: str
    in_path: tuple[str, ...]
    in_body: bool
    tool: types.Tool


def tools_of(document: Mapping[str, Any]) -> dict[str, Tool]:
    """Make a tool of each operation of an OpenAPI document that asks and changes nothing.

    Parameters
    ----------
    document
        As :func:`~.openapi.describe` makes it: its schemas are those of ``engine/questions``.

    Examples
    --------
    >>> from bidcascade.service.api.app import create_app
    >>> from bidcascade.engine.settings import Settings
    >>> tools = tools_of(create_app(Settings(table="sayc")).openapi())
    >>> tools["bid"].tool.input_schema["required"]
    ['hand']
    """
    found = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            name = operation["operationId"]
            only_reads = bool(_TAGS.intersection(operation.get("tags", ()))) or name in _ALSO
            if only_reads and method not in _CHANGING:
                found[name] = _tool(path, operation, document["components"]["schemas"])
    return found


def _tool(path: str, operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> Tool:
    parameters = operation.get("parameters", ())
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {one["name"]: one["schema"] for one in parameters},
        "required": [one["name"] for one in parameters if one.get("required")],
        "additionalProperties": False,
    }
    body = operation.get("requestBody")
    if body is not None:
        reference = body["content"]["application/json"]["schema"]["$ref"]
        schema = dict(schemas[reference.removeprefix(_REFERENCE)])
    schema, used = _with_definitions(schema, schemas)
    if used:
        schema["$defs"] = used
    tool = types.Tool(
        name=operation["operationId"],
        title=operation["summary"],
        description=f"{operation['summary']}. {operation.get('description', '')}".strip(),
        input_schema=schema,
        annotations=types.ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
    in_path = tuple(one["name"] for one in parameters if one["in"] == "path")
    return Tool(path, in_path, body is not None, tool)


def _with_definitions(
    schema: dict[str, Any], schemas: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Make a schema stand alone, with the definitions that it then refers to."""
    used: dict[str, Any] = {}

    def moved(part: Any) -> Any:
        if isinstance(part, list):
            return [moved(one) for one in part]
        if not isinstance(part, dict):
            return part
        made = {name: moved(one) for name, one in part.items()}
        reference = part.get("$ref")
        if isinstance(reference, str) and reference.startswith(_REFERENCE):
            name = reference.removeprefix(_REFERENCE)
            made["$ref"] = f"#/$defs/{name}"
            if name not in used:
                used[name] = {}
                used[name] = moved(schemas[name])
        return made

    return moved(schema), used


class Assistants:
    """Answers assistants for an application, over HTTP at :data:`PATH` or over other streams.

    Loading this module loads nothing of the service: an assistant that has started the command is
    greeted before.

    Parameters
    ----------
    app
        Made by :func:`~.app.create_app`, and started before anything is asked; or a promise of it,
        for which questions wait.
    key
        Sent with questions that come with no request of HTTP.
    """

    def __init__(self, app: "FastAPI | asyncio.Future[FastAPI]", key: str = "") -> None:
        self._app = app
        self._key = key
        self._known: dict[str, Tool] | None = None
        self._manager: StreamableHTTPSessionManager | None = None
        self.route = Route(PATH, self, methods=["POST"], include_in_schema=False)
        self.server: Server[Any] = Server(
            "bidcascade",
            version=package_version(),
            title="Bidding of bridge",
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_read_resource=self._read_resource,
        )

    async def _service(self) -> "FastAPI":
        if isinstance(self._app, asyncio.Future):
            # one question that is given up ends no other's
            self._app = await asyncio.shield(self._app)
        return self._app

    # ------------------------------------------------------------------ over HTTP
    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer requests of HTTP until the end of the block."""
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        work: AppState = (await self._service()).state.own
        # each request stands alone: no session is kept that a client could leave open
        self._manager = StreamableHTTPSessionManager(
            self.server,
            json_response=True,
            stateless=True,
            max_request_body_size=work.settings.max_request_bytes,
        )
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whose body is read within the limits of all others."""
        work: AppState = (await self._service()).state.own
        assert self._manager is not None
        request = Request(scope, receive)
        async with work.body(request) as content:
            pieces = iter([{"type": "http.request", "body": bytes(content), "more_body": False}])

            async def replayed() -> Message:
                return next(pieces, None) or await receive()

            await self._manager.handle_request(scope, replayed, send)

    # ------------------------------------------------------------------ tools
    async def _tools(self) -> dict[str, Tool]:
        service = await self._service()
        if self._known is None:
            self._known = tools_of(service.openapi())
        return self._known

    async def _list_tools(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[one.tool for one in (await self._tools()).values()])

    async def _call_tool(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tools = await self._tools()
        tool = tools.get(params.name)
        if tool is None:
            from bidcascade.systems.language.errors import nearest

            near = nearest(params.name, tools)
            hint = f"; did you mean {near!r}?" if near else ""
            raise MCPError(_NOT_FOUND, f"expected a tool, got {params.name[:100]!r}{hint}")
        arguments = dict(params.arguments or {})
        known = tool.tool.input_schema["properties"]
        for name in tool.in_path:
            if not isinstance(arguments.get(name), str) or not arguments[name]:
                return _error_result(f"{name}: expected a text, got {arguments.get(name)!r}")
        for name in arguments.keys() - known.keys() if not tool.in_body else ():
            return _error_result(
                f"{name}: expected one of {', '.join(known)}, got another argument"
            )
        return _result(await self._answer(tool, arguments, context))

    async def _answer(
        self, tool: Tool, arguments: dict[str, Any], context: ServerRequestContext[Any]
    ) -> "RawResponse":
        from .in_process import answer_of, until_loaded

        service = await self._service()
        path = tool.path
        for name in tool.in_path:
            path = path.replace(f"{{{name}}}", quote(arguments.pop(name), safe=""))
        body = json.dumps(arguments).encode() if tool.in_body else None
        if body is None and arguments:
            given = {name: _query_text(value) for name, value in arguments.items()}
            path += f"?{urlencode(given, doseq=True)}"
        headers, client = {"accept": "application/json, text/plain;q=0.5"}, ("127.0.0.1", 0)
        request = context.request
        if isinstance(request, Request):
            if request.client is not None:
                client = request.client.host, request.client.port
            key = request.headers.get("authorization", "")
        else:
            key = self._key and f"Bearer {self._key}"
            await until_loaded(service)
        if key:
            headers["authorization"] = key
        return await answer_of(service, path, body, headers=headers, client=client)

    # ------------------------------------------------------------------ pages
    async def _list_resources(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[one for one, _ in self._pages.values()])

    @cached_property
    def _pages(self) -> dict[str, tuple[types.Resource, Path | None]]:
        """Pages by address; those without a file are made when they are asked for."""
        from bidcascade.systems.language.shipped import PAGES, SUFFIX, shipped_folder

        found = [
            _page(f"{_DOCS}openapi.json", "The API", "Every path and field over REST.", None),
            _page(f"{_DOCS}terms.md", "Terms", "Terms of conditions of bidding tables.", None),
        ]
        language = shipped_folder().parent / "language"
        files = [
            *((f"{_DOCS}{one.name}", one) for one in docs_files()),
            (f"{_DOCS}phrases.md", language / "phrases.md"),
        ]
        for address, file in files:
            if address not in {str(one.uri) for one, _ in found}:
                found.append(_page(address, *_head_of(file), file))
        folder = shipped_folder()
        for file in (*folder.glob(f"*{SUFFIX}"), *(folder / PAGES).glob(f"*{SUFFIX}")):
            description = (
                "A system as text." if file.parent == folder else "A page that systems include."
            )
            found.append(_page(f"{_SYSTEMS}{file.name}", file.name, description, file))
        return {str(one.uri): (one, file) for one, file in found}

    async def _read_resource(
        self, context: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        address = str(params.uri)
        known = self._pages.get(address)
        if known is None:
            raise MCPError(_NOT_FOUND, f"expected a page that is there, got {address[:200]!r}")
        resource, file = known
        if file is not None:
            text = file.read_text("utf-8")
        elif address.endswith("terms.md"):
            from bidcascade.table.language.vocabulary_page import vocabulary_markdown

            text = vocabulary_markdown()
        else:
            text = json.dumps((await self._service()).openapi(), ensure_ascii=False)
        content = types.TextResourceContents(uri=address, mime_type=resource.mime_type, text=text)
        return types.ReadResourceResult(contents=[content])


def refusal_of(error: Exception) -> SessionMessage | None:
    """Answer to a line that is no message: it does not parse, or is none of the protocol.

    Examples
    --------
    >>> import mcp_types
    >>> try:
    ...     mcp_types.jsonrpc_message_adapter.validate_json("{", by_name=False)
    ... except ValueError as error:
    ...     refusal_of(error).message.error.code
    -32700
    """
    found = error.errors() if isinstance(error, ValidationError) else []
    first = found[0] if found else None
    given = None if first is None else first["input"]
    code, wanted = types.INVALID_REQUEST, "a message of JSON-RPC 2.0"
    if first is not None and first["type"] == "json_invalid":
        if isinstance(given, str) and not given.strip():
            return None
        code, wanted = types.PARSE_ERROR, "a message in JSON"
    objects = (one["input"] for one in found if isinstance(one["input"], dict))
    number = next((one["id"] for one in objects if "id" in one), None)
    if isinstance(number, bool) or not isinstance(number, int | str):
        number = None
    got = repr(given)[:_QUOTED]
    data = types.ErrorData(code=code, message=f"expected {wanted}, got {got}")
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=number, error=data))


def docs_files() -> list[Path]:
    """Pages of ``docs``: they lie in the checkout, and in the wheel beside the packages."""
    return sorted((Path(__file__).resolve().parents[2] / "docs").glob("*.md"))


def _page(
    address: str, title: str, description: str, file: Path | None
) -> tuple[types.Resource, Path | None]:
    kind = "application/json" if address.endswith(".json") else "text/markdown"
    if address.startswith(_SYSTEMS):
        kind = "text/plain"
    name = address.rpartition("/")[2]
    resource = types.Resource(
        uri=address, name=name, title=title, description=description, mime_type=kind
    )
    return resource, file


def _head_of(file: Path) -> tuple[str, str]:
    """Title of a page, and its first paragraph."""
    title, _, rest = file.read_text("utf-8").partition("\n")
    paragraph = rest.strip().partition("\n\n")[0]
    return title.lstrip("# "), " ".join(paragraph.split())[:200]


def _query_text(value: Any) -> Any:
    """Value of an argument as it stands in an address."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return [_query_text(one) for one in value]
    return value if isinstance(value, str | int | float) else json.dumps(value)


def _result(answer: "RawResponse") -> types.CallToolResult:
    """Answer of an operation as that of a tool; a problem says which arguments are at fault."""
    text = answer.body.decode("utf-8", "replace")
    value = json.loads(text) if "json" in answer.kind and "ndjson" not in answer.kind else None
    if answer.status >= 400:
        return _error_result(_problem_text(value) if isinstance(value, dict) else text)
    return types.CallToolResult(
        content=[types.TextContent(text=text)],
        structured_content=value if isinstance(value, dict) else None,
    )


def _problem_text(problem: Mapping[str, Any]) -> str:
    lines = [f"{problem.get('title', '')}: {problem.get('detail', '')}"]
    fields = (f"{one['field']}: {one['reason']}" for one in problem.get("errors", ()))
    lines += (one for one in fields if one not in lines[0])
    return "\n".join(lines)


def _error_result(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)
