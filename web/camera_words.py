"""What is said of a camera: what is wrong with it, and what helps."""

from __future__ import annotations

from vision.frames import CameraFault

SENTENCES: dict[CameraFault, str] = {
    CameraFault.UNPLUGGED: "{name} gives no pictures. Is the cable in, the network up, the app running?",
    CameraFault.FROZEN: "The picture of {name} stands still. Restart the camera or its app.",
    CameraFault.BLACK: "{name} gives black pictures. Is the lens covered, or the lamp out?",
    CameraFault.WRONG_SIZE: (
        "{name} now gives pictures of another size{sizes}. Set it back, or set the table up again."
    ),
    CameraFault.MOVED: "{name} was moved, or the table. Leave it as it is now: the referee finds the table again.",
    CameraFault.REFOCUSING: "{name} is searching for its focus. Wait, or switch its autofocus off.",
    CameraFault.FLICKERING: "The light flickers or has just changed. Wait, or use another lamp.",
    CameraFault.LATE: "The pictures of {name} come late. Use a cable, a better network or fewer pixels.",
}


def fault_sentence(
    fault: CameraFault, name: str, wanted: tuple[int, int] | None = None, got: tuple[int, int] | None = None
) -> str:
    """What is wrong and what helps; sizes are (width, height)."""
    sizes = f": {_size(got)} pixels instead of {_size(wanted)}" if wanted is not None and got is not None else ""
    return _capital(SENTENCES[fault].format(name=name, sizes=sizes))


def back_sentence(name: str) -> str:
    """The camera is well again."""
    return _capital(f"{name} is back: the game goes on where it was.")


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]} × {size[1]}"


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
