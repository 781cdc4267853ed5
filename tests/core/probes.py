"""Small libraries around headers of the core, built for tests."""

import ctypes
import hashlib
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from bidcascade.kernels.core.build import SOURCES

HERE = Path(__file__).parent
FLAGS = (
    "-std=c++17", "-O1", "-g", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror",
    "-shared", "-fPIC", "-I", str(SOURCES),
)  # fmt: skip


@cache
def build_probe(name: str, *flags: str) -> ctypes.CDLL:
    """Compile ``{name}_probe.cpp``, which lies in a folder here, and load it."""
    (source,) = HERE.rglob(f"{name}_probe.cpp")
    digest = hashlib.sha256(repr(flags).encode())
    for path in (source, *sorted(SOURCES.rglob("*.hpp"))):
        digest.update(path.read_bytes())
    folder = Path(tempfile.gettempdir()) / "core-probes"
    folder.mkdir(exist_ok=True)
    library = folder / f"{name}-{digest.hexdigest()[:16]}.so"
    if not library.exists():
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".so", delete=False) as part:
            subprocess.run(["g++", *FLAGS, *flags, str(source), "-o", part.name], check=True)
        Path(part.name).rename(library)
    return ctypes.CDLL(str(library))
