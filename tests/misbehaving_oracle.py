"""A command oracle with one fault, which the environment variable FAULT names; without one it is well behaved.

Its world: policy "p" measures (p, 1 - p) on average, with noise. Where FAULT_ONCE names a file, the fault comes only once:
the file says that it has been.
"""
import json
import os
import random
import signal
import sys
import time

fault = os.environ.get("FAULT", "")
once = os.environ.get("FAULT_ONCE")
if once:
    if os.path.exists(once):
        fault = ""
    open(once, "w").close()


def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def say(message):
    write(json.dumps(message) + "\n")


def give_up(status=3):
    print("Traceback: something broke", file=sys.stderr, flush=True)
    os._exit(status)


def nest(depth):
    return "[" * depth + "]" * depth


if fault == "exits-at-once":
    give_up()
if fault == "no-greeting":
    time.sleep(100)
if fault == "garbage-greeting":
    write("Welcome to my oracle \x07\xff!\n")
if fault == "deaf":
    os.close(0)
say({"protocol": 2 if fault == "other-protocol" else 1,
     "measurements": ["b", "a"] if fault == "other-measurements" else ["a", "b"],
     "evaluates": fault not in ("cannot-evaluate", "proves")})
if fault == "deaf":
    time.sleep(100)

for line in sys.stdin:
    question = json.loads(line)
    number = question["id"]
    if question["do"] == "minimize":
        if fault == "garbage":
            write("42 is the answer\n")
        if fault == "not-an-object":
            write("[1, 2]\n")
        if fault == "nested":
            write('{"id": 1, "token": %s}\n' % nest(100000))
        if fault == "half-a-line":
            write('{"id": 1, "tok')
            give_up(0)
        if fault == "gigabytes":
            while True:
                write("x" * (1 << 20))
        if fault == "silence":
            time.sleep(100)
        if fault == "endless-progress":
            while True:
                say({"id": number, "progress": 0.5})
        if fault == "closes-output":
            os.close(1)
            time.sleep(100)
        if fault == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "memory":
            hog = bytearray(4 << 30)
        if fault == "says-error":
            say({"id": number, "error": "the simulator is on strike"})
        if fault == "other-question":
            say({"id": number + 7, "token": "1"})
        if fault == "progress-2":
            say({"id": number, "progress": 2})
        if fault == "ignores-terminate":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                time.sleep(1)
        a, b = question["direction"]
        answer = {"id": number, "token": "1" if a < b else "0", "training_steps": 10}
        if fault == "no-token":
            del answer["token"]
        if fault == "token-is-a-path":
            answer["token"] = "../../etc/passwd"
        if fault == "token-is-a-number":
            answer["token"] = 1
        if fault == "negative-steps":
            answer["training_steps"] = -1
        if fault in ("computes", "proves", "wrong-size", "infinite", "text-for-a-number"):
            p = float(answer["token"])
            answer["measurement"] = {"wrong-size": [p], "infinite": ["inf", 0], "text-for-a-number": ["a", "b"]}.get(
                fault, [p, 1 - p])
        if fault == "proves":
            answer["slack"] = 0
        say(answer)
        continue
    p = float(question["token"])
    totals = []
    for i in range(question["first"], question["first"] + question["episodes"]):
        rng = random.Random(question["seed"] * 2**32 + i)
        totals.append([p + rng.uniform(-0.5, 0.5), 1 - p + rng.uniform(-0.5, 0.5)])
    answer = {"id": number, "totals": totals, "steps": 3 * len(totals)}
    if fault == "dies-evaluating":
        give_up()
    if fault == "too-few-episodes":
        totals.pop()
    if fault == "not-a-number":
        totals[-1][1] = float("nan")
    if fault == "nan-as-text":
        totals[-1][1] = "nan"
    if fault == "other-size":
        totals[-1].append(0)
    if fault == "out-of-range":
        totals[-1][0] = 7
    if fault == "cut-too-many":
        answer["cut"] = len(totals) + 1
    say(answer)
