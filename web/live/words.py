"""What a live table says, for people: one or more lines for each notice, and a line for the view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from referee.cards import face_code
from referee.findings import Finding, Severity
from referee.places import centre
from referee.protocol import Stage
from referee.restore import StepKind
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.switches import Leftovers
from referee.tiles import Tile
from vision.frames import CameraFault
from web.camera_words import back_sentence, fault_sentence
from web.judge_remarks import OF_TABLE_BEFORE
from web.lines import labelled, verdict_word, weighed
from web.live.notices import LiveRuling, Notice, NoticeCode, QuestionKind, TileQuestion
from web.live.view import LiveView, RestoreView
from web.messages import deciding_rule, listed, message
from web.output import printable
from web.telling import say_whole

CAMERA = "the camera"
"""What the camera of a table is called."""
WAITING = {
    "hand": "a hand is over the table",
    "moving": "something moves",
    "light": "the light has changed",
    "camera": "the camera moves",
}
"""Why the table is not read just now."""
LEFTOVERS = {
    Leftovers.POOL: "they go to the pool",
    Leftovers.RACK: "they go to the player's rack",
    Leftovers.POOL_AND_DRAW: "they go to the pool, and the player draws as many",
}
STAGES = {
    Stage.SETUP: "before the deal",
    Stage.READY: "the clock waits",
    Stage.PLAY: "plays",
    Stage.CALLED: "called, waits for a still table",
    Stage.FIX: "illegal, may be mended",
    Stage.BELL: "time is up, waits for a still table",
    Stage.TIDY: "tidying",
    Stage.TIDIED: "tidied, waits for a still table",
    Stage.RESTORE: "the table is put back",
    Stage.QUESTION: "the referee must rule",
    Stage.COUNT: "the round is over: show the racks",
    Stage.BETWEEN: "between rounds",
}
_ASKED = {
    QuestionKind.DOUBTFUL: "which tile is this",
    QuestionKind.CHANGED: "this tile was not moved and reads otherwise now: which is it",
    QuestionKind.MISSING: "this tile lay here and is not seen: is it there",
    QuestionKind.COPIES: "there are more copies than the box holds: which tile is this",
}
_STEPS = {
    StepKind.MOVE: "move {tile} back to {home}",
    StepKind.TAKE_OFF: "take {tile} off the table, back to the rack",
    StepKind.BRING_BACK: "bring {tile} back to {home}",
}


class Words:
    """Sentences for one game: it knows the players' names and what the box prints."""

    def __init__(self, ruleset: RuleSet) -> None:
        self.ruleset = ruleset
        self.names: tuple[str, ...] = ()

    def name(self, seat: int | None) -> str:
        """A player's name; a seat that nobody has is told by its number."""
        if seat is None:
            return "nobody"
        return printable(self.names[seat]) if 0 <= seat < len(self.names) else f"seat {seat + 1}"

    def tiles(self, tiles: Sequence[Tile]) -> str:
        """Tiles as the box prints them."""
        return " ".join(face_code(tile, self.ruleset.faces) for tile in tiles)

    def lines(self, notice: Notice) -> list[str]:
        """What a notice says, the sentence first."""
        special: dict[NoticeCode, Callable[[Notice], Iterator[str]]] = {
            NoticeCode.RULED: self._ruled,
            NoticeCode.OVERRULED: self._ruled,
            NoticeCode.FIX: self._fix,
            NoticeCode.ASK: self._ask,
            NoticeCode.DOUBT: self._doubt,
            NoticeCode.MISCOUNT: self._miscount,
            NoticeCode.SCORED: self._scored,
        }
        if notice.code in special:
            return list(special[notice.code](notice))
        return [self._sentence(notice)]

    def _sentence(self, notice: Notice) -> str:  # noqa: C901, PLR0912  one case a notice
        name, text = self.name(notice.seat), printable(notice.text)
        match notice.code:
            case NoticeCode.SEATED:
                return f"Players: {', '.join(map(printable, self.names))} (rules: {printable(self.ruleset.name)})."
            case NoticeCode.DRAW_AGAIN:
                return f"{listed([self.name(seat) for seat in notice.numbers])} must draw again."
            case NoticeCode.STARTS:
                return f"{name} starts."
            case NoticeCode.DEALT:
                return f"Dealt: {', '.join(map(str, notice.numbers))} tiles."
            case NoticeCode.NOT_EMPTY:
                return (
                    f"The round was only dealt, and {_tiles(notice.numbers[0])} lie{'s' * (notice.numbers[0] == 1)} on "
                    f"the table: take off what does not belong there. Or say 'restored trust' where {name} has laid "
                    f"that, 'accept racks COUNTS' where it is the table of a game that goes on."
                )
            case NoticeCode.REDEAL:
                return f"{name} has no right to a new deal: {text}." if text else f"{name} is granted a new deal."
            case NoticeCode.TURN:
                starts = f"; {self.name(notice.numbers[0])} starts the clock" if notice.numbers else ""
                return f"{name} is on turn{_time(notice.seconds)}{starts}."
            case NoticeCode.GOES_ON:
                return f"The game goes on where it was; {name} is on turn, and the clock begins anew."
            case NoticeCode.CALLED:
                return f"{name} ends the turn."
            case NoticeCode.CALL_TAKEN_BACK:
                return f"The call is taken back; {name} goes on."
            case NoticeCode.BELL:
                return f"The time of {name} is over: hands off the table."
            case NoticeCode.TIDY:
                return f"{name} may tidy the table and lay nothing more{_time(notice.seconds)}."
            case NoticeCode.RESTORE:
                return f"{name} puts the table back: {text or 'nothing lies on it'}."
            case NoticeCode.RESTORED:
                pool, rack = (*notice.numbers, 0, 0)[:2]
                gone = f"; {pool} went to the pool, {rack} to the rack" if pool or rack else ""
                return f"The table is as it must be{gone}."
            case NoticeCode.NOT_RESTORED:
                return f"The table must first be put back: {text or 'nothing lies on it'}."
            case NoticeCode.ROUND_OVER:
                won = "the pool is empty" if notice.seat is None else f"{name} has an empty rack"
                return f"The round is over: {won}. Show the racks."
            case NoticeCode.WIN_DOUBTED:
                return f"{name} says the rack is empty, and the log counts {_tiles(notice.numbers[0])} on it: look."
            case NoticeCode.RACK:
                return f"The rack of {name}: {self.tiles(notice.tiles) or 'empty'}."
            case NoticeCode.RACK_UNREAD:
                return f"The rack of {name} cannot be read wholly ({text}): show it again, or type it."
            case NoticeCode.CONFIRMED:
                return f"{name} agrees with the scores."
            case NoticeCode.ROUND:
                return f"Round {notice.numbers[0]}."
            case NoticeCode.EXTENDED:
                return f"The time is extended by {notice.seconds or 0:.0f} s."
            case NoticeCode.UNDONE:
                return f"The last turn is taken back; {name} is on turn again."
            case NoticeCode.CORRECTED:
                return f"The table is now: {text or 'empty'}."
            case NoticeCode.PENALTY:
                tiles, points = notice.numbers
                return f"Penalty for {name}: {_tiles(tiles)}, {points} points."
            case NoticeCode.LEFT:
                return f"{name} has left."
            case NoticeCode.STORE_TROUBLE | NoticeCode.REFUSED:
                return printable(say_whole(notice.told, self.name))
            case NoticeCode.CAMERA_TROUBLE:
                return _fault(notice.text)
            case _:
                return _FIXED[notice.code]

    def _ruled(self, notice: Notice) -> Iterator[str]:
        ruling = notice.ruling
        if ruling is None:
            return
        by = "" if ruling.by == "machine" else " (the referee's ruling)"
        yield f"{verdict_word(ruling.verdict)} {self.name(notice.seat)}{self._what(ruling)}{by}"
        yield from self.findings(ruling)

    def _what(self, ruling: LiveRuling) -> str:
        parts = [f"lays {self.tiles(ruling.laid)}"] if ruling.laid else []
        if ruling.laid and ruling.opening is not None and ruling.verdict is Verdict.LEGAL:
            parts[0] += f" (opening: {ruling.opening})"
        parts += [f"draws {_tiles(ruling.drew)}"] if ruling.drew else []
        parts += [f"takes {_tiles(ruling.took)} from the table"] if ruling.took else []
        parts += [f"loses {ruling.points} points"] if ruling.points else []
        return f" {', '.join(parts)}." if parts else "."

    def findings(self, ruling: LiveRuling) -> Iterator[str]:
        """Why, the gravest first, each with its weight and the rule that decides."""
        return (weighed(severity, sentence) for severity, sentence in self.reasons(ruling))

    def reasons(self, ruling: LiveRuling) -> Iterator[tuple[Severity, str]]:
        """The same as weights and sentences."""
        for severity in Severity:
            for finding in ruling.findings:
                if finding.severity is severity:
                    yield severity, self._finding(finding, ruling)

    def _finding(self, finding: Finding, ruling: LiveRuling) -> str:
        codes = ruling.before if finding.code in OF_TABLE_BEFORE else ruling.after
        if any(i >= len(codes) for i in finding.tiles):
            return finding.code.value.replace("_", " ")
        rule = deciding_rule(finding, self.ruleset)
        return message(finding, codes, self.ruleset.faces) + ("" if rule is None else f" [{rule}]")

    def _fix(self, notice: Notice) -> Iterator[str]:
        ruling = notice.ruling
        if ruling is None:
            return
        yield f"{verdict_word(ruling.verdict)} {self.name(notice.seat)} may mend it{_time(notice.seconds)}."
        yield from self.findings(ruling)

    def _ask(self, notice: Notice) -> Iterator[str]:
        tiles = _count(len(notice.questions), "tile")
        yield f"{verdict_word(Verdict.CANNOT_TELL)} yet: {tiles} to settle (key of the tile, key of the choice)."
        yield from (self.question(question) for question in notice.questions)

    def question(self, question: TileQuestion) -> str:
        """One question with its numbered choices."""
        codes = [f"{k}: {self.tiles([tile])}" for k, tile in enumerate(question.choices[:9], 1)]
        x, y = map(round, centre(question.quad))
        choices = ", ".join([*codes, "0: no tile"])
        return labelled(f"tile {question.number + 1}", f"at {x}, {y}: {_ASKED[question.kind]}? {choices}")

    def _doubt(self, notice: Notice) -> Iterator[str]:
        verdict = verdict_word(Verdict.CANNOT_TELL)
        yield f"{verdict} {self.name(notice.seat)}: the referee rules, or the table is laid clearly."
        if notice.text == "another_table":
            yield labelled("doubt", "Most of the table is not where it was: was the camera or the table moved?")
            yield labelled("", "'accept' takes it as it lies, 'accept racks 5 9 ...' with the tiles on each rack.")
        if notice.ruling is not None:
            yield from self.findings(notice.ruling)

    def _miscount(self, notice: Notice) -> Iterator[str]:
        for k in range(0, len(notice.numbers), 3):
            seat, logged, shown = notice.numbers[k : k + 3]
            yield f"The rack of {self.name(seat)} shows {_tiles(shown)}, and the log counts {logged}."

    def _scored(self, notice: Notice) -> Iterator[str]:
        points = ", ".join(f"{self.name(seat)} {score:+d}" for seat, score in enumerate(notice.numbers))
        yield f"Scores: {points}."

    def step(self, step: RestoreView) -> str:
        """One tile to put back, ticked where it is done."""
        home = "its set" if step.home_set is None else f"set {step.home_set + 1}"
        sentence = _STEPS[step.kind].format(tile=self.tiles([step.tile]), home=home)
        return labelled("[x]" if step.done else "[ ]", sentence)

    def restoring(self, view: LiveView) -> list[str]:
        """The whole list of what goes back where, and what becomes of what nobody remembers."""
        lines = [f"The table must be: {view.table or 'empty'}"]
        lines += [self.step(step) for step in view.restoring]
        lines.append(labelled("forgotten", f"tiles whose place nobody remembers: {LEFTOVERS[view.leftovers]}"))
        return lines

    def status(self, view: LiveView) -> str:
        """One line: whose turn, how long, what the table waits for."""
        parts = [f"round {view.round}", f"turn {view.turn + 1}"]
        if view.seats:
            parts.append(self.name(view.seat))
        parts.append(STAGES[view.stage])
        if view.left_s is not None:
            parts.append(f"{view.left_s:.0f} s left")
        if view.paused:
            parts.append("paused")
        if view.why:
            parts.append(WAITING.get(view.why, view.why))
        return ", ".join(parts)


_FIXED = {
    NoticeCode.PAUSED: "The clock stands still.",
    NoticeCode.RESUMED: "The clock goes on.",
    NoticeCode.CHANGED_IN_PAUSE: "The table was changed while the clock stood still.",
    NoticeCode.STORE_WELL: "The game is written again.",
    NoticeCode.GONE_ON_ELSEWHERE: "Another program has written to this game: the table goes on from there.",
    NoticeCode.CAMERA_WELL: back_sentence(CAMERA),
}


def _fault(code: str) -> str:
    """What is wrong with the camera."""
    known = {fault.value: fault for fault in CameraFault}
    return fault_sentence(known[code], CAMERA) if code in known else f"The camera is in trouble: {printable(code)}."


def _time(seconds: float | None) -> str:
    return "" if seconds is None else f", {seconds:.0f} s"


def _tiles(count: int) -> str:
    return _count(count, "tile")


def _count(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
