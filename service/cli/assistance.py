"""Commands for editors and assistants: ``lsp`` and ``mcp``."""

import argparse
import os
import sys


def configure_lsp(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``lsp``: none; editors send what they want."""
    # many clients name the way that they speak
    parser.add_argument("--stdio", action="store_true", help=argparse.SUPPRESS)


def lsp(options: argparse.Namespace) -> None:
    """Serve an editor until it ends the server."""
    from bidcascade.service.extras import imported

    imported("lsp", "pygls")
    from bidcascade.service.language_server import make_server

    # what anything else prints would be no message of the protocol
    spoken = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    make_server().start_io(stdout=spoken)
