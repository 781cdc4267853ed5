"""Legal calls along auctions: the kernel against the bridge layer, call by call."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import Auction
from bidcascade.kernels.core.tables.auctions import legal_calls
from bidcascade.table.columns import offsets_of
from tests.support.auctions import random_auction

AUCTIONS = st.lists(
    st.one_of(
        st.lists(st.sampled_from([0, 0, 0, 1, 2, 3, 4, 5, 12, 37, 38, 255]), max_size=12),
        st.integers(0, 1 << 30).map(random_auction),
    ),
    max_size=5,
)


@given(AUCTIONS)
def test_as_the_laws_have_it(auctions):
    calls = np.array([call for auction in auctions for call in auction], np.uint8)
    offsets = offsets_of([len(auction) for auction in auctions], np.int64)
    found = np.full(len(calls), 0xFFFF_FFFF_FFFF_FFFF, np.uint64)
    legal_calls(calls, offsets, found)
    expected = []
    for auction in auctions:
        so_far: Auction | None = Auction()
        for call in auction:
            allowed = [] if so_far is None else list(so_far.legal_calls())
            expected.append(sum(1 << one for one in allowed))
            so_far = so_far.add(call) if so_far is not None and call in allowed else None
    assert found.tolist() == expected
