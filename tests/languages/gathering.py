"""Every sentence that may reach a page, gathered from Python, templates, scripts and the switches of the rules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from jinja2.ext import babel_extract

from referee.ruleset import SWITCHES
from web.dashboard.texts import said_in

ROOT = Path(__file__).parents[2]
PACKAGES = ("referee", "vision", "web")
TEMPLATES = ROOT / "web" / "dashboard" / "templates"
SCRIPTS = ROOT / "web" / "dashboard" / "static" / "js"

SAYING: Mapping[str, int] = {
    "say": 1, "say_count": 2, "marked": 1, "gettext": 1, "lazy_gettext": 1, "ngettext": 2, "_": 1, "Told": 1,
    "telling": 1,
}  # fmt: skip
"""What is called with sentences: so many of the first arguments are forms of one."""
SAYERS = frozenset({"web.tongue", "referee.told", "vision.saying", "flask_babel"})
"""Where those come from: another ``say`` is none of them."""
TELLING = frozenset({"TellingError", "ToldError", "SeeingError"})
"""Errors whose first argument is a template; so is that of the classes that are made of them, whatever their names."""
WITH_PERCENT = frozenset({"gettext", "lazy_gettext", "ngettext", "_"})
"""What fills values in as ``%(name)s``, in Python; templates all do."""
_NOT_LITERAL = re.compile(r"\b(?:say|sentence)\(\s*['`].*")
"""A sentence of a script that no catalogue finds."""

Id = str | tuple[str, str]
"""A sentence, or its forms for one and for many."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence and a file that says it; ``percent``: its values stand in it as ``%(name)s``, else in braces."""

    id: Id
    file: str
    percent: bool = False


class UnsayableError(ValueError):
    """A sentence that no catalogue can know, because it is put together where it is said."""


def sentences() -> tuple[Sentence, ...]:
    """All of them, by file.  Raises ``UnsayableError``."""
    found = [*_of_python(), *_of_templates(), *_of_scripts()]
    rules = "referee/ruleset.py"
    found += [Sentence(text, rules) for switch in SWITCHES.values() for text in (switch.about, switch.section.value)]
    return tuple(dict.fromkeys(found))


def _of_python() -> Iterator[Sentence]:
    files = sorted(file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    trees = {str(file.relative_to(ROOT)): ast.parse(file.read_text(encoding="utf-8")) for file in files}
    errors = telling(trees.values())
    for name, tree in trees.items():
        yield from of_module(tree, name, errors)


def telling(trees: Iterable[ast.Module]) -> frozenset[str]:
    """The names of all errors that are told by a template."""
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    known = set(TELLING)
    while fresh := {node.name for node in classes if known & set(map(_name, node.bases))} - known:
        known |= fresh
    return frozenset(known)


def of_module(tree: ast.Module, file: str, errors: AbstractSet[str] = TELLING) -> Iterator[Sentence]:
    """What one module says, and tells by these errors.  Raises ``UnsayableError``."""
    own = {node.name: set(map(_name, node.bases)) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    errors = errors - {name for name, bases in own.items() if not bases & errors and name not in TELLING}
    ours = {name: SAYING[name] for name in _imported(tree) & SAYING.keys()}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = _name(node.func)
        saying = ours if isinstance(node.func, ast.Name) and name in ours else dict.fromkeys(errors, 1)
        if name not in saying or len(node.args) < saying[name]:
            continue
        percent = name in WITH_PERCENT
        if saying[name] == 2:
            forms = [one for argument in node.args[:2] for one in _texts(argument, file)]
            if len(forms) == 2:
                yield Sentence((forms[0], forms[1]), file, percent)
        else:
            yield from (Sentence(one, file, percent) for one in _texts(node.args[0], file))


def _imported(tree: ast.Module) -> set[str]:
    """What a module has from those who say sentences."""
    froms = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module in SAYERS)
    return {alias.name for node in froms for alias in node.names}


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _texts(node: ast.expr, file: str) -> Iterator[str]:
    """The sentences that an argument may be; one that is only passed on stands elsewhere."""
    match node:
        case ast.Constant(value=str(text)) if text:
            yield text
        case ast.IfExp(body=body, orelse=other):
            yield from _texts(body, file)
            yield from _texts(other, file)
        case ast.JoinedStr() | ast.BinOp():
            raise UnsayableError(f"{file}:{node.lineno}: {ast.unparse(node)}")


def _of_templates() -> Iterator[Sentence]:
    for file in sorted(TEMPLATES.glob("*.html")):
        with file.open("rb") as source:
            for _, _, message, _ in babel_extract(source, tuple(WITH_PERCENT), (), {"newstyle_gettext": "true"}):
                forms = [message] if isinstance(message, str) else [form for form in message or () if form]
                told: Id = (forms[0], forms[1]) if len(forms) == 2 else forms[0]
                yield Sentence(told, str(file.relative_to(ROOT)), percent=True)


def _of_scripts() -> Iterator[Sentence]:
    for file in sorted(SCRIPTS.glob("*.js")):
        text = file.read_text(encoding="utf-8")
        if other := _NOT_LITERAL.search(text):
            raise UnsayableError(f"{file.name}: {other[0]}")
        yield from (Sentence(told, str(file.relative_to(ROOT))) for told in sorted(said_in(text)))
