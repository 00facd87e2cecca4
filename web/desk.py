"""The work of the commands on one or many photos: trouble with one photo is said, and the others are still done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from referee.census import count_box
from referee.changes import compare_tables
from referee.findings import Severity
from referee.ruleset import RuleSet
from web.examine import Examined, examine
from web.exit_status import BAD_INPUT, CANNOT_TELL, ILLEGAL, OF_VERDICT, OK, worst
from web.messages import NOTE_MESSAGES
from web.output import print_result, print_trouble, progress
from web.report_json import changes_line, count_line, ruling_line
from web.report_text import changes_text, count_text, ruling_text, summary_text
from web.wiring import Eyes, Wiring

if TYPE_CHECKING:
    from web.album import Album

_COMPLETE_STATUS = {True: OK, False: ILLEGAL, None: CANNOT_TELL}
_SEVERITY_STATUS = {Severity.FAULT: ILLEGAL, Severity.DOUBT: CANNOT_TELL, Severity.NOTE: OK}


class Desk:
    """One run of a command.  Results go to standard output, trouble to standard error, ``status`` is what to exit with.

    The methods raise ``EyesError`` when the networks cannot be loaded and ``OutputError`` when nobody reads.
    """

    def __init__(self, wiring: Wiring, ruleset: RuleSet, *, as_json: bool, album_folder: Path | None = None) -> None:
        self._wiring = wiring
        self._ruleset = ruleset
        self._as_json = as_json
        self._album = _open_album(album_folder)
        self._eyes: Eyes | None = None
        self._statuses: list[int] = []
        self._said: set[str] = set()
        self._not_read = 0

    @property
    def status(self) -> int:
        """The exit status for everything done so far."""
        return worst(self._statuses)

    def check(self, paths: Sequence[Path]) -> None:
        """Rule on each photo."""
        verdicts = []
        for examined in self._examined(paths):
            verdicts.append(examined.ruling.verdict)
            self._statuses.append(OF_VERDICT[examined.ruling.verdict])
            self._print_ruling(examined)
        if not self._as_json and len(verdicts) + self._not_read > 1:
            print_result(summary_text(verdicts, self._not_read))

    def compare(self, before: Path, after: Path) -> None:
        """Rule on two photos of one table and say what changed; the status is both tables' and the changes'."""
        both = list(self._looked_at([before, after]))  # a folder is no photo here
        for examined in both:
            self._statuses.append(OF_VERDICT[examined.ruling.verdict])
            self._print_ruling(examined)
        if self._not_read:
            return
        earlier, later = both
        changes = compare_tables(earlier.observation, later.observation)
        print_result((changes_line if self._as_json else changes_text)(earlier, later, changes))
        self._statuses.extend(_SEVERITY_STATUS[finding.severity] for finding in changes.findings)

    def count(self, paths: Sequence[Path]) -> None:
        """Count the box laid out in each photo."""
        for examined in self._examined(paths):
            counted = count_box(examined.observation, self._ruleset)
            self._statuses.append(_COMPLETE_STATUS[counted.complete])
            print_result((count_line if self._as_json else count_text)(examined, counted))

    def _examined(self, paths: Sequence[Path]) -> Iterator[Examined]:
        """Each photo that can be read, folders replaced by the photos in them."""
        from vision.intake import find_photos  # noqa: PLC0415  numpy and Pillow

        found = find_photos(paths)
        for failure in found.failures:
            self._not_read_because(str(failure))
        if found.photos:
            yield from self._looked_at(found.photos)

    def _looked_at(self, photos: Sequence[Path]) -> Iterator[Examined]:
        """Each photo that can be read; the caller prints before it asks for the next."""
        from vision.intake import PhotoError  # noqa: PLC0415  numpy and Pillow

        eyes = self._loaded_eyes()
        with progress(len(photos)) as bar:
            for photo in photos:
                try:
                    examined = examine(photo, eyes, self._ruleset)
                except PhotoError as error:
                    bar.step_aside()
                    self._not_read_because(str(error))
                else:
                    bar.step_aside()
                    self._say_notes(examined)
                    yield examined
                bar.advance()

    def _loaded_eyes(self) -> Eyes:
        if self._eyes is None:
            self._eyes = self._wiring.load_eyes()
        return self._eyes

    def _print_ruling(self, examined: Examined) -> None:
        picture = self._annotated(examined)
        print_result(ruling_line(examined) if self._as_json else ruling_text(examined, picture))

    def _annotated(self, examined: Examined) -> str | None:
        """Write the annotated picture if asked for, and return its name."""
        if self._album is None:
            return None
        try:
            return str(self._album.add(examined))
        except OSError as error:
            cause = (error.strerror or str(error)).lower()
            print_trouble(f"The annotated picture of {examined.path} cannot be written: {cause}.")
            self._statuses.append(BAD_INPUT)
            return None

    def _not_read_because(self, sentence: str) -> None:
        print_trouble(sentence)
        self._not_read += 1
        self._statuses.append(BAD_INPUT)

    def _say_notes(self, examined: Examined) -> None:
        """Say once what holds for every photo, such as a missing second reader."""
        for note in examined.observation.notes:
            if note in NOTE_MESSAGES and note not in self._said:
                self._said.add(note)
                print_trouble(NOTE_MESSAGES[note])


def _open_album(folder: Path | None) -> Album | None:
    if folder is None:
        return None
    from web.album import Album as RealAlbum  # noqa: PLC0415  OpenCV: only when pictures are drawn

    return RealAlbum(folder)
