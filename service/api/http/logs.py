"""Logs as lines for people, or as one JSON object a line for machines that collect them."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, Final, Literal

from .stages import current_stages

LogFormat = Literal["text", "json"]
_TEXT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"
FIELDS: Final = "fields"
"""Name of the ``extra`` of a log call that holds further members, a dict."""


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time (UTC), level, logger, message, and what the call adds."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a record."""
        members: dict[str, Any] = {
            "time": moment_text(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        stages = current_stages()
        if stages is not None:
            members["request_id"] = stages.request_id
        members |= getattr(record, FIELDS, {})
        if record.exc_info:
            members["exception"] = self.formatException(record.exc_info)
        return json.dumps(members, ensure_ascii=False, default=str)


def moment_text(seconds: float) -> str:
    """Seconds since 1970 as text (UTC, RFC 3339), to the millisecond."""
    written = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return written.replace("+00:00", "Z")


def configure_logs(level: str, form: LogFormat) -> None:
    """Send all logs of the process to standard error in one form.

    Parameters
    ----------
    level : {"debug", "info", "warning", "error", "critical"}
        Least severe messages that are written.
    form : {"text", "json"}
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if form == "json" else logging.Formatter(_TEXT))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
