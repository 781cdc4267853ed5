"""Write the npm package of the engine, with its core, to a folder: ``make_package.py OUT``.

``npm pack OUT`` makes an archive of it. The folder must not be there.
"""

import argparse
from importlib.resources import files
from pathlib import Path

from bidcascade import page
from bidcascade.page.static_files import CORE, static_files

FOLDER = "engine/"
MORE = ("README.md", "index.d.ts", "package.json")
"""Files of the package that the service does not send."""


def package_files() -> dict[str, bytes]:
    """Files of the package by their path in it."""
    sent = {
        name.removeprefix(FOLDER): file.content
        for name, file in static_files().items()
        if name.startswith(FOLDER)
    }
    if CORE.removeprefix(FOLDER) not in sent:
        raise SystemExit(
            "expected the core of the page's engine, got none: install ziglang with pip"
        )
    source = files(page).joinpath("static", "engine")
    return sent | {name: source.joinpath(name).read_bytes() for name in MORE}


def main() -> None:
    """Write all files."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("out", type=Path, help="folder to be made")
    out: Path = parser.parse_args().out
    for name, content in package_files().items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    print(f"{out}: {len(package_files())} files")


if __name__ == "__main__":
    main()
