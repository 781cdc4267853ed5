"""A folder for what a table is made of, which is removed with the table."""

import shutil
import tempfile
import weakref
from pathlib import Path


class OwnFolder:
    """A new folder that is gone when nobody has this object any more."""

    def __init__(self, where: Path | None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=".rows-", dir=where))
        self.remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
