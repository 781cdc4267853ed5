"""Measurements of bidcascade: workloads, engines, reports. Run ``python -m benchmarks``.

What is measured is the checkout this folder lies in, installed or not.
"""

import sys
from pathlib import Path

_PACKAGES = str(Path(__file__).parents[1] / ".typings")

if _PACKAGES not in sys.path:
    sys.path.insert(0, _PACKAGES)
