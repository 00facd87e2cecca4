"""The dashboard on a port: one process, threads, TLS where it is wanted."""

from __future__ import annotations

import logging
import socket
import ssl
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from cheroot.ssl.builtin import BuiltinSSLAdapter
from cheroot.wsgi import Server

from web.files import cause

THREADS = 24
"""Nobody's request waits long, so a few threads serve a hall."""
LARGEST_REQUEST = 80_000_000
"""Bytes: a photo of sixty megapixels and more; each view sets its own limit below it."""
LARGEST_HEADERS = 64_000
"""Bytes of a request before its body: address, cookie and all else that a browser tells of itself."""

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class ServerError(ValueError):
    """The port cannot be used; one sentence."""


class _QuietServer(Server):
    """Prints faults of the program alone: that a browser hangs up, or does not trust our certificate, is none."""

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
        if traceback or level > logging.WARNING:
            super().error_log(msg, level, traceback)


class DashboardServer:
    """Serves an application until it is stopped.  Raises ``ServerError`` where the port is not to be had."""

    def __init__(
        self, application: Application, host: str, port: int, certificate: tuple[Path, Path] | None = None
    ) -> None:
        self._server = _QuietServer(
            (host, port), application, numthreads=THREADS, max=2 * THREADS, server_name="tileref",
            request_queue_size=64, timeout=30, shutdown_timeout=5,
        )  # fmt: skip
        self._server.max_request_header_size = LARGEST_HEADERS
        self._server.max_request_body_size = LARGEST_REQUEST
        if certificate is not None:
            chain, key = certificate
            try:
                # a key that wants a password is refused, else it would be asked for at a terminal
                self._server.ssl_adapter = BuiltinSSLAdapter(str(chain), str(key), private_key_password="")
            except (OSError, ssl.SSLError) as error:
                raise ServerError(f"{chain} and {key} are no certificate with its key.") from error
        try:
            _try(host, port)
            self._server.prepare()
        except OSError as error:
            raise ServerError(f"{_address(host, port)} cannot be used: {_why(error)}.") from error
        self.host, self.port = host, int(self._server.bind_addr[1])

    def serve(self) -> None:
        """Answer requests until ``stop``."""
        self._server.serve()

    def stop(self) -> None:
        """Answer no more requests; those that are being answered are."""
        self._server.stop()


def _try(host: str, port: int) -> None:
    """Raises ``OSError`` where nobody can listen there: what cheroot raises then names no cause, and leaks."""
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    with socket.socket(family, kind) as probe:
        if sys.platform != "win32":  # there it would let two programs listen at one port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)
        probe.listen(1)


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _why(error: OSError) -> str:
    if isinstance(error, socket.gaierror):
        return "there is no such address here"
    text = cause(error)
    return "another program listens there already" if "in use" in text else text
