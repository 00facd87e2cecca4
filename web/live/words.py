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
from referee.told import marked
from web.camera_words import back_sentence, code_sentence
from web.judge_remarks import OF_TABLE_BEFORE
from web.lines import labelled, verdict_word, weighed
from web.live.notices import LiveRuling, Notice, NoticeCode, QuestionKind, TileQuestion
from web.live.view import LiveView, RestoreView
from web.messages import deciding_rule, listed, message
from web.output import printable
from web.telling import say_whole, seat_by_number
from web.tongue import say, say_count

WAITING = {
    "hand": marked("a hand is over the table"),
    "moving": marked("something moves"),
    "light": marked("the light has changed"),
    "camera": marked("the camera moves"),
}
"""Why the table is not read just now."""
LEFTOVERS = {
    Leftovers.POOL: marked("tiles whose place nobody remembers: they go to the pool"),
    Leftovers.RACK: marked("tiles whose place nobody remembers: they go to the player's rack"),
    Leftovers.POOL_AND_DRAW: marked(
        "tiles whose place nobody remembers: they go to the pool, and the player draws as many"
    ),
}
STAGES = {
    Stage.SETUP: marked("before the deal"),
    Stage.READY: marked("the clock waits"),
    Stage.PLAY: marked("plays"),
    Stage.CALLED: marked("called, waits for a still table"),
    Stage.FIX: marked("illegal, may be mended"),
    Stage.BELL: marked("time is up, waits for a still table"),
    Stage.TIDY: marked("tidying"),
    Stage.TIDIED: marked("tidied, waits for a still table"),
    Stage.RESTORE: marked("the table is put back"),
    Stage.QUESTION: marked("the referee must rule"),
    Stage.COUNT: marked("the round is over: show the racks"),
    Stage.BETWEEN: marked("between rounds"),
}
_ASKED = {
    QuestionKind.DOUBTFUL: marked("at {x}, {y}: which tile is this? {choices}"),
    QuestionKind.CHANGED: marked(
        "at {x}, {y}: this tile was not moved and reads otherwise now: which is it? {choices}"
    ),
    QuestionKind.MISSING: marked("at {x}, {y}: this tile lay here and is not seen: is it there? {choices}"),
    QuestionKind.HIDDEN: marked("at {x}, {y}: does a tile lie here that cannot be read? Show its face, or: {choices}"),
    QuestionKind.COPIES: marked(
        "at {x}, {y}: there are more copies than the box holds: which tile is this? {choices}"
    ),
}
_STEPS = {
    StepKind.MOVE: marked("move {tile} back to its set"),
    StepKind.TAKE_OFF: marked("take {tile} off the table, back to the rack"),
    StepKind.BRING_BACK: marked("bring {tile} back to its set"),
}
_STEPS_TO_SET = {
    **_STEPS,
    StepKind.MOVE: marked("move {tile} back to set {number}"),
    StepKind.BRING_BACK: marked("bring {tile} back to set {number}"),
}
"""Where it is known which set of the table that is."""


class Words:
    """Sentences for one game: it knows the players' names and what the box prints."""

    def __init__(self, ruleset: RuleSet) -> None:
        self.ruleset = ruleset
        self.names: tuple[str, ...] = ()

    def name(self, seat: int | None) -> str:
        """A player's name; a seat that nobody has is told by its number."""
        if seat is None:
            return say("nobody")
        return printable(self.names[seat]) if 0 <= seat < len(self.names) else seat_by_number(seat)

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
        name, text, count = self.name(notice.seat), printable(notice.text), (*notice.numbers, 0)[0]
        match notice.code:
            case NoticeCode.SEATED:
                players, rules = ", ".join(map(printable, self.names)), printable(self.ruleset.name)
                return say("Players: {names} (rules: {rules}).", names=players, rules=rules)
            case NoticeCode.DRAW_AGAIN:
                names = listed([self.name(seat) for seat in notice.numbers])
                many = len(notice.numbers)
                return say_count("{names} must draw again.", "{names} must draw again.", many, names=names)
            case NoticeCode.STARTS:
                return say("{name} starts.", name=name)
            case NoticeCode.DEALT:
                return say("Dealt: {numbers} tiles.", numbers=", ".join(map(str, notice.numbers)))
            case NoticeCode.NOT_EMPTY:
                return say_count(
                    "The round was only dealt, and {count} tile lies on the table: take off what does not belong there."
                    " Where {name} has laid that, go on without looking; where it is the table of a game that goes on,"
                    " take it as it lies, with the tiles on each rack.",
                    "The round was only dealt, and {count} tiles lie on the table: take off what does not belong there."
                    " Where {name} has laid that, go on without looking; where it is the table of a game that goes on,"
                    " take it as it lies, with the tiles on each rack.",
                    count,
                    name=name,
                )
            case NoticeCode.REDEAL if text:
                return say("{name} has no right to a new deal: {why}.", name=name, why=text)
            case NoticeCode.REDEAL:
                return say("{name} is granted a new deal.", name=name)
            case NoticeCode.TURN:
                return self._turn(notice)
            case NoticeCode.GOES_ON:
                return say("The game goes on where it was; {name} is on turn, and the clock begins anew.", name=name)
            case NoticeCode.CALLED:
                return say("{name} ends the turn.", name=name)
            case NoticeCode.CALL_TAKEN_BACK:
                return say("The call is taken back; {name} goes on.", name=name)
            case NoticeCode.BELL:
                return say("The time of {name} is over: hands off the table.", name=name)
            case NoticeCode.TIDY if notice.seconds is None:
                return say("{name} may tidy the table and lay nothing more.", name=name)
            case NoticeCode.TIDY:
                left = round(notice.seconds or 0)
                return say("{name} may tidy the table and lay nothing more, {seconds} s.", name=name, seconds=left)
            case NoticeCode.RESTORE if text:
                return say("{name} puts the table back: {table}.", name=name, table=text)
            case NoticeCode.RESTORE:
                return say("{name} puts the table back: nothing lies on it.", name=name)
            case NoticeCode.RESTORED:
                pool, rack = (*notice.numbers, 0, 0)[:2]
                if not (pool or rack):
                    return say("The table is as it must be.")
                gone = marked("The table is as it must be; {pool} went to the pool, {rack} to the rack.")
                return say(gone, pool=pool, rack=rack)
            case NoticeCode.NOT_RESTORED if text:
                return say("The table must first be put back: {table}.", table=text)
            case NoticeCode.NOT_RESTORED:
                return say("The table must first be put back: nothing lies on it.")
            case NoticeCode.ROUND_OVER if notice.seat is None:
                return say("The round is over: the pool is empty. Show the racks.")
            case NoticeCode.ROUND_OVER:
                return say("The round is over: {name} has an empty rack. Show the racks.", name=name)
            case NoticeCode.WIN_DOUBTED:
                return say_count(
                    "{name} says the rack is empty, and the log counts {count} tile on it: look.",
                    "{name} says the rack is empty, and the log counts {count} tiles on it: look.",
                    count,
                    name=name,
                )
            case NoticeCode.RACK if notice.tiles:
                return say("The rack of {name}: {tiles}.", name=name, tiles=self.tiles(notice.tiles))
            case NoticeCode.RACK:
                return say("The rack of {name}: empty.", name=name)
            case NoticeCode.RACK_UNREAD:
                unread = marked("The rack of {name} cannot be read wholly ({places}): show it again, or type it.")
                return say(unread, name=name, places=text)
            case NoticeCode.CONFIRMED:
                return say("{name} agrees with the scores.", name=name)
            case NoticeCode.ROUND:
                return say("Round {number}.", number=count)
            case NoticeCode.EXTENDED:
                return say("The time is extended by {seconds} s.", seconds=round(notice.seconds or 0))
            case NoticeCode.UNDONE:
                return say("The last turn is taken back; {name} is on turn again.", name=name)
            case NoticeCode.CORRECTED if text:
                return say("The table is now: {table}.", table=text)
            case NoticeCode.CORRECTED:
                return say("The table is now: empty.")
            case NoticeCode.PENALTY:
                tiles, points = notice.numbers
                told = say_count("{count} point", "{count} points", points)
                return say("Penalty for {name}: {tiles}, {points}.", name=name, tiles=_tiles(tiles), points=told)
            case NoticeCode.LEFT:
                return say("{name} has left.", name=name)
            case NoticeCode.STORE_TROUBLE | NoticeCode.REFUSED:
                return printable(say_whole(notice.told, self.name))
            case NoticeCode.CAMERA_TROUBLE:
                return code_sentence(notice.text)
            case NoticeCode.CAMERA_WELL:
                return back_sentence()
            case _:
                return say(_FIXED[notice.code])

    def _turn(self, notice: Notice) -> str:
        name = self.name(notice.seat)
        if not notice.numbers:
            if notice.seconds is None:
                return say("{name} is on turn.", name=name)
            return say("{name} is on turn, {seconds} s.", name=name, seconds=round(notice.seconds))
        starter = self.name(notice.numbers[0])
        if notice.seconds is None:
            return say("{name} is on turn; {starter} starts the clock.", name=name, starter=starter)
        timed = marked("{name} is on turn, {seconds} s; {starter} starts the clock.")
        return say(timed, name=name, seconds=round(notice.seconds), starter=starter)

    def _ruled(self, notice: Notice) -> Iterator[str]:
        ruling = notice.ruling
        if ruling is None:
            return
        deeds = ", ".join(self._deeds(ruling))
        line = f"{verdict_word(ruling.verdict)} {' '.join(filter(None, [self.name(notice.seat), deeds]))}."
        yield line if ruling.by == "machine" else say("{ruling} (the referee's ruling)", ruling=line)
        yield from self.findings(ruling)

    def _deeds(self, ruling: LiveRuling) -> Iterator[str]:
        """What the player does by a ruling, each as what may follow a name."""
        if ruling.laid:
            tiles = self.tiles(ruling.laid)
            if ruling.opening is not None and ruling.verdict is Verdict.LEGAL:
                yield say("lays {tiles} (opening: {opening})", tiles=tiles, opening=ruling.opening)
            else:
                yield say("lays {tiles}", tiles=tiles)
        yield from self.costs(ruling)

    def costs(self, ruling: LiveRuling) -> Iterator[str]:
        """What a ruling costs the player, each as what may follow a name."""
        if ruling.drew:
            yield say_count("draws {count} tile", "draws {count} tiles", ruling.drew)
        if ruling.took:
            yield say_count("takes {count} tile from the table", "takes {count} tiles from the table", ruling.took)
        if ruling.points:
            yield say_count("loses {count} point", "loses {count} points", ruling.points)

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
        ruling, name = notice.ruling, self.name(notice.seat)
        if ruling is None:
            return
        if notice.seconds is None:
            mend = say("{name} may mend it.", name=name)
        else:
            mend = say("{name} may mend it, {seconds} s.", name=name, seconds=round(notice.seconds))
        yield f"{verdict_word(ruling.verdict)} {mend}"
        yield from self.findings(ruling)

    def _ask(self, notice: Notice) -> Iterator[str]:
        yield say_count(
            "{verdict} yet: {count} tile to settle (key of the tile, key of the choice).",
            "{verdict} yet: {count} tiles to settle (key of the tile, key of the choice).",
            len(notice.questions),
            verdict=verdict_word(Verdict.CANNOT_TELL),
        )
        yield from (self.question(question) for question in notice.questions)

    def question(self, question: TileQuestion) -> str:
        """One question with its numbered choices."""
        codes = [f"{k}: {self.tiles([tile])}" for k, tile in enumerate(question.choices[:9], 1)]
        x, y = map(round, centre(question.quad))
        choices = ", ".join([*codes, f"0: {say('no tile')}"])
        tile = say("tile {number}", number=question.number + 1)
        return labelled(tile, say(_ASKED[question.kind], x=x, y=y, choices=choices))

    def _doubt(self, notice: Notice) -> Iterator[str]:
        verdict, name = verdict_word(Verdict.CANNOT_TELL), self.name(notice.seat)
        yield f"{verdict} {say('{name}: the referee rules, or the table is laid clearly.', name=name)}"
        if notice.text == "another_table":
            moved = say("Most of the table is not where it was: was the camera or the table moved?")
            yield labelled(say("doubt"), moved)
            yield labelled("", say("Take it as it lies, or with the tiles on each rack as they were counted anew."))
        if notice.ruling is not None:
            yield from self.findings(notice.ruling)

    def _miscount(self, notice: Notice) -> Iterator[str]:
        for k in range(0, len(notice.numbers), 3):
            seat, logged, shown = notice.numbers[k : k + 3]
            yield say_count(
                "The rack of {name} shows {count} tile, and the log counts {logged}.",
                "The rack of {name} shows {count} tiles, and the log counts {logged}.",
                shown,
                name=self.name(seat),
                logged=logged,
            )

    def _scored(self, notice: Notice) -> Iterator[str]:
        points = ", ".join(f"{self.name(seat)} {score:+d}" for seat, score in enumerate(notice.numbers))
        yield say("Scores: {points}.", points=points)

    def step(self, step: RestoreView) -> str:
        """One tile to put back, ticked where it is done."""
        return labelled("[x]" if step.done else "[ ]", self.step_sentence(step))

    def step_sentence(self, step: RestoreView) -> str:
        """One tile to put back."""
        tile = self.tiles([step.tile])
        if step.home_set is None:
            return say(_STEPS[step.kind], tile=tile)
        return say(_STEPS_TO_SET[step.kind], tile=tile, number=step.home_set + 1)

    def restoring(self, view: LiveView) -> list[str]:
        """The whole list of what goes back where, and what becomes of what nobody remembers."""
        lines = [say("The table must be: {table}", table=view.table) if view.table else say("The table must be: empty")]
        lines += [self.step(step) for step in view.restoring]
        lines.append(labelled(say("forgotten"), say(LEFTOVERS[view.leftovers])))
        return lines

    def status(self, view: LiveView) -> str:
        """One line: whose turn, how long, what the table waits for."""
        parts = [say("round {round}, turn {turn}", round=view.round, turn=view.turn + 1)]
        if view.seats:
            parts.append(self.name(view.seat))
        parts.append(say(STAGES[view.stage]))
        if view.left_s is not None:
            parts.append(say("{seconds} s left", seconds=round(view.left_s)))
        if view.paused:
            parts.append(say("paused"))
        if view.why:
            parts.append(waiting_words(view.why))
        return ", ".join(parts)


def waiting_words(why: str) -> str:
    """Why the table is not read just now; empty while it is."""
    return say(WAITING.get(why, why))


_FIXED = {
    NoticeCode.PAUSED: marked("The clock stands still."),
    NoticeCode.RESUMED: marked("The clock goes on."),
    NoticeCode.CHANGED_IN_PAUSE: marked("The table was changed while the clock stood still."),
    NoticeCode.STORE_WELL: marked("The game is written again."),
    NoticeCode.GONE_ON_ELSEWHERE: marked("Another program has written to this game: the table goes on from there."),
}


def _tiles(count: int) -> str:
    return say_count("{count} tile", "{count} tiles", count)
