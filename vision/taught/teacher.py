"""Everything that is needed to teach a box, loaded once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.assemble import Calibration
from vision.detect import CHANNEL_NAMES, Detector
from vision.model_store import DEFAULT_THREADS, Model, load_model, models_folder, read_manifest
from vision.read import NUMBER_CLASSES, Reader
from vision.taught.asked import Asked
from vision.taught.box import TaughtBox
from vision.taught.examples import examples_of
from vision.taught.find import FINDING_THRESHOLD
from vision.taught.laid_out import LaidOut, in_order, read_layout
from vision.taught.learn import teach
from vision.taught.outlook import Outlook, outlook
from vision.taught.told import as_told

Image = NDArray[np.uint8]


class Teacher:
    """Reads boxes laid out and learns what they look like."""

    def __init__(
        self, detector: Detector, network: Model, reader: Reader, reader_sha256: str, calibration: Calibration
    ) -> None:
        self._calibration = calibration
        self._detector = detector
        self._network = network
        self._reader = reader
        self._sha256 = reader_sha256

    @classmethod
    def load(cls, folder: Path | None = None, threads: int = DEFAULT_THREADS) -> Teacher:
        """Load the bundled networks or those of ``folder``; ``ModelError`` when one is missing or not the right one."""
        where = folder or models_folder()
        manifest = read_manifest(where)
        calibration = Calibration.of(manifest.reading)
        detector = Detector(load_model("detector", manifest, where, CHANNEL_NAMES, threads), FINDING_THRESHOLD)
        network = load_model("reader", manifest, where, NUMBER_CLASSES, threads, abreast=True)
        reader = Reader(network, calibration.number_temperature, calibration.colour_temperature)
        return cls(detector, network, reader, manifest.models["reader"].sha256, calibration)

    def lay_out(self, image: Image, asked: Asked) -> LaidOut:
        """What lies where in a picture uint8 (H, W, 3) BGR.  Raises ``NotLaidOutError``."""
        labeller = in_order(asked.order) if asked.told is None else as_told(asked.told)
        return read_layout(image, self._detector, self._reader, labeller)

    def learn(self, name: str, photos: Sequence[tuple[Image, LaidOut]]) -> TaughtBox:
        """A box from the settled tiles of all photos; ``ValueError`` when there are none."""
        examples = tuple(
            example
            for image, laid in photos
            for example in examples_of(
                image,
                np.array([tile.quad for tile in laid.settled], np.float32).reshape(-1, 4, 2),
                tuple(tile.tile for tile in laid.settled if tile.tile is not None),
            )
        )
        return teach(name, examples, self._network, self._sha256)

    def outlook(self, box: TaughtBox) -> Outlook:
        """How well a box that was learned here will be read."""
        return outlook(box, self._network, self._calibration)
