"""A table for four programs: it takes their connections, deals boards, and watches the laws.

Whoever does not keep to the protocol, is late, calls or plays what the laws forbid, ends the
session; the boards before are kept. Alerts go to opponents, not to partner. Claims are none of the
protocol: a table takes them where it was told that all four programs know them.
"""

import select
import selectors
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from types import TracebackType
from typing import Final, NamedTuple, Self

import polars as pl

from bidcascade.bridge import (
    SEATS,
    Auction,
    EngineFailed,
    InvalidInput,
    Seat,
    Vulnerability,
    is_vulnerable,
    score,
)
from bidcascade.inference.card_play.rules_of_thumb import legal_cards
from bidcascade.kernels import DealArrays
from bidcascade.loaders import deal_frame
from bidcascade.loaders.frames.frame import ROOM
from bidcascade.loaders.frames.play import trick_winner

from . import lines
from .connection import LineConnection

DEFAULT_CALL_S: Final = 60.0
DEFAULT_SEATING_S: Final = 600.0
_HELLO_S: Final = 10.0
"""For a new connection's first line."""
_REFUSAL_S: Final = 1.0
"""For the reason that is told to whoever is not seated."""
_LOOK_S: Final = 0.5
"""How often it is asked whether seating is to go on."""
_MOST_UNSEATED: Final = 32


class PlayedBoard(NamedTuple):
    """What happened on one board."""

    number: int
    """Place among the deals."""
    calls: tuple[int, ...]
    alerts: tuple[str | None, ...]
    cards: tuple[int, ...]
    tricks: int
    """Of declarer; 0 if it was passed out."""
    score: int
    """Of North-South."""
    claim: lines.ClaimLine | None = None
    """The one that ended the play."""


class TableHost:
    """Listens, seats four programs, and plays boards with them; closed behind a block.

    Parameters
    ----------
    deals : DealArrays
    host, port
        Where to listen; port 0 is any that is free, told by ``port``.
    call_s : float
        How long a player may take for a call or a card, or to be ready for another's.
    first_board : int
        Number that the first deal is played under.
    claims : bool
        Whether who is to play may claim instead; the others are asked. Else claims are refused.
    """

    def __init__(
        self,
        deals: DealArrays,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        call_s: float = DEFAULT_CALL_S,
        first_board: int = 1,
        claims: bool = False,
    ) -> None:
        if not len(deals):
            raise InvalidInput("expected deals to play, got none")
        self._deals, self._call_s, self._first_board = deals, call_s, first_board
        self._takes_claims = claims
        self._listening = socket.create_server((host, port), backlog=128)
        self.port: int = self._listening.getsockname()[1]
        self._seated: dict[Seat, LineConnection] = {}
        self._seating_s = self._seating_ends = 0.0
        self._is_wanted: Callable[[], bool] = lambda: True
        self._end_of_turning_away, self._turns_away = socket.socketpair()
        self._turning_away: threading.Thread | None = None
        self.teams: dict[Seat, str] = {}
        self.boards: list[PlayedBoard] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._end_of_turning_away.close()
        if self._turning_away is not None:
            self._turning_away.join()
        self._turns_away.close()
        self._listening.close()
        for connection in self._seated.values():
            connection.close()

    # --- seats ------------------------------------------------------------------------------------

    def seat_all(
        self,
        timeout_s: float = DEFAULT_SEATING_S,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        """Take connections until each seat has one.

        Whoever says nothing, nonsense, or asks for a seat that is taken, is told so and sent away.
        The seat of a program that has gone is free again.

        Parameters
        ----------
        timeout_s : float
        is_wanted : callable
            Whether it is still to go on; asked now and then.

        Raises
        ------
        EngineFailed
            If seats are empty after the time, or when it is to end.
        """
        self._is_wanted = is_wanted
        self._seating_s, self._seating_ends = timeout_s, monotonic() + timeout_s
        self._fill_seats()

    def _fill_seats(self) -> None:
        ends = self._seating_ends
        waiting: dict[LineConnection, float] = {}
        with selectors.DefaultSelector() as selector:
            selector.register(self._listening, selectors.EVENT_READ)

            def send_away(one: LineConnection) -> None:
                selector.unregister(one)
                del waiting[one]
                one.close()

            try:
                while len(self._seated) < 4:
                    now = monotonic()
                    for late in [held for held, until in waiting.items() if until <= now]:
                        send_away(late)
                    if now >= ends or not self._is_wanted():
                        empty = ", ".join(
                            lines.NAMES[seat] for seat in Seat if seat not in self._seated
                        )
                        raise EngineFailed(
                            f"expected four programs within {self._seating_s:g} s, got none at "
                            f"{empty}",
                            "too late",
                        )
                    next_end = min([ends, now + _LOOK_S, *waiting.values()])
                    for key, _ in selector.select(max(0.0, next_end - now)):
                        if key.fileobj is self._listening:
                            opened, address = self._listening.accept()
                            if len(waiting) >= _MOST_UNSEATED:
                                send_away(min(waiting, key=waiting.__getitem__))
                            new = LineConnection(opened, f"{address[0]}:{address[1]}")
                            waiting[new] = now + _HELLO_S
                            selector.register(new, selectors.EVENT_READ)
                            continue
                        # not if it was sent away meanwhile
                        held = [one for one in waiting if one is key.fileobj]
                        if not held:
                            continue
                        one = held[0]
                        try:
                            line = one.read_available()
                            if line is None:
                                continue
                            seat = self._seat(lines.parse_connecting(line), one)
                        except EngineFailed as error:
                            with suppress(EngineFailed):
                                one.write(f"Not seated: {error}", _REFUSAL_S)
                            send_away(one)
                            continue
                        selector.unregister(one)
                        del waiting[one]
                        self._seated[seat] = one
                        self._free_ended()
            finally:
                for one in waiting:
                    one.close()

    def _seat(self, request: lines.Connecting, connection: LineConnection) -> Seat:
        """Give a seat, whose team is that of the partner who is there already."""
        self._free_ended()
        free = [seat for seat in Seat if seat not in self._seated]
        seat = request.seat
        if seat is None:
            # beside one's own team, if it has come
            beside = [one for one in free if self.teams.get(Seat((one + 2) % 4)) == request.team]
            seat = (beside or free)[0]
        partner = self.teams.get(Seat((seat + 2) % 4), request.team)
        if seat not in free:
            by = self.teams[seat]
            raise EngineFailed(f"expected a free seat, got {lines.NAMES[seat]}, taken by {by!r}")
        if partner != request.team:
            wanted = f"the team {partner!r} at {lines.NAMES[seat]}, as opposite"
            raise EngineFailed(f"expected {wanted}, got {request.team!r}")
        connection.write(lines.format_seated(seat, request.team), _HELLO_S)
        connection.name = f"{lines.NAMES[seat]} ({request.team})"
        self.teams[seat] = request.team
        return seat

    def _free_ended(self) -> None:
        """Free the seats of programs that are gone."""
        for seat, connection in list(self._seated.items()):
            if connection.has_ended():
                connection.close()
                del self._seated[seat], self.teams[seat]

    # --- play -------------------------------------------------------------------------------------

    def play(self, progress: Callable[[int, int], None] | None = None) -> list[PlayedBoard]:
        """Play all boards with those who are seated.

        Raises
        ------
        EngineFailed
            With board and seat, if somebody fails; ``boards`` has those before.
        """
        self._gather()
        self._turning_away = threading.Thread(target=self._turn_away, daemon=True)
        self._turning_away.start()
        self._send_all(lines.format_teams(self.teams[Seat.NORTH], self.teams[Seat.EAST]))
        self._all_ready("to start")
        for number in range(len(self._deals)):
            try:
                self.boards.append(self._board(number))
            except EngineFailed as error:
                raise EngineFailed(
                    f"board {self._first_board + number}: {error}", error.fault
                ) from None
            if progress is not None:
                progress(number + 1, len(self._deals))
        for connection in self._seated.values():
            with suppress(EngineFailed):
                connection.write(lines.END, self._call_s)
        return self.boards

    def _gather(self) -> None:
        """Wait until all are ready for the teams; whoever leaves before that may be replaced."""
        ready = set[LineConnection]()
        while missing := [seat for seat in Seat if self._seated[seat] not in ready]:
            try:
                self._ready(missing[0], "for teams")
                ready.add(self._seated[missing[0]])
            except EngineFailed as error:
                left = self._seating_ends - monotonic()
                if error.fault != "ended" or left <= 0:
                    raise
                self._free_ended()
                self._fill_seats()

    def _turn_away(self) -> None:
        """Tell those who come while boards are played that there is no seat for them."""
        teams = f"{self.teams[Seat.NORTH]!r} and {self.teams[Seat.EAST]!r}"
        while True:
            ready, _, _ = select.select([self._listening, self._turns_away], [], [])
            if self._turns_away in ready:
                return
            with suppress(OSError, EngineFailed):
                opened, address = self._listening.accept()
                with LineConnection(opened, f"{address[0]}:{address[1]}") as one:
                    # what it says is read before: else the answer would be lost
                    one.read(_REFUSAL_S)
                    one.write(
                        f"Not seated: expected a free seat, got a session of {teams} under way",
                        _REFUSAL_S,
                    )

    def _hear(self, seat: Seat) -> str:
        return self._seated[seat].read(self._call_s)

    def _send(self, seat: Seat, line: str) -> None:
        self._seated[seat].write(line, self._call_s)

    def _send_all(self, line: str) -> None:
        for seat in Seat:
            self._send(seat, line)

    def _ready(self, seat: Seat, what: str) -> None:
        try:
            lines.check_ready(self._hear(seat), seat, what)
        except EngineFailed as error:
            raise self._by(seat, error) from None

    def _all_ready(self, what: str) -> None:
        for seat in Seat:
            self._ready(seat, what)

    def _by(self, seat: Seat, error: EngineFailed) -> EngineFailed:
        name = self._seated[seat].name
        message = str(error)
        return error if name in message else EngineFailed(f"{message} from {name}", error.fault)

    def _board(self, number: int) -> PlayedBoard:
        deals = self._deals
        board = lines.BoardLine(
            self._first_board + number,
            Seat(deals.dealer[number]),
            Vulnerability(deals.vulnerability[number]),
        )
        hands = [int(one) for one in deals.hands[:, number]]
        self._send_all(lines.START)
        self._all_ready("for deal")
        self._send_all(lines.format_board(board))
        self._all_ready("for cards")
        for seat in Seat:
            self._send(seat, lines.format_cards(f"{lines.NAMES[seat]}'s", hands[seat]))
        auction, alerts = self._auction(board)
        contract = auction.contract
        if contract is None:
            return PlayedBoard(number, auction.calls, alerts, (), 0, 0)
        cards, tricks, claim = self._cards(auction, hands)
        points = score(
            contract, tricks, vulnerable=is_vulnerable(board.vulnerability, contract.declarer)
        )
        sign = 1 - 2 * (contract.declarer % 2)
        return PlayedBoard(number, auction.calls, alerts, cards, tricks, sign * points, claim)

    def _auction(self, board: lines.BoardLine) -> tuple[Auction, tuple[str | None, ...]]:
        auction, alerts = Auction(board.dealer), list[str | None]()
        while not auction.is_complete:
            turn = auction.seat_to_act
            others = [seat for seat in Seat if seat != turn]
            for seat in others:
                self._ready(seat, f"for {lines.NAMES[turn]}'s bid")
            try:
                made = lines.parse_call_line(self._hear(turn))
                if made.seat != turn:
                    raise EngineFailed(f"expected its own call, got {lines.NAMES[made.seat]}'s")
                reason = auction.why_illegal(made.call)
                if reason is not None:
                    raise EngineFailed(
                        f"expected a legal call, got {lines.format_call_line(made)!r}: {reason}",
                        "illegal",
                    )
            except EngineFailed as error:
                raise self._by(turn, error) from None
            for seat in others:
                # what a call means is not told to partner
                is_partner = seat % 2 == turn % 2
                shown = made._replace(alert=None) if is_partner else made
                self._send(seat, lines.format_call_line(shown))
            auction = auction.add(made.call)
            alerts.append(made.alert)
        return auction, tuple(alerts)

    def _cards(
        self, auction: Auction, hands: list[int]
    ) -> tuple[tuple[int, ...], int, lines.ClaimLine | None]:
        contract = auction.contract
        assert contract is not None
        declarer = contract.declarer
        dummy = Seat((declarer + 2) % 4)
        left, played = list(hands), list[int]()
        leader, tricks = (declarer + 1) % 4, 0
        for number in range(1, 14):
            trick: list[int] = []
            for position in range(4):
                actor = Seat((leader + position) % 4)
                speaker = declarer if actor == dummy else actor
                if position == 0:
                    whose = "Dummy" if actor == dummy else lines.NAMES[actor]
                    self._send(speaker, f"{whose} to lead")
                others = [seat for seat in Seat if seat != speaker]
                for seat in others:
                    self._ready_or_claims(seat, f"for .*'s card to trick {number}")
                line = self._hear(speaker)
                if lines.is_claim(line):
                    claim = self._claim(line, speaker, 14 - number)
                    may_claim = self._takes_claims and bool(played)
                    if may_claim and self._accepted(claim, left[speaker], dummy):
                        ours = claim.tricks if speaker == declarer else 14 - number - claim.tricks
                        return tuple(played), tricks + ours, claim
                    if not may_claim:
                        self._send(speaker, f"{lines.CLAIM_REFUSED}: every card is played here")
                    line = self._hear(speaker)
                card = self._card(line, speaker, actor, left[actor], trick)
                for seat in others:
                    self._send(seat, lines.format_card_line(actor, card))
                left[actor] &= ~(1 << card)
                trick.append(card)
                played.append(card)
                if len(played) == 1:
                    shown = lines.format_cards("Dummy's", hands[dummy])
                    for seat in Seat:
                        if seat != dummy:
                            self._ready(seat, "for dummy")
                            self._send(seat, shown)
            leader = (leader + trick_winner(trick, contract.strain)) % 4
            tricks += leader % 2 == declarer % 2
        return tuple(played), tricks, None

    def _ready_or_claims(self, seat: Seat, what: str) -> None:
        """Wait for who is to hear of a card; a claim of his is out of turn, and refused once."""
        try:
            line = self._hear(seat)
            if lines.is_claim(line):
                self._send(seat, f"{lines.CLAIM_REFUSED}: out of turn")
                line = self._hear(seat)
            lines.check_ready(line, seat, what)
        except EngineFailed as error:
            raise self._by(seat, error) from None

    def _claim(self, line: str, speaker: Seat, left: int) -> lines.ClaimLine:
        try:
            claim = lines.parse_claim(line)
            if claim.seat != speaker or claim.tricks > left:
                raise EngineFailed(
                    f"expected a claim of {lines.NAMES[speaker]}'s own, of at most {left} tricks, "
                    f"got {line[:80]!r}",
                    "illegal",
                )
        except EngineFailed as error:
            raise self._by(speaker, error) from None
        return claim

    def _accepted(self, claim: lines.ClaimLine, cards: int, dummy: Seat) -> bool:
        """Show the claimer's cards, ask all others but dummy, and tell what they say together."""
        others = [seat for seat in Seat if seat != claim.seat]
        for seat in others:
            self._send(seat, lines.format_claim(claim))
            self._send(seat, lines.format_cards(f"{lines.NAMES[claim.seat]}'s", cards))
        verdicts = []
        for seat in others:
            if seat != dummy:
                try:
                    verdicts.append(lines.parse_verdict(self._hear(seat), seat))
                except EngineFailed as error:
                    raise self._by(seat, error) from None
        self._send_all(lines.CLAIM_ACCEPTED if all(verdicts) else lines.CLAIM_REFUSED)
        return all(verdicts)

    def _card(self, line: str, speaker: Seat, actor: Seat, hand: int, trick: list[int]) -> int:
        try:
            made = lines.parse_card_line(line)
            if made.seat not in (actor, None) or (made.seat is None and actor == speaker):
                raise EngineFailed(f"expected a card by {lines.NAMES[actor]}, got {line[:80]!r}")
            if made.card not in legal_cards(hand, trick):
                what = "a revoke" if hand >> made.card & 1 else "a card that is not there"
                raise EngineFailed(
                    f"expected a card that {lines.NAMES[actor]} may play, got {line[:80]!r}, "
                    f"{what}",
                    "illegal",
                )
        except EngineFailed as error:
            raise self._by(speaker, error) from None
        return made.card

    # --- log --------------------------------------------------------------------------------------

    def frame(self, room: str = "open") -> pl.DataFrame:
        """Deal frame of the boards that were played, for PBN.

        Parameters
        ----------
        room : {"open", "closed"}
        """
        from bidcascade.loaders.frames.frame import deal_at

        count = len(self.boards)
        contracts, declarers = [], list[str | None]()
        for one in self.boards:
            auction = Auction.of(one.calls, int(self._deals.dealer[one.number]))
            contract = auction.contract
            contracts.append("Pass" if contract is None else contract.name)
            declarers.append(None if contract is None else contract.declarer.letter)
        players = [self.teams[seat] for seat in Seat]
        texts = [[alert or "" for alert in one.alerts] for one in self.boards]
        return deal_frame([deal_at(self._deals, one.number) for one in self.boards]).with_columns(
            board=pl.Series(
                [self._first_board + one.number for one in self.boards], dtype=pl.Int32
            ),
            room=pl.Series([room] * count, dtype=ROOM),
            auction=pl.Series([list(one.calls) for one in self.boards], dtype=pl.List(pl.UInt8)),
            announcements=pl.Series(texts, dtype=pl.List(pl.String)),
            alerts=pl.Series(
                [[alert is not None for alert in one.alerts] for one in self.boards],
                dtype=pl.List(pl.Boolean),
            ),
            contract=pl.Series(contracts, dtype=pl.String),
            declarer=pl.Series(declarers, dtype=pl.Enum(list(SEATS))),
            tricks=pl.Series(
                [one.tricks if one.cards else None for one in self.boards], dtype=pl.UInt8
            ),
            score=pl.Series([one.score for one in self.boards], dtype=pl.Int32),
            commentary=pl.Series(
                [
                    [] if one.claim is None else [lines.format_claim(one.claim)]
                    for one in self.boards
                ],
                dtype=pl.List(pl.String),
            ),
            play=pl.Series([list(one.cards) for one in self.boards], dtype=pl.List(pl.UInt8)),
            players=pl.Series([players] * count, dtype=pl.List(pl.String)),
        )
