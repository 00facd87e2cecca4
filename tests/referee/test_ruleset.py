"""Rule sets and their presets."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from referee.preset_files import DEFAULT_PRESET, PRESET_FOLDER, load_ruleset, preset_names
from referee.ruleset import (
    SWITCHES,
    RowOrder,
    RuleSetError,
    Section,
    Switch,
    box_faces,
    check_switch,
    differences,
    ruleset_from,
)
from referee.switches import Choice, ChoiceList, FaceCounts, NumberList, WholeNumber, YesNo
from referee.tiles import parse_tile

SEEDS = {"twist-pl", "standard-sk", "classic-es", "classic-uk", "logiczna-pl"}
WORLD = {"us-2009", "sabra", "german", "mso", "wrc", "jp", "tw"}


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_presets_of_the_seeds_and_the_default_are_there() -> None:
    assert set(preset_names()) == SEEDS | WORLD | {DEFAULT_PRESET}
    assert DEFAULT_PRESET == "international"
    assert load_ruleset().name == "international"


@pytest.mark.parametrize("name", sorted(SEEDS | WORLD | {DEFAULT_PRESET}))
def test_every_value_of_a_preset_names_its_source(name: str) -> None:
    lines = (PRESET_FOLDER / f"{name}.toml").read_text(encoding="utf-8").splitlines()
    values = [line for line in lines if re.match(r"\w+ *=", line) and not line.startswith("base")]
    assert values
    assert all(re.search(r"# .{4,}", line) for line in values)


def test_the_box_of_each_preset() -> None:
    sizes = {name: load_ruleset(name).box_size for name in SEEDS}
    assert sizes == {name: 108 if name == "twist-pl" else 106 for name in SEEDS}
    twist = load_ruleset("twist-pl")
    assert [twist.held(parse_tile(code)) for code in ("R1", "J", "JD", "JC", "JM")] == [2, 1, 1, 1, 1]
    classic = load_ruleset("classic-es")
    assert [classic.held(parse_tile(code)) for code in ("O13", "J", "JD", "JC", "JM")] == [2, 2, 0, 0, 0]
    assert len(box_faces()) == 4 * 13 + 4


def other_value(switch: Switch, value: object) -> object:
    """Some other allowed value of a switch."""
    match switch.allowed:
        case WholeNumber(least, most):
            return most if value != most else least
        case YesNo():
            return not value
        case Choice() as choice:
            return next(position for position in choice.positions if position != value)
        case ChoiceList() | NumberList():
            return value[1:] if isinstance(value, tuple) and len(value) > 1 else ()
        case FaceCounts():
            return ("R13=1",)


@pytest.mark.parametrize("key", SWITCHES)
def test_the_fingerprint_follows_every_rule(key: str) -> None:
    rules = replace(load_ruleset(), players_most=8, players_least=2)
    changed = replace(
        rules, **{key: other_value(SWITCHES[key], getattr(rules, key))} if key != "players_least" else {key: 3}
    )
    assert changed.fingerprint != rules.fingerprint
    assert [one.key for one in differences(rules, changed)] == [key]


def test_the_fingerprint_is_short_and_does_not_follow_the_name() -> None:
    rules = load_ruleset()
    assert re.fullmatch(r"[0-9a-f]{12}", rules.fingerprint)
    assert replace(rules, name="ours").fingerprint == rules.fingerprint
    assert list(differences(rules, replace(rules, name="ours"))) == []


def test_any_box_can_be_composed() -> None:
    rules = load_ruleset()
    assert replace(rules, copies_per_tile=3, regular_jokers=4).box_size == 160
    assert replace(rules, boxes=2).box_size == 212
    odd = replace(rules, box_exceptions=("R13=1", "J=5"))
    assert (odd.held(parse_tile("R13")), odd.held(parse_tile("J")), odd.box_size) == (1, 5, 108)
    for wrong in (("R14=1",), ("R13",), ("R13=1", "r13=2"), ("R13=99",)):
        with pytest.raises(RuleSetError, match=r"box_exceptions = .*R13=1"):
            replace(rules, box_exceptions=wrong)


@pytest.mark.parametrize(("key", "switch"), SWITCHES.items())
def test_every_switch_says_what_it_decides_and_refuses_nonsense(key: str, switch: Switch) -> None:
    assert switch.about.endswith(".")
    assert switch.section in Section
    for nonsense in (None, 3.5, "nonsense", [["x"]], -1):
        with pytest.raises(RuleSetError, match=f"^{key} = "):
            check_switch(key, nonsense)


def test_a_preset_of_ones_own(tmp_path: Path) -> None:
    write(tmp_path, "club.toml", 'base = "international"\njokers_adjacent = false\n')
    mine = load_ruleset(write(tmp_path, "mine.toml", 'base = "club.toml"\nrow_order = "illegal"\n'))
    assert (mine.name, mine.jokers_adjacent, mine.row_order) == ("mine", False, RowOrder.ILLEGAL)
    assert mine.copies_per_tile == 2


def test_a_value_out_of_range_is_refused_in_code_too() -> None:
    with pytest.raises(RuleSetError, match=r"copies_per_tile = 0 .*from 1 to 8"):
        replace(load_ruleset(), copies_per_tile=0)
    with pytest.raises(RuleSetError, match=r"jokers_adjacent = 1 .*true or false"):
        replace(load_ruleset(), jokers_adjacent=1)  # type: ignore[arg-type]
    with pytest.raises(RuleSetError, match="row_order is missing"):
        ruleset_from("ours", {key: getattr(load_ruleset(), key) for key in SWITCHES if key != "row_order"})


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('base = "international"\ntime = 60\n', ["time", "is not a rule", "time_s"]),
        ('base = "international"\nmin_set_length = 9\n', ["min_set_length = 9", "from 3 to 4"]),
        ('base = "international"\nmin_set_length = true\n', ["min_set_length = true", "from 3 to 4"]),
        ('base = "international"\nwrap_13_1 = "no"\n', ['wrap_13_1 = "no"', "true or false"]),
        ('base = "international"\nrow_order = "free"\n', ['row_order = "free"', '"note" or "illegal"']),
        ('base = "nowhere"\n', ["base", "'nowhere' is not a preset", "twist-pl"]),
        ("base = 3\n", ["base = 3", "preset's name"]),
        ('base = "nowhere.toml"\n', ["base = 'nowhere.toml' is not there", "path of a .toml file"]),
        ("time_s = 60\n", ["faces is missing", '"tiles" or "cards"', "or a base"]),
        ('base = "international"\nclock = 2026-01-01\n', ["clock = 2026-01-01", '"per_turn"']),
        ('base = "international"\ntime_s = 60.0\n', ["time_s = 60.0", "from 10 to 1800"]),
        ('base = "international"\ntie_break = ["wins", "wins"]\n', ["tie_break", "different names", '"extra_game"']),
        ('base = "international"\nplacing_points = [1, 2]\n', ["placing_points = [1, 2]", "never rise"]),
        (
            'base = "international"\nplayers_least = 4\nplayers_most = 2\n',
            ["players_least = 4", "at most players_most"],
        ),
        ('base = "international"\ntime_s = 60\ntime_s = 70\n', ["no valid TOML", "line 3"]),
        ('base = "international"\n[rules]\ntime_s = 70\n', ["rules is not a rule"]),
        ('base = "mine.toml"\n', ["base leads back to mine.toml"]),
        ("copies_per_tile = 2\n", ["faces is missing", '"tiles" or "cards"']),
        ("copies_per_tile = \n", ["is no valid TOML", "line 1"]),
    ],
)
def test_a_wrong_preset_is_one_sentence_with_file_key_and_values(tmp_path: Path, text: str, parts: list[str]) -> None:
    path = write(tmp_path, "mine.toml", text)
    with pytest.raises(RuleSetError) as caught:
        load_ruleset(path)
    message = str(caught.value)
    assert message.startswith("mine.toml: ")
    assert all(part in message for part in parts)
    assert "\n" not in message


def test_the_file_at_fault_is_the_one_that_is_named(tmp_path: Path) -> None:
    write(tmp_path, "base.toml", 'base = "international"\nmin_set_length = 2\n')
    with pytest.raises(RuleSetError, match=r"^base\.toml: min_set_length = 2"):
        load_ruleset(write(tmp_path, "mine.toml", 'base = "base.toml"\n'))


def test_unreadable_presets(tmp_path: Path) -> None:
    with pytest.raises(RuleSetError, match=r"'clasic' is not a preset: expected one of .*classic-es"):
        load_ruleset("clasic")
    with pytest.raises(RuleSetError, match=r"none\.toml: the file cannot be read"):
        load_ruleset(str(tmp_path / "none.toml"))
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RuleSetError, match=r"binary\.toml: the file is no text in UTF-8"):
        load_ruleset(str(binary))
    with pytest.raises(RuleSetError, match="is not a preset"):
        load_ruleset("../presets/international")


def test_a_file_too_large_to_be_a_preset(tmp_path: Path) -> None:
    path = write(tmp_path, "large.toml", 'base = "international"\n' + "# filler\n" * 1_200_000)
    with pytest.raises(RuleSetError, match=r"^large\.toml: the file is no preset: it is larger than 1 MB$"):
        load_ruleset(path)


def test_files_that_rest_on_each_other_in_a_circle(tmp_path: Path) -> None:
    for name, base in (("first", "second"), ("second", "third"), ("third", "first")):
        path = write(tmp_path, f"{name}.toml", f'base = "{base}.toml"\n')
    with pytest.raises(RuleSetError, match=r"^third\.toml: base leads back to third\.toml") as caught:
        load_ruleset(path)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of a Unix file system")
def test_presets_that_are_no_ordinary_files(tmp_path: Path) -> None:
    (tmp_path / "round.toml").symlink_to("about.toml")
    (tmp_path / "about.toml").symlink_to("round.toml")
    with pytest.raises(RuleSetError, match=r"round\.toml: the file cannot be read: .*links"):
        load_ruleset(str(tmp_path / "round.toml"))
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(RuleSetError, match=r"pipe\.toml: it is no ordinary file"):
        load_ruleset(str(tmp_path / "pipe.toml"))


@pytest.mark.parametrize(
    ("text", "said"), [(f"x = {'[' * 3000}{']' * 3000}", "nested too deep"), (r'base = "a\u0000.toml"', "is not there")]
)
def test_presets_written_in_malice(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(RuleSetError, match=said):
        load_ruleset(write(tmp_path, "mine.toml", text))


def test_a_preset_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = write(tmp_path, "mine.toml", '\ufeffbase = "international"\nmin_set_length = 4\n')
    assert load_ruleset(path).min_set_length == 4
