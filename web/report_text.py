"""The rulings for people: verdict first, then each set, then whatever is odd."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import click

from referee.cards import face_code
from referee.census import BoxCount, FaceCount
from referee.changes import Change, TableChanges
from referee.findings import FindingCode, Severity
from referee.observation import Kind
from referee.ruling import JudgedSet, Verdict
from referee.set_ruling import JokerMeaning
from referee.switches import Faces
from web.examine import Examined, alternatives
from web.lines import VERDICT_WORDS, kind_and_value, labelled, legality, verdict_word, weighed
from web.messages import NOTHING_COUNTED, gathered, message
from web.output import printable

SOMETHING_ELSE = frozenset({FindingCode.UNLIKE_TILES, FindingCode.DRAWN})
"""Why a picture shows no box that could be counted."""
_BEFORE_REASON = 31
"""Columns of a set's line before its reason, without its tiles."""


def ruling_text(examined: Examined, picture: str | None = None) -> str:
    """The ruling on one photo; ``picture`` names the annotated picture that was written."""
    ruling, codes = examined.ruling, examined.codes
    verdict = verdict_word(ruling.verdict)
    lines = [f"{_name(examined)}: {verdict}{_because(examined)} (rules: {printable(ruling.rules)})"]
    width = max((len(_set_codes(judged, examined)) for judged in ruling.sets), default=0)
    for number, judged in enumerate(ruling.sets, start=1):
        tiles = _set_codes(judged, examined)
        state = legality(judged.legal)
        reasons = [message(finding, codes) for finding in judged.findings] or [""]
        lines.append(f"  {number:>3} {state} {tiles:<{width}}  {kind_and_value(judged)}  {reasons[0]}".rstrip())
        lines.extend(f"{'':<{width + _BEFORE_REASON}}{reason}" for reason in reasons[1:])
    alone = [i for i in ruling.loose if examined.observation.tiles[i].kind is Kind.FACE]
    if alone:
        lines.append(labelled("loose", " ".join(_marked(i, examined) for i in alone)))
    lines.extend(labelled("doubtful", text) for text in _doubtful(examined))
    lines.extend(weighed(*said) for said in gathered(ruling.findings, codes))
    if picture is not None:
        lines.append(labelled("picture", printable(picture)))
    return "\n".join(lines)


def summary_text(verdicts: Sequence[Verdict], unreadable: int) -> str:
    """One line over several photos."""
    counted = Counter(verdicts)
    parts = [f"{counted[verdict]} {VERDICT_WORDS[verdict].lower()}" for verdict in Verdict]
    if unreadable:
        parts.append(f"{unreadable} not read")
    return f"{len(verdicts) + unreadable} photos: {', '.join(parts)}"


def changes_text(before: Examined, after: Examined, changes: TableChanges) -> str:
    """What was added, moved and taken between two photos; set numbers are those of each photo's own ruling."""
    lines = [f"{_name(before)} -> {_name(after)}: {_change_counts(changes)}"]
    for label, some in (("added", changes.added), ("moved", changes.moved), ("taken", changes.taken)):
        lines.extend(labelled(label, _change(change, before, after)) for change in some)
    lines.extend(weighed(*said) for said in gathered(changes.findings, before.codes))
    return "\n".join(lines)


def count_text(examined: Examined, count: BoxCount) -> str:
    """The census of a box laid out before play."""
    word, colour = {
        True: ("COMPLETE", "green"), False: ("NOT COMPLETE", "red"), None: ("CANNOT TELL", "yellow"),
    }[count.complete]  # fmt: skip
    head = click.style(word, fg=colour, bold=True)
    rules = printable(examined.ruling.rules)
    lines = [f"{_name(examined)}: {head}, {count.seen} of {count.held} tiles surely read (rules: {rules})"]
    if count.empty:
        lines.append(labelled("nothing", NOTHING_COUNTED))
    for label, faces in (("missing", count.missing), ("surplus", count.surplus)):
        if faces:
            lines.append(labelled(label, _faces(faces)))
    if count.open_jokers:
        lines.append(labelled("jokers", _joker_count(count)))
    lines.extend(labelled("doubtful", text) for text in _doubtful(examined))
    if count.face_down:
        lines.append(labelled("face-down", f"{len(count.face_down)}"))
    if count.unread:
        lines.append(labelled("unread", f"{count.unread} (covered, cut or washed out)"))
    other = [finding for finding in examined.ruling.findings if finding.code in SOMETHING_ELSE]
    lines.extend(weighed(*said) for said in gathered(other, examined.codes))
    return "\n".join(lines)


def _name(examined: Examined) -> str:
    return printable(click.format_filename(examined.path))


def _because(examined: Examined) -> str:
    """Which sets and tiles the verdict rests on, in a few words."""
    ruling = examined.ruling
    if ruling.verdict is Verdict.LEGAL:
        return ""
    illegal = ruling.verdict is Verdict.ILLEGAL
    wanted, severity = (False, Severity.FAULT) if illegal else (None, Severity.DOUBT)
    numbers = [str(number) for number, judged in enumerate(ruling.sets, start=1) if judged.legal is wanted]
    parts = [f"set{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"] if numbers else []
    weighty = (finding.code.value for finding in ruling.findings if finding.severity is severity)
    parts += sorted({code.replace("_", " ") for code in weighty})
    return f" - {', '.join(parts)}" if parts else ""


def meaning_text(meaning: JokerMeaning, faces: Faces = Faces.TILES) -> str:
    """``=R6``, or ``=R7/O7`` where a joker may stand for either; the first is the one that the value counts."""
    return "=" + "/".join(face_code(tile, faces) for tile in meaning.possible or (meaning.stands_for,))


def _set_codes(judged: JudgedSet, examined: Examined) -> str:
    meanings = {meaning.place: meaning_text(meaning) for meaning in judged.meanings}
    parts = judged.parts or (judged.tiles,)
    return " | ".join(" ".join(_marked(i, examined) + meanings.get(i, "") for i in part) for part in parts)


def _marked(index: int, examined: Examined) -> str:
    code = examined.codes[index]
    return f"{code}?" if examined.observation.tiles[index].doubtful and code != "?" else code


def _doubtful(examined: Examined) -> Iterable[str]:
    places = {i: f"set {number}" for number, judged in enumerate(examined.ruling.sets, start=1) for i in judged.tiles}
    for index, tile in enumerate(examined.observation.tiles):
        if not tile.doubtful:
            continue
        readings = ", ".join(f"{code} {p:.0%}" for code, p in alternatives(tile)) or "nothing else likely"
        where = places.get(index, "in no set")
        yield f"{examined.codes[index]} {tile.confidence:.0%} ({where}), or: {readings}"


def _change_counts(changes: TableChanges) -> str:
    return (
        f"{len(changes.added)} added, {len(changes.moved)} moved, {len(changes.taken)} taken, "
        f"{changes.kept} where they were"
    )


def _change(change: Change, before: Examined, after: Examined) -> str:
    places = []
    if change.before is not None:
        places.append(f"from {_place(change.before_set, before)}")
    if change.after is not None:
        places.append(f"to {_place(change.after_set, after)}")
    return f"{change.named} {' '.join(places)}{' (doubtful)' if change.doubtful else ''}"


def _place(index: int | None, examined: Examined) -> str:
    """A set by its number and its tiles: the two photos number their sets apart."""
    return "no set" if index is None else f"set {index + 1} ({_set_codes(examined.ruling.sets[index], examined)})"


def _joker_count(count: BoxCount) -> str:
    """How many jokers there are, where the picture does not tell of which kinds."""
    number = ": the number is right" if count.jokers_seen == count.jokers_held else ""
    return f"{count.jokers_seen} of {count.jokers_held}{number}, but their kinds cannot be told"


def _faces(faces: Sequence[FaceCount]) -> str:
    return " ".join(
        f"{face.tile}" if abs(face.difference) == 1 else f"{face.tile}×{abs(face.difference)}" for face in faces
    )
