"""``python -m bidcascade.service.cli``."""

import sys

from . import main

sys.exit(main())
