"""The console's entry point, stopped while it is still loading."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

STOPPED = """
import sys
class Stops:
    def find_spec(self, name, *_):
        if name == {library!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Stops())
{closed}
from web.start import main
sys.argv[1:] = ["rules", "list"]
main()
"""


@pytest.mark.parametrize("library", ["click", "web.cli", "web.wiring", "referee.preset_files"])
@pytest.mark.parametrize(("closed", "said"), [("", "tileref: Stopped.\n"), ("sys.stderr = None", "")])
def test_stopping_while_libraries_load(repository: Path, library: str, closed: str, said: str) -> None:
    script = STOPPED.format(library=library, closed=closed)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=repository, timeout=60
    )
    assert (done.returncode, done.stdout.strip()) == (130, "")
    assert done.stderr.lstrip("\n") == said, "click ends the line of the ^C itself"


def test_stopping_a_compiled_library(repository: Path) -> None:
    """Stopped in the middle of its loading, onnxruntime raises an ImportError."""
    script = (
        "import web.cli\n"
        "def half_loaded():\n"
        "    raise ImportError('initialization failed') from KeyboardInterrupt()\n"
        "web.cli.run = half_loaded\n"
        "from web.start import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=repository, timeout=60
    )
    assert (done.returncode, done.stderr) == (130, "tileref: Stopped.\n")


def test_the_installed_command_begins_here(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))
    module, function = project["project"]["scripts"]["tileref"].split(":")
    assert module == "web.start"
    assert callable(getattr(importlib.import_module(module), function))


def test_nothing_of_size_is_imported_before(repository: Path) -> None:
    script = "import sys; before = set(sys.modules); import web.start; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=repository, timeout=60
    )
    assert {name for name in done.stdout.split() if name.split(".")[0] in {"click", "web"}} == {
        "web", "web.exit_status", "web.start",
    }  # fmt: skip


def test_the_exit_status_is_handed_on(repository: Path) -> None:
    script = "from web.start import main; main()"
    for arguments, status in ((["--version"], 0), (["check"], 2)):
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            capture_output=True, text=True, check=False, cwd=repository, timeout=60,
        )  # fmt: skip
        assert done.returncode == status
