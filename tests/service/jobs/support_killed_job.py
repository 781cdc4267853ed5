"""A process of a job that somebody else kills at once, for tests; run in the place of the real one.

The file that KILLS_LEFT names has how often that is still to happen; then it is the real one.
"""

import os
import signal
import sys
from pathlib import Path

from bidcascade.service.jobs import job_process

if __name__ == "__main__":
    left = Path(os.environ["KILLS_LEFT"])
    kills = int(left.read_text("ascii"))
    if kills:
        left.write_text(str(kills - 1), "ascii")
        os.kill(os.getpid(), signal.SIGKILL)
    sys.exit(job_process.main())
