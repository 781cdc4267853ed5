"""What shipped systems ask of hands, as texts."""

from functools import cache

from bidcascade.systems.registry import open_system
from tests.support.deals import mixed_deals

SYSTEMS = ("sayc", "acol", "two-over-one")


@cache
def criteria_of(name: str) -> list[tuple[str, ...]]:
    """Criteria of a system in the order in which some deals ask for them."""
    bidder = open_system(name).bidder()
    bidder.bid(mixed_deals(300, seed=5))
    program = bidder.sides[0]
    return [program.constraint(number).texts() for number in program.constraint_numbers()]
