"""What an installation takes: packages, bytes on the disk, seconds.

Run ``python -m benchmarks.installation`` from the repository's root. pip installs the checkout, and
the client alone, each into an environment of its own in a temporary folder. Seconds depend on the
network and on what pip has in its cache.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .tools.machine import environment
from .tools.programs import options, table, timed, write_report

ROOT = Path(__file__).parents[1]


def size_of(folder: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def installed(folder: Path, *what: str) -> dict[str, float]:
    """Install into a new environment: packages, bytes and seconds beyond those of the empty one."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    before = size_of(folder)
    seconds, _ = timed(lambda: subprocess.run([*pip, "install", "-q", *what], cwd=ROOT, check=True))
    listed = subprocess.run([*pip, "freeze"], check=True, capture_output=True, text=True).stdout
    return {
        "packages": len(listed.splitlines()),
        "bytes": size_of(folder) - before,
        "seconds": round(seconds, 1),
    }


def downloaded(folder: Path, what: str) -> int:
    """Bytes of a package as pip downloads it."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), what]
    subprocess.run(command, check=True)
    return size_of(folder)


def main() -> None:
    """Measure and write ``installation.md`` and ``installation.json`` to the results."""
    given = options(__doc__)
    os.environ.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        found = {
            "environment": environment(),
            "installations": {
                "bidcascade": installed(folder / "whole", "."),
                "bidcascade-client": installed(folder / "client", "./client"),
            },
            "zig bytes": downloaded(folder / "zig", "ziglang>=0.14,<0.18"),
        }
    rows = [
        [name, one["packages"], round(one["bytes"] / 1e6), one["seconds"]]
        for name, one in found["installations"].items()
    ]
    write_report(
        given.out,
        "installation",
        found,
        [
            "# Installation", "",
            f"`python -m benchmarks.installation`; {found['environment']['cpu']}, "
            f"{found['environment']['cores']} cores; load {found['environment']['load']}; commit "
            f"{found['environment']['commit']}. Bytes are those of all files that pip wrote. "
            "Seconds are those of pip, with what it fetches and compiles.", "",
            *table(("installed", "packages", "MB", "seconds"), rows), "",
            "zig, which compiles the core of the page and is removed again: "
            f"{found['zig bytes'] / 1e6:.0f} MB to download.",
        ],
    )  # fmt: skip


if __name__ == "__main__":
    main()
