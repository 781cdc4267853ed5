"""Reader of ``dealer``'s scripts: words to a tree.

An expression binds as in C: ``!``, then ``* / %``, ``+ -``, ``< <= > >=``, ``== !=``, ``&&``,
``||``, ``?:``.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from bidcascade.bridge import (
    InvalidScript,
    Seat,
    is_vulnerable,
    parse_card,
    parse_holding,
    parse_vulnerability,
)
from bidcascade.loaders.files.encodings import decode_text, is_binary
from bidcascade.systems.language.errors import nearest

from .script_tree import (
    NOTRUMP,
    Action,
    And,
    Average,
    Axis,
    Binary,
    Conditional,
    EvaluateContract,
    EvaluateContracts,
    Frequency,
    HasCard,
    Imps,
    Measure,
    Negative,
    Node,
    Not,
    Or,
    Print,
    PrintHands,
    PrintValues,
    Random,
    Score,
    Script,
    ScriptNumber,
    ScriptPosition,
    ShapeOf,
    ShapePart,
    Share,
    Tricks,
    parts_of,
)
from .script_words import (
    ACTIONS,
    BOTH_SIDES,
    COMMANDS,
    CONTRACT,
    DECLARERS,
    FUNCTIONS,
    KEYWORDS,
    LONGEST_SCRIPT,
    MEASURES,
    NOTRUMPS,
    OPERATORS,
    PRINTS,
    SUITS,
    VULNERABLE,
    ScriptToken,
    TokenKind,
    words_of,
)
from .script_words import SEATS as SEAT_WORDS

MOST_PRODUCED: Final = 10_000_000
MOST_GENERATED: Final = 2**31 - 1
_DEEPEST_BRACKETS: Final = 80
_DEEPEST_TREE: Final = 150
_MOST_PARTS: Final = 20_000
"""Parts of an expression, those of a name counted wherever the name stands."""
_MOST_ROWS: Final = 1000
"""Values that a frequency counts one by one."""
_LARGEST_NUMBER: Final = 2**31 - 1
_LONGEST_DECIMAL: Final = 16
_LEVELS: Final = (("==", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "/", "%"))
"""Operators of two operands by how they bind, the loosest first."""
_STRAINS: Final = "CDHSN"


def read_script(path: Path) -> Script:
    """Read a script from a file, in UTF-8 or an older encoding.

    Raises
    ------
    InvalidScript
        If it is none; the message names the file.
    OSError
        If it cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(4 * LONGEST_SCRIPT + 1)
    if is_binary(data):
        raise InvalidScript(f"expected a script of dealer as text in {path.name!r}, got bytes")
    try:
        return parse_script(decode_text(data)[0])
    except InvalidScript as error:
        raise InvalidScript(f"{path.name}: {error}") from None


def parse_script(text: str) -> Script:
    """Read a script.

    Raises
    ------
    InvalidScript
        With line and column, and what was expected there.

    Examples
    --------
    >>> script = parse_script("produce 10 condition hcp(north) >= 15 action printoneline")
    >>> script.produce, script.actions
    (10, (Print(form='printoneline', value=None),))
    """
    return _Reader(text).script()


class _Reader:
    """Goes from word to word."""

    def __init__(self, text: str) -> None:
        self._words = words_of(text)
        self._at = 0
        self._names: dict[str, Node] = {}
        self._sizes: dict[int, tuple[int, int]] = {}
        """Parts and depth of the expressions read, by their identities."""
        self._kept: list[Node] = []
        self._brackets = 0
        self._randoms = 0
        self._found = Script()

    # --- commands ---------------------------------------------------------------------------------

    def script(self) -> Script:
        """Read all of it."""
        while self._now.kind != "end":
            self._command()
        names = dict(self._names)
        for _, name, place in self._words.shares:
            if name not in names:
                raise self._wrong("a name that the script defines", repr(name), place, names)
        shares = tuple(Share(percent, name) for percent, name, _ in self._words.shares)
        return replace(self._found, names=names, shares=shares, remarks=self._words.remarks)

    def _command(self) -> None:
        token = self._now
        if token.kind == "word" and token.text in COMMANDS:
            self._next()
            if token.text == "predeal":
                self._predeal()
            else:
                self._set(**self._simple_command(token.text))
            return
        if self._is_definition():
            self._define()
            return
        if not self._begins_expression():
            wanted = "a command, a definition or a condition"
            raise self._wrong(wanted, token.shown, token.place, COMMANDS, word=token.text)
        self._set(condition=self._expression())

    def _simple_command(self, name: str) -> dict[str, Any]:
        match name:
            case "generate":
                # the first stands, as in dealer
                given = self._bounded(name, MOST_GENERATED)
                return {name: self._found.generate or given}
            case "produce":
                given = self._bounded(name, MOST_PRODUCED)
                return {name: self._found.produce or given}
            case "dealer":
                return {name: self._seat()}
            case "vulnerable":
                return {
                    "vulnerability": parse_vulnerability(
                        BOTH_SIDES[self._one_of(tuple(BOTH_SIDES))]
                    )
                }
            case "pointcount":
                return {"points": self._points()}
            case "altcount":
                place = self._now.place
                number = self._integer()
                if not 0 <= number <= 9:
                    raise self._wrong("a count from 0 to 9", str(number), place)
                counts = list(self._found.counts)
                counts[number] = self._points()
                return {"counts": tuple(counts)}
            case "condition":
                return {name: self._expression()}
        return {"actions": self._actions()}

    def _set(self, **values: Any) -> None:
        self._found = replace(self._found, **values)

    def _bounded(self, name: str, most: int) -> int:
        place = self._now.place
        number = self._integer()
        if not 1 <= number <= most:
            raise self._wrong(f"a number from 1 to {most:,} behind {name}", str(number), place)
        return number

    def _points(self) -> tuple[int | float, ...]:
        found: list[int | float] = []
        while self._now.kind in ("number", "decimal", "shape") or self._now.text == "-":
            if len(found) == 13:
                raise self._wrong("at most 13 numbers, the ace's first", self._now.shown)
            found.append(self._number())
        return tuple(found + [0] * (13 - len(found)))

    def _is_definition(self) -> bool:
        after = self._words.tokens[min(self._at + 1, len(self._words.tokens) - 1)]
        return after.kind == "sign" and after.text == "="

    def _define(self) -> None:
        name = self._now
        if name.kind != "name":
            wanted = "a name that is no word of the language and no cards"
            raise self._wrong(wanted, name.shown, name.place)
        if name.text in self._names:
            raise self._wrong("a name that is not defined yet", name.shown, name.place)
        self._next()
        self._next()
        self._names[name.text] = self._expression()

    def _predeal(self) -> None:
        place = self._now.place
        begun = self._at
        while self._now.kind == "word" and (
            self._now.text in SEAT_WORDS or self._now.text in SUITS
        ):
            # a condition may begin with a suit too, but not as '(suit)(seat) == number'
            if self._now.text in SUITS:
                if not self._predeal_length():
                    break
            else:
                seat = self._seat()
                self._predeal_cards(seat)
            self._accept(",")
        if self._at == begun:
            raise self._wrong("a seat or a suit behind predeal", self._now.shown, place)

    def _predeal_length(self) -> bool:
        tokens = self._words.tokens[self._at : self._at + 6]
        if [one.text for one in tokens[1::2]][:1] != ["("] or len(tokens) < 6:
            return False
        if (tokens[3].text, tokens[4].text) != (")", "=="):
            return False
        suit = SUITS[self._next().text]
        self._expect("(")
        seat = self._seat()
        self._expect(")")
        self._expect("==")
        place = self._now.place
        length = self._integer()
        if not 0 <= length <= 13:
            raise self._wrong("a length from 0 to 13", str(length), place)
        lengths = [list(one) for one in self._found.lengths]
        if lengths[seat][suit] is not None:
            raise self._wrong("one length of a suit in a hand", str(length), place)
        lengths[seat][suit] = length
        self._set(lengths=tuple(map(tuple, lengths)))
        return True

    def _predeal_cards(self, seat: Seat) -> None:
        while True:
            token = self._now
            suit = "CDHS".find(token.text[:1]) if token.text else -1
            if token.kind not in ("holding", "name") or suit < 0:
                raise self._wrong("cards such as SAQ542", token.shown, token.place)
            try:
                holding = parse_holding(token.text[1:]) << 13 * suit
            except ValueError as error:
                raise InvalidScript(f"{token.place}: {error}") from None
            cards = list(self._found.cards)
            for other, mask in enumerate(cards):
                if mask & holding:
                    raise self._wrong(
                        f"cards that {Seat(other).name.capitalize()} does not hold yet",
                        token.shown,
                        token.place,
                    )
            cards[seat] |= holding
            if cards[seat].bit_count() > 13:
                raise self._wrong("at most 13 cards of a hand", token.shown, token.place)
            self._set(cards=tuple(cards))
            self._next()
            after = self._words.tokens[min(self._at + 1, len(self._words.tokens) - 1)]
            if self._now.text != "," or after.kind not in ("holding", "name"):
                return
            self._next()

    # --- actions ----------------------------------------------------------------------------------

    def _actions(self) -> tuple[Action, ...]:
        found: list[Action] = []
        while self._now.kind == "word" and self._now.text in ACTIONS:
            found.append(self._action())
            if not self._accept(","):
                break
        else:
            if self._now.kind == "name" and not self._is_definition():
                raise self._wrong(
                    "an action", self._now.shown, self._now.place, ACTIONS, word=self._now.text
                )
        return tuple(found)

    def _action(self) -> Action:
        token = self._next()
        match token.text:
            case "print":
                self._expect("(")
                seats = [self._seat()]
                while self._accept(","):
                    seats.append(self._seat())
                self._expect(")")
                return PrintHands(tuple(one for one in Seat if one in seats))
            case "printes":
                return PrintValues(self._printed_items())
            case "average":
                return Average(self._title(), self._expression())
            case "frequency":
                return self._frequency()
            case "evalcontract":
                return self._evaluated()
            case "printcompact" | "printoneline":
                # behind it on its line: what stands on a later one is a condition of its own
                has_value = self._now.place.line == token.place.line
                if has_value and self._begins_expression() and not self._is_definition():
                    return Print(token.text, self._expression())
        assert token.text in PRINTS
        return Print(token.text)

    def _evaluated(self) -> Action:
        """Read what is evaluated: all contracts, or one, with what is said of it in any order."""
        title = self._title()
        if not title and self._now.text != "(":
            return EvaluateContracts()
        self._expect("(")
        if not title and self._accept(")"):
            return EvaluateContracts()
        seats: tuple[Seat, ...] | None = None
        contract: tuple[int, int, int] | None = None
        sides: str | bool | None = None
        while True:
            token = self._now
            if token.kind == "string" and not title:
                title = self._title()
            elif seats is None and (token.text in SEAT_WORDS or token.text in DECLARERS):
                side = self._next().text
                seats = DECLARERS[side] if side in DECLARERS else (SEAT_WORDS[side],)
            elif sides is None and token.text in (*VULNERABLE, *BOTH_SIDES):
                word = self._next().text
                sides = VULNERABLE[word] if word in VULNERABLE else BOTH_SIDES[word]
            elif contract is None:
                contract = self._contract()
            else:
                wanted = "one contract, a side or declarer, and vul or nv"
                raise self._wrong(wanted, token.shown, token.place)
            if not self._accept(","):
                break
        if contract is None:
            contract = self._contract()
        self._expect(")")
        seats = seats or DECLARERS["NS"]
        if isinstance(sides, str):
            sides = is_vulnerable(parse_vulnerability(sides), seats[0])
        return EvaluateContract(title, seats, *contract, sides)

    def _title(self) -> str:
        return self._next().text if self._now.kind == "string" else ""

    def _printed_items(self) -> tuple[str | Node, ...]:
        in_brackets = self._accept("(")
        found: list[str | Node] = []
        while True:
            found.append(self._next().text if self._now.kind == "string" else self._expression())
            after = self._words.tokens[min(self._at + 1, len(self._words.tokens) - 1)]
            is_action = after.kind == "word" and after.text in ACTIONS
            if self._now.text != "," or (not in_brackets and (is_action or after.kind == "end")):
                break
            self._next()
        if in_brackets:
            self._expect(")")
        return tuple(found)

    def _frequency(self) -> Frequency:
        title = self._title()
        self._expect("(")
        axes = [self._axis()]
        if self._accept(","):
            axes.append(self._axis())
        self._expect(")")
        return Frequency(title, tuple(axes))

    def _axis(self) -> Axis:
        value = self._expression()
        self._expect(",")
        place = self._now.place
        low = self._integer()
        self._expect(",")
        high = self._integer()
        if not 0 <= high - low < _MOST_ROWS:
            wanted = f"a bound that is not below the first, and at most {_MOST_ROWS} values"
            raise self._wrong(wanted, f"{low} to {high}", place)
        return Axis(value, low, high)

    # --- expressions ------------------------------------------------------------------------------

    def _expression(self) -> Node:
        place = self._now.place
        self._brackets += 1
        if self._brackets > _DEEPEST_BRACKETS:
            raise self._wrong(f"at most {_DEEPEST_BRACKETS // 2} levels of brackets", "more", place)
        condition = self._joined("||", Or, partial(self._joined, "&&", And, self._compared))
        if self._accept("?"):
            one = self._expression()
            self._expect(":")
            condition = self._kept_node(Conditional(condition, one, self._expression()), place)
        self._brackets -= 1
        return condition

    def _joined(
        self, sign: str, join: Callable[[tuple[Node, ...]], Node], operand: Callable[[], Node]
    ) -> Node:
        place = self._now.place
        found = [operand()]
        while self._accept_operator(sign):
            found.append(operand())
        return found[0] if len(found) == 1 else self._kept_node(join(tuple(found)), place)

    def _compared(self, level: int = 0) -> Node:
        if level == len(_LEVELS):
            return self._unary()
        left = self._compared(level + 1)
        while self._now.kind == "sign" and self._now.text in _LEVELS[level]:
            sign = self._next()
            right = self._compared(level + 1)
            left = self._kept_node(Binary(sign.text, left, right, sign.place), sign.place)
        return left

    def _unary(self) -> Node:
        place = self._now.place
        self._brackets += 1
        if self._brackets > _DEEPEST_BRACKETS:
            raise self._wrong(f"at most {_DEEPEST_BRACKETS // 2} levels of brackets", "more", place)
        if self._accept_operator("!"):
            found = self._kept_node(Not(self._unary()), place)
        elif self._accept("-"):
            operand = self._unary()
            found = (
                ScriptNumber(-operand.value)
                if isinstance(operand, ScriptNumber)
                else self._kept_node(Negative(operand), place)
            )
        else:
            found = self._primary()
        self._brackets -= 1
        return found

    def _primary(self) -> Node:
        token = self._now
        if token.kind == "decimal" or (
            token.kind in ("number", "shape") and token.text.isdecimal()
        ):
            return ScriptNumber(self._number())
        if self._accept("("):
            found = self._expression()
            self._expect(")")
            return found
        if token.kind == "name":
            self._next()
            if token.text in self._names:
                return self._names[token.text]
            if self._now.text == "(":
                raise self._wrong("a function", token.shown, token.place, FUNCTIONS, token.text)
            known = (*self._names, *FUNCTIONS, *KEYWORDS)
            raise self._wrong("a name that is defined", token.shown, token.place, known, token.text)
        if token.kind == "word" and token.text in FUNCTIONS:
            self._next()
            self._expect("(")
            found = self._kept_node(self._function(token), token.place)
            self._expect(")")
            return found
        raise self._wrong("a number, a function, a name or '('", token.shown, token.place)

    def _function(self, token: ScriptToken) -> Node:
        name = token.text
        if name in SUITS:
            return Measure("length", self._seat(), SUITS[name])
        if name in MEASURES:
            return self._measure(MEASURES[name])
        match name:
            case "rnd":
                self._randoms += 1
                number = self._randoms
                return Random(self._expression(), number)
            case "imp" | "imps":
                return Imps(self._expression())
            case "score":
                return self._score()
        seat = self._seat()
        self._expect(",")
        if name == "shape":
            return ShapeOf(seat, self._shapes())
        if name == "hascard":
            card = self._take("card", "a card such as KH")
            return HasCard(seat, parse_card(card.text[::-1]))
        strain = self._one_of((*SUITS, *NOTRUMPS))
        return Tricks(seat, SUITS.get(strain, NOTRUMP))

    def _measure(self, kind: str) -> Node:
        seat = self._seat()
        suit = None
        if kind == "quality":
            self._expect(",")
            suit = SUITS[self._one_of(tuple(SUITS))]
        elif kind != "cccc" and self._accept(","):
            suit = SUITS[self._one_of(tuple(SUITS))]
        return Measure(kind, seat, suit)

    def _score(self) -> Node:
        vulnerable = self._vulnerable()
        self._expect(",")
        level, strain, doubled = self._contract()
        self._expect(",")
        return Score(vulnerable, level, strain, self._expression(), doubled)

    def _vulnerable(self) -> bool:
        return VULNERABLE[self._one_of(tuple(VULNERABLE))]

    def _contract(self) -> tuple[int, int, int]:
        """Read level, strain, and 1 for doubled, 2 for redoubled."""
        found = CONTRACT.fullmatch(self._now.text)
        if found is None:
            raise self._wrong("a contract such as x3N or x4Sx", self._now.shown)
        self._next()
        return int(found[1]), _STRAINS.index(found[2][0].upper()), len(found[3])

    def _shapes(self) -> tuple[ShapePart, ...]:
        found: list[ShapePart] = []
        while True:
            # a comma, or nothing at all, adds too
            is_taken_away = self._accept("-")
            if not is_taken_away and not self._accept("+"):
                self._accept(",")
            in_any_order = self._now.text == "any" and bool(self._next())
            token = self._take("shape", "a shape such as 5332 or 54xx")
            lengths = tuple(None if one == "x" else int(one) for one in token.text)
            known = [one for one in lengths if one is not None]
            if sum(known) > 13 or (len(known) == 4 and sum(known) != 13):
                raise self._wrong("lengths of 13 cards together", token.shown, token.place)
            found.append(ShapePart(lengths, in_any_order, is_taken_away))
            if self._now.text == ")":
                return tuple(found)

    def _kept_node(self, node: Node, place: ScriptPosition) -> Node:
        """Measure an expression; what is too large or too deep is refused."""
        sizes = [self._sizes.get(id(one), (1, 1)) for one in parts_of(node)]
        parts = 1 + sum(one for one, _ in sizes)
        depth = 1 + max((one for _, one in sizes), default=0)
        if parts > _MOST_PARTS or depth > _DEEPEST_TREE:
            raise self._wrong(
                f"an expression of at most {_MOST_PARTS:,} parts in {_DEEPEST_TREE} levels",
                f"{parts:,} in {depth}",
                place,
            )
        self._sizes[id(node)] = parts, depth
        # an identity is that of one object as long as this is there
        self._kept.append(node)
        return node

    # --- words ------------------------------------------------------------------------------------

    @property
    def _now(self) -> ScriptToken:
        return self._words.tokens[self._at]

    def _next(self) -> ScriptToken:
        token = self._now
        if token.kind != "end":
            self._at += 1
        return token

    def _begins_expression(self) -> bool:
        token = self._now
        if token.kind == "word":
            return token.text in FUNCTIONS or token.text == "not"
        if token.kind == "sign":
            return token.text in ("(", "!", "-")
        return token.kind in ("number", "decimal", "name") or (
            token.kind == "shape" and token.text.isdecimal()
        )

    def _accept(self, sign: str) -> bool:
        if self._now.kind == "sign" and self._now.text == sign:
            self._next()
            return True
        return False

    def _accept_operator(self, sign: str) -> bool:
        if self._now.kind == "word" and OPERATORS.get(self._now.text) == sign:
            self._next()
            return True
        return self._accept(sign)

    def _expect(self, sign: str) -> None:
        if not self._accept(sign):
            raise self._wrong(repr(sign), self._now.shown)

    def _take(self, kind: TokenKind, wanted: str) -> ScriptToken:
        if self._now.kind != kind:
            raise self._wrong(wanted, self._now.shown)
        return self._next()

    def _one_of(self, words: Sequence[str]) -> str:
        token = self._now
        if token.text not in words:
            wanted = ", ".join(dict.fromkeys(words))
            raise self._wrong(f"one of {wanted}", token.shown, token.place, words, token.text)
        return self._next().text

    def _seat(self) -> Seat:
        return SEAT_WORDS[self._one_of(tuple(SEAT_WORDS))]

    def _number(self) -> int | float:
        """Read a number, whole or with a point."""
        after = self._words.tokens[min(self._at + 1, len(self._words.tokens) - 1)]
        token = after if self._now.text == "-" else self._now
        if token.kind != "decimal":
            return self._integer()
        is_negative = self._accept("-")
        value = float(token.text)
        if value > _LARGEST_NUMBER or len(token.text) > _LONGEST_DECIMAL:
            wanted = f"a number up to {_LARGEST_NUMBER:,} of at most {_LONGEST_DECIMAL} signs"
            raise self._wrong(wanted, token.shown[:40])
        self._next()
        value = -value if is_negative else value
        return int(value) if value.is_integer() else value

    def _integer(self) -> int:
        is_negative = self._accept("-")
        token = self._now
        if token.kind == "decimal" and token.text.partition(".")[2].strip("0") == "":
            # 20.0 is whole
            token = token._replace(kind="number", text=token.text.partition(".")[0])
        if token.kind not in ("number", "shape") or not token.text.isdecimal():
            wanted = "a whole number" if token.kind == "decimal" else "a number"
            raise self._wrong(wanted, token.shown)
        if len(token.text) > 10 or int(token.text) > _LARGEST_NUMBER:
            raise self._wrong(f"a number up to {_LARGEST_NUMBER:,}", token.shown[:40])
        self._next()
        return -int(token.text) if is_negative else int(token.text)

    def _wrong(
        self,
        wanted: str,
        got: str,
        place: ScriptPosition | None = None,
        known: Iterable[str] = (),
        word: str = "",
    ) -> InvalidScript:
        near = nearest((word or got.strip("'")).lower(), known) if known else ""
        meant = f"; did you mean {near!r}?" if near else ""
        return InvalidScript(f"{place or self._now.place}: expected {wanted}, got {got}{meant}")
