"""A seat of ours at the table of a table manager: it bids as a system or engine, and plays."""

import socket
from collections.abc import Sequence
from typing import Final

from bidcascade.bridge import Auction, Contract, EngineFailed, InvalidInput, Seat, Vulnerability
from bidcascade.inference.card_play.choosing import CardPlayer
from bidcascade.inference.card_play.claims import Claim, accepts_claim, has_the_rest
from bidcascade.inference.card_play.rules_of_thumb import legal_cards
from bidcascade.inference.card_play.sight import Sight, give_to_seats
from bidcascade.loaders.frames.play import trick_winner
from bidcascade.seats.foreign.bidding import Player, call_of, system_of
from bidcascade.seats.foreign.protocol import Turn

from . import lines
from .connection import LineConnection

CONNECT_S: Final = 10.0
DEFAULT_WAIT_S: Final = 600.0
"""For another player's call or card, and for the table to fill."""


def sit(
    host: str,
    port: int,
    seat: Seat,
    player: Player,
    *,
    team: str = "",
    wait_s: float = DEFAULT_WAIT_S,
    cards: CardPlayer | None = None,
    claims: bool = False,
) -> int:
    """Play at a table until its session ends.

    Parameters
    ----------
    host, port
        Where the table manager listens.
    seat : Seat
    player : Player
        Who bids: a system or a foreign engine.
    team : str
        Name of the team; both of a side should give the same. The player's by default.
    wait_s : float
        How long any other is waited for.
    cards : CardPlayer, optional
        Who chooses cards. By default one that reads the auction by the player, if it is a system;
        a foreign engine's calls tell it nothing.
    claims : bool
        Whether to claim when all tricks that are left are sure: for tables that take claims. Those
        of others are always judged.

    Returns
    -------
    int
        How many boards were played.

    Raises
    ------
    EngineFailed
        If there is no table manager, or it breaks the protocol, or a foreign engine fails.
    """
    try:
        opened = socket.create_connection((host, port), CONNECT_S)
    except OSError as error:
        raise EngineFailed(
            f"expected a table manager at {host}:{port}, got {error.strerror or error}", "no start"
        ) from None
    with LineConnection(opened, f"the table manager at {host}:{port}") as connection:
        if cards is None:
            cards = CardPlayer(system_of(player))
        sitting = _Sitting(connection, seat, player, wait_s, cards, claims=claims)
        return sitting.play(team or player.name)


class _Sitting:
    """One session of one seat."""

    def __init__(
        self,
        connection: LineConnection,
        seat: Seat,
        player: Player,
        wait_s: float,
        cards: CardPlayer,
        *,
        claims: bool,
    ) -> None:
        self._claims = claims
        self._connection, self._seat, self._player = connection, seat, player
        self._wait_s, self._chooser = wait_s, cards
        self._name = lines.NAMES[seat]

    def _send(self, line: str) -> None:
        self._connection.write(line, self._wait_s)

    def _hear(self) -> str:
        return self._connection.read(self._wait_s)

    def play(self, team: str) -> int:
        """Play boards until the session ends; how many."""
        self._send(lines.format_connecting(lines.Connecting(team, self._seat)))
        given = lines.parse_seated(self._hear())
        if given != self._seat:
            raise EngineFailed(f"expected the seat {self._name}, got {lines.NAMES[given]}")
        self._send(f"{self._name} ready for teams")
        lines.parse_teams(self._hear())
        self._send(f"{self._name} ready to start")
        boards = 0
        while True:
            line = self._hear()
            lowered = line.lower()
            if lowered.startswith(lines.END.lower()):
                return boards
            if lowered.startswith("timing"):
                continue
            if not lowered.startswith(lines.START.lower()):
                raise EngineFailed(f"expected {lines.START!r}, got {line[:80]!r}")
            self._board()
            boards += 1

    def _board(self) -> None:
        self._send(f"{self._name} ready for deal")
        board = lines.parse_board(self._hear())
        self._send(f"{self._name} ready for cards")
        hand = lines.parse_cards(self._hear())
        auction = self._auction(board, hand)
        if auction.contract is not None:
            self._cards(auction, hand, board.vulnerability)

    def _auction(self, board: lines.BoardLine, hand: int) -> Auction:
        auction = Auction(board.dealer)
        while not auction.is_complete:
            turn = auction.seat_to_act
            if turn == self._seat:
                question = Turn(hand, board.dealer, board.vulnerability, auction.calls)
                reply = call_of(self._player, question, board.number)
                made = lines.CallLine(turn, reply.call, reply.meaning or None)
                self._send(lines.format_call_line(made))
            else:
                self._send(f"{self._name} ready for {lines.NAMES[turn]}'s bid")
                made = lines.parse_call_line(self._hear())
                if made.seat != turn:
                    raise EngineFailed(
                        f"expected a call by {lines.NAMES[turn]}, got one by "
                        f"{lines.NAMES[made.seat]}"
                    )
                if not auction.is_legal(made.call):
                    raise EngineFailed(
                        f"expected a legal call by {lines.NAMES[turn]}: "
                        f"{auction.why_illegal(made.call)}",
                        "illegal",
                    )
            auction = auction.add(made.call)
        return auction

    def _cards(self, auction: Auction, hand: int, vulnerability: Vulnerability) -> None:
        contract = auction.contract
        assert contract is not None
        declarer = contract.declarer
        dummy = Seat((declarer + 2) % 4)
        hands, shown = {self._seat: hand}, None
        played, leader = list[int](), (declarer + 1) % 4
        for number in range(1, 14):
            trick: list[int] = []
            for position in range(4):
                actor = Seat((leader + position) % 4)
                if self._seat == (declarer if actor == dummy else actor):
                    if position == 0:
                        # 'SEAT to lead', in whatever words
                        self._hear()
                    sight = self._sight(auction, vulnerability, hand, shown, tuple(played))
                    if self._claims and played and has_the_rest(sight):
                        self._send(lines.format_claim(lines.ClaimLine(self._seat, 14 - number)))
                        if lines.parse_outcome(self._hear()):
                            return
                    card = self._chooser.choose(sight).card
                    self._send(lines.format_card_line(actor, card))
                else:
                    whose = "dummy" if actor == dummy else lines.NAMES[actor]
                    self._send(f"{self._name} ready for {whose}'s card to trick {number}")
                    line = self._hear()
                    if lines.is_claim(line):
                        if self._judged(line, contract, played, hand, shown):
                            return
                        line = self._hear()
                    card = self._card(line, actor, dummy)
                if actor in hands:
                    if card not in legal_cards(hands[actor], trick):
                        raise EngineFailed(
                            f"expected a card that {lines.NAMES[actor]} may play to trick {number}",
                            "illegal",
                        )
                    hands[actor] &= ~(1 << card)
                trick.append(card)
                played.append(card)
                if number == 1 and position == 0 and self._seat != dummy:
                    self._send(f"{self._name} ready for dummy")
                    hands[dummy] = shown = lines.parse_cards(self._hear())
            leader = (leader + trick_winner(trick, contract.strain)) % 4

    def _sight(
        self,
        auction: Auction,
        vulnerability: Vulnerability,
        hand: int,
        dummy: int | None,
        played: tuple[int, ...],
    ) -> Sight:
        try:
            return Sight(auction, vulnerability, self._seat, hand, dummy, played)
        except InvalidInput as error:
            # what was heard of others
            raise EngineFailed(str(error), "illegal") from None

    def _judged(
        self, line: str, contract: Contract, played: Sequence[int], hand: int, shown: int | None
    ) -> bool:
        """Say whether another's claim is right, where one is asked; whether it ends the play."""
        claim = lines.parse_claim(line)
        cards = lines.parse_cards(
            self._hear(), 13 - give_to_seats(played, contract).hands[claim.seat].bit_count()
        )
        dummy = Seat((contract.declarer + 2) % 4)
        if self._seat != dummy:
            seen = {self._seat: hand}
            if shown is not None:
                seen[dummy] = shown
            try:
                accepts = accepts_claim(
                    contract, played, seen, self._seat, Claim(claim.seat, cards, claim.tricks)
                )
            except InvalidInput as error:
                raise EngineFailed(str(error), "illegal") from None
            self._send(lines.format_verdict(self._seat, accepts=accepts))
        return lines.parse_outcome(self._hear())

    def _card(self, line: str, actor: Seat, dummy: Seat) -> int:
        played = lines.parse_card_line(line)
        if (dummy if played.seat is None else played.seat) != actor:
            raise EngineFailed(f"expected a card by {lines.NAMES[actor]}, got another's")
        return played.card
