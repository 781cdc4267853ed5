"""Texts of a system in a zip file, as the page saves them: its own and the pages it includes."""

import re
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from bidcascade.bridge import BidcascadeError, InvalidSystem
from bidcascade.loaders.files.zip_files import list_members, open_member, why_refused, why_too_large

SUFFIX: Final = ".bidding"
_MOST: Final = 4_000_000
"""Bytes that all texts of a system may have; the longest shipped system has a twentieth of it."""
_TITLE: Final = re.compile(r"^system[ \t]", re.MULTILINE)
_NAMED: Final = re.compile(r'^[ \t]*(?:include|opponents play)[ \t]+"([^"\n]+)"', re.MULTILINE)


class ZippedTexts(NamedTuple):
    """The name of a system's own text, and all texts by name."""

    main: str
    texts: dict[str, str]


def read_zipped_texts(path: Path) -> ZippedTexts:
    r"""Read the texts of a zip file that end in ``.bidding``; folders of their names are left out.

    The system's own text is the only one, or of those with a line ``system TITLE`` the one that no
    other text names.

    Raises
    ------
    InvalidSystem
        If the file cannot be unpacked, or it does not show which text is the system's.

    Examples
    --------
    >>> import zipfile
    >>> with zipfile.ZipFile("mine.zip", "w") as file:
    ...     file.writestr("mine.bidding", 'system Mine\\ninclude "more.bidding"\\n')
    ...     file.writestr("more.bidding", "opening:\\n  1C = Club: 12+ points\\n")
    >>> read_zipped_texts(Path("mine.zip")).main
    'mine.bidding'
    """
    texts: dict[str, str] = {}
    room = _MOST
    try:
        for member in list_members(path):
            name = PurePosixPath(member.info.filename.replace("\\", "/")).name
            if PurePosixPath(name).suffix != SUFFIX:
                continue
            reason = why_refused(member.info) or why_too_large(member.info)
            if reason:
                raise InvalidSystem(f"{path}/{name}: {reason}")
            with open_member(member) as stream:
                data = stream.read(room + 1)
            room -= len(data)
            if room < 0:
                raise InvalidSystem(f"{path}: expected at most {_MOST:,} bytes of texts, got more")
            texts[name] = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSystem(f"{path}: expected texts that can be read: {error}") from None
    except InvalidSystem:
        raise
    except BidcascadeError as error:
        raise InvalidSystem(f"{path}: {error}") from None
    return ZippedTexts(_main_of(path, texts), texts)


def _main_of(path: Path, texts: dict[str, str]) -> str:
    named = {
        one if one.endswith(SUFFIX) else one + SUFFIX
        for text in texts.values()
        for one in _NAMED.findall(text)
    }
    titled = [name for name, text in texts.items() if _TITLE.search(text)]
    mains = [name for name in titled or texts if name not in named] or titled
    if len(mains) != 1:
        got = ", ".join(mains) or "none"
        raise InvalidSystem(
            f"{path}: expected one text of a system (*{SUFFIX}) in the zip file, got {got}"
        )
    return mains[0]
