"""A camera on the network from its first picture over all its troubles to its last: each is named, and gone again."""

from __future__ import annotations

import pytest

from tests.vision.filmed import Filmed, as_it_is, shifted, still
from tests.vision.net_camera import NetCamera, jpeg, until
from vision import camera as camera_module
from vision import camera_health
from vision.camera import LiveCamera
from vision.frames import CameraFault, Frame
from vision.watched_feed import WatchedFeed

WIDTH = 320


class Watching:
    """Somebody who looks at a camera, frame after frame."""

    def __init__(self, there: NetCamera, film: Filmed) -> None:
        self.there, self.film = there, film
        self.camera = LiveCamera(there.address(), delay_s=0.0)
        self.feed = WatchedFeed(self.camera)
        self.last: Frame | None = None

    def sees(self, wanted: CameraFault | None, same: bytes | None = None) -> bool:
        """Show frames until the fault is the wanted one, for some seconds at most."""

        def shown() -> bool:
            frame = next(self.film.run(0.1, as_it_is))
            self.there.show(frame.image, same)
            after = 0.0 if self.last is None else self.last.taken_at
            self.last = self.feed.newest(after, 1.0) or self.last
            return self.feed.fault is wanted

        return until(shown, within_s=6)


def test_a_camera_through_all_its_troubles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(camera_module, "FIRST_PAUSE_S", 0.02)
    monkeypatch.setattr(camera_health, "FROZEN_S", 0.2)
    monkeypatch.setattr(camera_health, "MOVE_EVERY_S", 0.05)
    image = still("01_legal_small", WIDTH)
    with NetCamera() as there:
        watching = Watching(there, Filmed(image, 10))
        assert until(lambda: there.viewers == 1)
        assert watching.sees(None)
        assert watching.sees(CameraFault.FROZEN, same=jpeg(image))
        assert watching.sees(None)
        watching.film.image = shifted(image, 8, -4)
        assert watching.sees(CameraFault.MOVED)
        assert watching.feed.follow() is not None
        assert watching.sees(None)
        there.go()
        assert until(lambda: watching.feed.fault is CameraFault.UNPLUGGED)
        there.come()
        assert until(lambda: there.viewers == 1)
        assert watching.sees(None)
        watching.film.image = still("01_legal_small", WIDTH // 2)
        assert watching.sees(CameraFault.WRONG_SIZE)
        assert watching.feed.size_wanted == (image.shape[1], image.shape[0])
        assert watching.feed.dropped == 0
        watching.feed.close()
