"""``python -m tests.languages update`` or ``check``."""

from __future__ import annotations

import sys

from tests.languages.catalogues import OTHERS, Lacking, lacking, read, update
from tests.languages.gathering import UnsayableError, sentences


def main(words: list[str]) -> int:
    """The exit status: 1 where a catalogue lacks something."""
    if words not in (["update"], ["check"]):
        print("Say update or check.", file=sys.stderr)
        return 2
    try:
        wanted = sentences()
    except UnsayableError as error:
        print(f"A sentence is no literal: {error}", file=sys.stderr)
        return 1
    found = {
        language: update(language, wanted) if words == ["update"] else lacking(read(language), wanted)
        for language in OTHERS
    }
    for language, lack in found.items():
        _tell(language, lack)
    return int(any(lack.missing or lack.stale or lack.empty for lack in found.values()))


def _tell(language: str, lack: Lacking) -> None:
    print(f"{language}: {len(lack.missing)} missing, {len(lack.stale)} stale, {len(lack.empty)} not translated")
    for label, some in (("missing", lack.missing), ("stale", lack.stale), ("not translated", lack.empty)):
        for one in some:
            print(f"  {label}: {one}")


sys.exit(main(sys.argv[1:]))
