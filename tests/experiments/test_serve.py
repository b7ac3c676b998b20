"""``formgym serve`` as people use it: killed and ended while they post, and what it leaves behind."""

import json
import os
import random
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from http.client import HTTPConnection, HTTPException

import pytest
from person import posted
from sizes import LONG, some
from werkzeug.test import encode_multipart

from formgym.envs.web_forms.site.records import EXPORT
from formgym.envs.web_forms.site.site_state import find_task
from formgym.envs.web_forms.site.submitted_values import FIELD
from formgym.experiments.running.run_folder import find_runs
from formgym.experiments.running.runner import handling

COMMAND = (sys.executable, "-c", "from formgym.experiments.cli import main; main()")
KILLS, PEOPLE = some((2, 8), (20, 50))
FORMS = ("nda", "bug_report", "personal_loan")
TOKEN = re.compile(rf'name="{FIELD}" value="([^"]+)"')


class Server:
    """A process that serves a folder, at a port that stays the same when it is started again."""

    def __init__(self, folder, options, stdout):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        arguments = ["--out", folder / "site", "--runs", folder / "runs", "--port", self.port, *options]
        self._command, self._stdout = [*COMMAND, "serve", *map(str, arguments)], stdout
        self.start()

    def start(self):
        self.process = subprocess.Popen(self._command, stdout=self._stdout, stderr=subprocess.STDOUT, text=True)

    def wait(self):
        """Wait until it serves."""
        lines = self.process.stdout or ["Serving at a terminal"]
        assert any("Serving at" in line for line in lines)

    def end(self, number):
        """End it by a signal; its exit status and what it has printed."""
        self.process.send_signal(number)
        printed, _ = self.process.communicate(timeout=60)
        return self.process.returncode, printed


@pytest.fixture
def serve(tmp_path):
    """Starts a server for each list of options, all on one folder."""
    started = []

    def begin(*options, stdout=subprocess.PIPE):
        started.extend(Server(tmp_path, some, stdout) for some in options)
        for server in started:
            server.wait()
        return started

    yield begin
    for server in started:
        server.process.kill()


def body_of(form, task, token):
    """A filled form as a browser sends it."""
    data = posted(find_task(form, task))
    data.add(FIELD, token)
    return encode_multipart(data, "x")[1]


class Person(threading.Thread):
    """Opens forms and submits each, again and again until it is answered, at whichever server answers."""

    def __init__(self, number, ports, until):
        super().__init__(daemon=True)
        self._random, self._ports, self._until, self._number = random.Random(number), ports, until, number
        self.acknowledged, self.wrong, self.lost = [], [], 0

    def run(self):
        for task in range(10_000):
            if self._until.is_set():
                break
            form = self._random.choice(FORMS)
            name = f"train/{10_000 * self._number + task}"
            page = self.ask("GET", f"/forms/{form}/form?task={name}").decode()
            body = body_of(form, name, TOKEN.search(page)[1])
            self.acknowledged.append(json.loads(self.ask("POST", f"/forms/{form}/form", body))["id"])
            time.sleep(self._random.random() / 5)

    def ask(self, method, path, body=None):
        headers = {"Content-Type": "multipart/form-data; boundary=x", "Accept": "application/json"}
        while True:
            connection = HTTPConnection("127.0.0.1", self._random.choice(self._ports), timeout=30)
            try:
                connection.request(method, path, body, headers if body else {})
                answer = connection.getresponse()
                content = answer.read()
            except (OSError, HTTPException):
                # It was killed: perhaps before it has stored the form, perhaps after.
                self.lost += 1
                time.sleep(0.05)
                continue
            finally:
                connection.close()
            if answer.status not in (200, 201):
                self.wrong.append((answer.status, content))
            return content


def test_what_is_acknowledged_outlives_kills_once_each(serve, tmp_path):
    servers = serve([], [])
    until = threading.Event()
    people = [Person(number, [server.port for server in servers], until) for number in range(PEOPLE)]
    for person in people:
        person.start()
    for number in range(KILLS):
        time.sleep(some(0.5, 1.5))
        server = servers[number % 2]
        server.end(signal.SIGKILL)
        server.start()
        server.wait()
    time.sleep(0.5)
    until.set()
    for person in people:
        person.join(60)
    assert [server.end(signal.SIGTERM)[0] for server in servers] == [0, 0]
    assert [person.wrong for person in people] == [[]] * PEOPLE
    assert sum(person.lost for person in people) > 0
    acknowledged = Counter(one for person in people for one in person.acknowledged)
    stored = [json.loads(line) for line in (tmp_path / "site" / EXPORT).read_text().splitlines()]
    assert Counter(record["id"] for record in stored) == acknowledged
    assert {record["attempt"] for record in stored} == {1}
    assert min(record["metrics"]["strict_accuracy"] for record in stored) == 1
    episodes = [episode for run in find_runs(tmp_path / "runs") for episode in run.episodes]
    expected = Counter(f"{record['form']}/{record['task'].removeprefix('train/')}" for record in stored)
    assert Counter(episode.task for episode in episodes) == expected
    assert len(acknowledged) > PEOPLE
    print(f"{len(acknowledged)} acknowledged, {sum(person.lost for person in people)} answers lost")


@pytest.mark.parametrize("number", [signal.SIGHUP, pytest.param(signal.SIGINT, marks=LONG)])
def test_a_signal_ends_it_with_the_line_that_goes_on(serve, tmp_path, number):
    [server] = serve(["--no-reveal"])
    person = Person(0, [server.port], threading.Event())
    page = person.ask("GET", "/forms/nda/form?task=test/0").decode()
    person.ask("POST", "/forms/nda/form", body_of("nda", "test/0", TOKEN.search(page)[1]))
    status, printed = server.end(number)
    assert status == 0
    written, _, again = printed.splitlines()[-1].partition("; go on with: ")
    assert written == f"1 submissions in {tmp_path / 'site' / EXPORT}, 1 new episodes in {tmp_path / 'runs'}"
    assert again.startswith(f"formgym serve --host 127.0.0.1 --port {server.port} --out {tmp_path / 'site'}")
    command = [*COMMAND, *shlex.split(again)[1:], "--export"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == written.replace("1 new", "0 new") + "\n"


@LONG
def test_it_keeps_everything_when_the_terminal_is_gone(serve, tmp_path):
    terminal, end = os.openpty()
    [server] = serve([], stdout=end)
    while b"Serving at" not in os.read(terminal, 10_000):
        pass
    os.close(end)
    os.close(terminal)
    assert server.end(signal.SIGHUP)[0] == 0
    assert (tmp_path / "site" / EXPORT).exists()


def test_under_nohup_no_hangup_is_heard():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with handling(pytest.fail, signal.SIGHUP):
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
