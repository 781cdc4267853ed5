"""How answers name the overlays of a table."""

from typing import Final

from pydantic import BaseModel, ConfigDict, Field

_Strict = ConfigDict(strict=True, extra="forbid")
_EXAMPLE_SHA256: Final = "5b866c75b9cdc816293e976051f726f88c0544924cfec14bc8c5a833625a4710"


class OverlayName(BaseModel):
    """A file of rules laid over a table."""

    model_config = _Strict

    name: str = Field(description="Name of the file.", examples=["fixes.jsonl"])
    sha256: str = Field(description="SHA-256 of the file.", examples=[_EXAMPLE_SHA256])
