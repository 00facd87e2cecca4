"""The rulings for people: verdict first, then each set, then whatever is odd."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import click

from referee.cards import face_code
from referee.census import BoxCount, FaceCount
from referee.changes import Change, TableChanges
from referee.findings import Severity
from referee.observation import Kind
from referee.ruling import JudgedSet, Verdict
from referee.set_ruling import JokerMeaning, SetKind
from referee.switches import Faces
from web.examine import Examined, alternatives
from web.messages import gathered, message
from web.output import printable

VERDICT_WORDS = {Verdict.LEGAL: "LEGAL", Verdict.ILLEGAL: "ILLEGAL", Verdict.CANNOT_TELL: "CANNOT TELL"}
LEGAL_WORDS = {True: "legal", False: "illegal", None: "cannot tell"}
_VERDICT_COLOURS = {Verdict.LEGAL: "green", Verdict.ILLEGAL: "red", Verdict.CANNOT_TELL: "yellow"}
_LEGAL_COLOURS = {True: "green", False: "red", None: "yellow"}
_LABEL_WIDTH = 16
_BEFORE_REASON = 31
"""Columns of a set's line before its reason, without its tiles."""


def ruling_text(examined: Examined, picture: str | None = None) -> str:
    """The ruling on one photo; ``picture`` names the annotated picture that was written."""
    ruling, codes = examined.ruling, examined.codes
    verdict = click.style(VERDICT_WORDS[ruling.verdict], fg=_VERDICT_COLOURS[ruling.verdict], bold=True)
    lines = [f"{_name(examined)}: {verdict}{_because(examined)} (rules: {printable(ruling.rules)})"]
    width = max((len(_set_codes(judged, examined)) for judged in ruling.sets), default=0)
    for number, judged in enumerate(ruling.sets, start=1):
        tiles = _set_codes(judged, examined)
        state = click.style(f"{LEGAL_WORDS[judged.legal]:<11}", fg=_LEGAL_COLOURS[judged.legal])
        reasons = [message(finding, codes) for finding in judged.findings] or [""]
        lines.append(f"  {number:>3} {state} {tiles:<{width}}  {_kind_and_value(judged)}  {reasons[0]}".rstrip())
        lines.extend(f"{'':<{width + _BEFORE_REASON}}{reason}" for reason in reasons[1:])
    alone = [i for i in ruling.loose if examined.observation.tiles[i].kind is Kind.FACE]
    if alone:
        lines.append(_labelled("loose", " ".join(_marked(i, examined) for i in alone)))
    lines.extend(_labelled("doubtful", text) for text in _doubtful(examined))
    lines.extend(_sentence(*said) for said in gathered(ruling.findings, codes))
    if picture is not None:
        lines.append(_labelled("picture", printable(picture)))
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
        lines.extend(_labelled(label, _change(change, before, after)) for change in some)
    lines.extend(_sentence(*said) for said in gathered(changes.findings, before.codes))
    return "\n".join(lines)


def count_text(examined: Examined, count: BoxCount) -> str:
    """The census of a box laid out before play."""
    word, colour = {
        True: ("COMPLETE", "green"), False: ("NOT COMPLETE", "red"), None: ("CANNOT TELL", "yellow"),
    }[count.complete]  # fmt: skip
    head = click.style(word, fg=colour, bold=True)
    rules = printable(examined.ruling.rules)
    lines = [f"{_name(examined)}: {head}, {count.seen} of {count.held} tiles surely read (rules: {rules})"]
    for label, faces in (("missing", count.missing), ("surplus", count.surplus)):
        if faces:
            lines.append(_labelled(label, _faces(faces)))
    if count.open_jokers:
        lines.append(_labelled("jokers", _joker_count(count)))
    lines.extend(_labelled("doubtful", text) for text in _doubtful(examined))
    if count.face_down:
        lines.append(_labelled("face-down", f"{len(count.face_down)}"))
    if count.unread:
        lines.append(_labelled("unread", f"{count.unread} (covered, cut or washed out)"))
    return "\n".join(lines)


def _name(examined: Examined) -> str:
    return printable(click.format_filename(examined.path))


def _labelled(label: str, text: str) -> str:
    return f"  {label:<{_LABEL_WIDTH - 1}} {text}"


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
    return " ".join(_marked(i, examined) + meanings.get(i, "") for i in judged.tiles)


def _marked(index: int, examined: Examined) -> str:
    code = examined.codes[index]
    return f"{code}?" if examined.observation.tiles[index].doubtful and code != "?" else code


def _kind_and_value(judged: JudgedSet) -> str:
    kind = "-" if judged.kind is SetKind.NONE else judged.kind.value
    return f"{kind:<5} {'' if judged.value is None else judged.value:>3}"


def _doubtful(examined: Examined) -> Iterable[str]:
    places = {i: f"set {number}" for number, judged in enumerate(examined.ruling.sets, start=1) for i in judged.tiles}
    for index, tile in enumerate(examined.observation.tiles):
        if not tile.doubtful:
            continue
        readings = ", ".join(f"{code} {p:.0%}" for code, p in alternatives(tile)) or "nothing else likely"
        where = places.get(index, "in no set")
        yield f"{examined.codes[index]} {tile.confidence:.0%} ({where}), or: {readings}"


def _sentence(severity: Severity, text: str) -> str:
    colour = {Severity.FAULT: "red", Severity.DOUBT: "yellow", Severity.NOTE: None}[severity]
    return _labelled(click.style(f"{severity.value:<{_LABEL_WIDTH - 1}}", fg=colour), text)


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
