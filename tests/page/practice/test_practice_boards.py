"""Questions of a board that was read: a known hand at each call, also where others are unknown."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from bidcascade.bridge import SEATS

STATIC = Path(__file__).parents[3] / "page" / "static"
HANDS = ["AQT9864.542.J.T8", "", "J5.KQ93.K852.Q43", ""]
SCRIPT = """
globalThis.localStorage = { getItem: () => null, setItem() {} };
const { questionsOf, readSet, writeSet } = await import(process.argv[1]);
const questions = questionsOf(JSON.parse(process.argv[2]));
const again = questions.length ? readSet(writeSet("Board 1", questions)).questions : [];
console.log(JSON.stringify({ questions, again }));
"""

pytestmark = [
    pytest.mark.checkout,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
]


@pytest.mark.parametrize(
    ("dealer", "calls", "places"),
    [
        (0, ["2S", "P", "4S", "P", "P", "P"], [0, 2, 4]),
        (3, ["P", "2S", "P"], [1, 3]),
        (0, ["2S", "P"], [0, 2]),
        (0, [], [0]),
        (1, [], []),
    ],
)
def test_known_hands_are_asked_at_their_calls(dealer, calls, places):
    board = {"hands": HANDS, "dealer": dealer, "vulnerability": "NS", "calls": calls}
    command = ["node", "--input-type=module", "--eval", SCRIPT, "--",
               (STATIC / "games/practice_sets.js").as_uri(), json.dumps(board)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    found = json.loads(done.stdout)
    expected = [
        {
            "calls": calls[:place],
            "dealer": dealer,
            "vulnerability": "NS",
            "hand": HANDS[(dealer + place) % len(SEATS)],
        }
        for place in places
    ]
    assert found == {"questions": expected, "again": expected}
