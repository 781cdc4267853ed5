"""Places, choices and explanations of the reference, as ``places_told.js`` tells the engine's."""

import hashlib
import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bidcascade.bridge import HOLDING_MASK, Auction, InvalidSystem, Seat, Vulnerability
from bidcascade.kernels import Context, DealArrays
from bidcascade.systems.language.auctions.patterns import Bindings
from bidcascade.systems.language.text_cache import rows_of_tree
from bidcascade.systems.language.tree.syntax_tree import Agreement, Where
from bidcascade.systems.places.choice import choose
from bidcascade.systems.places.turn_context import context_at
from bidcascade.systems.reference.place_entries import Expander
from bidcascade.systems.system import System
from bidcascade.systems.words.describing import agreements_of, description_of
from bidcascade.systems.words.explanation import explain_places

TOLD = Path(__file__).with_name("places_told.js").read_text("utf-8")
_BYTES = 560 * 38 // 8
Engine = Callable[..., Any]


@dataclass
class Auctions:
    """Deals bid by the reference: what every player chose, what the places say."""

    deals: list[dict[str, Any]]
    choices: list[list[list[Any]]]
    places: dict[str, str]
    """By the calls before it, the text of :func:`told_place`."""
    explanations: list[Any]
    error: str | None = None


def forced_calls(seed: int, calls: Sequence[int]) -> dict[int, int]:
    """Some legal call that is put into an auction, by its number."""
    rng = random.Random(seed)
    number = rng.randrange(len(calls))
    legal = list(Auction.of(calls[:number]).legal_calls())
    # low bids more often, so that auctions go on
    return {number: legal[int(rng.random() ** 3 * len(legal))]}


def bid_by_reference(
    expander: Expander,
    deals: DealArrays,
    forced: Iterable[dict[int, int]],
    *,
    explained: bool = False,
) -> Auctions:
    """Bid deals call by call; each has calls that are made whatever the hand."""
    found = Auctions(deals_of(deals), [], {}, [])
    for deal, put_in in enumerate(forced):
        found.deals[deal]["forced"] = {str(number): call for number, call in put_in.items()}
        hands, contexts = _players(deals, deal)
        made: list[list[Any]] = []
        auction = Auction()
        try:
            while not auction.is_complete:
                calls, seat = auction.calls, len(auction.calls) % 4
                key = " ".join(map(str, calls))
                if key not in found.places:
                    found.places[key] = told_place(expander, calls)
                place = expander.place(calls)
                vocabulary = expander.sides[seat % 2].vocabulary
                choice = choose(place, hands[seat], contexts[seat], vocabulary)
                entry = -1 if choice.entry is None else place.entries.index(choice.entry)
                made.append([choice.call, entry, choice.forced])
                auction = auction.add(put_in.get(len(calls), choice.call))
        except InvalidSystem as error:
            found.error = str(error)
            break
        found.choices.append(made)
        if explained:
            dealer, sides = Seat(deals.dealer[deal]), Vulnerability(deals.vulnerability[deal])
            found.deals[deal]["circumstances"] = [int(dealer), int(sides)]
            for circumstances in (), (dealer, sides):
                told = explain_places(expander, auction.calls, *circumstances)
                found.explanations.append(asdict(told))
    return found


def deals_of(deals: DealArrays) -> list[dict[str, Any]]:
    """Hands and contexts by position from the dealer, as the engine has them."""
    players = (_players(deals, deal) for deal in range(len(deals)))
    return [
        {
            "hands": [[hand >> 13 * suit & HOLDING_MASK for suit in range(4)] for hand in hands],
            "contexts": [
                {"seat": one.seat, "vulWe": one.vul_we, "vulThey": one.vul_they} for one in contexts
            ],
            "forced": {},
        }
        for hands, contexts in players
    ]


def _players(deals: DealArrays, deal: int) -> tuple[list[int], list[Context]]:
    dealer, sides = int(deals.dealer[deal]), int(deals.vulnerability[deal])
    hands = [int(deals.hands[(dealer + depth) % 4, deal]) for depth in range(4)]
    return hands, [context_at(depth, Seat(dealer), Vulnerability(sides)) for depth in range(4)]


def told_place(expander: Expander, calls: tuple[int, ...]) -> str:
    """Everything about a place and the state before it, as JSON."""
    place, state = expander.place(calls), expander.state(calls)
    last = state.meanings[-1] if state.meanings else None
    told = {
        "entries": [
            [
                one.call,
                one.rank,
                one.name,
                _placed(one.where),
                list(map(str, one.criteria)),
                list(map(_said, one.agreements)),
                one.specificity,
                one.place,
                _bound(one.bindings),
                description_of(one),
                agreements_of(one),
            ]
            for one in place.entries
        ],
        "forced": place.forced,
        "cells": _hex(place.cells),
        "agreed": state.agreed,
        "gameForced": state.game_forced,
        "knowledge": [[_hex(one.cells), sorted(one.terms.items())] for one in state.knowledge],
        "meaning": last
        and {
            "call": last.call,
            "known": last.known,
            "uses": [[use.place, _bound(use.bindings)] for use in last.uses],
            "agreements": list(map(_said, last.agreements)),
            "alternatives": [
                [one.name, one.kind, _placed(one.where), _hex(one.cells), str(one.expression)]
                for one in last.alternatives
            ],
        },
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _hex(cells: int) -> str:
    return cells.to_bytes(_BYTES, "little").hex()


def _placed(where: Where) -> list[Any]:
    return [where.file, where.line, where.column]


def _said(agreement: Agreement) -> list[Any]:
    return [agreement.kind, agreement.text, agreement.suit, _placed(agreement.where)]


def _bound(bindings: Bindings) -> list[tuple[str, str]]:
    return sorted(bindings.items())


def assert_engine_agrees(
    engine: Engine,
    pair: Sequence[tuple[str, System]],
    expected: Auctions,
) -> None:
    """Compare the engine's choices, places and explanations with the reference's."""
    told = engine(
        TOLD,
        {
            "systems": {name: rows_of_tree(system.text) for name, system in pair},
            "pair": [name for name, _ in pair],
            "deals": expected.deals,
            "explained": bool(expected.explanations),
        },
    )
    for key, text in expected.places.items():
        if told["places"].get(key) != hashlib.sha256(text.encode()).hexdigest():
            other = engine("(load, key) => globalThis.toldPlaces.get(key)", key)
            assert other is not None, f"the engine did not come to {key!r}"
            assert json.loads(other) == json.loads(text), key
            raise AssertionError(f"{key!r}: the same in another order or spelling")
    assert told.get("error") == expected.error
    assert told["choices"] == expected.choices
    assert len(told["places"]) == len(expected.places)
    assert len(told["explanations"]) == len(expected.explanations)
    for one, other in zip(told["explanations"], expected.explanations, strict=True):
        assert_near(one, other)


def assert_near(one: Any, other: Any) -> None:
    """Whether two JSON values are the same, floats to 1e-9."""
    if isinstance(other, float):
        assert abs(one - other) < 1e-9
    elif isinstance(other, dict):
        assert list(one) == list(other)
        for name, value in other.items():
            assert_near(one[name], value)
    elif isinstance(other, list | tuple):
        assert len(one) == len(other), (one, other)
        for first, second in zip(one, other, strict=True):
            assert_near(first, second)
    else:
        assert one == other
