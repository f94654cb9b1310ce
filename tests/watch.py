#!/usr/bin/env python3
"""Runs that are watched, over real sockets: watch.py COMMAND SOURCE DIRECTORY

A run comes to the same result whether nobody watches it, somebody does, or somebody who asks for everything and reads
nothing; it goes on when they leave, stops at Ctrl-C, and its pages show what its result says."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

command, source, directory = (os.path.abspath(path) for path in sys.argv[1:])
problem = f"{source}/examples/navigation.toml"
# A disk that the target does not quite touch, answered by a program that waits at a gate before its first answer: whoever is
# to watch is there before the run begins. Many calls, so that there is much to send.
gated_program = """
import json, math, os, sys, time
print(json.dumps({"protocol": 1, "measurements": ["a", "b"], "evaluates": False}), flush=True)
for line in sys.stdin:
    while not os.path.exists("gate"):
        time.sleep(0.01)
    question = json.loads(line)
    a, b = question["direction"]
    length = math.hypot(a, b)
    print(json.dumps({"id": question["id"], "token": str(question["id"]), "measurement": [1 - a / length, 1 - b / length],
                      "slack": 0}), flush=True)
"""
gated_problem = """
[environment]
kind = "external"
measurements = ["a", "b"]
[target]
constraints = ["a <= 0.29", "b <= 0.2929"]
[oracle]
kind = "command"
command = ["python3", "gated.py"]
[solver]
kind = "cg"
max_oracle_calls = 1200
"""
# As long as nobody stops it.
endless = ["--set", "solver.kind=cg", "--set", "solver.max_oracle_calls=100000000"]


def fail(message):
    sys.exit(f"FAILED: {message}")


def write(name, text):
    with open(f"{directory}/{name}", "w", encoding="utf-8") as file:
        file.write(text)


class Watched:
    """A command that says where it can be watched."""

    def __init__(self, *words):
        self.process = subprocess.Popen([command, *words], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True)
        line = ""
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)(/\w+/)", line)):
            line = self.process.stdout.readline()
            if not line:
                fail(f"{words} does not say where it can be watched")
        self.port, self.path = int(found[1]), found[2]

    def ask(self, path="", timeout=30):
        """A connection with a request on it."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        connection.sendall(f"GET {self.path}{path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
        return connection

    def get(self, path=""):
        with self.ask(path) as connection:
            reply = b""
            while part := connection.recv(65536):
                reply += part
        head, _, body = reply.partition(b"\r\n\r\n")
        return int(head.split()[1]), body.decode()

    def end(self):
        output, _ = self.process.communicate(timeout=120)
        return self.process.returncode, output


class Events:
    """What comes of the events of a page."""

    def __init__(self, connection):
        self.connection, self.text = connection, b""

    def next(self):
        """The next event: its name and its data; none when the other side has closed."""
        while True:
            # Chunks begin with their size, on a line of its own.
            text = re.sub(rb"(?:^|\r\n)[0-9a-f]+\r\n", b"", self.text.partition(b"\r\n\r\n")[2])
            if (end := text.find(b"\n\n")) >= 0:
                event, rest = text[:end].decode(), text[end + 2:]
                self.text = b"\r\n\r\n" + rest
                if event.startswith(":"):
                    continue
                fields = dict(line.split(": ", 1) for line in event.split("\n"))
                return fields.get("event", "message"), fields["data"]
            part = self.connection.recv(1 << 20)
            if not part:
                return None
            self.text += part


def result_of(name):
    with open(f"{directory}/{name}/result.json", encoding="utf-8") as file:
        return {key: value for key, value in json.load(file).items() if key not in ("seconds", "seal")}


def check_same_result():
    run = Watched("solve", "gated.toml", "--out", "watched", "--quiet", "--watch")
    greedy = [run.ask("events") for _ in range(4)]  # they never read
    events = Events(run.ask("events"))
    leaver = run.ask("events")
    if run.get()[0] != 200:
        fail("the page does not come")
    leaver.close()
    write("gate", "")
    seen, last, name = 0, None, "message"
    while (event := events.next()) is not None:
        name, data = event
        if name == "message":
            seen, last = seen + 1, json.loads(data)["items"][0]
    status, output = run.end()
    if status != 3 or "1200 oracle calls" not in output:
        fail(f"the watched run ended with {status}:\n{output}")
    subprocess.run([command, "solve", "gated.toml", "--out", "alone", "--quiet"], cwd=directory,
                   stdout=subprocess.DEVNULL, check=False)
    if result_of("alone") != result_of("watched"):
        fail("the watched run came to another result")
    if name != "end" or not last["finished"] or last["result"]["distance"] != result_of("watched")["distance"]:
        fail("the last event is not what the result says")
    for connection in greedy:
        connection.close()
    print(f"ok: the same result; {seen} events")


def check_interrupt():
    run = Watched("solve", problem, "--out", "endless", "--quiet", "--watch", *endless)
    events, silent = Events(run.ask("events")), run.ask("events")
    while json.loads(events.next()[1])["items"][0]["result"]["oracle_calls"] < 1:
        pass
    run.process.send_signal(signal.SIGINT)
    status, output = run.end()
    if status != 4 or "To go on: c2rl solve --resume --out endless" not in output:
        fail(f"the interrupted run ended with {status}:\n{output}")
    while (event := events.next()) is not None:
        last = event
    if last[0] != "end":
        fail("whoever listened was not told of the end")
    silent.close()
    print("ok: Ctrl-C")


def check_browser_gone():
    """A kill of the run is all that its listeners need to know; theirs is nothing to it."""
    run = Watched("solve", problem, "--out", "killed", "--quiet", "--watch", *endless)
    with run.ask("events") as first:
        first.recv(10)
    events = Events(run.ask("events"))
    events.next()
    run.process.kill()
    run.end()
    try:
        while events.next() is not None:
            pass
    except ConnectionResetError:
        pass
    print("ok: either side may close")


def check_experiment():
    write("small.toml", f"""
name = "small"
seeds = 3
accuracies = [1e-2]
set = ["solver.max_oracle_calls=50"]
[problems.navigation]
file = {json.dumps(problem)}
[methods]
cg = {{ set = ["solver.kind=cg"] }}
""")
    run = Watched("experiment", "small.toml", "--out", "small", "--quiet", "--watch")
    try:
        events = Events(run.ask("events"))
        last = None
        while (event := events.next()) is not None:
            last = event if event[0] == "message" else last
        if last and json.loads(last[1])["items"][0]["kind"] != "experiment":
            fail("the events of an experiment are of something else")
    except (ConnectionRefusedError, ConnectionResetError):
        pass  # over before it could be asked
    status, output = run.end()
    if status != 0 or "Saved in small" not in output:
        fail(f"the watched experiment ended with {status}:\n{output}")
    print("ok: experiment")


def check_directory():
    run = Watched("watch", ".")
    status, page = run.get()
    for name in ("alone", "watched", "endless", "killed", "small"):
        if status != 200 or f'href="at/{name}/"' not in page:
            fail(f"{name} is not on the list:\n{page}")
        with run.ask(f"at/{name}/events") as connection:
            item = json.loads(Events(connection).next()[1])["items"][0]
        if item["kind"] != ("experiment" if name == "small" else "run") or item["directory"] != name:
            fail(f"{name} is shown as {item['kind']} {item['directory']}")
    if run.get("at/alone/")[0] != 200 or run.get("at/nothing/")[0] != 404 or run.get("at/alone/result.json")[0] != 404:
        fail("other things are served than pages of runs")
    run.path = "/" + "0" * 32 + "/"
    if run.get()[0] != 404:
        fail("the token does not matter")
    run.process.send_signal(signal.SIGINT)
    status, _ = run.end()
    if status != 0:
        fail(f"c2rl watch ended with {status}")
    print("ok: c2rl watch")


shutil.rmtree(directory, ignore_errors=True)
os.makedirs(directory)
write("gated.py", gated_program)
write("gated.toml", gated_problem)
for check in (check_same_result, check_interrupt, check_browser_gone, check_experiment, check_directory):
    began = time.monotonic()
    check()
    print(f"    {time.monotonic() - began:.1f} s")
