"""The papers of the house agree with the program: version, changelog, README and Makefile."""

from __future__ import annotations

import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import click
import pytest

from tests.conftest import REPOSITORY
from web.cli import cli, run
from web.version import VERSION

PAPERS = ("README.md", "CONTRIBUTING.md")
MODELS_AT_HAND = (REPOSITORY / "models" / "manifest.toml").is_file()
SAMPLES_AT_HAND = any((REPOSITORY / "sample_images" / "photos").glob("*.jpg"))


def commands(paper: str) -> list[str]:
    """The commands that a paper tells its reader to type: lines after ``$`` in its code blocks."""
    text = (REPOSITORY / paper).read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines()]
    return [line[2:].split("  #")[0].strip() for line in lines if line.startswith("$ ")]


TOLD = [(paper, command) for paper in PAPERS for command in commands(paper)]
TILEREF = [command for _, command in TOLD if command.split()[0] == "tileref"]
MADE = sorted({command for _, command in TOLD if command.split()[0] == "make"})


def make_targets() -> set[str]:
    text = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z]+):", text, re.MULTILINE))


def test_the_changelog_begins_with_this_version() -> None:
    text = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (\d+\.\d+\.\d+)\b", text, re.MULTILINE)
    assert versions
    assert versions[0] == VERSION


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "web/version.py"


def test_version_option(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capfd.readouterr().out.strip() == f"tileref, version {VERSION}"


def test_nothing_caps_a_dependency() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [requirement for group in project["optional-dependencies"].values() for requirement in group]
    for requirement in [*project["dependencies"], *extras]:
        assert re.fullmatch(r"[a-z0-9-]+>=[\d.]+", requirement), requirement


def test_ci_needs_no_torch() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert [group for group, wanted in extras.items() if any(r.startswith("torch") for r in wanted)] == ["train"]


def test_the_readme_names_the_two_commands() -> None:
    assert {"make demo", "make test"} <= set(commands("README.md"))


@pytest.mark.parametrize("command", MADE)
def test_make_commands_in_the_papers_are_targets(command: str) -> None:
    assert command.split()[1] in make_targets()


@pytest.mark.parametrize("command", sorted(set(TILEREF)))
def test_tileref_commands_in_the_papers_are_understood(command: str) -> None:
    """Every option exists; nothing is run."""
    words = shlex.split(command)[1:]
    if words in (["--version"], ["--help"]):
        return
    group: click.Command = cli
    while isinstance(group, click.Group):
        context = click.Context(group)
        name, found, words = group.resolve_command(context, list(words))
        assert found is not None, name
        group = found
    group.make_context(group.name, list(words))


@pytest.mark.skipif(not MODELS_AT_HAND, reason="models/manifest.toml is not there: train the networks first")
@pytest.mark.skipif(not SAMPLES_AT_HAND, reason="sample_images/ holds no picture: draw them first")
@pytest.mark.parametrize("command", [command for command in sorted(set(TILEREF)) if "sample_images/" in command])
def test_tileref_commands_on_samples_work(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    words = shlex.split(command)[1:]
    if "--annotate" in words:
        words[words.index("--annotate") + 1] = str(tmp_path)
    assert run(words) in {0, 1, 3}


def test_every_make_target_is_explained() -> None:
    text = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    explained = set(re.findall(r"^#   make ([a-z]+) ", text, re.MULTILINE))
    assert explained == make_targets() - {"check", "system", "fonts", "postgresql", "chromium"}


def test_what_make_calls_is_packed_too() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    packed = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert ".ci/" in (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    assert {".ci", "Makefile"} <= set(packed)


def test_what_the_papers_tell_to_install_is_there_to_be_installed() -> None:
    """The program is on no package index: from its folder its extras are named by a dot."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for paper in PAPERS:
        text = (REPOSITORY / paper).read_text(encoding="utf-8")
        for package, extra in re.findall(r"pip install '?([\w.]+)\[(\w+)\]", text):
            assert (package, extra in project["optional-dependencies"]) == (".", True)


@pytest.mark.parametrize("package", ["web/live", "web/evidence", "referee/solver"])
def test_a_package_that_is_said_to_name_its_modules_names_them_all(package: str) -> None:
    folder = REPOSITORY / package
    named = set(re.findall(r"``(\w+)``", (folder / "__init__.py").read_text(encoding="utf-8")))
    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} <= named


def test_the_map_names_files_that_are_there() -> None:
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:referee|vision|web|tests|models)/[\w/.-]+)`", text))
    assert len(named) > 50
    assert [path for path in sorted(named) if not (REPOSITORY / path).exists()] == []


def test_every_network_in_the_folder_is_named_by_a_manifest() -> None:
    for manifest in (REPOSITORY / "models").rglob("manifest.toml"):
        told = tomllib.loads(manifest.read_text(encoding="utf-8"))
        named = {one["file"] for part in ("models", "full_precision") for one in told.get(part, {}).values()}
        assert {path.name for path in manifest.parent.glob("*.onnx")} == named


def test_ci_runs_what_developers_run() -> None:
    assert "make test" in (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")


@pytest.fixture
def bare_path(tmp_path: Path) -> Path:
    """A PATH without package managers, for a user who is not root."""
    folder = tmp_path / "bin"
    folder.mkdir()
    fake = folder / "id"
    fake.write_text("#!/bin/sh\necho 1000\n")
    fake.chmod(0o755)
    return folder


def system_packages(path: Path, command: str) -> str:
    done = subprocess.run(
        ["/bin/bash", str(REPOSITORY / ".ci" / "system-packages"), "it is dull", "--command", command, "some-package"],
        env={"PATH": str(path)}, capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    assert done.returncode == 0
    return done.stdout + done.stderr


def test_a_system_package_that_may_not_be_installed_is_named_in_one_sentence(bare_path: Path) -> None:
    assert system_packages(bare_path, "no-such-command") == (
        "Without the system packages some-package, it is dull (to install: sudo apt-get install some-package).\n"
    )


def test_a_system_package_that_is_there_is_left_alone(bare_path: Path) -> None:
    assert system_packages(bare_path, "id") == ""
