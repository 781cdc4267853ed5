"""Whether a line takes every hand, so that nothing is left for the lines behind it."""

from bidcascade.systems.language.tree.syntax_tree import AllOf, AnyOf, Condition, Line, Phrase


def takes_all(line: Line) -> bool:
    """Whether a line says that any hand makes its call.

    Words in quotes narrow a line for its writer, though they test nothing.

    Examples
    --------
    >>> from bidcascade.systems.language.tree.syntax_tree import CallPattern
    >>> takes_all(Line(CallPattern("pass"), condition=Phrase("any hand")))
    True
    """
    conditions = [meaning.condition for meaning in line.variants or (line,)]
    return (
        not line.quoted
        and None not in conditions
        and any(condition is not None and _is_any_hand(condition) for condition in conditions)
    )


def _is_any_hand(condition: Condition) -> bool:
    if isinstance(condition, AllOf):
        return all(map(_is_any_hand, condition.parts))
    if isinstance(condition, AnyOf):
        return any(map(_is_any_hand, condition.parts))
    return isinstance(condition, Phrase) and condition.kind == "any hand"
