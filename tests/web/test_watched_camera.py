"""A camera on the network from its first picture over all its troubles to its last: each is named, and gone again."""

from __future__ import annotations

import pytest

from tests.vision.filmed import Filmed, as_it_is, shifted, still
from tests.vision.net_camera import NetCamera, jpeg, until
from tests.web.live_table import Bench, HandWatch
from vision import camera as camera_module
from vision import camera_health
from vision.camera import LiveCamera
from vision.frames import CameraFault, Frame
from vision.mailbox import now
from web.live import care as care_module
from web.live.care import CameraCare

WIDTH = 320


class Watching:
    """Somebody who looks at a camera, frame after frame."""

    def __init__(self, there: NetCamera, film: Filmed) -> None:
        self.there, self.film = there, film
        self.camera = LiveCamera(there.address(), delay_s=0.0)
        self.bench, self.watches = Bench(), 0
        self.care = CameraCare(self.bench.live, None, self.watch)
        self.last: Frame | None = None

    def watch(self, _region: object) -> HandWatch:
        self.watches += 1
        return self.bench.watch

    @property
    def fault(self) -> str:
        return self.bench.live.view.fault

    def look(self) -> None:
        """As ``tileref play`` does it."""
        frame = self.camera.newest(0.0 if self.last is None else self.last.taken_at, 0.1)
        self.last = frame or self.last
        judged = None if frame is None else self.care.judge(frame, now())
        self.bench.live.camera(self.camera.fault or judged)

    def sees(self, wanted: CameraFault | None, same: bytes | None = None) -> bool:
        """Show frames until the fault is the wanted one, for some seconds at most."""

        def shown() -> bool:
            frame = next(self.film.run(0.1, as_it_is))
            self.there.show(frame.image, same)
            self.look()
            return self.fault == (wanted or "")

        return until(shown, within_s=6)


def test_a_camera_through_all_its_troubles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(camera_module, "FIRST_PAUSE_S", 0.02)
    monkeypatch.setattr(camera_health, "FROZEN_S", 0.2)
    monkeypatch.setattr(camera_health, "MOVE_EVERY_S", 0.05)
    monkeypatch.setattr(care_module, "STAYS_S", 0.2)
    image = still("01_legal_small", WIDTH)
    with NetCamera() as there:
        watching = Watching(there, Filmed(image, 10))
        assert until(lambda: there.viewers == 1)
        assert watching.sees(None)
        assert watching.sees(CameraFault.FROZEN, same=jpeg(image))
        assert watching.sees(None)
        watching.film.image = shifted(image, 8, -4)
        assert watching.sees(CameraFault.MOVED)
        assert watching.sees(None)
        assert watching.watches == 1
        there.go()
        assert watching.sees(CameraFault.UNPLUGGED)
        there.come()
        assert until(lambda: there.viewers == 1)
        assert watching.sees(None)
        watching.film.image = still("01_legal_small", WIDTH // 2)
        assert watching.sees(CameraFault.WRONG_SIZE)
        assert watching.sees(None)
        assert watching.watches == 2
        assert watching.camera.dropped == 0
        watching.camera.close()
