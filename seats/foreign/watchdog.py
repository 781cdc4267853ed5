"""Starts a foreign engine and ends with it: run as a process of its own, whose group is killed.

The first line of standard input is JSON: the ``command``, and the descriptor ``watch`` of a pipe.
The engine inherits the standard streams. When the pipe closes, because whoever asked is done or
dead, the group of processes ends, whatever the engine does or has started. On Linux so does what
has left the group: processes whose parent has ended become children of this one.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from bidcascade.kernels.machine.child_processes import end_with_parent

_PR_SET_CHILD_SUBREAPER: Final = 36
"""Of ``linux/prctl.h``."""
_PATIENCE_S: Final = 0.5
"""For what was killed to end; what may not be killed is not waited for longer."""
_LOOK_S: Final = 0.005


def main() -> int:
    """Run the engine; its exit code, or 127 if it cannot be started."""
    line = b""
    # byte for byte: what follows is the engine's
    while not line.endswith(b"\n"):
        if not (byte := os.read(0, 1)):
            return 127
        line += byte
    wanted = json.loads(line)
    _adopt_orphans()
    is_ending = threading.Event()

    def end() -> None:
        is_ending.set()
        _end_children(also_of_group=True)

    end_with_parent(wanted["watch"], end)
    try:
        engine = subprocess.Popen(wanted["command"])
    except OSError as error:
        print(f"{error.strerror}: {wanted['command'][0]}", file=sys.stderr)
        return 127
    ended = 0
    while ended != engine.pid:
        # orphans too, lest they pile up
        ended, status = os.wait()
    code = engine.returncode = os.waitstatus_to_exitcode(status)
    _end_children(also_of_group=False)
    if is_ending.is_set():
        # the other thread ends this process, with its group
        threading.Event().wait()
    # as a shell tells which signal ended it
    return code if code >= 0 else 128 - code


def _adopt_orphans() -> None:
    """Become the parent of whatever the engine starts and leaves, where the system can do that."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_children(*, also_of_group: bool) -> None:
    """Kill all children, and theirs, which become children by that."""
    until = monotonic() + _PATIENCE_S
    own = os.getpgrp()
    while monotonic() < until:
        children = [pid for pid, group in _children() if also_of_group or group != own]
        if not children:
            return
        for pid in children:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        sleep(_LOOK_S)


def _children() -> Iterator[tuple[int, int]]:
    """Children of this process that have not ended, with their groups; none but on Linux."""
    own = os.getpid()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # the name before may have any letters
            state, parent, group = path.read_text("utf-8", "replace").rpartition(")")[2].split()[:3]
            if int(parent) == own and state != "Z":
                yield int(path.parent.name), int(group)


if __name__ == "__main__":
    sys.exit(main())
