"""Command ``table announcements``: what the texts of an archive are."""

import argparse

from .options import add_json_option, print_json


def configure_announcements(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``table announcements``."""
    parser.add_argument(
        "inputs", nargs="+", metavar="INPUT",
        help="LIN or PBN files or folders, JSON Lines (.jsonl), texts a line (.txt, - for stdin)",
    )  # fmt: skip
    add_json_option(parser)
    parser.set_defaults(handler=announcements)


def announcements(options: argparse.Namespace) -> int:
    """Report on announcements: read, cut off, human, and every part that was not read."""
    from bidcascade.bridge import InvalidInput
    from bidcascade.service.jobs.progress import progress_bar
    from bidcascade.service.mining.announcement_texts import collect_texts
    from bidcascade.table.evidence.announcements import corpus_report

    with progress_bar("announcements") as report:
        texts = collect_texts(options.inputs, report)
    if not texts.boards + texts.lines:
        raise InvalidInput(f"expected announcements, got none among {texts.rejects:,} rejects")
    found = corpus_report(texts.counts)
    sources = {"boards": texts.boards, "rejects": texts.rejects, "lines": texts.lines}
    if options.json:
        print_json({**sources, **found.to_dict()})
    else:
        print(", ".join(f"{what} {number:,}" for what, number in sources.items()))
        print(found)
    return 0
