"""What `pyproject.toml` cannot say: the README with links that hold on a package's page too."""

import re
import tomllib
from pathlib import Path

from setuptools import setup

_HERE = Path(__file__).resolve().parent
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?!\w+:|#)(?P<path>[^)\s]+)\)")


def _with_whole_links(readme: str, source: str) -> str:
    """Let links to files of the checkout lead to where it is published."""

    def whole(link: re.Match[str]) -> str:
        kind = "raw" if link["image"] else "blob"
        return f"{link['image']}[{link['text']}]({source}/{kind}/main/{link['path']})"

    return _LINK.sub(whole, readme)


with (_HERE / "pyproject.toml").open("rb") as _file:
    _urls = tomllib.load(_file)["project"]["urls"]
setup(
    long_description=_with_whole_links((_HERE / "README.md").read_text("utf-8"), _urls["Source"]),
    long_description_content_type="text/markdown",
)
