"""Named steps of the whole check: ``nox -l`` lists them, ``nox -s style types`` runs two.

They use the environment ``.venv`` that the README's commands make; only the wheel is installed in
one of its own. ``.ci/run`` runs ``changed`` on a clean checkout: the steps and tests that the
changes since the commit in ``.ci/checked`` can break. ``full`` runs everything.
"""

import atexit
import contextlib
import json
import os
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import tomllib
from pathlib import Path
from typing import IO

import nox

nox.options.sessions = ["style", "types", "quick"]
# a commit is written down as checked only after everything before
nox.options.stop_on_first_error = True

ROOT = Path(__file__).resolve().parent
TOOLS = ROOT / ".venv" / "bin"
FURTHER = ROOT / "build" / "tools"
"""Environment with what the steps need beside the package, which is installed at the same time."""
# with an old glibc, so that they run nearly everywhere
WHEEL_TARGETS = (
    "x86_64-linux-gnu.2.17",
    "aarch64-linux-gnu.2.17",
    "x86_64-windows-gnu",
    "aarch64-macos.11.0",
    "x86_64-macos.11.0",
)
STEPS = ("serve", "quick", "sanitize", "bare", "rehearse", "pages", "wheel", "joined")
SITE_TESTS = "tests/docs/site"
BESIDE = ("tools", "style", "types", "built", "pictures", "site", "gpu")
"""What one processor does from the beginning on, beside the installation and the tests."""
CHECKED = ROOT / ".ci" / "checked"
kinds = runpy.run_path(str(ROOT / "tests" / "check" / "kinds.py"))
# the core is compiled once, however often the steps install it
CORE_CACHE = {"BIDCASCADE_CORE_CACHE": str(ROOT / "build" / "compiled-core")}
DONE = ROOT / "build" / "steps-done"
"""Folder in which a step of those beside leaves a file of its name, once it is done."""
_beside: tuple[subprocess.Popen[bytes], IO[bytes]] | None = None
WRITTEN_DURATIONS = ROOT / "build" / "durations.json"
DURATIONS = {"CHECK_DURATIONS": str(WRITTEN_DURATIONS)}
BUILT = ROOT / ".nox" / "built" / "tmp"
IS_INSTALLED = f"import bidcascade.bridge as b; assert b.__file__.startswith({str(BUILT.parent)!r})"
INSTALL_S = 900
READY_S = 600
# Tests named in tests/check/second_tries.py are tried up to twice more there: -rR lists which
# were, and the summary line counts them.
PATIENCE = ("-rR", "--timeout", "900") if "CI" in os.environ else ()
WAITING = ("browser", "engine", "service", "kills")
"""Kinds of tests that wait for other processes."""


def _in_processes() -> tuple[str, ...]:
    """Options of pytest in the check: as many processes as keep two processors at work."""
    if not PATIENCE:
        return ()
    return (*PATIENCE, "-n", "3" if any(map(kinds["is_woken"], WAITING)) else "2")


@nox.session(python=False)
def changed(session: nox.Session) -> None:
    """Run what can break by the changes since the commit that passed everything."""
    paths = kinds["changed_paths"](ROOT, CHECKED)
    woken = None if paths is None else kinds["woken"](paths)
    if woken is None:
        session.log("everything: the base is not known, or a path changed that no row names")
    else:
        names = " ".join(sorted(woken))
        session.log(f"{len(paths)} paths changed, which wake: {names or 'nothing'}")
        os.environ[kinds["VARIABLE"]] = names
    _begin(session, *filter(_has_work, STEPS))


def _begin(session: nox.Session, *steps: str) -> None:
    WRITTEN_DURATIONS.unlink(missing_ok=True)
    _start_beside()
    for step in steps:
        session.notify(step)


def _has_work(step: str) -> bool:
    return step not in kinds["STEPS"] or kinds["is_woken"](kinds["STEPS"][step])


@nox.session(python=False)
def full(session: nox.Session) -> None:
    """Run everything, and write the commit down as one that passed."""
    _begin(session, *STEPS, "checked")


@nox.session(python=False)
def checked(session: nox.Session) -> None:
    """Write the commit to .ci/checked, once everything has passed on it."""
    git = ("git", "-C", str(ROOT))
    if subprocess.check_output([*git, "status", "--porcelain"]):
        session.error("expected a clean checkout, as what was tested is no commit")
    commit = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True)
    CHECKED.write_text(commit, "ascii")
    session.log(f"{CHECKED.name}: {commit.strip()}; the durations are in {WRITTEN_DURATIONS}")


def readme_command(name: str) -> str:
    """Command in the block behind ``<!-- ci:NAME -->`` in README.md."""
    start = f"<!-- ci:{name} -->\n```sh\n"
    _, found, rest = (ROOT / "README.md").read_text("utf-8").partition(start)
    if not found:
        raise ValueError(f"expected a block behind <!-- ci:{name} --> in README.md")
    return rest.partition("```")[0]


@nox.session(python=False)
def serve(session: nox.Session) -> None:
    """Run the README's first command as it is written, and ask the service one real question."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # pip writes the command last: its coming back tells that the installation is done
    command = TOOLS / "bidcascade"
    command.unlink(missing_ok=True)
    log = Path(session.create_tmp()) / "serve.log"
    with log.open("wb") as written:
        server = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", readme_command("serve")],
            env={**os.environ, **CORE_CACHE, "BIDCASCADE_PORT": str(port)},
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        latest = time.monotonic() + INSTALL_S
        while not command.exists():
            if server.poll() is not None or time.monotonic() > latest:
                session.error("the installation failed")
            time.sleep(0.5)
        url = f"http://127.0.0.1:{port}"
        asking = subprocess.Popen(["python3", ".ci/ask_service.py", url, str(READY_S)])
        while asking.poll() is None:
            if server.poll() is not None:
                asking.kill()
                session.error("the service ended before it was ready")
            time.sleep(0.2)
        if asking.returncode:
            session.error("the service did not answer as expected")
    except BaseException:
        print(log.read_text("utf-8", errors="replace")[-10_000:])
        raise
    finally:
        # it may have ended by itself
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)


@nox.session(python=False)
def quick(session: nox.Session) -> None:
    """Run the README's second command as it is written: does what was installed work."""
    tests = {
        "PYTEST_ADDOPTS": " ".join(_in_processes()),
        kinds["VARIABLE"]: " ".join(kinds["KINDS"]),
    }
    session.run(
        *("bash", "-euo", "pipefail", "-c", readme_command("test")),
        env={**CORE_CACHE, **tests},
        external=True,
    )
    _say_done("quick")


@nox.session(python=False)
def tools(session: nox.Session) -> None:
    """Install what the next steps need beside the package, and what that needs itself."""
    session.run("python3", "-m", "venv", FURTHER, external=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *_requirements("test", "dev", "docs", "browser", "fuzz", "dask"),
    ]
    pip = (FURTHER / "bin" / "pip", "install", "-q", "-c", "constraints.txt")
    session.run(*pip, *wanted, external=True)
    _say_done("tools")


def _tool(name: str) -> Path:
    """Command of a tool, where a developer has it or where the check installed it."""
    return TOOLS / name if (TOOLS / name).exists() else FURTHER / "bin" / name


def _libraries(python: Path | str) -> str:
    """Folder of an environment's packages."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return subprocess.check_output([python, "-c", code], text=True).strip()


def _requirements(*extras: str) -> list[str]:
    """List what extras of the package ask for; one may name others, as ``bidcascade[test,lsp]``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found: list[str] = []
    for extra in extras:
        for one in project["optional-dependencies"][extra]:
            name, _, inner = one.partition("[")
            own = name == project["name"]
            found += _requirements(*inner.rstrip("]").split(",")) if own else [one]
    return found


def _start_beside() -> None:
    """Start what needs one processor alone; ``joined`` waits for it, and prints what it printed."""
    global _beside
    shutil.rmtree(DONE, ignore_errors=True)
    DONE.mkdir(parents=True)
    # without it a step alone waits for nothing
    atexit.register(shutil.rmtree, DONE, ignore_errors=True)
    written = tempfile.TemporaryFile()  # noqa: SIM115  it is read when the process has ended
    command = [sys.executable, "-m", "nox", "--stop-on-first-error", "-s"]
    command += filter(_has_work, BESIDE)
    started = subprocess.Popen(
        command, cwd=ROOT, stdout=written, stderr=subprocess.STDOUT, start_new_session=True
    )
    atexit.register(_end, started)
    _beside = started, written


def _say_done(step: str) -> None:
    if DONE.exists():
        (DONE / step).touch()


def _wait_for(session: nox.Session, step: str) -> None:
    """Wait until a step is done that another process runs; one step alone has all it needs."""
    # a process that ended early has failed, or has been ended by the one that started it
    while DONE.exists() and not (DONE / step).exists():
        if _beside is not None and _beside[0].poll() is not None:
            _join(session)
        time.sleep(0.5)


def _use_tools(session: nox.Session) -> None:
    """Let the package's environment see the further packages, once both are installed."""
    _wait_for(session, "quick")
    _wait_for(session, "tools")
    if FURTHER.exists():
        link = Path(_libraries(TOOLS / "python")) / "further.pth"
        link.write_text(f"{_libraries(FURTHER / 'bin' / 'python')}\n")


@nox.session(python=False)
def joined(session: nox.Session) -> None:
    """Wait for what was started beside the other steps."""
    _join(session)


def _join(session: nox.Session) -> None:
    if _beside is None:
        session.error("expected a run of all steps: nox -s changed, or nox -s full")
    started, written = _beside
    code = started.wait()
    written.seek(0)
    # not at the left edge, where .ci/run looks for the summary of the tests
    print(textwrap.indent(written.read().decode("utf-8", "replace"), "| "))
    if code:
        session.error(f"one of {', '.join(BESIDE)} failed")


def _end(started: subprocess.Popen[bytes]) -> None:
    # its steps have processes of their own
    if started.poll() is None:
        os.killpg(started.pid, signal.SIGTERM)


@nox.session(python=False)
def style(session: nox.Session) -> None:
    """Lint, formatting, the layers of imports; lines of code (``-- COMMIT``: changed since)."""
    session.run(_tool("ruff"), "check", ".", external=True)
    session.run(_tool("ruff"), "format", "--check", ".", external=True)
    # that folder shows the packages as they are installed
    session.run(_tool("lint-imports"), "--no-cache", env={"PYTHONPATH": ".typings"}, external=True)
    session.run("python3", ".ci/token_lines.py", *session.posargs, external=True)


@nox.session(python=False)
def types(session: nox.Session) -> None:
    """Types; those of the clients are made of the questions and answers before."""
    mypy = _tool("mypy")
    session.run(mypy.with_name("python"), "build_backend/client_types.py", external=True)
    session.run(mypy, "--strict", external=True)


@nox.session(python=False)
def gpu(session: nox.Session) -> None:
    """Resolve the extras for a GPU."""
    for one in ("gpu", "gpu12"):
        session.run(
            TOOLS / "pip",
            "install",
            "-q",
            "-c",
            "constraints-gpu.txt",
            "--dry-run",
            f".[{one},dask-gpu]",
            external=True,
        )


@nox.session(python=False)
def pictures(session: nox.Session) -> None:
    """Make the pictures of the page."""
    _use_tools(session)
    session.run(TOOLS / "python", "-m", "docs.make_pictures", external=True)


@nox.session(python=False)
def pages(session: nox.Session) -> None:
    """Run the tests of the checkout, but for those of the site."""
    _use_tools(session)
    # examples of a page take up to half a minute: one page at a time, the longest files first
    chosen = ("-m", "checkout", f"--ignore={SITE_TESTS}", "--dist", "load", "--maxschedchunk", "1")
    session.run(TOOLS / "pytest", *chosen, *_in_processes(), env=DURATIONS, external=True)


@nox.session(python=False)
def site(session: nox.Session) -> None:
    """Build the site and test it, once the pictures on it are made."""
    _use_tools(session)
    # none of its tests may be woken: pytest tells that by 5
    chosen = (SITE_TESTS, "-m", "checkout", *PATIENCE)
    session.run(TOOLS / "pytest", *chosen, env=DURATIONS, external=True, success_codes=[0, 5])


@nox.session(python=False)
def nightly(session: nox.Session) -> None:
    """Run all tests at their full size: every system and deal, four times the inputs, new ones."""
    session.run(
        TOOLS / "pytest",
        *_in_processes(),
        "-m",
        "",
        "--hypothesis-profile=full",
        "--timeout",
        "3600",
        *session.posargs,
        external=True,
    )


@nox.session(python=False)
def sanitize(session: nox.Session) -> None:
    """Run the core's tests with a build that finds wrong accesses and undefined behaviour."""
    _use_tools(session)
    # first of all libraries, as the interpreter is built without them
    names = ("libasan.so", "libstdc++.so.6")
    preloaded = [
        subprocess.check_output(["g++", f"-print-file-name={name}"], text=True).strip()
        for name in names
    ]
    session.run(
        TOOLS / "pytest", "tests/core", *_in_processes(), *session.posargs,
        env={
            "LD_PRELOAD": " ".join(preloaded), "BIDCASCADE_CORE": "sanitized", "CXX": "g++",
            # what the interpreter never frees is no fault of the core
            "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1",
        },
        external=True,
    )  # fmt: skip


@nox.session
def bare(session: nox.Session) -> None:
    """Build the wheel where no C++ compiler is found, with zig, and load its library."""
    scratch = Path(session.create_tmp()).resolve()
    shutil.rmtree(scratch)
    alone = {"PATH": session.bin, "CXX": ""}
    start = time.monotonic()
    session.run("pip", "wheel", "-q", "--no-deps", "-w", str(scratch), ".", env=alone)
    (built,) = scratch.glob("*.whl")
    session.log(f"{built.name} in {time.monotonic() - start:.0f} s, zig from the index included")
    session.run("python", ".ci/compare_wheel.py", str(built))
    session.run("pip", "install", "-q", "--no-deps", "--target", str(scratch / "site"), str(built))
    session.run(
        TOOLS / "python",
        "-c",
        "from bidcascade.kernels.core.library import load; print(load())",
        env={"PYTHONPATH": str(scratch / "site")},
        external=True,
    )


@nox.session
def rehearse(session: nox.Session) -> None:
    """Test and time the emulator as the one command does a GPU, where there is little else."""
    scratch = Path(session.create_tmp()).resolve()
    shutil.rmtree(scratch)
    session.install("-c", "constraints.txt", "numpy")
    carried = scratch / "wheels"
    session.run(
        "pip",
        "download",
        "-q",
        "--no-deps",
        "--only-binary=:all:",
        "-r",
        "benchmarks/gpu/wheels.txt",
        "-d",
        str(carried),
    )
    size = sum(one.stat().st_size for one in carried.iterdir())
    session.log(f"{size / 2**20:.0f} MiB of wheels")
    session.run(
        "python",
        "-m",
        "benchmarks",
        "gpu",
        "--emulator",
        "--wheels",
        str(carried),
        "--out",
        str(scratch / "out"),
        "--minutes",
        "30",
    )


@nox.session
def wheels(session: nox.Session) -> None:
    """Build the wheels for Linux, Windows and macOS, with zig, into dist."""
    session.install("-c", "constraints.txt", "build")
    for target in WHEEL_TARGETS:
        session.run("python", "-m", "build", "--wheel", "-C", f"target={target}", silent=True)
    for one in sorted((ROOT / "dist").glob("*.whl")):
        session.log(one.name)


def _try_client(session: nox.Session, source: Path, folder: Path) -> None:
    """Build the wheel of the clients alone, and install it with the little that it needs."""
    session.run(
        "python", "-m", "build", "--wheel", "--outdir", folder, source / "client", silent=True
    )
    (built,) = folder.glob("*.whl")
    session.run("python", "-m", "venv", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    constraints = source / "constraints.txt"
    session.run(python, "-m", "pip", "install", "-q", "-c", constraints, built, external=True)
    with session.chdir(folder):
        session.run(python, source / ".ci" / "try_client.py", external=True)


@nox.session
def built(session: nox.Session) -> None:
    """Build wheel and sdist, and install the wheel and the tests elsewhere."""
    # the core is compiled by then
    _wait_for(session, "quick")
    scratch = BUILT.resolve()
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    # a copy without what the steps before have made: pip builds in the folder that it is given
    source = scratch / "source"
    made = shutil.ignore_patterns(
        ".git",
        ".venv",
        ".nox",
        ".*_cache",
        ".hypothesis",
        "build",
        "*.egg-info",
        "__pycache__",
        "*_data.js",
        "bidding.json",
        "expressions.json",
    )
    shutil.copytree(ROOT, source, symlinks=True, ignore=made)
    session.install("-c", "constraints.txt", "build")
    start = time.monotonic()
    session.run("python", "-m", "build", "--outdir", scratch, source, env=CORE_CACHE, silent=True)
    (wheel,) = scratch.glob("*.whl")
    session.log(f"{wheel.name} in {time.monotonic() - start:.0f} s, the sdist included")
    with session.chdir(source):
        session.run("python", ".ci/compare_wheel.py", str(wheel))
    if kinds["is_woken"]("client"):
        _try_client(session, source, scratch / "client")
    session.install("--no-deps", wheel)
    # what it needs is there already: the README's first command has tried that it asks for all
    shared = [
        _libraries(python)
        for python in (TOOLS / "python", FURTHER / "bin" / "python")
        if python.exists()
    ]
    own = Path(_libraries(Path(session.bin) / "python"))
    (own / "shared.pth").write_text("".join(f"{one}\n" for one in shared))

    # the tests find real data beside the folder they lie in; .typings would lead back to sources
    away = scratch / "away"
    for folder in ("tests", "benchmarks"):
        shutil.copytree(source / folder, away / folder)
    if (ROOT.parent / "shared").exists():
        (scratch / "shared").symlink_to((ROOT.parent / "shared").resolve())
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    options = options["tool"]["pytest"]["ini_options"]
    options["pythonpath"].remove(".typings")
    # strings, numbers, booleans and lists of strings are written alike in JSON and TOML
    lines = [f"{name} = {json.dumps(value)}" for name, value in options.items()]
    (away / "pyproject.toml").write_text("\n".join(["[tool.pytest.ini_options]", *lines, ""]))
    with session.chdir(away):
        session.run("python", "-c", IS_INSTALLED)
    _say_done("built")


@nox.session(python=False)
def wheel(session: nox.Session) -> None:
    """Run all tests against the wheel that ``built`` has installed."""
    _wait_for(session, "built")
    # slow ones too: those of the checkout ran there, and no other test runs twice
    chosen = ["-m", "pytest", "-m", "not checkout", *_in_processes()]
    python = ROOT / ".nox" / "built" / "bin" / "python"
    with session.chdir(BUILT / "away"):
        session.run(python, *chosen, *session.posargs, env=DURATIONS, external=True)
