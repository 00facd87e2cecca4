"""A network camera that speaks RTSP: it plays a film (an MPEG transport stream) to whoever asks, and hangs up.

RTSP 1.0 (RFC 2326) with the packets in the same connection, the film's packets in RTP (RFC 3551, payload type 33).
"""

from __future__ import annotations

import io
import socketserver
import struct
import threading
from typing import BinaryIO, Self

_TS_PACKET, _PACKETS_AT_ONCE, _PACE_S = 188, 7, 0.004
_SDP = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=table\r\nt=0 0\r\nm=video 0 RTP/AVP 33\r\na=control:track1\r\n"


class RtspCamera:
    """Serves at ``address`` while it is entered; the port stays the same when it comes back."""

    def __init__(self, film: bytes) -> None:
        self.film, self.port = film, 0
        self.played = 0
        """How often somebody asked to see it."""
        self._over = threading.Event()
        self._server: socketserver.ThreadingTCPServer | None = None

    def __enter__(self) -> Self:
        self.come()
        return self

    def __exit__(self, *_: object) -> None:
        self.go()

    def come(self) -> None:
        """Be there."""
        self._over.clear()
        socketserver.ThreadingTCPServer.allow_reuse_address = True
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", self.port), self._handler())
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def go(self) -> None:
        """Vanish, with all connections."""
        self._over.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    @property
    def address(self) -> str:
        return f"rtsp://127.0.0.1:{self.port}/table"

    def _handler(camera: Self) -> type[socketserver.StreamRequestHandler]:  # noqa: N805 - self is the handler's
        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                while (asked := _asked(self.rfile)) is not None:
                    self.wfile.write(_answer(*asked))
                    if asked[0] == "PLAY":
                        camera._play(self.wfile)
                        return

        return Handler

    def _play(self, to: BinaryIO | io.BufferedIOBase) -> None:
        """The film once, then nothing more."""
        self.played += 1
        step = _TS_PACKET * _PACKETS_AT_ONCE
        for number, at in enumerate(range(0, len(self.film), step)):
            if self._over.wait(_PACE_S):
                return
            rtp = struct.pack("!BBHII", 0x80, 33, number & 0xFFFF, number * 360, 7) + self.film[at : at + step]
            try:
                to.write(struct.pack("!cBH", b"$", 0, len(rtp)) + rtp)
            except OSError:  # nobody looks any more
                return


def _asked(lines: BinaryIO | io.BufferedIOBase) -> tuple[str, str] | None:
    """The method of the next request and its number; None when there are no more."""
    line = lines.readline().decode()
    if not line.strip():
        return None
    number = "0"
    while field := lines.readline().decode().strip():
        name, _, value = field.partition(":")
        number = value.strip() if name.lower() == "cseq" else number
    return line.split()[0], number


def _answer(method: str, number: str) -> bytes:
    fields, body = {"CSeq": number}, ""
    if method == "OPTIONS":
        fields["Public"] = "OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN"
    elif method == "DESCRIBE":
        body = _SDP
        fields |= {"Content-Type": "application/sdp", "Content-Length": str(len(body))}
    elif method == "SETUP":
        fields |= {"Transport": "RTP/AVP/TCP;unicast;interleaved=0-1", "Session": "1"}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"RTSP/1.0 200 OK\r\n{head}\r\n{body}".encode()
