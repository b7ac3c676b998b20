"""The site under malformed requests on real sockets: each is answered or closed soon, and the site serves on."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

import numpy as np
import pytest
from sizes import LONG, sample

pytest.importorskip("flask")

from formgym.envs.web_forms.site.app import listening_server
from formgym.envs.web_forms.site.records import Records

# A connection is closed after 2 s on which nothing comes; a busy machine may need longer.
_SECONDS = 6.0
_TO = "/forms/nda/form"
_DISPOSITION = b'Content-Disposition: form-data; name="%s"'


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    server, _ = listening_server("127.0.0.1", 0, Records(tmp_path_factory.mktemp("results")).open())
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.port
    server.shutdown()
    thread.join()


def _head(kind, length, target=_TO, method="POST", host="127.0.0.1", more=b""):
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}", f"Content-Type: {kind}", f"Content-Length: {length}"]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n" + more + b"\r\n"


def _multipart(body, boundary="x", length=None, **more):
    return _head(f"multipart/form-data; boundary={boundary}", len(body) if length is None else length, **more) + body


def _parts(number, head=_DISPOSITION % b"name", value=b"value", boundary=b"x"):
    return b"".join(b"--%s\r\n%s\r\n\r\n%s\r\n" % (boundary, head, value) for _ in range(number)) + b"--x--\r\n"


def _many_parts(rng):
    file = b'Content-Disposition: form-data; name="f"; filename="f.pdf"'
    return _multipart(_parts(int(rng.integers(900, 30_000)), file if rng.random() < 0.5 else _DISPOSITION % b"n"))


def _nested_boundaries(rng):
    inner = _parts(int(rng.integers(1, 2000)), boundary=b"y")
    head = b'Content-Disposition: form-data; name="n"\r\nContent-Type: multipart/mixed; boundary=y'
    return _multipart(_parts(3, head, inner) * int(rng.integers(1, 9)))


def _bad_boundaries(rng):
    boundary = str(rng.choice(["", '""', "\xff", "y" * 70, "a b", "(", "\\", "x; boundary=y", "-" * 4000]))
    return _multipart(_parts(3), boundary)


def _like_boundaries(rng):
    """Text that almost is a boundary, again and again."""
    piece = bytes(rng.choice(np.array([b"\r\n--", b"\r\n-", b"\r", b"\n", b"\r\n--xy", b"--x", b"\r\r\n--x"], object)))
    return _multipart(b"--x\r\n" + _DISPOSITION % b"n" + b"\r\n\r\n" + piece * (1_900_000 // len(piece)))


def _wrong_lengths(rng):
    body = _parts(5)
    length = rng.choice(
        ["-5", "0", "1", "abc", "1e9", "99999999999999999999", "٣", "", str(len(body) + 70_000), "1, 2"]
    )
    return _multipart(body, length=str(length).encode().decode("latin-1"))


def _truncated_bodies(rng):
    body = _parts(int(rng.integers(1, 3000)))
    return _multipart(body[: int(rng.integers(len(body)))], length=len(body))


def _huge_headers(rng):
    kind = rng.integers(4)
    if kind == 0:
        return _multipart(_parts(1), more=b"X-Long: " + b"a" * 200_000 + b"\r\n")
    if kind == 1:
        return _multipart(_parts(1), more=b"X-Many: a\r\n" * 5000)
    if kind == 2:
        return _multipart(_parts(1, b"X-Long: " + b"a" * 300_000))
    return _multipart(_parts(1, b"X-Many: a\r\n" * 60_000 + _DISPOSITION % b"n"))


def _bad_encodings(rng):
    names = [b"\xff\xfe", b"\xed\xa0\x80", b"a\0b", b"%00", b"\x1b[2J", "\u202e".encode(), b'a"; name="b', b"n" * 9000]
    kinds = [b"", b"\r\nContent-Type: text/plain; charset=utf-7"]
    name = bytes(rng.choice(np.array(names, object)))
    head = _DISPOSITION % name + bytes(rng.choice(np.array(kinds, object)))
    return _multipart(_parts(3, head, b"\xff\xfe\0" * 20))


def _wrong_methods(rng):
    method = str(rng.choice(["PUT", "DELETE", "PATCH", "BREW", "get", "TRACE", "CONNECT", "A" * 3000]))
    return _multipart(_parts(200), method=method)


def _wrong_targets(rng):
    targets = [
        "/forms/a%00b/form",
        "/results/%00",
        "/results/../../x.json",
        "//[::1",
        "http://[",
        "*",
        "/forms/" + "a" * 60_000,
    ]
    targets += ["/forms/nda?task=%ED%A0%80", "/forms/nda/files/test/0/%2e%2e%2f", "/fonts/%00", "/\xff\xfe"]
    return _multipart(_parts(2), target=str(rng.choice(targets)), method=str(rng.choice(["GET", "POST"])))


def _wrong_hosts(rng):
    return _multipart(
        _parts(2), host=str(rng.choice(["[::1", "a b", "[", "localhost:99999999", "\xff", "]", "127.0.0.1:x"]))
    )


def _bad_chunks(rng):
    chunks = [b"zz\r\nabc\r\n", b"-1\r\n\r\n", b"ffffffffffffffff\r\nabc", b"5\r\nab", b"", b"5\nabcde\n" * 900]
    head = f"POST {_TO} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    head += "Content-Type: multipart/form-data; boundary=x\r\n\r\n"
    return head.encode() + bytes(rng.choice(np.array(chunks, object)))


def _no_http(rng):
    return rng.bytes(int(rng.integers(0, 4000))) + b"\r\n\r\n"


_FAMILIES = (
    _many_parts,
    _nested_boundaries,
    _bad_boundaries,
    _like_boundaries,
    _wrong_lengths,
    _truncated_bodies,
    _huge_headers,
    _bad_encodings,
    _wrong_methods,
    _wrong_targets,
    _wrong_hosts,
    _bad_chunks,
    _no_http,
)


def _answer(port, request, pause=0.0):
    """What came back before the deadline, in whole lines of status; the connection must have been served by then."""
    deadline = time.monotonic() + _SECONDS
    with socket.create_connection(("127.0.0.1", port), timeout=_SECONDS) as connection:
        sender = threading.Thread(target=_send, args=(connection, request, pause), daemon=True)
        sender.start()
        try:
            received = b""
            while b"\r\n" not in received:
                connection.settimeout(max(deadline - time.monotonic(), 0.001))
                part = connection.recv(65_536)
                if not part:
                    break
                received += part
        except ConnectionError:
            return b"closed"
        return received.partition(b"\r\n")[0] or b"closed"


def _send(connection, request, pause):
    """Send a request at once, or a byte at a time."""
    try:
        if not pause:
            connection.sendall(request)
        for byte in request if pause else b"":
            connection.sendall(bytes([byte]))
            time.sleep(pause)
    except OSError:
        return


def _is_serving(port):
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/forms/nda/form")
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status == 200 and b"_session" in body


@pytest.mark.parametrize("family", sample(_FAMILIES, 3), ids=lambda family: family.__name__.strip("_"))
def test_malformed_posts_are_answered_or_closed_soon(port, family):
    rng = np.random.default_rng(len(family.__name__))
    requests = [family(rng) for _ in range(24)]
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda request: _answer(port, request), requests))
    wrong = {request[:90]: answer for request, answer in zip(requests, answers, strict=True) if b" 500 " in answer}
    assert not wrong
    assert _is_serving(port)


def test_slow_pieces_hold_nobody_up(port):
    """They are read beside each other, and nobody waits for them."""
    slow = [_multipart(_parts(2)), _head("text/plain", 5), b"POST ", b"\r\n" * 40, _multipart(b"", length=900)]
    connections = [socket.create_connection(("127.0.0.1", port)) for _ in slow * 20]
    for connection, request in zip(connections, slow * 20, strict=True):
        threading.Thread(target=_send, args=(connection, request, 0.1), daemon=True).start()
    for _ in range(10):
        began = time.monotonic()
        assert _is_serving(port)
        assert time.monotonic() - began < _SECONDS
    for connection in connections:
        connection.close()


@pytest.mark.parametrize("parts", [1001, 1200, 3000, 20_000])
def test_too_many_parts_are_refused(port, parts):
    assert b" 413 " in _answer(port, _multipart(_parts(parts)))


@LONG
def test_a_form_that_comes_in_steadily_is_not_cut_off(port):
    """It takes longer than the time that a request has, at a speed that earns it more."""
    body = _parts(20, value=b"v" * 4000)
    request = _multipart(body)
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        for start in range(0, len(request), 4000):
            connection.sendall(request[start : start + 4000])
            time.sleep(0.1)
        assert b" 400 " in connection.recv(65_536).partition(b"\r\n")[0]
