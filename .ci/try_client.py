"""Tries the clients where nothing else of bidcascade is installed: what loads, and its size."""

import importlib.util
import sys
from pathlib import Path

import bidcascade
from bidcascade.bridge import BidcascadeError, parse_hand
from bidcascade.service.client import AsyncClient, Client, ServiceError

ENGINE = ("numpy", "polars", "pyarrow", "fastapi", "endplay")
MOST_BYTES = 20 << 20
"""Without pip, which is there before."""

assert bidcascade.__version__ != "not installed"
assert issubclass(ServiceError, BidcascadeError)
assert AsyncClient
assert parse_hand("K52 AQ3 9876 KJ2")
loaded = [name for name in ENGINE if importlib.util.find_spec(name) is not None]
assert not loaded, loaded
try:
    told = str(bidcascade.Engine)
except ImportError as error:
    told = str(error)
assert "bidcascade-client" in told, told
with Client("http://127.0.0.1:9", timeout_s=1) as service:
    try:
        service.bid("K52.AQ3.9876.KJ2")
    except BidcascadeError as error:
        print("told without a service:", error)

site = Path(bidcascade.__file__).parents[1]
sizes = {
    folder.name: sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    for folder in site.iterdir()
    if folder.is_dir() and not folder.name.startswith(("pip", "setuptools", "_distutils", "pkg_"))
}
total = sum(sizes.values())
print(f"{total / 1e6:.1f} MB in {sys.prefix}: {sorted(sizes)}")
assert total < MOST_BYTES, sizes
