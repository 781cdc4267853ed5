"""How the core becomes a shared library, and a module for browsers: flags, compilers, targets.

``build_backend`` builds wheels with it, and ``library.py`` a checkout whose sources have changed.
Nothing but the standard library is imported, since there is nothing else where wheels are built;
what compiles alone needs, when it compiles: most processes load what was built before.
"""

import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

SOURCES: Final = Path(__file__).resolve().parent
"""Where ``interface.cpp`` and the headers lie."""

ZIGLANG: Final = "ziglang>=0.14,<0.18"
"""The compiler for machines that have none, as a requirement of pip."""

FLAGS: Final = (
    "-std=c++17", "-shared", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics",
    "-fvisibility=hidden", "-fno-strict-aliasing", "-ffp-contract=off", "-Wall", "-Wextra",
)  # fmt: skip
"""Flags of every build; the last two before the warnings let all builds give the same answers."""

BUILDS: Final = {
    "baseline": ("-O3",),
    "x86-64-v3": ("-O3", "-march=x86-64-v3"),
    "x86-64-v4": ("-O3", "-march=x86-64-v4", "-mavx512vpopcntdq", "-mprefer-vector-width=512"),
    "sanitized": (
        "-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined",
        "-fno-sanitize-recover=undefined", "-DCORE_CHECKED",
    ),
}  # fmt: skip
"""Further flags by build. ``sanitized`` is for tests and in no wheel; ``x86-64-v4`` counts bits in
vectors, for the sets of deals of a bidding table's walk."""

ZIG_PROCESSORS: Final = {
    "-march=x86-64-v3": ("-mcpu=x86_64_v3",),
    "-march=x86-64-v4": ("-mcpu=x86_64_v4+avx512vpopcntdq",),
    "-mavx512vpopcntdq": (),
}
"""How zig writes flags that name a processor."""

MODULE: Final = "bidcascade-core.wasm"
"""Name of the core as a module of WebAssembly, which the page's engine bids with."""

MODULE_FLAGS: Final = (
    "-target", "wasm32-freestanding", "-std=c++17", "-Os", "-fno-exceptions", "-fno-rtti",
    "-fno-threadsafe-statics", "-fvisibility=hidden", "-fno-strict-aliasing", "-ffp-contract=off",
    "-mbulk-memory", "-nostdlib++", "-s", "-Wall", "-Wextra", "-Wl,--no-entry",
    "-Wl,--export-dynamic", "-Wl,-z,stack-size=1048576", "-Wl,--max-memory=1073741824",
)  # fmt: skip
"""Flags of the module: what every browser has since 2021, and memory for 1 GiB at most. Bidding is
as quick as with -O3, and less has to come and to be compiled before the first call."""

CACHE_VARIABLE: Final = "BIDCASCADE_CORE_CACHE"
"""Environment variable that names a folder: what was built once with the same sources, flags and
name of a compiler is copied from there. The whole check sets it, as it installs several times."""

_COMPILERS: Final = ("c++", "g++", "clang++")
_SUFFIXES: Final = {"linux": ".so", "macos": ".dylib", "windows": ".dll"}
_COMPILE_SECONDS: Final = 900


class BuildError(Exception):
    """There is no compiler, or it refused the sources; the message has its own words."""


@dataclass(frozen=True, slots=True)
class Target:
    """A kind of machine that a library is built for.

    Parameters
    ----------
    machine : str
        ``x86_64``, ``aarch64`` or another name of a processor, as zig writes it.
    system : str
        ``linux``, ``macos`` or ``windows``.
    runtime : str
        C library or least version as zig writes it: ``gnu.2.17``, ``musl``, ``11.0`` (of macOS).

    Examples
    --------
    >>> target = Target.parse("aarch64-linux-gnu.2.17")
    >>> target.builds(), target.wheel_platform()
    (('baseline',), 'manylinux_2_17_aarch64')
    >>> str(Target.parse("aarch64-macos.11.0"))
    'aarch64-macos.11.0'
    """

    machine: str
    system: str
    runtime: str

    @classmethod
    def parse(cls, text: str) -> "Target":
        """Read a target as it is written for zig."""
        machine, _, rest = text.partition("-")
        system, _, runtime = rest.partition("." if rest.startswith("macos") else "-")
        if not machine or system not in _SUFFIXES or not runtime:
            raise BuildError(
                "expected a target such as x86_64-linux-gnu.2.17, aarch64-macos.11.0 or "
                f"x86_64-windows-gnu, got {text!r}"
            )
        return cls(machine, system, runtime)

    @classmethod
    def here(cls) -> "Target":
        """Find the target that is this machine; on Linux as old as zig can build for."""
        import platform

        machine = platform.machine().lower()
        machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
        if sys.platform == "darwin":
            return cls(machine, "macos", "11.0")
        if sys.platform == "win32":
            return cls(machine, "windows", "gnu")
        if platform.libc_ver()[0] != "glibc":
            return cls(machine, "linux", "musl")
        return cls(machine, "linux", "gnu.2.17" if machine in ("x86_64", "aarch64") else "gnu")

    def __str__(self) -> str:
        return f"{self.machine}-{self.system}{'.' if self.system == 'macos' else '-'}{self.runtime}"

    def builds(self) -> tuple[str, ...]:
        """Name the builds that a wheel for it has, the one that runs everywhere first."""
        # elsewhere nothing tells what the processor has
        is_known = self.machine == "x86_64" and self.system == "linux"
        levels = ("x86-64-v3", "x86-64-v4") if is_known else ()
        return "baseline", *levels

    def library_name(self, build: str) -> str:
        """Name of a build's file."""
        return f"bidcascade-core-{build}{_SUFFIXES[self.system]}"

    def wheel_platform(self) -> str | None:
        """Platform in the name of a wheel; ``None`` for the one that this machine has."""
        # what zig links runs with the C library that the target names, and newer ones
        arm = self.machine == "aarch64"
        if self.system == "windows":
            return "win_arm64" if arm else "win_amd64"
        version = self.runtime.removeprefix("gnu.").replace(".", "_")
        if self.system == "macos":
            return f"macosx_{version}_{'arm64' if arm else self.machine}"
        if self.runtime == "musl":
            return f"musllinux_1_2_{self.machine}"
        return f"manylinux_{version}_{self.machine}" if self.runtime.startswith("gnu.") else None


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler.

    Parameters
    ----------
    command : tuple of str
    target : Target
    is_zig : bool
    """

    command: tuple[str, ...]
    target: Target
    is_zig: bool = False

    def arguments(self, build: str, source: Path, output: str, version: int = 0) -> list[str]:
        """Command that makes a build."""
        system, flags = self.target.system, [*FLAGS, *BUILDS[build]]
        libraries: list[str] = []
        if system != "windows":
            flags.append("-fPIC")
        if self.is_zig:
            flags = [one for flag in flags for one in ZIG_PROCESSORS.get(flag, (flag,))]
            flags += ["-target", str(self.target), "-nostdlib++", "-s"]
        elif system != "linux":
            flags.append("-nostdlib++")
        elif build != "sanitized":
            # as -nostdlib++, which g++ knows from version 13 on; what is missing fails here. The
            # sanitizers' libraries are among those that this goes without
            flags.append("-nodefaultlibs")
            libraries = ["-lc", "-lgcc", "-Wl,-z,defs"]
        return [*self.command, *flags, _defined(version), str(source), "-o", output, *libraries]


def _defined(version: int) -> str:
    return f"-DCORE_VERSION={version:#x}ull"


def find_compiler(target: Target | None = None) -> Compiler | None:
    """Find a compiler that makes every build of a wheel: this machine's, else zig.

    Parameters
    ----------
    target : Target, optional
        A target other than this machine, for which zig alone can build.

    Returns
    -------
    Compiler or None
        ``$CXX`` if it is set, whatever it is.
    """
    import shlex
    import shutil

    here = Target.here()
    if target is None:
        if written := os.environ.get("CXX"):
            return Compiler(tuple(shlex.split(written)), here)
        for name in _COMPILERS:
            if (path := shutil.which(name)) and _works(found := Compiler((path,), here)):
                return found
    zig = find_zig()
    return None if zig is None else Compiler(zig, target or here, is_zig=True)


def find_zig() -> tuple[str, ...] | None:
    """Find zig, the one compiler of the module; its command, None where it is not installed."""
    if find_spec("ziglang") is None:
        return None
    return sys.executable, "-P", "-m", "ziglang", "c++"


@cache
def _works(compiler: Compiler) -> bool:
    # a name on the path is not enough: macOS has one without a compiler behind it, others lack
    # the C library's files, or know nothing of x86-64-v4
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "one.cpp"
        source.write_text('extern "C" { void free(void*); void one() { free(nullptr); } }\n')
        output = compiler.target.library_name("one")
        for build in compiler.target.builds():
            command = compiler.arguments(build, source, output)
            try:
                done = subprocess.run(command, cwd=scratch, capture_output=True, timeout=60)
            except (OSError, subprocess.TimeoutExpired):
                return False
            if done.returncode:
                return False
    return True


def source_version(sources: Path = SOURCES) -> int:
    """Version of a library: 64 bits of a digest of all sources and flags."""
    digest = hashlib.sha256(repr((FLAGS, BUILDS, MODULE_FLAGS)).encode())
    for file in _source_files(sources):
        content = file.read_bytes()
        name = file.relative_to(sources).as_posix()
        digest.update(f"\n{name} {len(content)}\n".encode() + content)
    return int.from_bytes(digest.digest()[:8], "big")


def checkout_folder(root: Path, version: int | None = None) -> Path:
    """Where a checkout's libraries lie: a folder for each version of the sources.

    Who knows the version of those that are there gives it: to work it out reads all of them.
    """
    known = source_version(root / "kernels" / "core") if version is None else version
    return root / "build" / "core" / f"{known:016x}"


def _source_files(sources: Path) -> Iterator[Path]:
    return (file for file in sorted(sources.rglob("*.?pp")) if file.suffix in (".cpp", ".hpp"))


def build_libraries(
    folder: Path,
    builds: Sequence[str] = (),
    compiler: Compiler | None = None,
    sources: Path = SOURCES,
) -> list[Path]:
    """Build libraries side by side, each whole or not at all, also where others build the same.

    Parameters
    ----------
    folder : Path
        Where they go; made where it is missing.
    builds : sequence of str, optional
        Some of :data:`BUILDS`; if not given, those of a wheel.
    compiler : Compiler, optional
    sources : Path

    Raises
    ------
    BuildError
        If there is no compiler, or it refuses the sources.
    OSError
        If the folder cannot be written to.
    """
    found = compiler or find_compiler()
    if found is None:
        raise BuildError(
            f"expected a C++ compiler: $CXX, {', '.join(_COMPILERS)} or pip's {ZIGLANG!r}, got none"
        )
    folder.mkdir(parents=True, exist_ok=True)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor() as pool:
        one = partial(_build_one, folder, compiler=found, sources=sources)
        return list(pool.map(one, builds or found.target.builds()))


def _build_one(folder: Path, build: str, *, compiler: Compiler, sources: Path) -> Path:
    name = compiler.target.library_name(build)
    command = compiler.arguments(build, sources / "interface.cpp", name, source_version(sources))
    return _compiled(folder, name, command, _cached(name, command))


def build_module(folder: Path, sources: Path = SOURCES) -> Path:
    """Build the module for browsers, whole or not at all; the same bytes wherever it is built.

    Parameters
    ----------
    folder : Path
        Where it goes; made where it is missing.
    sources : Path

    Raises
    ------
    BuildError
        If zig is not installed, or it refuses the sources.
    OSError
        If the folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    zig, command = find_zig(), _module_command(sources)
    cached = _cached(MODULE, command)
    if zig is None and not (cached and cached.exists()):
        raise BuildError(
            f"expected zig for the core of the page's engine, pip's {ZIGLANG!r}, got none"
        )
    return _compiled(folder, MODULE, [*(zig or ()), *command], cached)


def needs_zig(target: Target | None = None, sources: Path = SOURCES) -> bool:
    """Tell whether building needs zig: for the library, or for a module that no cache has."""
    cached = _cached(MODULE, _module_command(sources))
    compiler = find_compiler(target)
    return compiler is None or compiler.is_zig or cached is None or not cached.exists()


def _module_command(sources: Path) -> list[str]:
    """Words behind zig's own; no path of this machine gets into the module."""
    version = _defined(source_version(sources))
    return [*MODULE_FLAGS, version, str(sources / "browser.cpp"), "-o", MODULE]


def _compiled(folder: Path, name: str, command: Sequence[str], cached: Path | None) -> Path:
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(dir=folder, prefix=".building-") as scratch:
        built = Path(scratch) / name
        if cached is not None and cached.exists():
            shutil.copyfile(cached, built)
        else:
            _compile(command, scratch)
        if cached is not None and not cached.exists():
            # whole or not at all, as another process may build the same
            copied = cached.with_name(f"{cached.name}.{os.getpid()}")
            shutil.copyfile(built, copied)
            copied.replace(cached)
        return built.replace(folder / name)


def _cached(name: str, command: Sequence[str]) -> Path | None:
    """Where the cache has the result of a command, which names the version of the sources."""
    folder = os.environ.get(CACHE_VARIABLE)
    if not folder:
        return None
    Path(folder).mkdir(parents=True, exist_ok=True)
    # sources and compilers lie elsewhere in each installation
    words = [Path(word).name if Path(word).is_absolute() else word for word in command]
    digest = hashlib.sha256(repr(words).encode()).hexdigest()
    return Path(folder) / f"{digest[:16]}-{name}"


def _compile(command: Sequence[str], scratch: str) -> None:
    import shlex
    import subprocess

    # zig compiles parts of itself first: not left behind in the user's folder
    caches = dict.fromkeys(("ZIG_LOCAL_CACHE_DIR", "ZIG_GLOBAL_CACHE_DIR"), scratch)
    try:
        done = subprocess.run(
            command,
            cwd=scratch,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_COMPILE_SECONDS,
            env={**caches, **os.environ},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"expected a C++ compiler, got {command[0]!r}: {error}") from error
    if done.returncode:
        raise BuildError(f"{shlex.join(command)} failed:\n{done.stderr}")
