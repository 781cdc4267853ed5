"""Command ``info``: versions, backends and why one is missing, tables, cache places."""

import argparse
import platform
from typing import Any

from . import shared

_LIBRARIES = ("numpy", "polars", "fastapi", "uvicorn", "endplay")
_GPU_LIBRARIES = {
    "cupy": ("cupy-cuda13x", "cupy-cuda12x", "cupy"),
    "cudf": ("cudf-cu13", "cudf-cu12"),
}
"""Libraries that come under several names, one for each CUDA."""


def configure_info(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``info``."""
    shared.add_json_option(parser)


def info(options: argparse.Namespace) -> None:
    """Say what is installed and what can run."""
    found = collect_info()
    if options.json:
        shared.print_json(found)
        return
    print(f"bidcascade {found['version']}, Python {found['python']}, {found['platform']}")
    found["backends"] = {
        name: "ready" if reason is None else f"missing: {reason}"
        for name, reason in found["backends"].items()
    } | {"auto": found["auto"]}
    for heading in ("libraries", "backends", "device", "tables", "cache"):
        print(heading)
        for name, value in found[heading].items():
            print(f"  {name:14} {value}")


def collect_info() -> dict[str, Any]:
    """Collect what ``info`` says."""
    from bidcascade.kernels import BACKENDS, why_unavailable
    from bidcascade.kernels.core.functions import has_core
    from bidcascade.kernels.machine.caches import folder_in_cache
    from bidcascade.systems import named_systems
    from bidcascade.version import package_version

    backends = {name: why_unavailable(name) for name in BACKENDS}
    return {
        "version": package_version(),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "libraries": {name: package_version(name) for name in _LIBRARIES} | _gpu_libraries(),
        "backends": backends,
        "auto": "cuda" if backends["cuda"] is None else "cpu" if has_core() else "reference",
        "device": _device(backends["cuda"]),
        "tables": dict(named_systems()),
        "cache": {"tables": str(folder_in_cache("tables") or "none: the user has no home")},
    }


def _gpu_libraries() -> dict[str, str]:
    """Version of the name that a library is installed under."""
    from bidcascade.version import package_version

    found = {}
    for library, names in _GPU_LIBRARIES.items():
        there = (name for name in names if package_version(name) != "not installed")
        name = next(there, library)
        found[name] = package_version(name)
    return found


def _device(why_no_cuda: str | None) -> dict[str, str]:
    """Say which device there is, and whether frames can stay on it."""
    if why_no_cuda is not None:
        return {"gpu": f"none: {why_no_cuda}"}
    from bidcascade.kernels.cuda_device import cupy_device, default_device_number
    from bidcascade.kernels.device_frames import why_no_cudf

    device = cupy_device(default_device_number())
    reason = why_no_cudf()
    return {
        "gpu": device.name,
        "free memory": f"{device.free_bytes() / 2**30:.1f} GiB",
        "cudf frames": "ready" if reason is None else f"missing: {reason}",
    }
