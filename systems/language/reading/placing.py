"""Puts statements where their line stands: relative places become file, line and column."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from bidcascade.systems.language.tree.statements import (
    ConventionStatement,
    HeaderStatement,
    IncludeStatement,
    OpponentsStatement,
    OptionStatement,
    Parameter,
    Statement,
    SystemStatement,
    UseStatement,
)
from bidcascade.systems.language.tree.syntax_tree import (
    Agreement,
    AllOf,
    AnyOf,
    AuctionStep,
    CallPattern,
    Condition,
    Define,
    Header,
    Line,
    NotThis,
    Phrase,
    Variant,
    Where,
)

Locate = Callable[[int], Where]
_Simple = TypeVar(
    "_Simple", bound=IncludeStatement | OpponentsStatement | OptionStatement | Parameter
)


def place_statement(statement: Statement, locate: Locate) -> Statement:
    """Move a statement from columns of its logical line to places in a file."""
    if isinstance(statement, Line):
        return Line(
            _call(statement.call, locate),
            statement.name,
            place_condition(statement.condition, locate),
            statement.quoted,
            tuple(_agreement(agreement, locate) for agreement in statement.agreements),
            remark=statement.remark,
            where=locate(statement.where.column),
        )
    if isinstance(statement, Variant):
        return Variant(
            statement.name,
            place_condition(statement.condition, locate),
            statement.quoted,
            statement.remark,
            tuple(_agreement(agreement, locate) for agreement in statement.agreements),
            locate(statement.where.column),
        )
    if isinstance(statement, HeaderStatement):
        header = statement.header
        placed = Header(
            header.kind,
            tuple(tuple(_step(step, locate) for step in steps) for steps in header.auctions),
            place_condition(header.condition, locate),
            locate(header.where.column),
        )
        return HeaderStatement(placed, statement.remark, statement.word)
    if isinstance(statement, Define):
        condition = place_condition(statement.condition, locate)
        assert condition is not None
        where = locate(statement.where.column)
        return Define(statement.name, statement.suits, condition, where)
    if isinstance(statement, SystemStatement):
        return statement
    if isinstance(statement, (ConventionStatement, UseStatement)):
        parameters = tuple(_moved(parameter, locate) for parameter in statement.parameters)
        where = locate(statement.where.column)
        return replace(statement, parameters=parameters, where=where)
    return _moved(statement, locate)


def _moved(found: _Simple, locate: Locate) -> _Simple:
    return replace(found, where=locate(found.where.column))


def place_condition(condition: Condition | None, locate: Locate) -> Condition | None:
    """Move a condition to places in a file."""
    return None if condition is None else _condition(condition, locate)


def _condition(condition: Condition, locate: Locate) -> Condition:
    if isinstance(condition, Phrase):
        return Phrase(
            condition.kind,
            condition.range,
            condition.suits,
            condition.count,
            condition.of,
            condition.who,
            None if condition.call is None else _call(condition.call, locate),
            condition.text,
            locate(condition.where.column),
        )
    if isinstance(condition, AllOf):
        return AllOf(tuple(_condition(part, locate) for part in condition.parts))
    if isinstance(condition, AnyOf):
        return AnyOf(tuple(_condition(part, locate) for part in condition.parts))
    return NotThis(_condition(condition.part, locate))


def _call(call: CallPattern, locate: Locate) -> CallPattern:
    return CallPattern(call.kind, call.level, call.strain, locate(call.where.column))


def _step(step: AuctionStep, locate: Locate) -> AuctionStep:
    calls = tuple(_call(call, locate) for call in step.calls)
    return AuctionStep(calls, step.theirs, step.any_calls)


def _agreement(agreement: Agreement, locate: Locate) -> Agreement:
    return Agreement(
        agreement.kind,
        agreement.text,
        None if agreement.call is None else _call(agreement.call, locate),
        agreement.suit,
        place_condition(agreement.condition, locate),
        locate(agreement.where.column),
    )
