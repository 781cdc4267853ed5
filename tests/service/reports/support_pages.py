"""A reader of reports for tests: what a file says in its JSON, and what must not be in the file."""

import base64
import hashlib
import json
import re
from typing import Any

from bidcascade.loaders.lin.handviewer_writer import HANDVIEWER
from bidcascade.page.report_file import DATA

_FILE = re.compile(
    r"<!DOCTYPE html>\n"
    r'<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    r'<meta http-equiv="Content-Security-Policy" content="(?P<policy>[^"]*)">\n'
    r'(?:<meta name="[\w-]+" content="[^"<]*">\n)*'
    r"<title>(?P<title>[^<]*)</title>\n"
    r"<style>(?P<style>[^<]*)</style>\n</head>\n<body>\n"
    r"<noscript><p>[^<]*</p></noscript>\n"
    rf'<script type="application/json" id="{DATA}">(?P<data>[^<]*)</script>\n'
    r"<script>(?P<script>(?:(?!</script).)*)</script>\n</body>\n</html>\n",
    re.DOTALL,
)
"""All of a file: texts of others stand in its title, its metadata and its JSON alone."""


class ReadReport:
    """What a report says: its JSON, with what tests ask for most."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.blocks = [one for section in document["sections"] for one in section["blocks"]]
        self.headings = [section["heading"] for section in document["sections"]]
        self.charts = [one["chart"] for one in self.blocks if one["kind"] == "chart"]
        self.tables = [one for one in self.blocks if one["kind"] == "table"]
        self.rows: list[list[str]] = []
        """Heads and cells of all tables as text."""
        for table in self.tables:
            self.rows.append([column["head"] for column in table["columns"]])
            self.rows += (
                [cell if isinstance(cell, str) else cell["text"] for cell in row]
                for row in table["rows"]
            )

    @property
    def ids(self) -> set[str]:
        """Where links within the page may lead."""
        found = [section["anchor"] for section in self.document["sections"]]
        found += (one["anchor"] for one in self.tables if one["anchor"])
        for one in self.blocks:
            if one["kind"] == "source":
                found += (f"l{line['number']}" for line in one["lines"])
        assert len(found) == len(set(found)), "an id twice"
        return set(found)

    @property
    def links(self) -> list[str]:
        """Addresses in the order in which they stand."""
        found: list[str] = []

        def walk(value: Any) -> None:
            if isinstance(value, dict):
                if value.get("address"):
                    found.append(value["address"])
                value = list(value.values())
            if isinstance(value, list):
                for one in value:
                    walk(one)

        walk(self.document["sections"])
        return found


def read_report(text: str) -> ReadReport:
    """Read a report, and check that nothing else stands in its file and what lets in what."""
    file = _FILE.fullmatch(text)
    assert file is not None
    digests = {
        name: base64.b64encode(hashlib.sha256(file[name].encode()).digest()).decode()
        for name in ("script", "style")
    }
    assert file["policy"].startswith(
        f"default-src 'none'; script-src 'sha256-{digests['script']}'; "
        f"style-src 'sha256-{digests['style']}'; base-uri 'none'; form-action 'none'; "
    )
    for name in ("script", "style"):
        told = file[name].replace('"http://www.w3.org/2000/svg"', "")
        assert not re.search(r"https?:|url\(|@import|\bfetch\(|\bimport\(", told)
    return ReadReport(json.loads(file["data"]))


def check_page(text: str) -> ReadReport:
    """Read a report that stands alone: its links lead within it, or to the hand viewer."""
    report = read_report(text)
    for address in report.links:
        if not address.startswith(f"{HANDVIEWER}?lin="):
            assert address.startswith("#"), address
            assert address[1:] in report.ids
    return report
