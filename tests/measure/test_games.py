"""The results of simulated games are gathered whole, and a broken promise is told as one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.measure.games import main, promises, summed, table
from web.simulate_book import Book, BookError, gathered
from web.simulation.figures import GameFigures


def game(seed: int = 1, rules: str = "jp", **more: Any) -> GameFigures:
    figures = GameFigures(seed, rules, 3, turns=50, rulings=50, scored=True, waits_ms=[200.0] * 49 + [900.0])
    for name, value in more.items():
        setattr(figures, name, value)
    return figures


def test_games_of_several_files_are_one_table(tmp_path: Path) -> None:
    one, other = Book(tmp_path / "one.jsonl"), Book(tmp_path / "other.jsonl")
    one.add(game(1, turns_asked=1, questions=1, right_tile=1))
    one.add(game(3, "wrc"))
    other.add(game(2, "wrc"))
    other.add(game(3, "wrc"))
    lines = gathered([one.path, other.path])
    assert [line["seed"] for line in lines] == [1, 2, 3]
    rows = table(lines)
    assert len({row.count("|") for row in rows}) == 1
    assert rows[2].startswith("| jp | 1 | 3 | 50 ")
    assert rows[3].startswith("| wrc | 2 | 3 | 100 ")
    assert "| 1 (0.7%) |" in rows[4]
    assert all(kept for kept, _ in promises(summed(lines)))
    assert CliRunner().invoke(main, [str(one.path), str(other.path)]).exit_code == 0


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ({"wrong": 1}, "1 wrong"),
        ({"silent": 1}, "1 misread unnoticed"),
        ({"questions": 2, "right_tile": 1}, "1 questions about another tile"),
        ({"doubts": 1}, "1 unsettled"),
        ({"refused": 1}, "1 unsettled"),
        ({"no_ruling": 1}, "1 unsettled"),
        ({"restores_stuck": 1}, "1 unsettled"),
        ({"false_legal": 1}, "no false legal: 1"),
        ({"turns_asked": 2, "questions": 2, "right_tile": 2}, "4.00% (2 of 50)"),
        ({"waits_ms": [800.0] * 50}, "700 ms: 800 ms"),
        ({"waits_ms": [100.0] * 40 + [2000.0] * 10}, "1500 ms: 2000 ms"),
        ({"scored": False}, "0 of 1"),
        ({"scored": None}, "0 of 1"),
    ],
)
def test_each_promise_can_be_broken(broken: dict[str, Any], says: str, tmp_path: Path) -> None:
    book = Book(tmp_path / "games.jsonl")
    book.add(game(**broken))
    failed = [text for kept, text in promises(summed(book.lines())) if not kept]
    assert len(failed) == 1
    assert says in failed[0]
    assert CliRunner().invoke(main, [str(book.path)]).exit_code == 1


def test_a_line_broken_off_in_writing_is_played_again(tmp_path: Path) -> None:
    book = Book(tmp_path / "games.jsonl")
    book.begin()
    assert book.lines() == []
    book.add(game(1))
    with book.path.open("a", encoding="utf-8") as file:
        file.write('{"seed": 2, "rules": "jp", "pl')
    assert book.holds(1, "jp", 3)
    assert not book.holds(2, "jp", 3)
    book.add(game(2))
    assert [line["seed"] for line in book.lines()] == [1, 2]


def test_what_is_no_file_of_results_is_one_sentence(tmp_path: Path) -> None:
    strange = tmp_path / "strange.jsonl"
    for text in ("a diary\n", '{"seed": 1}\n', "[1, 2]\n"):
        strange.write_text(text, encoding="utf-8")
        with pytest.raises(BookError, match=r"Line 1 of .*strange\.jsonl is no result of a game"):
            Book(strange).lines()
        done = CliRunner().invoke(main, [str(strange)])
        assert done.exit_code == 1
        assert "no result of a game" in done.output
    with pytest.raises(BookError, match="cannot be written"):
        Book(tmp_path / "no" / "games.jsonl").begin()
