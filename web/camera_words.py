"""What is said of a camera: what is wrong with it, and what helps."""

from __future__ import annotations

from referee.told import marked
from vision.frames import CameraFault
from web.output import printable
from web.tongue import say

SENTENCES: dict[CameraFault, str] = {
    CameraFault.UNPLUGGED: marked("The camera gives no pictures. Is the cable in, the network up, the app running?"),
    CameraFault.FROZEN: marked("The picture of the camera stands still. Restart the camera or its app."),
    CameraFault.BLACK: marked("The camera gives black pictures. Is the lens covered, or the lamp out?"),
    CameraFault.WRONG_SIZE: marked(
        "The camera now gives pictures of another size. Set it back, or set the table up again."
    ),
    CameraFault.MOVED: marked(
        "The camera was moved, or the table. Leave it as it is now: the referee finds the table again."
    ),
    CameraFault.REFOCUSING: marked("The camera is searching for its focus. Wait, or switch its autofocus off."),
    CameraFault.FLICKERING: marked("The light flickers or has just changed. Wait, or use another lamp."),
    CameraFault.LATE: marked("The pictures of the camera come late. Use a cable, a better network or fewer pixels."),
}


def fault_sentence(fault: CameraFault) -> str:
    """What is wrong with the camera, and what helps."""
    return say(SENTENCES[fault])


def code_sentence(code: str) -> str:
    """The same for the code of a fault; empty where nothing is wrong."""
    if code in set(CameraFault):
        return fault_sentence(CameraFault(code))
    return say("The camera is in trouble: {fault}.", fault=printable(code)) if code else ""


def back_sentence() -> str:
    """The camera is well again."""
    return say("The camera is back: the game goes on where it was.")
