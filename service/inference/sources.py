"""What tells the meaning of an auction's calls, for a table of the service or of a command."""

from bidcascade.inference.layouts.steps import OverlaidPlaces, Source
from bidcascade.service.engine import Engine
from bidcascade.table.overlays.overlaid_table import OverlaidTable


def layouts_source(engine: Engine) -> Source:
    """Where the meaning of calls comes from: the system, which goes on where its table ends.

    Examples
    --------
    >>> from bidcascade.table import build_table
    >>> table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["HCP >= 15"]}])
    >>> layouts_source(Engine(table, "reference")) is table
    True
    """
    if engine.places is None:
        return engine.table
    if isinstance(engine.table, OverlaidTable):
        return OverlaidPlaces(engine.places, engine.table, engine.table.changed_places)
    return engine.places
