"""Errors of archives in words that name no place on this machine."""

import os
from pathlib import Path

from bidcascade.bridge import BidcascadeError, InvalidInput

from .catalogue import Catalogue


def archive_error_text(error: BidcascadeError, folder: Path) -> str:
    """Say an error without the folders of an archive, and of the systems that bid it.

    Parameters
    ----------
    error : BidcascadeError
    folder : path
        Of the archive, which need not be there.

    Examples
    --------
    >>> error = InvalidInput("damaged manifest '/srv/archives/club/archive.json': no list")
    >>> archive_error_text(error, Path("/srv/archives/club"))
    "damaged manifest 'archive.json': no list"
    """
    try:
        tables = [Path(one.table) for one in Catalogue.read(folder).bidders.values()]
    except InvalidInput:
        tables = []
    text = str(error)
    for place in (folder, folder.parent, *(one.parent for one in tables if one.is_absolute())):
        text = text.replace(f"{place}{os.sep}", "")
    return text
