"""How the clients are built: setuptools, and the types of questions and answers before it.

``client_types.py`` writes the types into ``service/client``, where every kind of build finds them.
An sdist of the clients alone has them, and not what they are made of.
"""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from setuptools import build_meta

_Settings = Mapping[str, Any] | None
_HERE = Path(__file__).resolve().parent

get_requires_for_build_editable = build_meta.get_requires_for_build_editable
get_requires_for_build_sdist = build_meta.get_requires_for_build_sdist
get_requires_for_build_wheel = build_meta.get_requires_for_build_wheel
prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_editable
prepare_metadata_for_build_wheel = build_meta.prepare_metadata_for_build_wheel


def build_sdist(sdist_directory: str, config_settings: _Settings = None) -> str:
    """Build an sdist that has the types."""
    _write_types()
    return build_meta.build_sdist(sdist_directory, config_settings)


def build_wheel(
    wheel_directory: str, config_settings: _Settings = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel that has the types."""
    _write_types()
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: _Settings = None, metadata_directory: str | None = None
) -> str:
    """Write the types in the checkout, and a wheel that leads there."""
    _write_types()
    return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)


def _write_types() -> None:
    if (_HERE.parent / "engine" / "questions").is_dir():
        # in a process of its own: it imports packages that are not installed
        subprocess.run([sys.executable, "-IB", str(_HERE / "client_types.py")], check=True)
