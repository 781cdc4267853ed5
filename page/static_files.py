"""The static files of the page, read once: what may be served is what lies in the package."""

import gzip
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

from bidcascade.kernels.core.library import expected_version, read_module

MEDIA_TYPES: Final[dict[str, str]] = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json",
    "wasm": "application/wasm",
}
"""Media type by ending; files with other endings are not served."""

PAGE: Final = "index.html"
CORE: Final = "engine/core.wasm"
"""The core that the engine bids with; absent where nobody could build it."""
CORE_VERSION: Final = "engine/core_version.js"


class StaticFile(NamedTuple):
    """A file as it is sent."""

    content: bytes
    compressed: bytes
    media_type: str
    digest: str

    @classmethod
    def of(cls, content: bytes, media_type: str) -> "StaticFile":
        """File of a content."""
        digest = hashlib.sha256(content).hexdigest()[:32]
        return cls(content, gzip.compress(content, 9, mtime=0), media_type, digest)

    def etag(self, *, compressed: bool) -> str:
        """Entity tag; each coding is another representation (RFC 9110, section 8.8.3)."""
        return f'"{self.digest}-gzip"' if compressed else f'"{self.digest}"'


@cache
def static_files() -> Mapping[str, StaticFile]:
    """All files of the page by their path below the folder, such as ``engine/worker.js``.

    Requests are looked up here and never reach the file system, so that no path leads out of the
    folder.
    """
    found: dict[str, StaticFile] = {}
    folder = Path(str(files(__package__).joinpath("static")))
    for path in sorted(folder.rglob("*")):
        media_type = MEDIA_TYPES.get(path.name.rpartition(".")[2])
        if path.is_file() and media_type is not None:
            name = path.relative_to(folder).as_posix()
            found[name] = StaticFile.of(path.read_bytes(), media_type)
    # the engine knows which version of the core it belongs to
    version = json.dumps(f"{expected_version():016x}")
    found[CORE_VERSION] = StaticFile.of(f"export default {version};\n".encode(), MEDIA_TYPES["js"])
    core = read_module()
    if core is not None:
        found[CORE] = StaticFile.of(core, MEDIA_TYPES["wasm"])
    return found
