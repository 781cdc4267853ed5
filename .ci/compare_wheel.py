"""Compare a wheel with the folders of the packages: both must hold the same files.

Beside them the wheel has the core's libraries, those of this machine and the page's module, and the
pages of ``docs``.

Usage: ``compare_wheel.py WHEEL``, from the root of the checkout that it was built from, with
nothing but that in the packages.
"""

import runpy
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
build = runpy.run_path("kernels/core/build.py")
target = build["Target"].here()
names = [*map(target.library_name, target.builds()), build["MODULE"]]
libraries = {f"bidcascade/kernels/core/{name}" for name in names}
written |= libraries
# the pages, which the service gives to assistants
written |= {f"bidcascade/docs/{page.name}" for page in Path("docs").glob("*.md")}
with zipfile.ZipFile(sys.argv[1]) as wheel:
    packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    sizes = [f"{one.file_size:,}" for one in wheel.infolist() if one.filename in libraries]
if written != packed:
    sys.exit(
        f"missing in the wheel: {sorted(written - packed)}\n"
        f"in the wheel only: {sorted(packed - written)}"
    )
if "-py3-none-" not in sys.argv[1]:
    sys.exit(f"expected a wheel for every Python 3, got {sys.argv[1]}")
print(f"{len(packed)} files in the wheel; libraries of {' and '.join(sizes)} bytes")
