"""What the command ``gpu`` has done so far: one file, whole after every part."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FILE = "state.json"


@dataclass
class Outcome:
    """How a part ended.

    Parameters
    ----------
    status : str
        ``done``; ``wrong``: answers differ or a test failed; ``missing``: something that it needs
        is not there; ``stopped``: its time was over.
    about : str
        In a few words, for the report.
    seconds : float
    result : dict
        What it found.
    """

    status: str
    about: str
    seconds: float = 0.0
    result: dict[str, Any] = field(default_factory=dict)


@dataclass
class State:
    """Outcomes by the part's name, of one version of the files and one set of options.

    Parameters
    ----------
    folder : Path
    mark : dict
        What has to be the same for outcomes to hold: sources, device, sizes.
    environment : dict
        What the first part found of the machine.
    """

    folder: Path
    mark: dict[str, Any]
    environment: dict[str, str] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path, mark: dict[str, Any]) -> "tuple[State, str]":
        """Read what is done for a mark, and say why there is nothing, if there was something."""
        found = cls(folder, mark)
        try:
            kept = json.loads((folder / FILE).read_text("utf-8"))
            outcomes = {name: Outcome(**one) for name, one in kept["outcomes"].items()}
            before, environment = dict(kept["mark"]), dict(kept["environment"])
        except FileNotFoundError:
            return found, ""
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return found, f"{folder / FILE} cannot be read"
        changed = [name for name in mark if before.get(name) != mark[name]]
        if changed:
            return found, f"{', '.join(changed)} changed since {folder / FILE} was written"
        return cls(folder, mark, environment, outcomes), ""

    def is_done(self, name: str) -> bool:
        """Whether a part need not be done again."""
        return name in self.outcomes and self.outcomes[name].status == "done"

    def keep(self, name: str, outcome: Outcome) -> None:
        """Take an outcome, and write all of them."""
        self.outcomes[name] = outcome
        self.folder.mkdir(parents=True, exist_ok=True)
        kept = {
            "mark": self.mark,
            "environment": self.environment,
            "outcomes": {name: asdict(one) for name, one in self.outcomes.items()},
        }
        # with nothing but the standard library: the command begins where no wheel is unpacked yet
        partial = self.folder / f"{FILE}.partial"
        partial.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
        partial.replace(self.folder / FILE)
