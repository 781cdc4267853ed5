"""Statements: lines, headers and the rest, built bottom up from what the grammar reduces.

Method names are the names and aliases of ``bidding.lark``, which says what they stand for.
"""

import re
from typing import Any, Final

from bidcascade.systems.language.auctions.turns import alternating_text
from bidcascade.systems.language.tree.joining import all_of
from bidcascade.systems.language.tree.statements import (
    ConventionStatement,
    HeaderStatement,
    IncludeStatement,
    OpponentsStatement,
    OptionStatement,
    Parameter,
    SystemStatement,
    UseStatement,
)
from bidcascade.systems.language.tree.syntax_tree import (
    Agreement,
    AuctionStep,
    CallPattern,
    Condition,
    Define,
    Header,
    Line,
    Variant,
    Where,
)
from bidcascade.table.language.lalr import Token

from .call_builder import at, one_blank, place, tidy, without_signs
from .phrase_builder import PhraseBuilder

_ONE_ROUND: Final = {
    "forcing for one round": "forcing",
    "forcing one round": "forcing",
    "game forcing": "forcing to game",
}
_LIKE_A_CONDITION: Final = re.compile(r"\d\+|\d-\d|,")
"""What a name without a colon may not hold: it seems to be a condition, the colon forgotten."""
_Conditions = tuple[Condition | None, str]
_Meaning = tuple[str, Condition | None, str, tuple[Agreement, ...], str]


class TreeBuilder(PhraseBuilder):
    """Builds one statement; ``faults`` is emptied before each line by the parser."""

    # ------------------------------------------------------------------ lines
    def line(self, call: CallPattern, meaning: _Meaning) -> Line:
        name, condition, quoted, agreements, remark = meaning
        return Line(call, name, condition, quoted, agreements, remark=remark, where=call.where)

    def variant(self, word: Token, meaning: _Meaning) -> Variant:
        name, condition, quoted, agreements, remark = meaning
        return Variant(name, condition, quoted, remark, agreements, at(word))

    def meaning(
        self,
        name: Token,
        conditions: _Conditions | None,
        agreements: tuple[Agreement, ...] | None,
        remark: Token | None,
    ) -> _Meaning:
        condition, quoted = conditions or (None, "")
        return tidy(name), condition, quoted, agreements or (), _remark(remark)

    def unnamed(
        self,
        conditions: _Conditions,
        agreements: tuple[Agreement, ...] | None,
        remark: Token | None,
    ) -> _Meaning:
        return "", *conditions, agreements or (), _remark(remark)

    def name_only(
        self, name: _Conditions, agreements: tuple[Agreement, ...] | None, remark: Token | None
    ) -> _Meaning:
        quoted, words = name[1], name[0]
        return str(words), None, quoted, agreements or (), _remark(remark)

    def bare_name(self, name: Token, *quoted: Token) -> tuple[str, str]:
        found = _LIKE_A_CONDITION.search(name)
        if found is not None:
            self.fault(
                name.start + found.start(),
                f'a name ends with a colon, "{tidy(name)}" goes on with a condition',
                "write a colon behind the name, and begin conditions with a small letter",
            )
        return tidy(name), _joined(quoted)

    # ------------------------------------------------------------------ conditions
    def conditions(self, *items: _Conditions) -> _Conditions:
        if len(items) == 1:
            return items[0]
        parts = [condition for condition, _ in items if condition is not None]
        quoted = " ".join(prose for _, prose in items if prose)
        return all_of(parts) if parts else None, quoted

    def item(self, condition: Condition, *quoted: Token) -> _Conditions:
        return condition, _joined(quoted)

    def prose(self, *quoted: Token) -> _Conditions:
        return None, _joined(quoted)

    # ------------------------------------------------------------------ headers
    def our_step(self, *calls: CallPattern) -> AuctionStep:
        return AuctionStep(calls)

    def theirs(self, *calls: "CallPattern | Token") -> AuctionStep:
        return AuctionStep(tuple(c for c in calls if not isinstance(c, Token)), theirs=True)

    def any_calls(self, _dots: Token) -> AuctionStep:
        return AuctionStep(any_calls=True)

    def auction(self, *steps: "AuctionStep | Token") -> tuple[AuctionStep, ...]:
        return tuple(step for step in steps if not isinstance(step, Token))

    def qualifiers(self, *parts: "Condition | Token") -> Condition:
        return all_of(part for part in parts if not isinstance(part, Token))

    def plain_header(self, word: Token, condition: Any, remark: Any) -> HeaderStatement:
        return _header(" ".join(word.split()), at(word), (), condition, remark)

    def when(self, word: Token, first: Condition, rest: Any, remark: Any) -> HeaderStatement:
        return self.plain_header(word, first if rest is None else all_of((first, rest)), remark)

    def after(self, word: Token, *parts: Any) -> HeaderStatement:
        auctions = tuple(part for part in parts[:-2] if isinstance(part, tuple))
        return _header(str(word), at(word), auctions, *parts[-2:], kind="after")

    def over(self, word: Token, *parts: Any) -> HeaderStatement:
        found = self.after(word, *parts)
        for auction in found.header.auctions:
            first = auction[0]
            if not first.theirs and not first.any_calls:
                self.fault(
                    first.calls[0].where.column,
                    '"over" speaks of their call, which stands in parentheses',
                    f'write "over {alternating_text(auction)}", or "after" for a call of our side',
                )
        return found

    def their_call(self, *parts: Any) -> HeaderStatement:
        steps = [part for part in parts[:-2] if isinstance(part, AuctionStep)]
        where = place(steps[0].calls[0].where.column - 1)
        return _header("", where, tuple((step,) for step in steps), *parts[-2:], kind="their call")

    # ------------------------------------------------------------------ agreements
    def agreements(self, *found: Agreement) -> tuple[Agreement, ...]:
        return found

    def plain_agreement(self, words: Token, quoted: Token | None) -> Agreement:
        kind = one_blank(words)
        text = "" if quoted is None else quoted[1:-1]
        return Agreement(_ONE_ROUND.get(kind, kind), text, where=at(words))

    def call_agreement(self, words: Token, call: CallPattern) -> Agreement:
        return Agreement(words.split()[0], call=call, where=at(words))

    def agrees(self, words: Token, suit: Token) -> Agreement:
        return Agreement("agrees", suit=str(suit), where=at(words))

    def says(self, token: Token) -> Agreement:
        kind, _, text = without_signs(tidy(token)).partition(" ")
        if not text:
            self.fault(token, f'"{kind}" what? I read nothing behind it')
        return Agreement(kind, text, where=at(token))

    def tag(self, token: Token) -> Agreement:
        return Agreement("tag", str(token[1:]), where=at(token))

    # ------------------------------------------------------------------ statements
    def define(self, word: Token, *parts: Any) -> Define:
        (condition, _quoted), names = parts[-2], parts[:-2]
        name = " ".join(token for token in names if token.type == "WORD")
        suits = tuple(str(token) for token in names if token.type == "VARIABLE")
        if condition is None:
            self.fault(word, f'"{name}" is defined by words in quotes alone')
            condition = all_of(())
        return Define(name, suits, condition, at(word))

    def system(self, _word: Token, title: Token, _remark: Token | None) -> SystemStatement:
        return SystemStatement(tidy(title))

    def include(self, _word: Token, file: Token, _remark: Token | None) -> IncludeStatement:
        return IncludeStatement(file[1:-1], at(file))

    def opponents(self, _word: Token, file: Token, _remark: Token | None) -> OpponentsStatement:
        return OpponentsStatement(file[1:-1], at(file))

    def parameter(self, name: Token, value: Token | None) -> Parameter:
        text = None if value is None else tidy(value)
        return Parameter(str(name), text, at(name))

    def convention(self, _word: Token, name: Token, *parts: Any) -> ConventionStatement:
        parameters = tuple(part for part in parts if isinstance(part, Parameter))
        return ConventionStatement(str(name), parameters, at(name))

    def use(self, _word: Token, name: Token, *parts: Any) -> UseStatement:
        parameters = tuple(part for part in parts if isinstance(part, Parameter))
        return UseStatement(str(name), parameters, at(name))

    def option(
        self,
        without: Token | None,
        _word: Token,
        name: Token,
        title: Token | None,
        value: Token | None,
        remark: Token | None,
    ) -> OptionStatement:
        default = None if value is None else value == "on"
        words = "" if title is None else " ".join(title[1:-1].split())
        if without is not None and title is not None:
            self.fault(
                title,
                'a title stands behind "option", not behind "without option"',
                f"write it where the option begins, as in: option {name} {title}:",
            )
        return OptionStatement(
            str(name), default, without is not None, at(name), words, _remark(remark)
        )


def _header(
    word: str,
    where: Where,
    auctions: tuple[tuple[AuctionStep, ...], ...],
    condition: Condition | None,
    remark: Token | None,
    *,
    kind: str = "",
) -> HeaderStatement:
    header = Header(kind or word, auctions, condition, where)
    return HeaderStatement(header, _remark(remark), word)


def _remark(token: Token | None) -> str:
    return "" if token is None else token.lstrip("-").strip()


def _joined(quoted: tuple[Token, ...]) -> str:
    return " ".join([token[1:-1] for token in quoted]) if quoted else ""
