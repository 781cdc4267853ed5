"""The page as a folder of files that bids without a service: from a web host, a stick, a disk."""

import base64
import gzip
import hashlib
import html
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from bidcascade.bridge import BackendUnavailable, InvalidInput
from bidcascade.inference.double_dummy.solved_deals import pack_tables
from bidcascade.kernels.core.build import ZIGLANG
from bidcascade.kernels.types import I8
from bidcascade.loaders.files.whole_files import can_write, whole_file

from .bundle import bundle
from .content_policy import OFFLINE_POLICY
from .joined_files import (
    NAME,
    SCRIPT,
    STYLE,
    WORKER,
    joined_page,
    joined_style,
    module_sources,
    replaced,
)
from .static_files import CORE, PAGE, static_files

SERVICE_WORKER: Final = "sw.js"
SYSTEMS: Final = "systems"
SOLVED: Final = "solved-deals.js"
THEMES: Final = "themes.js"
FOLDER: Final = "bidcascade-page"
"""Name of the folder in a zip file."""
_START: Final = "start.js"
_HEAD: Final = "// Written by `bidcascade page`."
"""First line of the service worker, by which a folder is known."""


class PageSize(NamedTuple):
    """Bytes as they come through the network, gzip."""

    page: int
    systems: dict[str, int]


def page_files(
    systems: Iterable[tuple[str, Mapping[str, Any]]],
    solved: I8 | None = None,
    themes: Callable[[], Sequence[Mapping[str, Any]]] = tuple,
) -> Iterator[tuple[str, bytes]]:
    """Yield all files of a folder by their path in it, each as soon as it can be made.

    Those that depend on no system come first, the service worker is the last.

    Parameters
    ----------
    systems
        Names, and what :func:`bidcascade.engine.browser_system.browser_system` says of them, with
        ``topics`` perhaps, which practice asks for; the first one is the default. Each is drawn
        when the files before it are.
    solved : int8 [n, 20], optional
        Tables of the first deals of :mod:`bidcascade.inference.double_dummy.solved_deals`, on
        which a changed text plays against the old one.
    themes
        Makes themes for practice with deals, as :func:`.theme_deals.theme_deals` makes them.
    """
    told: list[dict[str, str]] = []
    content: dict[str, bytes] = {}
    for name, one in _files_before_worker(systems, solved, themes, told):
        content[name] = one
        yield name, one
    yield SERVICE_WORKER, _service_worker(content).encode()


def _files_before_worker(
    systems: Iterable[tuple[str, Mapping[str, Any]]],
    solved: I8 | None,
    themes: Callable[[], Sequence[Mapping[str, Any]]],
    told: list[dict[str, str]],
) -> Iterator[tuple[str, bytes]]:
    yield SCRIPT, _script().encode()
    yield STYLE, joined_style().encode()
    for name, one in systems:
        told.append({"name": name, "title": one["title"], "digest": one["digest"]})
        yield _path(name), _system(name, one).encode()
    yield "icon.svg", static_files()["icon.svg"].content
    for name in ("icon-192.png", "icon-512.png", "manifest.webmanifest"):
        yield name, _own(name)
    deals = 0 if solved is None else len(solved)
    if solved is not None and deals:
        tables = base64.b64encode(pack_tables(solved)).decode()
        yield SOLVED, f"globalThis.bidcascadeSolvedDeals = {_json(tables)};\n".encode()
    if dealt := themes():
        yield THEMES, f"globalThis.bidcascadeThemes = {_json(dealt)};\n".encode()
    yield PAGE, _page(told, deals, has_themes=bool(dealt)).encode()


def page_size(content: Mapping[str, bytes]) -> PageSize:
    """Sizes of a folder's files, the systems by name."""
    packed = {name: len(gzip.compress(one, 9, mtime=0)) for name, one in content.items()}
    systems = {Path(name).stem: packed.pop(name) for name in content if name.startswith(SYSTEMS)}
    return PageSize(sum(packed.values()), systems)


def zipped(content: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """Yield a zip file of a folder's files, a part for each as it is drawn; the same for the same.

    Examples
    --------
    >>> [part[:2] for part in zipped([("index.html", b"<p>")])]
    [b'PK', b'PK']
    """
    packed, sent = io.BytesIO(), 0
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, one in content:
            about = zipfile.ZipInfo(f"{FOLDER}/{name}")
            about.compress_type = zipfile.ZIP_DEFLATED
            # writes the head of the file again, and changes nothing of those before
            file.writestr(about, one)
            packed.seek(sent)
            yield packed.read()
            sent = packed.tell()
    packed.seek(sent)
    yield packed.read()


def check_page_folder(folder: Path) -> None:
    """Check that the page may be written to a folder: it is new, empty, or holds such a page.

    Raises
    ------
    InvalidInput
        If it holds something else.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InvalidInput(f"expected a folder, got the file {str(folder)!r}")
    # a folder that a web host is fed from has its own hidden ones
    others = [path for path in folder.iterdir() if not path.name.startswith(".")]
    worker = folder / SERVICE_WORKER
    is_page = worker.is_file() and worker.read_bytes().startswith(_HEAD.encode())
    if others and not is_page:
        raise InvalidInput(
            f"expected an empty folder, or one that this command has written, got {str(folder)!r}"
        )


def write_page(content: Mapping[str, bytes], folder: Path) -> None:
    """Write files to a folder, each whole; systems and solved deals that are none of them go.

    Raises
    ------
    InvalidInput
        If the folder holds something else.
    CannotWrite
        If it cannot be written to.
    """
    check_page_folder(folder)
    with can_write(folder):
        (folder / SYSTEMS).mkdir(parents=True, exist_ok=True)
    for name, one in content.items():
        with whole_file(folder / name) as partial, can_write(folder / name):
            partial.write_bytes(one)
    with can_write(folder):
        for path in (*(folder / SYSTEMS).glob("*.js"), *folder.glob(SOLVED), *folder.glob(THEMES)):
            if path.relative_to(folder).as_posix() not in content:
                path.unlink()


def _path(system: str) -> str:
    return f"{SYSTEMS}/{system}.js"


def _address(path: str) -> str:
    return quote(path, safe="/!~*'()")


def _own(name: str) -> bytes:
    return files(__package__).joinpath("offline", name).read_bytes()


def _script() -> str:
    sources = module_sources() | {_START: _own(_START).decode()}
    return (
        "// Written by `bidcascade page`: the modules of the page and its engine.\n"
        f"{bundle(sources, [_START, WORKER], NAME)}"
        f'globalThis.bidcascadeCore = "{_core()}";\n'
        "globalThis.bidcascadeEngineSource = "
        '`globalThis.bidcascadeCore = "${bidcascadeCore}";`\n'
        # without the page's own modules it is there sooner
        f'  + {NAME}("{WORKER}", true);\n'
        f'{NAME}("{_START}");\n'
    )


def _core() -> str:
    """Bytes of the core, gzip and base64: a page from a disk may fetch none."""
    core = static_files().get(CORE)
    if core is None:
        raise BackendUnavailable(
            f"expected the core of the page's engine, got none: install {ZIGLANG!r} with pip"
        )
    return base64.b64encode(core.compressed).decode()


def _system(name: str, system: Mapping[str, Any]) -> str:
    # the rows stay a text, which the engine reads in its worker
    known = {"name": name, **system, "rows": _json(system["rows"])}
    return f"(globalThis.bidcascadeSystems ??= {{}})[{_json(name)}] = {_json(known)};\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _page(told: Sequence[Mapping[str, str]], deals: int, *, has_themes: bool) -> str:
    listed = json.dumps(told)
    solved = f'data-solved="{deals}" ' if deals else ""
    solved += "data-themes " if has_themes else ""
    # the first system is there before it is asked for
    first = html.escape(_address(_path(told[0]["name"])))
    # there is no service with an API
    page = re.sub(r'\n *<a href="/docs".*</a>', "", joined_page(STYLE, [first, SCRIPT]))
    for old, new in (
        ("<html ", f'<html data-offline="{html.escape(listed)}" {solved}'),
        (
            '<meta charset="utf-8">\n',
            '<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{OFFLINE_POLICY}">\n'
            '<link rel="apple-touch-icon" href="icon-192.png">\n',
        ),
        ('"/static/icon.svg"', '"icon.svg"'),
    ):
        page = replaced(page, old, new)
    return page


def _service_worker(content: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, one in sorted(content.items()):
        digest.update(f"{name} {len(one)} ".encode() + one)
    # the page's address is that of the folder
    names = ["./", *(_address(name) for name in content if name != PAGE)]
    return (
        f"{_HEAD}\nconst DIGEST = {json.dumps(digest.hexdigest()[:32])};\n"
        f"const FILES = {json.dumps(names)};\n{_own(SERVICE_WORKER).decode()}"
    )
