r"""Text from outside made harmless: for HTML, and for Markdown.

Announcements, names and file names were typed by strangers. Nothing of them may become markup, and
characters that would reorder or hide the text around them are shown as ``�``.
"""

import html
import re
import unicodedata

_REPLACEMENT = "�"
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~#&$])")
_LINK = re.compile(r"(?i)(https?|ftp|www)(://|\.)")


def visible(text: str) -> str:
    r"""Text without characters that do not show: blanks for line ends, ``�`` for the others.

    Control characters, and the format characters that change the direction of text (Unicode
    Standard Annex 9, explicit directional formatting), are the ones meant.

    Examples
    --------
    >>> visible("weak\n2\u202e!H"), visible("Précision ♠")
    ('weak 2�!H', 'Précision ♠')
    """
    return "".join(map(_visible, text)) if not text.isprintable() else text


def _visible(character: str) -> str:
    if character in "\t\n\r\x0b\x0c\x85\u2028\u2029":
        return " "
    # surrogates cannot be written as UTF-8 at all
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn")
    return _REPLACEMENT if hidden else character


def html_text(text: str) -> str:
    """Text for the inside of an element or of a quoted attribute.

    Examples
    --------
    >>> html_text('<img src="x">')
    '&lt;img src=&quot;x&quot;&gt;'
    """
    return html.escape(visible(text), quote=True)


def markdown_text(text: str) -> str:
    r"""Text for a paragraph or a cell of a table in Markdown (GitHub's form of CommonMark).

    Examples
    --------
    >>> markdown_text("a|b *c* <d> http://e")
    'a\\|b \\*c\\* \\<d\\> http\\://e'
    """
    return _LINK.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\1", visible(text)))


def markdown_code(text: str) -> str:
    r"""Text as code in a cell of a table in Markdown.

    Examples
    --------
    >>> markdown_code("SL_S >= 5 | x")
    '`SL_S >= 5 \\| x`'
    """
    # a bar ends a cell even inside code; a backquote would end the code
    return "`" + visible(text).replace("`", "'").replace("|", "\\|") + "`" if text else ""
