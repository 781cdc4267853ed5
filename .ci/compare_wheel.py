"""Compare a wheel with the folders of the packages: both must hold the same files.

Usage: ``compare_wheel.py WHEEL``, from the root of a clean checkout.
"""

import sys
import tomllib
import zipfile
from pathlib import Path

with Path("pyproject.toml").open("rb") as file:
    folders = tomllib.load(file)["tool"]["setuptools"]["package-dir"]
written = {
    f"{package.replace('.', '/')}/{path.relative_to(folder).as_posix()}"
    for package, folder in folders.items()
    for path in Path(folder).rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
}
with zipfile.ZipFile(sys.argv[1]) as wheel:
    packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
if written != packed:
    sys.exit(
        f"in the checkout only: {sorted(written - packed)}\n"
        f"in the wheel only: {sorted(packed - written)}"
    )
print(f"{len(packed)} files in the wheel")
