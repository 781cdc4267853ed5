"""What the page may do, as a Content-Security-Policy: load its own files, ask its own service."""

from typing import Final

_WORKERS: Final = "worker-src 'self'"
OWN_FILES: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    f"{_WORKERS}; base-uri 'none'; form-action 'none'"
)
_CHECKED: Final = (
    # texts of tables and files become text nodes only: the browser refuses to parse them, and
    # scripts have only addresses that own_scripts.js lists
    "require-trusted-types-for 'script'; trusted-types bidcascade"
)
NOT_FRAMED: Final = "frame-ancestors 'none'"
# the engine's core is WebAssembly; no text becomes a script
_PAGE: Final = OWN_FILES.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'")
CONTENT_SECURITY_POLICY: Final = f"{_PAGE}; {NOT_FRAMED}; {_CHECKED}"
"""Policy of the page of a service."""

OFFLINE_POLICY: Final = (
    f"{_PAGE.replace(_WORKERS, f'{_WORKERS} blob:')}; manifest-src 'self'; {_CHECKED}"
)
"""Policy of the page in a folder, which says it itself; its script makes the engine's worker."""
