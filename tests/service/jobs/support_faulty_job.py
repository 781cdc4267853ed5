"""A process of a job that dies, for tests; run as a module in the place of the real one."""

import os
import signal
import sys

from bidcascade.service.jobs.pipe_messages import receive

if __name__ == "__main__":
    receive(sys.stdin.buffer)
    print("thread panicked", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGABRT)
