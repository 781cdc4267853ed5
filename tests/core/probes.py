"""Small C++ probes around headers of the core, compiled once by what they include."""

import ctypes
import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.support_missing import missing

CORE = Path(__file__).parents[2] / "kernels" / "core"
FLAGS = (
    "-std=c++17", "-O1", "-g", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror",
    "-shared", "-fPIC",
)  # fmt: skip


def build_probe(name: str) -> ctypes.CDLL:
    """Compile ``{name}_probe.cpp`` and load it."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        missing("no C++ compiler: neither g++ nor clang++ was found")
    source = Path(__file__).with_name(f"{name}_probe.cpp")
    digest = hashlib.sha256(repr((compiler, FLAGS)).encode())
    for path in (source, *sorted(CORE.glob("*.hpp"))):
        digest.update(path.read_bytes())
    folder = Path(tempfile.gettempdir()) / "bidcascade-probes"
    folder.mkdir(exist_ok=True)
    library = folder / f"{name}-{digest.hexdigest()[:24]}.so"
    if not library.exists():
        # under another name first, so that no process loads half a file
        with tempfile.TemporaryDirectory(dir=folder) as own:
            made = Path(own) / library.name
            command = [compiler, *FLAGS, "-I", str(CORE), "-o", str(made), str(source)]
            subprocess.run(command, check=True)
            made.rename(library)
    return ctypes.CDLL(str(library))
