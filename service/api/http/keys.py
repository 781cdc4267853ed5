"""API keys: a file of names, roles and hashes, and the check of a key that somebody brings.

The file has a line ``NAME ROLE SHA256`` for each key, ``#`` begins a remark. It holds no keys: who
reads it cannot ask with it. A key is 32 random bytes, so that a plain SHA-256 is enough (there is
nothing to guess, unlike with passwords). All hashes are compared, each in constant time, whichever
of them fits.
"""

import hashlib
import hmac
import re
import secrets
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from bidcascade.bridge import InvalidInput

Role = Literal["read", "admin"]
ROLES: Final[tuple[Role, ...]] = ("read", "admin")
"""``read`` asks questions; ``admin`` also starts jobs and loads tables anew."""

_LINE: Final = re.compile(r"(?P<name>\S+)\s+(?P<role>\S+)\s+(?P<hash>\S+)\s*(?:#.*)?")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_PREFIX: Final = "bc_"
_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One key as the file has it.

    Parameters
    ----------
    name : str
        Whose it is, for the log.
    role : {"read", "admin"}
    digest : str
        SHA-256 of the key, hexadecimal.
    """

    name: str
    role: Role
    digest: str

    def line(self) -> str:
        """Line of the file."""
        return f"{self.name} {self.role} {self.digest}"


class ApiKeys:
    """The keys that are known."""

    def __init__(self, keys: Sequence[ApiKey]) -> None:
        self._keys = tuple(keys)

    def __len__(self) -> int:
        return len(self._keys)

    @classmethod
    def read(cls, path: "Path | str") -> "ApiKeys":
        """Read a file of keys.

        Raises
        ------
        InvalidInput
            If a line is none or a name comes twice (names file and line), or if there is no key.
        OSError
            If the file cannot be read.
        """
        file = Path(path)
        keys: dict[str, ApiKey] = {}
        try:
            lines = file.read_text("utf-8").splitlines()
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{file.name}: expected UTF-8, got {error}") from None
        for number, line in enumerate(lines, start=1):
            content = line.strip()
            if not content or content.startswith("#"):
                continue
            key = _key_of(content, f"{file.name}, line {number}")
            if key.name in keys:
                raise InvalidInput(
                    f"{file.name}, line {number}: expected a name once, got {key.name!r} again"
                )
            keys[key.name] = key
        if not keys:
            raise InvalidInput(f"expected keys in {file.name}, got none")
        return cls(list(keys.values()))

    def has(self, name: str) -> bool:
        """Whether there is a key of a name."""
        return any(known.name == name for known in self._keys)

    def find(self, key: str) -> ApiKey | None:
        """Entry of a key, or ``None`` if it is unknown."""
        digest = _digest(key)
        found = None
        for known in self._keys:
            if hmac.compare_digest(known.digest, digest):
                found = known
        return found


def new_key(name: str, role: Role) -> tuple[str, ApiKey]:
    """Make a key: the key itself, which is kept nowhere, and its entry for the file.

    Raises
    ------
    InvalidInput
        If the name is not one word or the role is none.
    """
    if not re.fullmatch(r"[\w.@+-]{1,64}", name):
        raise InvalidInput(f"expected a name of letters, digits and . _ - + @, got {name!r}")
    if role not in ROLES:
        raise InvalidInput(f"expected a role of {', '.join(ROLES)}, got {role!r}")
    key = _PREFIX + secrets.token_urlsafe(_BYTES)
    return key, ApiKey(name, role, _digest(key))


def is_private(path: "Path | str") -> bool:
    """Whether nobody but its owner may change a file; always where there are no such rights."""
    return not Path(path).stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def _key_of(line: str, place: str) -> ApiKey:
    found = _LINE.fullmatch(line)
    if found is None:
        # the line may be a key itself, which has no place in a message
        raise InvalidInput(f"{place}: expected NAME ROLE SHA256, got another number of words")
    role, digest = found["role"], found["hash"]
    if role not in ROLES:
        raise InvalidInput(f"{place}: expected a role of {', '.join(ROLES)}, got {role!r}")
    if not _HASH.fullmatch(digest):
        raise InvalidInput(
            f"{place}: expected a SHA-256 of 64 hexadecimal digits, got {len(digest)} characters"
        )
    return ApiKey(found["name"], "admin" if role == "admin" else "read", digest)
