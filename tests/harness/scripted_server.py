"""A loopback chat-completions server that plays a script, one step a request; it keeps what it was asked."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 10,
    "total_tokens": 110,
    "prompt_tokens_details": {"cached_tokens": 40},
    "completion_tokens_details": {"reasoning_tokens": 4},
}


def says(text: str, finish: str = "stop", usage: dict[str, Any] | None = USAGE) -> dict[str, Any]:
    """A plain answer."""
    message = {"role": "assistant", "content": text}
    return _answer(message, finish, usage)


def calls(name: str, arguments: dict[str, Any] | str, finish: str = "tool_calls") -> dict[str, Any]:
    """An answer that calls one tool; `arguments` as text goes out as it is."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": text}}
    return _answer({"role": "assistant", "content": None, "tool_calls": [call]}, finish, USAGE)


def _answer(message: dict[str, Any], finish: str, usage: dict[str, Any] | None) -> dict[str, Any]:
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    return {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}


class Server:
    """The server's address and the requests it got."""

    def __init__(self, script: list[Any]) -> None:
        self.script = list(script)
        self.requests: list[dict[str, Any]] = []
        self.url = ""


@contextmanager
def serving(*script: Any) -> Iterator[Server]:
    """Plays `script`: a dict is a 200 answer, an int a status without body, "drop" closes the socket, ("slow", seconds, answer)
    sends the head at once and the body later, "noise" is a body that is not JSON.  The last step repeats."""
    server = Server(list(script))

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing is printed."""

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            server.requests.append(json.loads(body))
            step = server.script.pop(0) if len(server.script) > 1 else server.script[0]
            self.play(step)

        def play(self, step: Any) -> None:
            if step == "drop":
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
            elif isinstance(step, int):
                self.send(step, b'{"error": {"message": "scripted"}}')
            elif step == "noise":
                self.send(200, b"<html>not json</html>")
            elif isinstance(step, tuple):
                self.send(200, json.dumps(step[2]).encode(), pause=step[1])
            else:
                self.send(200, json.dumps(step).encode())

        def send(self, status: int, body: bytes, pause: float = 0.0) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.send_header("retry-after-ms", "10")
            self.end_headers()
            if pause:
                self.wfile.flush()
                time.sleep(pause)
            try:
                self.wfile.write(body)
            except OSError:
                self.close_connection = True

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
