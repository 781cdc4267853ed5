"""What BML and our texts call the same thing: suits, variables, vulnerability."""

from typing import Final

STEP: Final = 2
GROUPS: Final = {
    "M": "HS", "oM": "HS", "m": "CD", "om": "CD", "X": "CDHS", "Y": "CDHS", "Z": "CDHS",
    "red": "DH", "black": "CS",
}  # fmt: skip
"""Suits of a variable, the lowest first."""
OTHER_OF: Final = {"oM": "M", "om": "m"}
VULNERABLE: Final = {
    "00": "", "Y0": "vulnerable", "N0": "not vulnerable", "YN": "unfavourable",
    "NY": "favourable", "YY": "vulnerable, not unfavourable",
    "NN": "not vulnerable, not favourable",
    "0Y": "favourable or (vulnerable and not unfavourable)",
    "0N": "unfavourable or (not vulnerable and not favourable)",
}  # fmt: skip
"""Facts for ``#VUL``: we, then they; yes, no, or either."""
