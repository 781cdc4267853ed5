"""The compiled LIN reader gives what the plain one gives, on any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bidcascade.loaders import read_lin_files
from bidcascade.loaders.files.encodings import decode_text
from bidcascade.loaders.frames.frame import DEAL_SCHEMA, REJECT_SCHEMA, Batch
from bidcascade.loaders.lin import lin
from bidcascade.loaders.lin.lin import LinDocument, parse_lin, read_lin
from bidcascade.loaders.lin.lin_reference import read_lin_reference
from tests.support.examples import examples
from tests.support.lin import LIN_TEXTS, played_boards


def assert_same(fast: Batch, plain: Batch) -> None:
    assert_frame_equal(fast.deals, plain.deals)
    assert_frame_equal(fast.rejects, plain.rejects)
    assert fast.deals.schema == DEAL_SCHEMA
    assert fast.rejects.schema == REJECT_SCHEMA


@pytest.mark.slow
@given(LIN_TEXTS)
@examples(400)
def test_any_text(text):
    fast = parse_lin([LinDocument(text.encode(), "a", "utf-8")], [])
    assert_same(fast, read_lin_reference(text, "a"))


@given(st.lists(st.one_of(played_boards(), LIN_TEXTS), max_size=4))
@examples(150)
def test_played_boards(boards):
    text = "".join(boards)
    fast = parse_lin([LinDocument(text.encode(), "a", "utf-8")], [])
    assert_same(fast, read_lin_reference(text, "a"))


@given(st.lists(st.one_of(played_boards(), LIN_TEXTS), min_size=2, max_size=4))
@examples(40)
def test_nothing_lasts_from_file_to_file(texts):
    documents = [
        LinDocument(text.encode(), str(number), "utf-8") for number, text in enumerate(texts)
    ]
    together = parse_lin(documents, [])
    for document, text in zip(documents, texts, strict=True):
        alone = read_lin_reference(text, document.source)
        assert together.deals.filter(source=document.source).equals(alone.deals)
        assert together.rejects.filter(source=document.source).equals(alone.rejects)


@given(st.lists(st.one_of(played_boards(), LIN_TEXTS), max_size=4), st.booleans())
@examples(60)
def test_short_texts_are_read_by_the_definition_as_the_kernel_reads_them(texts, one_source):
    sources = ["a" if one_source else str(number) for number in range(len(texts))]
    files = [(text.encode(), source) for text, source in zip(texts, sources, strict=True)]
    short = read_lin_files(files)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lin, "_SHORT", -1)
        assert_same(read_lin_files(files), short)


@pytest.mark.slow
@pytest.mark.real_data
def test_every_real_file(shared_data):
    files = sorted((shared_data / "lin").rglob("*.lin"))
    assert len(files) > 400
    # the plain reader takes half a millisecond a board: every fourth file, and all odd ones
    chosen = [file for n, file in enumerate(files) if n % 4 == 0 or "vugraph" not in file.parts]
    for file in chosen:
        data = file.read_bytes()
        text, encoding = decode_text(data)
        assert_same(read_lin(data, file.name), read_lin_reference(text, file.name, encoding))
