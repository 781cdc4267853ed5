"""Files that the questions are about: systems, a table of rows, boards, archives."""

import shutil
from pathlib import Path

from .drawing import Draw, lin_hand

HERE = Path(__file__).parent
SYSTEMS = ("home", "away")
PLAYED = (
    "1N P P P",
    "1N P 2C P 2H P P P",
    "1N P 2C P 2S P P P",
    "P 1S P P P",
    "1C P P P",
    "1H P 4H P P P",
    "P P P P",
)


TEXTS = {
    "faulty.lin": """\
md|3SAKQ,HAKQ,DAKQ,|mb|1C|pg||
md|1SAKQJT98765432,HAKQJT98765432,DAKQJT98765432,|sv|o|mb|1C|mb|1C|pg||
""",
    "faulty.bidding": """\
opening:
  1NT = Strong: 15-17 pionts, balanced
  1H = Hearts: 5+ heart
  1S = Spades: 8+ points 5+ spades
""",
    "untidy.bidding": """\
opening:
    1NT   =  Strong :15-17 points,balanced
    1C = Clubs: 12+ points
""",
    "faulty.jsonl": """\
{"prior": "", "call": "1N", "criteria": ["HCP >="]}
{"prior": "1S 1H", "call": "P"}
{"call": "9N"}
""",
    "overlay.csv": """\
rule,at,name,criteria,rank,comment
replace,P* 1N,Weak notrump,12 <= HCP <= 14; Balanced,,in every seat
remove,1N P 3N,,,,
""",
    "wrong.jsonl": """\
{"prior": "", "call": "1N", "criteria": ["12 <= HCP <= 14"]}
""",
    "deals.dl": """\
produce 3
condition hcp(south) >= 12 && shape(south, any 4333 + any 4432)
action printpbn
""",
    "announced.txt": """\
15-17 hcp balanced
5+ !H, 11-21 HCP
forcing
something else
""",
    "notes.bml": """\
# Openings

1C 12+ hcp, 3+C
  1D 6+ hcp, 4+D
  1H 6+ hcp, 4+H
1N 15-17 hcp bal
  2C 8+ hcp, asks
""",
}


def lin_boards(count: int, seed: str, *, calm: bool = False) -> str:
    """Boards that were bid and played, as LIN."""
    draw, lines = Draw(seed), []
    for number in range(count):
        hands = (draw.calm_deal() if calm else draw.deal())[2:].split()
        cards = ",".join(map(lin_hand, hands))
        bids = "".join(
            f"mb|{call.lower() if call == 'P' else call}|" for call in draw.one(PLAYED).split()
        )
        event = ("Final", "Semifinal")[number % 2]
        lines.append(
            f"vg|{event},Club,I,1,9,Us,0,Them,0|qx|o{number + 1}|pn|ann,bob,cy,dee|"
            f"md|{number % 4 + 1}{cards}|ah|Board {number + 1}|sv|{'onbe'[number % 4]}|{bids}pg||"
            f"mc|{6 + draw.below(7)}|pg||\n"
        )
    return "".join(lines)


def write_inputs(folder: Path) -> None:
    """Write what can be written without the program."""
    for name in ("home.bidding", "away.bidding", "rows.jsonl", "home.cases"):
        shutil.copy(HERE / name, folder / name)
    (folder / "root").mkdir()
    (folder / "root" / "boards.lin").write_text(lin_boards(4, "root"), "utf-8")
    (folder / "boards.lin").write_text(lin_boards(24, "boards"), "utf-8")
    # tables of what was solved are kept: the second file is for one command alone
    for name in ("calm", "unsolved"):
        (folder / f"{name}.lin").write_text(lin_boards(6, name, calm=True), "utf-8")
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "utf-8")


def write_archives(folder: Path) -> None:
    """Write two archives: club, bid by a system and by a table of rows, and small."""
    from bidcascade.engine.archive.adding import add_files
    from bidcascade.engine.archive.upkeep import bid_archive

    write_inputs(folder)
    club = folder / "archives" / "club"
    add_files(club, folder / "boards.lin", jobs=1)
    bid_archive(club, str(folder / "home.bidding"), name="home")
    bid_archive(club, str(folder / "rows.jsonl"), name="rows", all_calls=True)
    add_files(folder / "archives" / "small", folder / "root" / "boards.lin", jobs=1)
