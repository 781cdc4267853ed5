"""LIN texts made by hypothesis, good, odd and broken, and frames for round trips."""

import random

import polars as pl
from hypothesis import strategies as st

from bidcascade.bridge import Auction, format_card
from bidcascade.loaders.frames.frame import DEAL_SCHEMA, is_alert_alone

BLANK = st.sampled_from(["", " ", "\n", "\r\n", "\t ", " \x0b"])


def shuffled_hands(seed: int) -> list[list[int]]:
    """Card numbers of South, West, North and East."""
    cards = list(range(52))
    random.Random(seed).shuffle(cards)
    return [cards[13 * seat : 13 * seat + 13] for seat in range(4)]


def hand_text(cards: list[int], seed: int) -> str:
    """A hand as LIN has it: ranks in any order, either case, sometimes ``10``."""
    chance = random.Random(seed)
    suits = []
    for suit in (3, 2, 1, 0):
        ranks = [format_card(card)[1] for card in cards if card // 13 == suit]
        chance.shuffle(ranks)
        text = "CDHS"[suit] + "".join(ranks)
        if chance.random() < 0.2:
            text = text.replace("T", "10")
        suits.append(text.lower() if chance.random() < 0.1 else text)
    if chance.random() < 0.1:
        chance.shuffle(suits)
    return "".join(suits)


@st.composite
def md_values(draw: st.DrawFn) -> str:
    seed = draw(st.integers(0, 10_000))
    hands = [hand_text(cards, seed + place) for place, cards in enumerate(shuffled_hands(seed))]
    value = draw(st.sampled_from(["1", "2", "3", "4", "", "0", " 3"])) + ",".join(hands)
    damage = draw(st.integers(0, 12))
    if damage == 0:
        place = draw(st.integers(0, len(value) - 1))
        return (
            value[:place]
            + draw(st.sampled_from(["", "A", "x", "S", "10", "é", ","]))
            + value[place + 1 :]
        )
    if damage == 1:
        return ",".join(value.split(",")[: draw(st.integers(0, 4))])
    if damage == 2:
        parts = value.split(",")
        parts[draw(st.integers(1, 3))] = draw(st.sampled_from(["", " ", "SHDC", "S-H-D-C-"]))
        return ",".join(parts) + draw(st.sampled_from(["", ",", ", ", ",S2"]))
    if damage == 3:
        return draw(st.sampled_from(["", "*1", "^12", "pg", "1SHDC,SHDC,SHDC,SHDC", "5", "4,,,"]))
    if damage == 4:
        return value[0] + hidden(value[1:], draw(HIDDEN))
    return value


HIDDEN = st.sets(st.integers(0, 3), min_size=1)
"""Places of hands that are left out."""


def hidden(hands: str, places: set[int]) -> str:
    """Hands of an md value without those at some places."""
    parts = hands.split(",")
    return ",".join("" if place in places else part for place, part in enumerate(parts))


def _text(alphabet: str, size: int = 6) -> st.SearchStrategy[str]:
    return st.text(alphabet, max_size=size)


CALLS = ["p", "P", "1C", "1n", "1NT", "2S!", "d", "X", "r", "xx", "3N", "4h", "7N", "pass", "Dbl",
         "rdbl", "redouble", "double", "p?", "?", "", "1nppp", "1C2Cppp", "d!", "!h", "12H!", "-",
         "1s*", "ppp", "pppp", " p ", "1♠", "\u017f", "-1C", "-?-2Cp-"]  # fmt: skip


def token(key: str, values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda before, blank, value, bar: f"{before}{key}{blank}|{value}{bar}",
        BLANK,
        st.sampled_from(["", "", "", " "]),
        values,
        st.sampled_from(["|", "|", "|", "|", "|", "|", "|", ""]),
    )


CARDS = st.builds(
    lambda suit, rank: suit + rank,
    st.sampled_from("cdhsCDHS"),
    st.sampled_from([*"23456789TJQKAtka", "10", "1", "x", ""]),
)
RESULTS = st.lists(
    st.sampled_from(["4SN=", "3NTWx-1", "PASS", "p", "", "1NExx+13", "2cs+1", "7NS", "4S", "9HN=",
                     "4SN+1 ", "4SNxxx=", "4SN+", "4SN=1", "4SN+ 1", "4SN+1a", "3N", "3NT"]),
    max_size=8,
).map(",".join)  # fmt: skip
TOKENS = st.one_of(
    token("md", md_values()),
    token("md", md_values()),
    token("qx", st.sampled_from(["o1", "c1", "o2", "c12", "3", "o1,BOARD 4", "", "x", "O3 "])),
    token("mb", st.sampled_from(CALLS)),
    token("mb", st.sampled_from(["p", "p", "p", "1C", "1S", "2N", "d", "r", "4H"])),
    token("mb", _text("12378cdhsntpPxXrdbl!?*,- é")),
    token("an", st.sampled_from(["15-17", " weak ", "", "5+ !S; 11-21 HCP", "majo\r\nrs", "é"])),
    token("pc", CARDS),
    token("pc", st.lists(CARDS, max_size=3).map("".join)),
    token("pc", _text("cS2A1 0x")),
    token("up", st.sampled_from(["1", "2", "04", " 3 ", "99", "0", "", "x", "100"])),
    token("mc", st.sampled_from(["9", "13", "14", "", " 7 ", "x", "007", "1 2"])),
    token("pg", st.just("")),
    token("nt", st.sampled_from(["well bid", "", " \n ", "two\nlines", "ä@H"])),
    token("at", st.just("hello")),
    token("pn", st.sampled_from(["s,w,n,e", "a,b,c,d,e,f,g,h", "", "a", "M, X,b,c,d", ",,,",
                                 "a,b,c,d,e,f,g,h,i,j,k,l,,,", "a,b,c,d,,,,", "-,b,---,d",
                                 "-,-,-,-"])),
    token("pw", st.just("s2,w2,n2,e2")),
    token("vg", st.sampled_from(["Cup,R1,I,1,4,A,0,B,0", "Cup,R,1,I,3,4,A,0,B,0", "x", "",
                                 " ,,I,x,4,A,0,B,0", "Cup,R1,I, 2 ,4,A,0,B,0"])),
    token("rs", RESULTS),
    token("sv", st.sampled_from(["o", "b", "n", "e", "0", "-", "O", "N", "E", "B", "s", "w", "?",
                                 "", " b ", "none", "Neither", "N/S", "maybe", " é", "x" * 70])),
    token("ah", st.sampled_from(["Board 12", "12", "O12", "Segment 3", "board #7", "Board 7a",
                                 "1234567", "c4", "0", "Board  3, x"])),
    st.sampled_from(["%% a comment | with a bar\n", "%%", "%", "|", "\n", "zz|1|", "MB|p|", "Md|x|",
                     "junk", "st||", "rh||", "1N|", "sA|", "garbage here|", "é|"]),
)  # fmt: skip

LIN_TEXTS = st.one_of(
    st.lists(TOKENS, max_size=25).map("".join), st.text("mdbpqx|1oSHDC,AK\n% nt", max_size=60)
)


@st.composite
def played_boards(draw: st.DrawFn) -> str:
    """A whole board: deal, legal auction to the end, and up to 52 cards in true order."""
    seed = draw(st.integers(0, 100_000))
    chance = random.Random(seed)
    hands = shuffled_hands(seed)
    dealer = chance.randrange(4)
    unknown = draw(st.one_of(st.just(set[int]()), HIDDEN))
    pieces = [
        chance.choice(["", f"qx|{chance.choice('oc')}{chance.randint(1, 40)}|"]),
        f"md|{dealer + 1}{hidden(','.join(hand_text(hand, seed) for hand in hands), unknown)}|",
        chance.choice(["", "sv|b|", "sv|n|", "sv|e|"]),
    ]
    calls = random_auction(chance)
    pieces += [f"mb|{_call_text(call)}|" for call in calls]
    contract = Auction.of(calls, (dealer + 2) % 4).contract
    if contract is not None:
        count = draw(st.sampled_from([52, 52, 51, 48, 47, 13, 0]))
        # LIN's order South, West, North, East is seats 2, 3, 0, 1
        by_seat = {(place + 2) % 4: set(hand) for place, hand in enumerate(hands)}
        cards = play_out(by_seat, (contract.declarer + 1) % 4, contract.strain, chance)[:count]
        if cards and chance.random() < 0.1:
            cards[chance.randrange(len(cards))] = chance.randrange(52)
        pieces += [f"pc|{format_card(card)}|" for card in cards]
    pieces.append(chance.choice(["", f"mc|{chance.randint(0, 13)}|"]))
    return "".join(pieces)


def random_auction(chance: random.Random) -> tuple[int, ...]:
    """A complete legal auction."""
    auction = Auction()
    while not auction.is_complete:
        legal = list(auction.legal_calls())
        call = 0 if chance.random() < 0.55 else chance.choice(legal[:9])
        auction = auction.add(call)
    return auction.calls


def _call_text(code: int) -> str:
    if code < 3:
        return "pdr"[code]
    return f"{(code - 3) // 5 + 1}{'CDHSN'[(code - 3) % 5]}"


def play_out(
    hands: dict[int, set[int]], leader: int, strain: int, chance: random.Random
) -> list[int]:
    """Legal play of all cards, each chosen at random."""
    played: list[int] = []
    for _ in range(13):
        trick: list[tuple[int, int]] = []
        for offset in range(4):
            seat = (leader + offset) % 4
            follow = [c for c in hands[seat] if trick and c // 13 == trick[0][1] // 13]
            card = chance.choice(sorted(follow or hands[seat]))
            hands[seat].remove(card)
            trick.append((seat, card))
        trumps = [(card, seat) for seat, card in trick if card // 13 == strain]
        led = [(card, seat) for seat, card in trick if card // 13 == trick[0][1] // 13]
        leader = max(trumps or led)[1]
        played += [card for _, card in trick]
    return played


REMARKS = st.text(
    st.one_of(
        st.characters(min_codepoint=32, max_codepoint=126), st.sampled_from("éäŁ♠漢ß")
    ).filter(lambda letter: letter != "|"),
    max_size=12,
).map(lambda text: text.strip())
ANNOUNCED = REMARKS.filter(lambda text: not is_alert_alone(text))
NAMES = (
    st.text("abcé, .'", max_size=8)
    .map(lambda text: ", ".join(part.strip() for part in text.split(",")))
    .map(lambda text: text.strip(", "))
)


@st.composite
def frame_rows(draw: st.DrawFn) -> dict[str, object]:
    """A row of a deal frame that LIN can hold in full."""
    seed = draw(st.integers(0, 100_000))
    chance = random.Random(seed)
    # three known hands tell the fourth
    unknown = draw(st.one_of(st.just(set[int]()), HIDDEN.filter(lambda one: 1 < len(one) < 4)))
    south, west, north, east = (
        None if place in unknown else sum(1 << c for c in hand)
        for place, hand in enumerate(shuffled_hands(seed))
    )
    calls: list[int] = []
    tail: list[int] = []
    auction = Auction()
    for _ in range(draw(st.integers(0, 14))):
        call = draw(st.sampled_from([0, 0, 0, 1, 2, 3, 7, 12, 17, 22, 37, 255]))
        if tail or call == 255 or not auction.is_legal(call):
            tail.append(call)
        else:
            auction = auction.add(call)
            calls.append(call)
    board = draw(st.one_of(st.none(), st.integers(1, 999)))
    return {
        "north": north,
        "east": east,
        "south": south,
        "west": west,
        "dealer": draw(st.sampled_from("NESW")),
        "vulnerability": draw(st.sampled_from(["None", "NS", "EW", "Both"])),
        "board": board,
        "room": draw(st.sampled_from([None, "open", "closed"])) if board else None,
        "auction": calls,
        "illegal_tail": tail,
        "illegal_call": len(calls) if tail else None,
        "announcements": [draw(ANNOUNCED) if chance.random() < 0.3 else "" for _ in calls],
        "alerts": [chance.random() < 0.2 for _ in calls],
        "commentary": [text for text in draw(st.lists(REMARKS, max_size=2)) if text],
        "play": [] if unknown else chance.sample(range(52), draw(st.integers(0, 47))),
        # four empty names are no names
        "players": draw(st.one_of(st.none(), st.lists(NAMES, min_size=4, max_size=4).filter(any))),
        "event": draw(st.one_of(st.none(), REMARKS.map(lambda text: text.strip(", ") or None))),
    }


FRAMES = st.lists(frame_rows(), max_size=4).map(
    lambda rows: pl.DataFrame(rows, schema={n: DEAL_SCHEMA[n] for n in FRAME_COLUMNS})
)
FRAME_COLUMNS = [
    "north", "east", "south", "west", "dealer", "vulnerability", "board", "room", "auction",
    "illegal_call", "illegal_tail", "announcements", "alerts", "commentary", "play", "players",
    "event",
]  # fmt: skip

GRAND_SLAM = "3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,SHDCAKQJT98765432"
"""Md value: North deals; South has the spades, West hearts, North diamonds, East clubs."""
