"""The package for VS Code: its files are there, its words are those of the language, it starts."""

import json
import re
import shutil
import subprocess

import pytest

from bidcascade.service.cli import COMMANDS
from bidcascade.systems.language.grammar.editor_grammar import SCOPE, textmate_grammar
from bidcascade.systems.language.words.phrases import words_of_terminals
from tests.check.missing import missing
from tests.support.docs import CHECKOUT

pytestmark = pytest.mark.checkout
FOLDER = CHECKOUT / "editors" / "vscode"
STUBS = """
const started = [];
const modules = {
  vscode: { workspace: { getConfiguration: () => ({ get: (name) => (SETTINGS)[name] }) } },
  "vscode-languageclient/node": {
    LanguageClient: class {
      constructor(id, name, server, client) { this.told = { id, name, server, client }; }
      async start() { started.push(this.told); }
      async stop() { started.push("stopped"); }
    },
  },
};
const load = require("module")._load;
require("module")._load = (name, ...more) => modules[name] ?? load(name, ...more);
const extension = require(FILE);
(async () => {
  await extension.activate();
  await extension.deactivate();
  console.log(JSON.stringify(started));
})();
"""


@pytest.fixture(scope="module")
def package():
    return json.loads((FOLDER / "package.json").read_text("utf-8"))


def colours(line):
    """Pieces of a line with their scopes: of all matches the first from the left."""
    patterns = [(re.compile(one["match"]), one) for one in textmate_grammar()["patterns"]]
    found, place = [], 0
    while True:
        matches = [
            (match, one) for pattern, one in patterns if (match := pattern.search(line, place))
        ]
        if not matches:
            return found
        match, one = min(matches, key=lambda pair: pair[0].start())
        named = one.get("captures", {"0": one})
        found += [(match[int(at)], one["name"].split(".")[0]) for at, one in named.items()]
        place = max(match.end(), place + 1)


def test_the_package_names_what_is_there(package):
    contributed = package["contributes"]
    (language,), (grammar,) = contributed["languages"], contributed["grammars"]
    assert grammar["scopeName"] == SCOPE
    for file in (package["main"], language["configuration"], grammar["path"]):
        assert (FOLDER / file).is_file()
    json.loads((FOLDER / language["configuration"]).read_text("utf-8"))
    program, command = contributed["configuration"]["properties"]["bidding.command"]["default"]
    assert program == "bidcascade"
    assert command in COMMANDS


def test_the_client_starts_the_command_of_the_settings(package):
    node = shutil.which("node") or missing("no node")
    properties = package["contributes"]["configuration"]["properties"]
    settings = {name.partition(".")[2]: one["default"] for name, one in properties.items()}
    program = STUBS.replace("SETTINGS", json.dumps(settings))
    program = program.replace("FILE", json.dumps(str(FOLDER / "extension.js")))
    ran = subprocess.run(
        [node, "-e", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert not ran.stderr
    started, stopped = json.loads(ran.stdout)
    assert started["server"] == {"command": "bidcascade", "args": ["lsp"]}
    assert started["client"]["initializationOptions"] == {"deals": 500}
    assert stopped == "stopped"


@pytest.mark.parametrize(
    ("line", "pieces"),
    [
        (
            '  1NT = Strong or not: 15-17 points, 5+ M, "so"; forcing, #nt  -- 1C or not',
            [
                ("1NT", "constant"), ("=", "keyword"), ("Strong or not", "entity"),
                ("15-17", "constant"), ("points", "support"), ("5+", "constant"), ("M", "support"),
                ('"so"', "string"), ("forcing", "storage"), ("#nt", "entity"),
                ("-- 1C or not", "comment"),
            ],
        ),
        (
            "after 1NT (2H), when not vulnerable:",
            [
                ("after", "keyword"), ("1NT", "constant"), ("2H", "constant"),
                ("not vulnerable", "support"),
            ],
        ),
        (
            "  without option weak-notrump:",
            [("  without option", "keyword")],
        ),
        (
            "define long X = 5+ X and 4=4=3=2",
            [("define", "keyword"), ("=", "keyword"), ("5+", "constant"), ("4=4=3=2", "constant")],
        ),
        (
            "or Weak: {HCP < 9}",
            [("or", "keyword"), ("Weak", "entity"), ("{HCP < 9}", "meta")],
        ),
    ],
)  # fmt: skip
def test_pieces_of_a_line_have_their_colours(line, pieces):
    left = iter(colours(line))
    assert all(piece in left for piece in pieces), colours(line)


def test_every_word_of_the_language_has_a_colour():
    plain = {"IN", "FOR", "THE", "A", "ON", "OFF", "HAVE", "NO", "ANY", "WHO", "OWNER", "ORDINAL"}
    plain |= {"CALL_CLASS", "AT_MOST", "AT_LEAST", "AT_THE", "EXACTLY", "FEWER_THAN", "MORE_THAN"}
    plain |= {"SUIT_NOUN"}
    for terminal, words in words_of_terminals().items():
        for word in words if terminal not in plain else ():
            # at the beginning of a line, or behind a header's first word
            found = colours(word) + colours(f"opening, {word}")
            assert any(word in piece for piece, _ in found), (terminal, word)
