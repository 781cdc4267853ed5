"""A system as the engine of the browser reads it: its tree as rows, and its texts to be edited."""

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bidcascade.bridge import VULNERABILITIES, InvalidSystem, format_call
from bidcascade.systems.language.text_cache import rows_of_tree
from bidcascade.systems.system import System
from bidcascade.table.inspection.topics import Topic

from .questions.inference.layouts import deal_text
from .questions.service.tables import TopicAnswer, TopicDeal, TopicsAnswer


def browser_system(system: System) -> dict[str, Any]:
    """Say all of a system that bidding with it needs; nothing of where its files lie.

    Returns
    -------
    dict
        ``title``; ``digest``, that of the system; ``rows`` of
        :func:`~bidcascade.systems.language.text_cache.rows_of_tree`;
        ``texts`` of all files by name, the system's own first; ``options``; ``opponents``, the name
        of the system that the text names for the other side, or None.

    Raises
    ------
    InvalidSystem
        If a file is no longer what was read, or two files have one name.

    Examples
    --------
    >>> found = browser_system(System.open("acol"))
    >>> found["title"], next(iter(found["texts"])), found["opponents"]
    ('Standard English Acol', 'acol.bidding', None)
    """
    text, texts = system.text, texts_of(system)
    bare = replace(
        text,
        files=tuple((Path(path.name), digest) for path, digest in text.files),
        opponents=None if text.opponents is None else Path(text.opponents.name),
    )
    # places in files that were included from other folders name these folders
    names = {str(path): path.name for path, _ in text.files}
    return {
        "title": text.title,
        "digest": system.digest,
        "rows": [
            [names.get(part, part) if isinstance(part, str) else part for part in row]
            for row in rows_of_tree(bare)
        ],
        "texts": texts,
        "options": text.options,
        "opponents": None if text.opponents is None else text.opponents.stem,
    }


def texts_of(system: System) -> dict[str, str]:
    """Texts of all files of a system by name, its own first.

    Raises
    ------
    InvalidSystem
        If a file is no longer what was read, or two files have one name.

    Examples
    --------
    >>> next(iter(texts_of(System.open("acol"))))
    'acol.bidding'
    """
    texts: dict[str, str] = {}
    for path, digest in system.text.files:
        if path.name in texts:
            raise InvalidSystem(
                f"expected files of different names, got {path.name!r} twice: a browser has no "
                "folders"
            )
        texts[path.name] = _content(path, digest)
    return texts


def _content(path: Path, digest: str) -> str:
    try:
        content = path.read_bytes()
    except OSError:
        content = b""
    if hashlib.sha256(content).hexdigest() != digest:
        raise InvalidSystem(
            f"the file {path.name!r} has changed since the system was read: read it anew"
        )
    return content.decode("utf-8-sig")


def topics_answer(topics: Iterable[Topic]) -> TopicsAnswer:
    """Topics of a table or system as an answer.

    Examples
    --------
    >>> topics_answer([])
    TopicsAnswer(topics=())
    """
    return TopicsAnswer(
        topics=tuple(
            TopicAnswer(
                topic=topic.name,
                calls=topic.calls,
                places=tuple(tuple(map(format_call, place)) for place in topic.places),
                examples=tuple(
                    TopicDeal(
                        deal=deal_text(one.hands),
                        dealer="N",
                        vulnerability=VULNERABILITIES[one.vulnerability],
                        auction=tuple(map(format_call, one.calls)),
                    )
                    for one in topic.examples
                ),
            )
            for topic in topics
        )
    )
