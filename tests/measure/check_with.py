"""``tileref check --json`` with the networks of another folder, for ``score_photos.py --command``.

python -m tests.measure.check_with FOLDER PHOTO...
"""

from __future__ import annotations

import sys
from pathlib import Path

from referee.preset_files import load_ruleset
from vision.look import Eyes
from web.desk import Desk
from web.wiring import Wiring


def main(folder: Path, photos: list[Path]) -> int:
    """Print a line for each photo; returns the exit status of ``check``."""
    desk = Desk(Wiring(load_eyes=lambda: Eyes.load(folder)), load_ruleset("international"), as_json=True)
    desk.check(photos)
    return desk.status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]))
