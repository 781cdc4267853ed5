"""What the benchmark of mining mines: legal auctions that meet; and its report."""

import numpy as np
import pytest

from benchmarks.mining import TEXTS, announcement_texts, frames, main, walk
from bidcascade.bridge import Auction
from bidcascade.table import read_announcement


def test_auctions_are_legal_and_places_tell_prefixes_apart():
    calls, places = np.empty(64 * 200, np.uint8), np.empty(64 * 200, np.uint64)
    offsets = np.empty(201, np.int64)
    walk(200, 1, 0.5, calls, places, offsets)
    prefixes = {}
    for first, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        auction = Auction.of(calls[first:end].tolist())
        assert auction.is_complete or end - first == 64
        for length in range(1, end - first + 1):
            prefix = calls[first : first + length].tobytes()
            assert (
                prefixes.setdefault(prefix, places[first + length - 1])
                == places[first + length - 1]
            )
    assert len(set(prefixes.values())) == len(prefixes) < offsets[-1] / 2


def test_texts_are_announcements():
    texts = announcement_texts()
    assert len(texts) == TEXTS
    for text in texts[:TEXTS:997]:
        assert not read_announcement(text).human
    [frame] = frames(50, 0.5)
    assert frame["auction"].list.len().equals(frame["announcements"].list.len())


@pytest.mark.slow
def test_the_report_has_a_line_for_each_run(tmp_path):
    arguments = ["--boards", "400", "--most-in-memory", "100", "--out", str(tmp_path)]
    assert main(arguments) == 0
    lines = [line for line in (tmp_path / "mining.md").read_text().splitlines() if line[:1] == "|"]
    assert len(lines) == 3
    assert lines[2].split("|")[1].strip() == "400"
