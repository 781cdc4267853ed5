"""Encodings: what is decoded, and under which name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.loaders.files.encodings import decode_text, decode_utf8, find_encoding


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        (b"pn|a|", "pn|a|", "utf-8"),
        ("Größe".encode(), "Größe", "utf-8"),
        ("Größe".encode("utf-8-sig"), "Größe", "utf-8-sig"),
        (b"\xef\xbb\xbfabc", "abc", "utf-8-sig"),
        ("Größe, Forså".encode("cp1252"), "Größe, Forså", "cp1252"),
        ("“quoted” – ok".encode("cp1252"), "“quoted” – ok", "cp1252"),
        ("Hervé".encode("latin-1"), "Hervé", "cp1252"),
        (b"odd \x81 byte \xe9", "odd \x81 byte é", "latin-1"),
        ("Łukasz, Pawła".encode("cp1250"), "Łukasz, Pawła", "cp1250"),
        ("Małgorzata żółw".encode("cp1250"), "Małgorzata żółw", "cp1250"),
        ("100 m², 3¾ pt".encode("cp1252"), "100 m², 3¾ pt", "cp1252"),
        ("¿Qué?".encode("cp1252"), "¿Qué?", "cp1252"),
        ("Gröm".encode().decode("latin-1").encode(), "Gröm", "utf-8 twice"),
        ("1NT – strong".encode().decode("cp1252").encode(), "1NT – strong", "utf-8 twice"),
        # one remark encoded twice among others that are not
        ("Gröm: ".encode() + "é".encode().decode("latin-1").encode(), "Gröm: é", "utf-8 twice"),
        # a sign alone is evidence enough: real files have it for fractions and apostrophes
        ("7Â½".encode(), "7½", "utf-8 twice"),
        ("эму".encode().decode("latin-1").encode(), "эму", "utf-8 twice"),
        (
            "Jerzy Müller, Łódź".encode().decode("latin-1").encode(),
            "Jerzy Müller, Łódź",
            "utf-8 twice",
        ),
        # Chinese in GBK, taken for Latin-1 and encoded
        ("强".encode("gbk").decode("latin-1").encode(), "Ç¿", "utf-8"),
        ("谢谢".encode("gbk").decode("latin-1").encode(), "Ð»Ð»", "utf-8"),
        ("只要".encode("gbk").decode("latin-1").encode(), "Ö»Òª", "utf-8"),
        ("Âge, Ãb".encode(), "Âge, Ãb", "utf-8"),
        ("♠♥♦♣ 1♠".encode(), "♠♥♦♣ 1♠", "utf-8"),
    ],
)
def test_encodings(data, text, encoding):
    assert decode_text(data) == (text, encoding)
    assert decode_utf8(data) == (text.encode(), encoding)


@given(st.binary(max_size=60))
def test_every_byte_string_decodes(data):
    text, encoding = decode_text(data)
    readable = data.replace(b"\0", b" ")
    if encoding in ("cp1250", "cp1252", "latin-1"):
        assert text.encode(encoding) == readable.removeprefix(b"\xef\xbb\xbf")
    elif encoding == "utf-8":
        assert text.encode() == readable


@given(st.text(st.characters(max_codepoint=0x24F, blacklist_categories=("Cs",)), max_size=20))
def test_plain_utf8_is_changed_only_where_it_was_encoded_twice(text):
    decoded, encoding = decode_text(text.encode())
    assert encoding in ("utf-8", "utf-8 twice")
    # a NUL is read as a blank
    assert (decoded == text.replace("\0", " ")) == (encoding == "utf-8")


@pytest.mark.slow
@pytest.mark.real_data
def test_real_files_name_their_encodings(shared_data):
    found = {
        decode_text(file.read_bytes())[1]
        for folder, suffix in (("lin", "*.lin"), ("pbn", "*.pbn"))
        for file in (shared_data / folder).rglob(suffix)
    }
    assert {"utf-8", "utf-8 twice", "cp1252"} <= found


@given(st.binary(max_size=80), st.integers(1, 30))
def test_the_encoding_found_block_by_block(data, size):
    text = b"|".join((data, "é".encode(), data[::-1]))
    for whole in (data, text, text.decode("latin-1").encode()):
        blocks = [whole[start : start + size] for start in range(0, len(whole), size)]
        assert find_encoding(lambda blocks=blocks: blocks) == decode_text(whole)[1]
