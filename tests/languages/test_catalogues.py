"""The catalogues hold exactly what is said, whole, and what they say can be filled in."""

from __future__ import annotations

import ast
import re
from gettext import c2py
from pathlib import Path

import pytest
from babel import Locale
from babel.messages.catalog import Catalog

from tests.languages.catalogues import (
    OTHERS,
    compiled,
    forms,
    is_translated,
    key,
    lacking,
    messages,
    mo_file,
    read,
    renewed,
    spoken_by,
    update,
    written,
)
from tests.languages.gathering import ROOT, Id, Sentence, UnsayableError, of_module, sentences, telling

FORMS = {"pl": 3, "sk": 3, "es": 2, "uk": 3}
COUNTED = (0, 1, 2, 4, 5, 11, 12, 21, 22, 25, 101, 112)
CHOSEN = {"pl": "201122221222", "sk": "201122222222", "es": "101111111111", "uk": "201122201202"}
"""Which form each of these takes."""
_BRACES = re.compile(r"\{([a-z_]\w*)((?:![rsa])?(?::[^{}]*)?)\}")
_PERCENT = re.compile(r"%\((\w+)\)[sd]")
SAID = sentences()


def holes(text: str) -> set[tuple[str, str]]:
    """What is filled in: names with how they are written; JSON that a sentence shows has other braces."""
    return {*_BRACES.findall(text), *((name, "%") for name in _PERCENT.findall(text))}


def texts(told: Id) -> tuple[str, ...]:
    return (told,) if isinstance(told, str) else told


@pytest.fixture(params=OTHERS, scope="module")
def catalogue(request: pytest.FixtureRequest) -> Catalog:
    return read(request.param)


def test_a_catalogue_holds_exactly_what_is_said(catalogue: Catalog) -> None:
    lack = lacking(catalogue, SAID)
    assert not lack.missing, "python -m tests.languages update"
    assert not lack.stale, "python -m tests.languages update"


def test_everything_is_translated(catalogue: Catalog) -> None:
    assert not lacking(catalogue, SAID).empty


def test_a_translation_is_filled_in_as_its_sentence_is(catalogue: Catalog) -> None:
    for message in filter(is_translated, messages(catalogue)):
        wanted = holes(texts(key(message))[-1])
        for form in forms(message):
            assert holes(form) == wanted, form


def test_percent_signs_stand_where_values_are_filled_in(catalogue: Catalog) -> None:
    """What templates say is always filled in by ``%``: a sign of its own is doubled."""
    percent = {sentence.id for sentence in SAID if sentence.percent}
    for message in messages(catalogue):
        for form in (*texts(key(message)), *forms(message)):
            if key(message) in percent:
                assert "%" not in _PERCENT.sub("", form).replace("%%", ""), form


def test_there_is_a_form_for_each_plural(catalogue: Catalog) -> None:
    language = str(catalogue.locale)
    assert catalogue.num_plurals == FORMS[language]
    chosen = c2py(catalogue.plural_expr)
    assert "".join(str(chosen(count)) for count in COUNTED) == CHOSEN[language]
    for message in messages(catalogue):
        assert len(forms(message)) == (1 if isinstance(key(message), str) else FORMS[language])


def test_the_program_reads_what_people_wrote(catalogue: Catalog) -> None:
    language = str(catalogue.locale)
    assert spoken_by(mo_file(language).read_bytes()) == spoken_by(compiled(catalogue))
    assert Locale.parse(language).text_direction == "ltr", "the pages know no other direction"


def test_each_sentence_can_be_filled_in() -> None:
    for sentence in SAID:
        for text in texts(sentence.id):
            assert text.strip() == text
            values = {name: 1.0 if how.endswith(("f", "d", "g")) else "1" for name, how in holes(text)}
            if values:
                assert (text % values) if sentence.percent else text.format(**values)
        if not isinstance(sentence.id, str):
            assert "{count}" in sentence.id[1] or sentence.id[0] == sentence.id[1]


def test_all_kinds_of_files_are_gone_through() -> None:
    files = {sentence.file for sentence in SAID}
    for kind in ("web/live/words.py", "web/messages.py", "referee/ruleset.py", "templates/desk.html", "js/desk.js"):
        assert any(file.endswith(kind) for file in files), kind


def gathered(code: str) -> list[Id]:
    tree = ast.parse(code)
    return [sentence.id for sentence in of_module(tree, "some.py", telling([tree]))]


def test_sentences_are_found_by_what_says_them() -> None:
    code = """
from web.tongue import marked, say, say_count
a = say("One." if b else "Other.", name=c)
d = say_count("{count} tile", "{count} tiles", 3)
e = {1: marked("Marked " "in parts.")}
f = say(e[1])
game.say("not ours")
"""
    assert set(gathered(code)) == {"One.", "Other.", "Marked in parts.", ("{count} tile", "{count} tiles")}


def test_what_another_say_says_is_none_of_ours() -> None:
    assert gathered('say("aloud")') == []


def test_templates_of_errors_are_found_whatever_their_names() -> None:
    code = """
class MineError(ToldError): ...
class DeeperError(MineError): ...
class OtherError(ValueError): ...
raise MineError("no {what}", what=1)
raise module.DeeperError("too {deep}", deep=2)
raise OtherError("unsaid")
class ToldTooError(ValueError): ...
raise ToldTooError(f"{unsaid}")
"""
    assert gathered(code) == ["no {what}", "too {deep}"]
    tree = ast.parse('class MineError(OSError): ...\nraise MineError(f"{file} is lost")')
    assert list(of_module(tree, "some.py", {"ToldError", "MineError"})) == []


def test_a_sentence_that_is_put_together_where_it_is_said_is_refused() -> None:
    with pytest.raises(UnsayableError, match=r"some\.py:2"):
        gathered('from web.tongue import say\nsay(f"There are {count} of them.")')


def test_an_update_keeps_what_was_translated_and_drops_what_nobody_says(tmp_path: Path) -> None:
    first = [Sentence("Old.", "a.py"), Sentence("Kept.", "a.py"), Sentence(("{count} tile", "{count} tiles"), "b.py")]
    assert set(update("pl", first, tmp_path).empty) == {sentence.id for sentence in first}
    translated = read("pl", tmp_path)
    for told, said in (("Old.", "Stare."), ("Kept.", "Zostaje.")):
        translated[told].string = said
    (tmp_path / "pl" / "LC_MESSAGES" / "messages.po").write_bytes(written(translated))
    lack = update("pl", [*first[1:], Sentence("New.", "a.py")], tmp_path)
    assert (lack.missing, lack.stale) == ((), ())
    assert set(lack.empty) == {"New.", ("{count} tile", "{count} tiles")}
    assert spoken_by(mo_file("pl", tmp_path).read_bytes()) == {"Kept.": "Zostaje."}


def test_an_update_of_what_is_up_to_date_changes_nothing(catalogue: Catalog) -> None:
    file = mo_file(str(catalogue.locale)).with_suffix(".po")
    assert written(renewed(catalogue, SAID)) == file.read_bytes()


ANSWERS = {
    "BadRequest", "Conflict", "Forbidden", "NotFound", "ServiceUnavailable", "TooManyRequests", "Unauthorized",
    "UnprocessableEntity", "RequestEntityTooLarge", "Gone",
}  # fmt: skip
"""What a request is refused with: its sentence reaches a page."""


@pytest.mark.parametrize("file", sorted((ROOT / "web" / "dashboard").rglob("*.py")), ids=lambda file: file.stem)
def test_what_a_request_is_refused_with_is_said(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ANSWERS and node.args:
            assert not isinstance(node.args[0], ast.Constant | ast.JoinedStr), ast.unparse(node)
