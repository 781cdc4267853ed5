"""Without what only Linux, or only POSIX, has: every module is imported, and a hand is bid.

A process hides it from modules that are imported then, after everything else is loaded that
they import. What another system has instead is not there: this says what is asked for at all.
"""

import pkgutil

import pytest

import bidcascade
from bidcascade.service.cli import main
from tests.support.cli import run_python
from tests.support.examples import some_in_check

MODULES = [
    one.name
    for one in pkgutil.walk_packages(bidcascade.__path__, "bidcascade.", lambda name: None)
    if not one.name.endswith(".__main__") and "-" not in one.name
]
HAND = "K52.AQ3.9876.KJ2"
PROGRAM = """
import importlib, mmap, os, select, signal, socket, sys, types

system, hand, *names = sys.argv[1:]
for name in names:
    importlib.import_module(name)
from bidcascade.kernels.core.build import Target
here = Target.here()
for name in [one for one in sys.modules if one.split(".")[0] == "bidcascade"]:
    del sys.modules[name]

LINUX = {
    os: "sched_getaffinity sched_setaffinity memfd_create pidfd_open eventfd posix_fadvise pipe2",
    select: "epoll",
    mmap: " ".join(one for one in dir(mmap) if one.startswith(("MAP_", "MADV_"))),
}
POSIX = {
    os: "fork forkpty getuid geteuid getgid getpgrp getpgid setpgid setsid killpg setpriority nice "
    "O_DIRECTORY O_NOFOLLOW O_CLOEXEC O_NONBLOCK mkfifo pread pwrite uname sysconf waitid fchmod "
    "chown sync statvfs WNOHANG register_at_fork fdatasync wait3 wait4 getloadavg posix_fallocate",
    signal: "SIGKILL SIGHUP SIGQUIT SIGUSR1 SIGUSR2 SIGCHLD SIGALRM SIGPIPE SIGSTOP SIGCONT SIGSYS "
    "SIGBUS SIGXCPU alarm setitimer pthread_sigmask pthread_kill sigwait SIG_BLOCK SIG_SETMASK",
    mmap: " ".join(one for one in dir(mmap) if one.startswith("PROT_")),
    select: "poll",
    socket: "AF_UNIX SO_REUSEPORT",
}
MODULES = {"fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "posix", "syslog"}

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.platform = system
for hidden in [LINUX, POSIX] if system == "win32" else [LINUX]:
    for module, attributes in hidden.items():
        for one in attributes.split():
            if hasattr(module, one):
                delattr(module, one)
if system == "win32":
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, Hidden())
    sys.modules["msvcrt"] = types.SimpleNamespace(locking=lambda *_: None, LK_NBLCK=2)
for name in names:
    importlib.import_module(name)
# the library that is here is this machine's
from bidcascade.kernels.core import build
build.Target.here = classmethod(lambda cls: cls(here.machine, here.system, here.runtime))
from bidcascade.service.cli import main
sys.exit(main(["bid", hand]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("system", some_in_check(1, "win32", "darwin"))
def test_every_module_is_imported_and_a_hand_is_bid(system, capsys):
    assert len(MODULES) > 500
    assert main(["bid", HAND]) == 0
    known = capsys.readouterr().out
    found = run_python(PROGRAM, system, HAND, *MODULES, PYTHONWARNINGS="ignore")
    assert (found.code, found.out, found.err) == (0, known, "")


@pytest.mark.slow
def test_what_is_hidden_is_missed():
    """A module that needs what is hidden fails: the test before this one can fail."""
    needs = "import importlib\nimportlib.import_module('fcntl')\n"
    found = run_python(
        PROGRAM.replace("# the library that is here is this machine's\n", needs),
        "win32",
        HAND,
        "bidcascade.version",
    )
    assert found.code == 1
    assert "No module named 'fcntl'" in found.err
