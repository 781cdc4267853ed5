"""How bidcascade is built: as the clients are, with the language's data, and the core compiled.

``language_data.py`` writes the data into the packages, where every kind of build finds it.

The module for browsers is built by zig, which building asks the package index for; the library too
where no C++ compiler is found. With
``-C target=aarch64-linux-gnu.2.17`` (``python -m build``, ``pip wheel``) zig builds for another
kind of machine.
"""

import logging
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

import client_backend
import language_data
from setuptools import Command
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build import build

_ROOT = Path(__file__).resolve().parents[1]
_PACKAGE = "bidcascade/kernels/core"

# by its path: the package cannot be imported, as nothing that it needs is there
_spec = spec_from_file_location("core_build", _ROOT / "kernels" / "core" / "build.py")
core_build = module_from_spec(_spec)
sys.modules["core_build"] = core_build
_spec.loader.exec_module(core_build)

_Settings = Mapping[str, Any] | None
_target = None

get_requires_for_build_sdist = client_backend.get_requires_for_build_sdist
prepare_metadata_for_build_wheel = client_backend.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = client_backend.prepare_metadata_for_build_editable


def get_requires_for_build_wheel(config_settings: _Settings = None) -> list[str]:
    """Ask for zig, which alone builds the module for browsers, where it has something to do."""
    _read_target(config_settings)
    zig = [core_build.ZIGLANG] if core_build.needs_zig(_target) else []
    return [*client_backend.get_requires_for_build_wheel(config_settings), *zig]


get_requires_for_build_editable = get_requires_for_build_wheel


def build_sdist(sdist_directory: str, config_settings: _Settings = None) -> str:
    """Build an sdist that has the language's data."""
    _write_language_data()
    return client_backend.build_sdist(sdist_directory, config_settings)


def build_wheel(
    wheel_directory: str, config_settings: _Settings = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel with the core's library and the language's data."""
    _read_target(config_settings)
    _write_language_data()
    # what an earlier wheel has left: modules that are gone since, libraries of another target
    for left in (_ROOT / "build").glob("lib*"):
        shutil.rmtree(left)
    return client_backend.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: _Settings = None, metadata_directory: str | None = None
) -> str:
    """Build the core's library and the data in the checkout, and a wheel that leads there."""
    _write_language_data()
    return client_backend.build_editable(wheel_directory, config_settings, metadata_directory)


def _read_target(config_settings: _Settings) -> None:
    global _target
    written = (config_settings or {}).get("target")
    _target = core_build.Target.parse(written) if written else None


def _write_language_data() -> None:
    language_data.check_needed()
    # in a process of its own: it imports packages that are not installed. Not alone (-I), since pip
    # shows what it has installed for the build by PYTHONPATH
    subprocess.run([sys.executable, "-B", language_data.__file__], check=True)


def _compiler() -> Any:
    found = core_build.find_compiler(_target)
    if found is None:
        raise core_build.BuildError(
            "expected a C++ compiler, as g++ or clang++, or zig from the package index, got none; "
            "without build isolation install one of them first"
        )
    return found


class Build(build):
    """All steps of setuptools, then the core and the pages."""

    sub_commands: ClassVar = [*build.sub_commands, ("build_core", None), ("build_pages", None)]


class BuildStep(Command):
    """A step of the build that takes its folder from the others."""

    user_options: ClassVar = []
    editable_mode = False

    def initialize_options(self) -> None:
        """Nothing is chosen here."""
        self.build_lib = None

    def finalize_options(self) -> None:
        """Take the folder from the other steps."""
        self.set_undefined_options("build", ("build_lib", "build_lib"))


class BuildPages(BuildStep):
    """Copies the pages of ``docs``, which the service gives to assistants, into the wheel."""

    def run(self) -> None:
        """Copy; an editable installation leads to the checkout, where the pages lie."""
        for source, copied in self._pages().items():
            Path(copied).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copied)

    def get_outputs(self) -> list[str]:
        """Name the files that go into the wheel."""
        return list(self._pages().values())

    def get_output_mapping(self) -> dict[str, str]:
        """Map files of the wheel to their sources."""
        return {copied: source for source, copied in self._pages().items()}

    def get_source_files(self) -> list[str]:
        """Name what the sdist needs beside the packages."""
        return [f"docs/{page.name}" for page in sorted((_ROOT / "docs").glob("*.md"))]

    def _pages(self) -> dict[str, str]:
        if self.editable_mode:
            return {}
        folder = Path(self.build_lib) / "bidcascade" / "docs"
        return {
            str(page): str(folder / page.name) for page in sorted((_ROOT / "docs").glob("*.md"))
        }


class BuildCore(BuildStep):
    """Compiles the core: into the wheel, or for an editable installation into the checkout."""

    def run(self) -> None:
        """Compile."""
        folder, compiler = self._folder(), _compiler()
        start = perf_counter()
        with ThreadPoolExecutor() as pool:
            module = pool.submit(core_build.build_module, folder)
            built = core_build.build_libraries(folder, compiler=compiler)
            built.append(module.result())
        sizes = ", ".join(f"{path.name} {path.stat().st_size:,} bytes" for path in built)
        seconds = perf_counter() - start
        self.announce(f"{' '.join(compiler.command)}: {sizes} in {seconds:.1f} s", logging.INFO)

    def get_outputs(self) -> list[str]:
        """Name the files that go into the wheel."""
        if self.editable_mode:
            return []
        target = _compiler().target
        names = [*map(target.library_name, target.builds()), core_build.MODULE]
        return [str(self._folder() / name) for name in names]

    def get_output_mapping(self) -> dict[str, str]:
        """Map files of the wheel to their sources: none is a copy."""
        return {}

    def get_source_files(self) -> list[str]:
        """Name what the sdist needs beside the packages."""
        return [f"build_backend/{one.name}" for one in sorted(_ROOT.glob("build_backend/*.py"))]

    def _folder(self) -> Path:
        if self.editable_mode:
            return core_build.checkout_folder(_ROOT)
        return Path(self.build_lib) / _PACKAGE


class BdistWheel(bdist_wheel):
    """A wheel for one platform and any Python: nothing in it knows the interpreter."""

    def finalize_options(self) -> None:
        """Take the packages as code of the platform."""
        self.distribution.has_ext_modules = lambda: True
        super().finalize_options()

    def get_tag(self) -> tuple[str, str, str]:
        """Name the platform: the target's for zig, else this machine's."""
        compiler = _compiler()
        there = compiler.target.wheel_platform() if compiler.is_zig else None
        # an interpreter for both kinds of Mac has a library for one here
        here = super().get_tag()[2].replace("universal2", platform.machine())
        return "py3", "none", there or here
