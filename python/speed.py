"""How fast files come over HTTP, beside a plain loop over a socket of this host in the same run.

    python3 python/speed.py [MEGABYTES]

Needs a server (MILLRACE_URL, MILLRACE_TOKEN_FILE, or the usual ones). Laps of both take turns; the
medians are printed. What is read is compared with what was written.
"""

import os
import secrets
import socket
import statistics
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from millrace import Client  # noqa: E402

LAPS = 7
SMALL = 4096
SMALL_COUNT = 300


def timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class Plain:
    """A thread that sends as many bytes as it is asked for."""

    def __init__(self, data):
        self._data = data
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()
        self._socket = socket.create_connection(self._listener.getsockname())
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _serve(self):
        peer, _ = self._listener.accept()
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            asked = peer.recv(8)
            if len(asked) < 8:
                return
            peer.sendall(memoryview(self._data)[: int.from_bytes(asked, "big")])

    def read_into(self, view):
        self._socket.sendall(len(view).to_bytes(8, "big"))
        filled = 0
        while filled < len(view):
            filled += self._socket.recv_into(view[filled:])


def main():
    size = int(sys.argv[1] if len(sys.argv) > 1 else 256) << 20
    data = os.urandom(size)
    client = Client()
    name = "speed-" + secrets.token_hex(6)
    plain = Plain(data)
    out = memoryview(bytearray(size))
    small = memoryview(bytearray(SMALL))
    times = {key: [] for key in ("put", "get", "plain", "small", "plain small")}

    def small_reads():
        for i in range(SMALL_COUNT):
            client.read(name, i * SMALL, (i + 1) * SMALL)

    def plain_small_reads():
        for _ in range(SMALL_COUNT):
            plain.read_into(small)

    try:
        for _ in range(LAPS):
            times["plain"].append(timed(lambda: plain.read_into(out)))
            times["put"].append(timed(lambda: client.write(name, data, force=False)))
            times["get"].append(timed(lambda: client.read_into(name, 0, out)))
            times["small"].append(timed(small_reads))
            times["plain small"].append(timed(plain_small_reads))
        if out != data or client.read(name, SMALL, 2 * SMALL) != data[SMALL : 2 * SMALL]:
            raise SystemExit("what was read is not what was written")
    finally:
        client.remove(name)
        client.close()
    middle = {key: statistics.median(laps) for key, laps in times.items()}
    print(f"{'what':32} {'http':>12} {'plain loop':>12} {'ratio':>6}")
    for what, key in (("sequential read, GB/s", "get"), ("whole file written, GB/s", "put")):
        own, limit = size / middle[key] / 1e9, size / middle["plain"] / 1e9
        print(f"{what:32} {own:12.2f} {limit:12.2f} {own / limit:6.2f}")
    own, limit = (middle[key] / SMALL_COUNT * 1e6 for key in ("small", "plain small"))
    print(f"{'4 KiB read, cached, us':32} {own:12.0f} {limit:12.0f} {own / limit:6.2f}")


if __name__ == "__main__":
    main()
