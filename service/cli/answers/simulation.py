"""How the commands print what calls are worth over simulated auctions."""

from bidcascade.engine.questions.bidding.bids import SimulationAnswer
from bidcascade.service.cli import shared


def print_simulation(simulation: SimulationAnswer, note: str) -> None:
    """Print what each call is worth."""
    if note:
        print(f"   {note}")
    unit = {"imps": "IMPs", "matchpoints": "matchpoints", "points": "points"}
    rows = []
    for one in simulation.candidates:
        about = ", ".join(f"{contract.contract} {contract.share:.0%}" for contract in one.contracts)
        interval = "" if one.low is None else f"{one.low:+.2f} to {one.high:+.2f}"
        rows.append((
            one.call, "line" if one.line else "natural", f"{one.mean:+.2f}", interval,
            f"{one.points:+.0f}", f"{one.best_share:.0%}", str(one.layouts), about,
        ))  # fmt: skip
    heads = ("call", "from", unit[simulation.scoring], "95 %", "score", "best", "deals", "in")
    shared.print_table(heads, rows)
    layouts = simulation.layouts
    if simulation.scoring != "points":
        print(f"against tables where {simulation.compared_with} is called")
    for text in (*layouts.relaxed, *layouts.notes):
        print(f"given up: {text}" if text in layouts.relaxed else text)
