"""The command ``completion``: what a shell needs to complete commands and options of bidcascade.

The shells ask the program itself, by the protocol of the library argcomplete.
"""

import argparse
import os
import sys
from typing import Final

SHELLS: Final = ("bash", "zsh", "fish", "powershell")


def configure_completion(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``completion``."""
    parser.add_argument("shell", choices=SHELLS, help="whose script is printed")


def completion(options: argparse.Namespace) -> None:
    """Print the script by which a shell completes."""
    from argcomplete.shell_integration import shellcode

    sys.stdout.write(f"{shellcode(['bidcascade'], shell=options.shell).rstrip()}\n")


def complete() -> None:
    """Tell a shell the words that may stand next, and end the process."""
    from argcomplete import autocomplete

    from . import make_parser

    line = os.environ.get("COMP_LINE", "")
    words = line.split()[1:]
    # the last word is no command yet while nothing stands behind it
    autocomplete(make_parser(words if line[-1:].isspace() else words[:-1]))
