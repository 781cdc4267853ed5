"""What a system's tree says that cannot be.

Names and variables that nothing gives a meaning, calls that cannot follow, conditions that no hand
meets.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Final, NamedTuple

from bidcascade.bridge import InvalidExpression
from bidcascade.systems.language.auctions.legal_auctions import (
    auction_text,
    can_be,
    may_be_one_auction,
    may_be_one_call,
    why_never,
    why_not_a_call,
)
from bidcascade.systems.language.auctions.patterns import THEIR_PASS, AuctionPattern, from_first_bid
from bidcascade.systems.language.auctions.sequences import (
    Sequence,
    after_call,
    is_allowed,
    start_of,
    why_not,
)
from bidcascade.systems.language.auctions.turns import is_pass
from bidcascade.systems.language.errors import nearest
from bidcascade.systems.language.grammar.grammar import names_in, parse_conditions
from bidcascade.systems.language.grammar.suggestions import written_comparison
from bidcascade.systems.language.shipped import WORDS, shipped_defines
from bidcascade.systems.language.tree.joining import phrases_of
from bidcascade.systems.language.tree.syntax_tree import (
    NOWHERE,
    OTHER,
    VARIABLES,
    Agreement,
    AllOf,
    AuctionStep,
    Block,
    CallPattern,
    Condition,
    Define,
    Header,
    Line,
    Phrase,
    Range,
    SystemText,
    Variant,
    Where,
)
from bidcascade.systems.language.words.phrases import (
    COUNTED,
    FACTS,
    KIND_OF_WORDS,
    KINDS,
    words_of_terminals,
)
from bidcascade.systems.language.words.wording import call_text, condition_text

from .contradictions import contradictions
from .held_facts import is_decided, never_together
from .taken_hands import takes_all

if TYPE_CHECKING:
    from bidcascade.systems.language.reading.sources import Sources

DEEPEST_DEFINITION: Final = 32
"""Definitions within one another that conditions are read through."""
LONGEST_DEFINITION: Final = 10_000
"""Conditions that a definition may have with all names in it written out."""

_OF_A_DEFINE: Final = ("X", "Y", "Z", "W")
"""Variables that a definition is shown with."""

_COUNT: Final = re.compile(r"(?<!\w)[0-9]+(?:\+|-[0-9])")
"""How a count begins, such as that of ``5+ hearts``."""
_MEASURED: Final = tuple(
    f" {words}" for terminal, words in KIND_OF_WORDS if terminal in ("MEASURE", "SUIT_MEASURE")
)
"""Words for what is counted, behind its number."""
_RELATIVE: Final = ("cheapest", "jump", "double jump")
"""Calls whose level the auction decides."""
_SAYING: Final = ("agrees", "asks", "shows", "denies")
"""First words of what is said of a call."""


def check_system(
    system: SystemText, aside: "Iterable[Line | Block | Variant]", sources: "Sources"
) -> None:
    """Complain of all that a system's tree says and cannot be.

    Of what is put aside only the names are looked up: what stands around it is not known.
    """
    checker = _Checker(system.defines, sources)
    checker.check_defines()
    for block in system.blocks:
        checker.block(block, frozenset(), start_of(None), _ANYWHERE, inside=False)
    checker.names(aside)
    checker.finish()


def never_bid(system: SystemText) -> frozenset[int]:
    """Identities of lines that can never be bid where they stand, as where a convention is used."""
    from bidcascade.systems.language.reading.sources import Sources

    checker = _Checker(system.defines, Sources())
    for block in system.blocks:
        checker.block(block, frozenset(), start_of(None), _ANYWHERE, inside=False)
    return frozenset(checker.never_bid)


def counts(agreement: Agreement) -> bool:
    """Whether ``shows`` or ``denies`` names a number, and so is meant as a condition."""
    return agreement.kind in ("shows", "denies") and any(map(str.isdigit, agreement.text))


_Key = tuple[Where, int]
_Complaint = tuple[Where, str, str]


class _Place(NamedTuple):
    """Where lines stand."""

    auctions: tuple[tuple[AuctionStep, ...], ...] | None = None
    """From the first bid on, each ends with a call of theirs; None where it may be any."""
    facts: tuple[Condition, ...] = ()
    """What the headers around say."""
    hand: tuple[Phrase, ...] = ()
    """Phrases of them that must hold."""
    kinds: frozenset[str] = frozenset()
    """Kinds of the headers around."""
    said: bool = False
    """Whether something is wrong with it, so that nothing follows for what stands there."""


_ANYWHERE: Final = _Place()
_SAID: Final = _Place(said=True)
_VULNERABILITY: Final = ("vulnerable", "not vulnerable", "favourable", "unfavourable")
_BESIDE_HANDS: Final = frozenset(KINDS) - FACTS | {"seat"}
"""Kinds that conditions of lines may contradict."""
_BEHIND: Final = frozenset(("general", "last resort"))


class _Standing(NamedTuple):
    """A line where it stands, with the list that lines of the same body share."""

    line: Line
    place: _Place
    body: list[Line]

    def may_hide(self, call: CallPattern, other: "_Standing") -> bool:
        """Whether this line may hide a call at the place of another one, as it is more specific."""
        if self.body is other.body or self.place.kinds & _BEHIND:
            return False
        if not may_be_one_call(self.line.call, call):
            return False
        here, there = self.place.auctions, other.place.auctions
        assert there is not None
        if here is None:
            # facts alone are more specific than no more than the opening
            return "foremost" in self.place.kinds or there == ((),)
        return any(may_be_one_auction(one, two) for one in here for two in there)


def _stands_above(first: Line, later: Line) -> bool:
    """Whether a line stands above another one in its file, which conventions may leave open."""
    one, two = first.where, later.where
    return one.file == two.file and one.line < two.line


def _below_line(line: Line, place: _Place, reason: tuple[str, str] | None) -> _Place:
    """Place of what stands below a line: partner is to call, behind their pass."""
    if reason is not None or place.said:
        return _SAID
    facts = tuple(
        fact
        for fact in place.facts
        if all(phrase.kind in _VULNERABILITY for phrase in phrases_of(fact))
    )
    if place.auctions in (None, ((),)) and (place.auctions is None or line.call.kind == "pass"):
        return _Place(None, facts)
    step = AuctionStep((line.call,))
    return _Place(tuple((*one, step, THEIR_PASS) for one in place.auctions), facts)


def _why_never_made(call: CallPattern, sequence: Sequence, place: _Place) -> tuple[str, str] | None:
    """Why a call can be made in none of the auctions that a line stands in."""
    if not place.auctions:
        return None
    # only behind a pass of ours may nobody be to call
    goes_on = any(len(one) < 2 or not is_pass(one[-2]) for one in place.auctions)
    if goes_on and is_allowed(sequence, call):
        return None
    step = AuctionStep((call,))
    if any(can_be((*auction, step)) for auction in place.auctions):
        return None
    auction = place.auctions[0]
    before = auction_text(auction)
    if not can_be(auction, over=False):
        return f"nothing can follow {before}: three passes end the auction", ""
    return why_not_a_call(step, before), ""


def _never_holds(condition: Condition, place: _Place) -> _Complaint | None:
    """Why facts cannot hold together with what the headers around say."""
    if not is_decided(condition):
        return None
    alternatives = place.auctions or (None,)
    found = []
    for auction in alternatives:
        found.append(never_together((*place.facts, condition), auction))
        if not found[-1]:
            return None
    own = condition.parts if isinstance(condition, AllOf) else (condition,)
    last = next((part for part in reversed(found[0]) if part in own), own[-1])
    where = next(phrase.where for phrase in phrases_of(last))
    words = " and ".join(f'"{condition_text(part)}"' for part in found[0])
    together = " together" if len(found[0]) > 1 else ""
    when = "" if alternatives[0] is None else " at the opening"
    if alternatives[0]:
        when = f" after {auction_text(alternatives[0])}"
    return where, f"{words} can never hold{together}{when}", ""


class _Checker:
    def __init__(self, defines: Mapping[str, Define], sources: "Sources") -> None:
        self.defines = defines
        self.complain = sources.complain
        self._complaints = sources.complaints
        self._never: dict[_Key, _Complaint] = {}
        self._possible: set[_Key] = set()
        self.never_bid: set[int] = set()
        self._stands: list[_Standing] = []
        self._taken: list[tuple[Line, Line, _Standing]] = []
        self._bare = sources.bare
        self._words = frozenset(word for name in defines for word in name.split())

    def finish(self) -> None:
        """Complain of what can never come up, wherever its text is used, as in a convention."""
        for key, complaint in self._never.items():
            if key not in self._possible:
                self.complain(*complaint)
        taken: dict[Where, Line] = {}
        for line, other, standing in self._taken:
            if all(not one.may_hide(other.call, standing) for one in self._stands):
                taken[line.where] = other
        # noted once for each use: one that is not taken is enough
        uses = Counter(one.line.where for one in self._stands)
        found = Counter(line.where for line, _, _ in self._taken)
        for where, other in taken.items():
            if uses[where] == found[where]:
                name = f" {other.name}" if other.name else ""
                self.complain(
                    where,
                    f"this line is never bid: any hand makes {call_text(other.call)}{name} in line "
                    f"{other.where.line}, before it",
                    "write it before that line",
                )

    def _note(self, key: "_Key", complaint: "_Complaint | None") -> None:
        """Note whether something can come up where it is used."""
        if complaint is None:
            self._possible.add(key)
        else:
            self._never.setdefault(key, complaint)

    # ------------------------------------------------------------------ walking
    def body(
        self,
        body: "Iterable[Line | Block]",
        bound: frozenset[str],
        sequence: Sequence,
        place: "_Place",
        *,
        inside: bool,
        headed: bool = False,
    ) -> None:
        """Check what stands in a block or below a line; ``inside`` an auction that has begun.

        Whether it is ``headed`` by ``opening`` or an auction.
        """
        before: list[Line] = []
        for found in body:
            if isinstance(found, Block):
                self.block(found, bound, sequence, place, inside=inside, headed=headed)
            else:
                self.line(found, bound, sequence, place, before)

    def block(
        self,
        block: Block,
        bound: frozenset[str],
        sequence: Sequence,
        place: "_Place",
        *,
        inside: bool,
        headed: bool = False,
    ) -> None:
        header = block.header
        heads = header.kind in ("opening", "after")
        if heads and headed:
            self.complain(
                header.where,
                "this auction stands within another one, which it takes the place of",
                'write the whole of it in one header, such as "after 1C 1D:"',
            )
        if header.kind == "their call" and not inside:
            self.complain(
                header.where,
                "a call of theirs stands below a call of ours",
                'for their opening write "over (…):"',
            )
            sequence, place = start_of(None), _SAID
        inside = inside or header.kind == "after"
        for auction in header.auctions:
            for step in auction:
                bound |= _variables(step.calls)
        before = len(self._complaints)
        below = self._below(header, sequence)
        place = self._place_below(header, place, said=len(self._complaints) > before)
        place = place._replace(kinds=place.kinds | {header.kind})
        if header.condition is not None:
            facts = [p for p in phrases_of(header.condition) if p.kind in FACTS]
            for phrase in facts:
                bound |= _variables_of(phrase)
            place = self._under(header.condition, bound, place)
        self.body(block.body, bound, below, place, inside=inside, headed=headed or heads)

    def _below(self, header: Header, sequence: Sequence) -> Sequence:
        """Auction so far below a header; unknown where its alternatives differ."""
        if header.kind == "opening":
            return start_of(())
        if header.kind not in ("after", "their call"):
            return sequence
        start = sequence if header.kind == "their call" else start_of(())
        found = [self._steps(auction, start) for auction in header.auctions]
        return found[0] if len(found) == 1 else start_of(None)

    def _steps(self, auction: Iterable[AuctionStep], sequence: Sequence) -> Sequence:
        for step in auction:
            if step.any_calls:
                sequence = start_of(None)
                continue
            reason = None
            for call in step.calls:
                reason = reason or why_not(sequence, call, theirs=step.theirs)
                if reason is not None:
                    message, advice = reason
                    if call.kind == "double" and sequence.ours and not step.theirs:
                        advice = 'a double of theirs stands in parentheses: "(Double)"'
                    self.complain(call.where, message, advice)
                    break
            one = step.calls[0] if len(step.calls) == 1 and reason is None else None
            sequence = after_call(sequence, one, theirs=step.theirs)
        return sequence

    def _place_below(self, header: Header, place: "_Place", *, said: bool) -> "_Place":
        """Auctions below a header; complains of those that no legal auction is."""
        if header.kind == "opening":
            return place._replace(auctions=((),))
        if header.kind == "their call":
            return self._their_call(header, place) if not said else _SAID
        if header.kind != "after":
            return place
        if said:
            return _SAID
        auctions: list[tuple[AuctionStep, ...]] = []
        facts = place.facts
        for number, written in enumerate(header.auctions):
            auction, seat = from_first_bid(written)
            steps = AuctionPattern.of(auction).steps
            never = why_never(steps)
            self._note((header.where, number), never)
            if never is not None:
                return _SAID
            auctions.append(steps)
            if seat is not None and len(header.auctions) == 1:
                facts = (*facts, Phrase("seat", Range(seat, seat)))
        return _Place(tuple(auctions), facts, place.hand, place.kinds)

    def _their_call(self, header: Header, place: "_Place") -> "_Place":
        """Auctions with a call of theirs in place of their pass."""
        if place.auctions is None:
            return place
        found = []
        for auction in place.auctions:
            if not auction or not is_pass(auction[-1]):
                self.complain(
                    header.where,
                    "the auction above ends with a call of theirs already",
                    "write the whole of it in one header at the left edge",
                )
                return _SAID
            for number, (step,) in enumerate(header.auctions):
                steps = (*auction[:-1], step)
                never = why_never(steps)
                self._note((header.where, number), never)
                if never is None:
                    found.append(steps)
        return place._replace(auctions=tuple(found)) if found else _SAID

    def _under(self, condition: Condition, bound: frozenset[str], place: "_Place") -> "_Place":
        """Check the condition of a header, and put it to the facts of the place."""
        if not self._can_hold(condition, bound, place):
            return _SAID
        parts = condition.parts if isinstance(condition, AllOf) else (condition,)
        hand = tuple(one for one in parts if isinstance(one, Phrase) and one.kind in _BESIDE_HANDS)
        return place._replace(facts=(*place.facts, condition), hand=(*place.hand, *hand))

    def _can_hold(self, condition: Condition, bound: frozenset[str], place: "_Place") -> bool:
        """Check a condition, and that it can hold together with what the headers around say."""
        before = len(self._complaints)
        self.condition(condition, bound)
        if len(self._complaints) > before:
            return False
        if place.said:
            return True
        complaint = next(contradictions(condition, place.hand), None) if place.hand else None
        complaint = complaint or _never_holds(condition, place)
        where = next((phrase.where for phrase in phrases_of(condition)), NOWHERE)
        self._note((where, 0), complaint)
        return complaint is None

    def line(
        self,
        line: Line,
        bound: frozenset[str],
        sequence: Sequence,
        place: "_Place",
        before: "list[Line]",
    ) -> None:
        bound |= _variables((line.call,))
        reason = why_not(sequence, line.call, theirs=False)
        if reason is not None:
            self.complain(line.call.where, *reason)
        elif not place.said:
            reason = _why_never_made(line.call, sequence, place)
            never = None if reason is None else (line.call.where, *reason)
            self._note((line.call.where, -1), never)
        if reason is not None:
            self.never_bid.add(id(line))
        meanings: list[Line | Variant] = [line, *line.variants]
        for meaning in meanings:
            if meaning.condition is not None:
                if not self._can_hold(meaning.condition, bound, place) and meaning is line:
                    self.never_bid.add(id(line))
                self._name_before(meaning)
        for meaning in meanings:
            for agreement in meaning.agreements:
                self.agreement(agreement, bound)
        if line.condition is None and not line.variants and line.name:
            self._name_alone(line)
        if not place.said:
            standing = _Standing(line, place, before)
            self._stands.append(standing)
            if place.auctions is not None:
                other = next((one for one in before if _stands_above(one, line)), None)
                if other is not None:
                    self._taken.append((line, other, standing))
            if reason is None and takes_all(line) and is_allowed(sequence, line.call):
                before.append(line)
        if not line.below:
            return
        after = start_of(None) if reason else after_call(sequence, line.call, theirs=False)
        self.body(line.below, bound, after, _below_line(line, place, reason), inside=True)

    def _name_alone(self, line: Line) -> None:
        small = line.name[0].lower() + line.name[1:]
        if small in self.defines:
            self.complain(
                line.where,
                f'"{line.name}" is read as the name of the call, with no condition',
                f'for the condition write "{small}"',
            )
        elif not line.quoted and (meant := written_comparison(line.name)):
            self.complain(line.where, f'"{line.name}" is not written here', f'write "{meant}"')
        elif line.where in self._bare and not line.quoted:
            self.complain(
                line.where,
                f'"{line.name}" has no condition, so that any hand would make the call',
                f'say which hands do, such as "{line.name}: 12+ points", or write "any hand"',
            )

    def _name_before(self, meaning: Line | Variant) -> None:
        """Complain of a colon that stands behind conditions, which so become part of the name."""
        for found in _COUNT.finditer(meaning.name):
            written = meaning.name[found.start() :]
            if self._reads(written):
                self.complain(
                    meaning.where,
                    f'"{written}" stands before the colon, in the name, where it tests nothing',
                    f'write the colon sooner: "{meaning.name[: found.start()].strip(", ")}: …"',
                )
                return

    def _reads(self, written: str) -> bool:
        used = names_in(written, "conditions")
        return used is not None and used <= self.defines.keys()

    def names(self, found: "Iterable[Line | Block | Variant]") -> None:
        """Look up the names in conditions, and no more."""
        for one in found:
            condition = one.header.condition if isinstance(one, Block) else one.condition
            for phrase in phrases_of(condition) if condition is not None else ():
                if phrase.kind == "named":
                    self._named(phrase)
                elif phrase.kind == "raw":
                    self._raw(phrase)
            if isinstance(one, Block):
                self.names(one.body)
            elif isinstance(one, Line):
                self.names((*one.variants, *one.below))

    # ------------------------------------------------------------------ names and variables
    def condition(self, condition: Condition, bound: frozenset[str]) -> None:
        """Check the names and variables of a condition, and that a hand can meet it."""
        for phrase in phrases_of(condition):
            self.phrase(phrase, bound)
        for where, message, advice in contradictions(condition):
            self.complain(where, message, advice)

    def phrase(self, phrase: Phrase, bound: frozenset[str]) -> None:
        if phrase.kind == "named":
            self._named(phrase)
        elif phrase.kind in ("has shown", "may have"):
            self._shown(phrase)
        elif phrase.kind == "raw":
            self._raw(phrase)
        elif phrase.kind == "available" and phrase.range is not None:
            self._at_a_level(phrase)
        self._bound(_variables_of(phrase), bound, phrase.where)

    def agreement(self, agreement: Agreement, bound: frozenset[str]) -> None:
        if agreement.call is not None:
            self._bound(_variables((agreement.call,)), bound, agreement.where)
        if agreement.suit is not None:
            self._bound(_variables_in((agreement.suit,)), bound, agreement.where)
        if agreement.condition is not None:
            self.condition(agreement.condition, bound)
        elif counts(agreement):
            for fault in parse_conditions(agreement.text).faults[:1]:
                self.complain(
                    agreement.where,
                    f'"{agreement.kind} {agreement.text}" promises nothing: {fault.message}',
                    fault.advice,
                )

    def _bound(self, used: frozenset[str], bound: frozenset[str], where: Where) -> None:
        for variable in sorted(used) if used else ():
            if variable in bound or OTHER.get(variable) in bound:
                continue
            self.complain(
                where,
                f'no call, header or line above says which suit "{variable}" is',
                _advice(variable, bound),
            )

    def _named(self, phrase: Phrase) -> None:
        define = self.defines.get(phrase.text)
        if define is None:
            self._unknown(phrase)
        elif len(define.suits) != len(phrase.suits):
            wanted = f"{len(define.suits)} suit" + ("" if len(define.suits) == 1 else "s")
            example = " ".join((define.name, *define.suits))
            self.complain(
                phrase.where,
                f'"{phrase.text}" is defined with {wanted}, I read {len(phrase.suits)}',
                f'write it like "{example}"',
            )

    def _shown(self, phrase: Phrase) -> None:
        row = KINDS[phrase.text]
        if not row.shown or (row.term[-1] == "_" and not phrase.suits):
            kinds = [row.kind for row in COUNTED if row.shown]
            self.complain(
                phrase.where,
                f"what a player has shown of {phrase.text} is not kept",
                f"it is of {', '.join(kinds)}" if not row.shown else "name the suit",
            )

    def _raw(self, phrase: Phrase) -> None:
        """Complain of an expression that does not parse, or names what there is not.

        Whether it tests a hand is known where it is lowered.
        """
        # which whoever has no expressions need not load
        from bidcascade.table.language.expression_tree import terms_of
        from bidcascade.table.language.expressions import parse_expression
        from bidcascade.table.language.vocabulary import Vocabulary

        vocabulary = Vocabulary()
        try:
            for name in terms_of(parse_expression(phrase.text)):
                if not vocabulary.is_tag(name):
                    vocabulary.range(name)
        except InvalidExpression as error:
            reason = str(error).partition("\n")[0]
            self.complain(phrase.where, f"in {{{phrase.text}}}: {reason}")

    def _at_a_level(self, phrase: Phrase) -> None:
        call = phrase.call
        if call is not None and call.kind not in _RELATIVE:
            self.complain(
                phrase.where,
                "only the cheapest bid and jumps have a level that the auction decides",
                'write "cheapest X is at most the 2-level", or "2X is available"',
            )

    def _unknown(self, phrase: Phrase) -> None:
        text = phrase.text
        clause = " ".join((text, *phrase.suits))
        if text in words_of_terminals()["AGREEMENT"] or text.split()[0] in _SAYING:
            self.complain(
                phrase.where,
                f'"{clause}" is said of the call, not of the hand',
                f'write it behind a semicolon: "; {clause}"',
            )
            return
        first = " ".join(text.split()[:-1])
        while first:
            rest = text[len(first) + 1 :]
            if first in self.defines and rest in self.defines:
                self.complain(
                    phrase.where,
                    f'two conditions without a comma: "{text}"',
                    f'write "{first}, {rest}"',
                )
                return
            first = " ".join(first.split()[:-1])
        # which whoever finds nothing need not load
        from bidcascade.systems.language.grammar.suggestions import language_words
        from bidcascade.systems.language.words.rewordings import rewording

        is_shipped = text in shipped_defines()
        reworded = None if is_shipped else rewording(clause, self._reads)
        if reworded is not None:
            self.complain(phrase.where, f'"{reworded.words}" is no condition', reworded.advice)
            return
        near = nearest(text, self.defines)
        if not near and " " not in text:
            near = nearest(text, (language_words() | self._words) - {text})
        define = f'"define {" ".join((text, *_OF_A_DEFINE[: len(phrase.suits)]))} = …"'
        advice = f"say what they mean: {define}, or put them in quotes"
        if is_shipped:
            advice = f"write 'include \"{WORDS}\"' at the left edge, or your own {define}"
        elif near:
            advice = ""
        elif measure := max(filter(text.endswith, _MEASURED), key=len, default=""):
            advice = f'begin with a number, such as "2+{measure}"'
        self.complain(
            phrase.where,
            f'"{text}"?'
            + (
                f' did you mean "{near}"'
                if near and not is_shipped
                else " I do not know these words"
            ),
            advice,
        )

    # ------------------------------------------------------------------ definitions
    def check_defines(self) -> None:
        """Check definitions: their variables, that none needs itself, what they grow to."""
        uses: dict[str, list[str]] = {}
        for define in self.defines.values():
            self.condition(define.condition, frozenset(define.suits))
            uses[define.name] = [
                phrase.text
                for phrase in phrases_of(define.condition)
                if phrase.kind == "named" and phrase.text in self.defines
            ]
        try:
            order = tuple(TopologicalSorter(uses).static_order())
        except CycleError as error:
            first, *others = reversed(error.args[1][1:])
            self.complain(
                self.defines[first].where,
                f'"{first}" is defined by itself: ' + " -> ".join((first, *others, first)),
                "say in one of them what it means in other words",
            )
            return
        self._check_growth(order, uses)

    def _check_growth(self, order: Iterable[str], uses: Mapping[str, list[str]]) -> None:
        """Check what definitions become once those within them are written out."""
        # ``order`` has each name behind those that it uses; a definition that uses one that is too
        # deep or too long is not complained of again
        deep: dict[str, int] = {}
        long: dict[str, int] = {}
        for name in order:
            used = uses[name]
            where = self.defines[name].where
            deep[name] = 1 + max((deep[part] for part in used), default=0)
            if deep[name] == DEEPEST_DEFINITION + 1:
                self.complain(
                    where,
                    f'"{name}" is made of {deep[name]} definitions one within another, '
                    f"at most {DEEPEST_DEFINITION} are read",
                    "write one of them out",
                )
            own = sum(1 for _ in phrases_of(self.defines[name].condition)) - len(used)
            long[name] = own + sum(long[part] for part in used)
            if long[name] > LONGEST_DEFINITION:
                if all(long[part] <= LONGEST_DEFINITION for part in used):
                    self.complain(
                        where,
                        f'"{name}" has more than {LONGEST_DEFINITION:,} conditions once the names '
                        "in it are written out",
                        "use fewer names in it",
                    )
                long[name] = LONGEST_DEFINITION + 1


_NONE: Final[frozenset[str]] = frozenset()


def _variables_in(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in words if word in VARIABLES)


def _variables(calls: Iterable[CallPattern]) -> frozenset[str]:
    return _variables_in(call.strain for call in calls if call.strain is not None)


def _variables_of(phrase: Phrase) -> frozenset[str]:
    found = _variables_in(phrase.suits) if phrase.suits else _NONE
    return found if phrase.call is None else found | _variables((phrase.call,))


def _advice(variable: str, bound: frozenset[str]) -> str:
    if bound:
        return "here the suits are " + ", ".join(sorted(bound))
    if variable in OTHER:
        return f'write the call as "2{variable}", or name the suit'
    return f'write the call as "2{variable}", put it under "when they bid {variable}:", or name it'
