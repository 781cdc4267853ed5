"""Values of other types than text: the same errors as for text that is none, never Python's own."""

import pytest

from bidcascade import bridge
from bidcascade.bridge import BidcascadeError
from bidcascade.engine.engine import Engine

READERS = [
    getattr(bridge, f"parse_{what}")
    for what in (
        "call",
        "calls",
        "card",
        "contract",
        "deal",
        "hand",
        "holding",
        "seat",
        "suit",
        "vulnerability",
    )
]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__)
@pytest.mark.parametrize("value", [None, 5, 2.5, object, [None], ["q"], {"a": 1}], ids=repr)
def test_what_is_no_text(reader, value):
    with pytest.raises(BidcascadeError, match="expected"):
        reader(value)


HAND = "K52.AQ3.9876.KJ2"


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ((None,), {}), ((5,), {}), ((3.5,), {}), ((True,), {}), (([HAND],), {}),
        ((HAND, None), {}), ((HAND, 5), {}), ((HAND, ["1N", None]), {}), ((HAND, [99]), {}),
        ((HAND, "1N"), {"dealer": 5}), ((HAND, "1N"), {"dealer": None}),
        ((HAND, "1N"), {"vulnerability": 9}), ((HAND, "1N"), {"vulnerability": None}),
        ((HAND, "1N"), {"vulnerability": ""}),
    ],
)  # fmt: skip
def test_questions_of_wrong_types(given, options):
    engine = Engine.open("sayc", "cpu")
    with pytest.raises(BidcascadeError, match="expected"):
        engine.bid(*given, **options)
