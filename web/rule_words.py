"""Switches of the rules for people: what each decides, and its value in words instead of the key of a preset file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from referee.ruleset import SWITCHES, RuleSet, differences
from referee.told import marked
from web.tongue import say

WORDS: Mapping[str, Mapping[str, str]] = {
    "faces": {"tiles": marked("number tiles"), "cards": marked("playing cards")},
    "direction": {"clockwise": marked("clockwise"), "counter_clockwise": marked("counter-clockwise")},
    "starter": {"highest_draw": marked("who drew the highest"), "lowest_draw": marked("who drew the lowest")},
    "draw_tie": {
        "redraw_tied": marked("those who are level draw again"),
        "redraw_all": marked("all draw again"),
        "earlier_seat": marked("the earlier seat starts"),
    },
    "draw_joker": {
        "redraw": marked("it is drawn again"),
        "highest": marked("the highest"),
        "lowest": marked("the lowest"),
    },
    "next_starter": {
        "draw": marked("tiles are drawn again"),
        "winner": marked("the winner"),
        "next_seat": marked("the next seat"),
    },
    "deal_mode": {
        "loose": marked("one by one from the pool"),
        "stacks": marked("in stacks of seven"),
        "joker_each": marked("with a joker for each"),
    },
    "redeal": {
        "off": marked("nothing"),
        "identical_pairs": marked("pairs of the same tile"),
        "same_number_or_colour": marked("tiles of one number or colour"),
    },
    "redeal_until": {
        "before_play": marked("before play begins"),
        "own_first_turn": marked("at one's own first turn"),
    },
    "row_order": {"note": marked("it is noted"), "illegal": marked("it is illegal")},
    "open_relax": {"off": marked("never"), "otsu": marked("otsu")},
    "table_play": {"rebuild": marked("they may be rebuilt"), "add_only": marked("they may only be added to")},
    "table_play_from": {
        "own_opening": marked("from one's own opening"),
        "all_opened": marked("once all have opened"),
    },
    "claim_until": {"next_move": marked("until the next move"), "round_end": marked("until the round ends")},
    "joker_replace_from": {"rack": marked("the rack"), "rack_or_table": marked("the rack or the table")},
    "joker_freed_by": {
        "tile": marked("only the tile that it stands for"),
        "tile_or_rebuild": marked("its tile, or taking its set apart"),
    },
    "joker_group3": {"either": marked("either of them"), "both": marked("both of them together")},
    "joker_set_mutable": {"free": marked("everything"), "add_only": marked("it may only be added to")},
    "joker_meaning": {"fixed": marked("it keeps it"), "rereadable": marked("it may be read anew")},
    "joker_freed_use": {
        "any_set": marked("in any set"),
        "other_set": marked("in another set"),
        "new_set": marked("in a new set"),
    },
    "clock": {
        "none": marked("not at all"),
        "per_turn": marked("so much for each turn"),
        "bronstein": marked("a reserve, and each move gives some back"),
    },
    "timer_started_by": {
        "player": marked("the player"),
        "next_player": marked("the next player"),
        "referee": marked("the referee"),
    },
    "overrun": {"always": marked("each"), "only_if_unfinished": marked("only one that leaves the table unfinished")},
    "unfinished": {
        "restore": marked("it is put back as it was"),
        "take_broken": marked("the player takes the broken sets"),
    },
    "leftovers": {
        "pool": marked("to the pool"),
        "rack": marked("to the player's rack"),
        "pool_and_draw": marked("to the pool, and as many are drawn"),
    },
    "late_tidy": {
        "none": marked("not at all"),
        "one_move": marked("by one move"),
        "allowed": marked("as it is needed"),
    },
    "pool_empty": {
        "play_on": marked("until nobody can play"),
        "extra_turn": marked("one more turn for each"),
        "bank": marked("tiles go to the pool one by one"),
        "stop": marked("it ends at once"),
    },
    "pool_winner": {"lowest_sum": marked("the lowest rack sum"), "fewest_tiles": marked("the fewest tiles")},
    "pool_tie": {
        "shared": marked("they share it"),
        "other_measure": marked("the other measure decides"),
        "earlier_seat": marked("the earlier seat"),
    },
    "pool_scores": {
        "difference": marked("the difference to the winner"),
        "rack_sums": marked("their whole rack sums"),
    },
    "scoring": {
        "winner_takes": marked("losers lose their rack sums, and the winner gets them"),
        "rack_sums": marked("all lose their rack sums"),
    },
    "unopened_mode": {"instead": marked("instead"), "on_top": marked("on top")},
    "unopened_exempt": {
        "off": marked("neither"),
        "able": marked("that of a rack that could have"),
        "both": marked("both of them"),
    },
    "rank_by": {
        "points": marked("the points"),
        "wins": marked("won rounds"),
        "placing": marked("points for places"),
        "first_to_wins": marked("who has the wins first"),
    },
    "carry_over": {"all": marked("all points"), "half": marked("half of the points"), "none": marked("nothing")},
    "tie_break": {
        "points": marked("the points"),
        "wins": marked("won rounds"),
        "best_games": marked("the best single rounds"),
        "extra_game": marked("an extra round"),
        "earlier_seat": marked("the earlier seat"),
    },
}
"""The named positions of each switch that has some."""


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A switch in which two rule sets differ: what it decides, and the value of either, in words."""

    key: str
    about: str
    here: str
    usual: str


def difference_lines(usual: RuleSet, ruleset: RuleSet) -> list[RuleLine]:
    """How a rule set differs from the usual one, in the order of the switches."""
    return [
        RuleLine(key, say(SWITCHES[key].about), value_words(key, here), value_words(key, there))
        for key, there, here in ((one.key, one.first, one.second) for one in differences(usual, ruleset))
    ]


def value_words(key: str, value: object) -> str:
    """The value of a switch as people say it."""
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, tuple):
        return ", ".join(value_words(key, one) for one in value) or say("none")
    return say(WORDS[key][str(value)]) if key in WORDS else str(value)
