"""Archives that lie about twice are evidence once."""

from collections.abc import Sequence

from bidcascade.loaders.inputs import Source
from bidcascade.service.jobs.manifest import describe_inputs


def distinct_sources(sources: Sequence[Source]) -> tuple[list[Source], int]:
    """Order sources by name, those with the same contents once; and say how many were left out.

    Examples
    --------
    >>> from bidcascade.loaders.inputs import find_sources
    >>> sources, repeated = distinct_sources(find_sources([b"one", b"two", b"one"]))
    >>> len(sources), repeated
    (2, 1)
    """
    ordered = sorted(sources, key=lambda source: source.name)
    found: dict[str, Source] = {}
    for number, (source, about) in enumerate(zip(ordered, describe_inputs(ordered), strict=True)):
        # what can be read only once has no digest
        found.setdefault(about["sha256"] or f"input {number}", source)
    return list(found.values()), len(ordered) - len(found)
