"""What bounds the memory of the readers of deals: no file, however it is made, needs more.

A file is read in pieces of a few MiB. Records and lines have a longest length; one beyond it is a
reject, and reading goes on behind it. Of the rejects of a file the first are listed and the others
counted (:func:`.frame.listed_rejects`). Zip files have limits of their own (:mod:`.zip_files`).
"""

from typing import Final

PIECE_BYTES: Final = 2 << 20
"""About how much of a large file is read at a time."""

WHOLE_BYTES: Final = 3 << 20
"""A file below this is read as a whole, small ones together up to it."""

MOST_FILES_TOGETHER: Final = 128
"""Small files are read together up to this number: each may have rejects to list."""

LONGEST_RECORD: Final = 1 << 20
"""Bytes (PBN and RBN: characters) of a record; the longest of real archives have 35,000."""

MOST_PASSED_OVER: Final = 256 << 20
"""Bytes of a single record that are passed over; beyond them the rest of a file is refused."""

MOST_TOKENS: Final = 20_000
"""Tokens of a LIN record; tags, notes and comments of a PBN game, lines of an RBN record. The
longest of real archives have 1,100."""

LONGEST_LINE: Final = 1 << 16
"""Characters of a line of hand text and of a handviewer link; 4,000 are much for a real one."""

MOST_LISTED: Final = 2_000
"""Rejects of a file that are listed; the others are counted."""

MOST_COLLECTED: Final = 20_000
"""Rejects that are listed of all files together, where a caller wants all in one frame."""

BOARDS_PER_BATCH: Final = 20_000
"""Boards of a PBN or RBN text whose sections are decoded together."""

LONGEST_HEADER: Final = 5_000
"""Characters of the header of a PBN score table: each line is divided by it."""

LONGEST_VALUE: Final = 1_000
"""Characters of a value that is kept in a cache: a tag of PBN's basic set, a label of RBN, what a
LIN ``md`` says."""
