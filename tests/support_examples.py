"""How many inputs a property gets: so many in CI, in proportion by the profile elsewhere."""

from hypothesis import settings


def examples(in_ci: int) -> settings:
    """Settings of a property that gets another number of inputs in CI than the hundred of most."""
    return settings(max_examples=max(3, in_ci * settings.default.max_examples // 100))
