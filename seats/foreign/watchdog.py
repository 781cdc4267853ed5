"""Starts a foreign engine and ends with it: run as a process of its own, whose group is killed.

The first line of standard input is JSON: the ``command``, and the descriptor ``watch`` of a pipe.
The engine inherits the standard streams. When the pipe closes, because whoever asked is done or
dead, the group of processes ends, whatever the engine does or has started.
"""

import json
import os
import subprocess
import sys

from bidcascade.kernels.machine.child_processes import end_with_parent


def main() -> int:
    """Run the engine; its exit code, or 127 if it cannot be started."""
    line = b""
    # byte for byte: what follows is the engine's
    while not line.endswith(b"\n"):
        if not (byte := os.read(0, 1)):
            return 127
        line += byte
    wanted = json.loads(line)
    end_with_parent(wanted["watch"])
    try:
        code = subprocess.run(wanted["command"], check=False).returncode
    except OSError as error:
        print(f"{error.strerror}: {wanted['command'][0]}", file=sys.stderr)
        return 127
    # as a shell tells which signal ended it
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
