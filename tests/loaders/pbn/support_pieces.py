"""Files cut into pieces, which are as small as a test wants them."""

import io

import pytest

from bidcascade.loaders import pieces
from bidcascade.loaders.frames.frame import Batch, join
from bidcascade.loaders.read import _Numbering


def limit_pieces(patch: pytest.MonkeyPatch, large: int, chunk: int = 0, head: int = 0) -> None:
    """Sizes in bytes: of a large file, of what is read at once, of what is looked at first."""
    patch.setattr(pieces, "WHOLE_BYTES", large)
    patch.setattr(pieces, "PIECE_BYTES", chunk or large)
    patch.setattr(pieces, "HEAD_BYTES", head or large)


def read_cut(stream: io.BytesIO, name: str = "x.pbn") -> tuple[int, Batch]:
    """How many pieces a file is cut into, and what they give."""
    numbering = _Numbering()
    cut = list(pieces.cut_stream(stream, name))
    return len(cut), join([numbering.go_on(piece, pieces.read_piece(piece)) for piece in cut])
