"""Files that the questions are about: systems, a table of rows, boards, archives."""

import shutil
from pathlib import Path

from .drawing import Draw

HERE = Path(__file__).parent
SHIPPED = {"home": "sayc", "away": "two-over-one", "third": "acol"}
PLAYED = ("1N P P P", "1N P 2C P 2H P P P", "1N P 2C P 2S P P P", "P 1S P P P", "1C P P P", "1H P 4H P P P", "P P P P")


TEXTS = {
    "faulty.lin": "md|3SAKQ,HAKQ,DAKQ,|mb|1C|pg||\n" + "md|1SAKQJT98765432,HAKQJT98765432,DAKQJT98765432,|sv|o|mb|1C|mb|1C|pg||\n",
    "faulty.bidding": "opening:\n  1NT = Strong: 15-17 pionts, balanced\n  1H = Hearts: 5+ heart\n  1S = Spades: 8+ points 5+ spades\n",
    "untidy.bidding": "opening:\n    1NT   =  Strong :15-17 points,balanced\n    1C = Clubs: 12+ points\n",
    "faulty.jsonl": '{"prior": "", "call": "1N", "criteria": ["HCP >="]}\n{"prior": "1S 1H", "call": "P"}\n{"call": "9N"}\n',
    "overlay.csv": "rule,at,name,criteria,rank,comment\nreplace,P* 1N,Weak notrump,12 <= HCP <= 14; Balanced,,in every seat\nremove,1N P 3N,,,,\n",
    "wrong.jsonl": '{"prior": "", "call": "1N", "criteria": ["12 <= HCP <= 14"]}\n',
    "deals.dl": "produce 3\ncondition hcp(south) >= 12 && shape(south, any 4333 + any 4432)\naction printpbn\n",
    "announced.txt": "15-17 hcp balanced\n5+ !H, 11-21 HCP\nforcing\nsomething else\n",
    "notes.bml": "# Openings\n\n1C 12+ hcp, 3+C\n  1D 6+ hcp, 4+D\n  1H 6+ hcp, 4+H\n1N 15-17 hcp bal\n  2C 8+ hcp, asks\n",
}


def lin_boards(count: int, seed: str, *, calm: bool = False) -> str:
    """Boards that were bid and played, as LIN."""
    draw, lines = Draw(seed), []
    for number in range(count):
        hands = (draw.calm_deal() if calm else draw.deal())[2:].split()
        cards = ",".join("".join(suit + ranks for suit, ranks in zip("SHDC", hand.split("."), strict=True)) for hand in hands)
        bids = "".join(f"mb|{call.lower() if call == 'P' else call}|" for call in draw.one(PLAYED).split())
        event = ("Final", "Semifinal")[number % 2]
        lines.append(
            f"vg|{event},Club,I,1,9,Us,0,Them,0|qx|o{number + 1}|pn|ann,bob,cy,dee|md|{number % 4 + 1}{cards}|ah|Board {number + 1}|"
            f"sv|{'onbe'[number % 4]}|{bids}pg||mc|{6 + draw.below(7)}|pg||\n"
        )
    return "".join(lines)


def write_inputs(folder: Path) -> None:
    """Write what can be written without the program."""
    for name in ("home.bidding", "away.bidding", "rows.jsonl", "home.cases"):
        shutil.copy(HERE / name, folder / name)
    (folder / "root").mkdir()
    (folder / "root" / "boards.lin").write_text(lin_boards(4, "root"), "utf-8")
    (folder / "boards.lin").write_text(lin_boards(24, "boards"), "utf-8")
    (folder / "calm.lin").write_text(lin_boards(6, "calm", calm=True), "utf-8")
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
