#!/usr/bin/env python3
"""Simulates the loss of power at every moment of a run: what was not synced is gone.

    tests/power_loss.py C2RL [OPTION OF SOLVE ...]

A run is traced with strace, and what it wrote, synced, renamed and removed is kept as a log. For every prefix of the log the
directory is rebuilt as a disk might hold it after the power went:

    dropped   names that were not synced are as they were before, and so is what was not synced in a file
    torn      names are up to date, but of what was not synced in a file only half is there
    empty     names are up to date, and what was not synced in a file is not there at all

and the run goes on from there (or begins anew, where nothing is left of it). It must end where the traced one did.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CALLS = "openat,write,rename,renameat2,unlink,unlinkat,mkdir,ftruncate,fsync,fdatasync,close"


def text(quoted):
    """Of strace -xx: "\\x41..." as bytes."""
    return bytes.fromhex(quoted.replace("\\x", ""))


def trace(command, out, log):
    """What the command did below `out`, in order: (what, path, data)."""
    subprocess.run(["strace", "-f", "-qq", "-y", "-xx", "-s", "100000000", "-o", log, "-e", f"trace={CALLS}", *command],
                   check=False, capture_output=True)
    done, inside = [], lambda path: path == out or path.startswith(out + "/")
    for line in open(log):
        match = re.match(r"\d+\s+(\w+)\((.*)\)\s+= (-?\d+)(<(.*)>)?", line)
        if not match or int(match[3]) < 0:
            continue
        call, given = match[1], match[2]
        names = [text(name).decode() for name in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', given)] if call != "write" else []
        of = re.match(r"\d+<([^>]*)>", given)
        path = text(of[1]).decode() if of and of[1].startswith("\\x") else (of[1] if of else "")
        if call == "openat" and "O_CREAT" in given and inside(names[0]):
            done.append(("create", names[0], b""))
        elif call == "openat" and "O_TRUNC" in given and inside(names[0]):
            done.append(("truncate", names[0], 0))
        elif call == "write" and inside(path):
            written = re.search(r'"((?:\\x[0-9a-f]{2})*)"', given)
            done.append(("write", path, text(written[1])[: int(match[3])]))
        elif call == "ftruncate" and inside(path):
            done.append(("truncate", path, int(given.rsplit(",", 1)[1])))
        elif call in ("fsync", "fdatasync") and inside(path):
            done.append(("sync", path, b""))
        elif call in ("rename", "renameat2") and inside(names[-1]):
            done.append(("rename", names[0], names[-1]))
        elif call in ("unlink", "unlinkat") and inside(names[-1]):
            done.append(("remove", names[-1], b""))
        elif call == "mkdir" and inside(names[0]):
            done.append(("mkdir", names[0], b""))
    return done


class Disk:
    """Files as a process sees them and as the disk has them; names point to numbered files."""

    def __init__(self):
        self.names, self.synced_names = {}, {}
        self.seen, self.synced = {}, {}
        self.folders, self.next = [], 0

    def do(self, what, path, data):
        if what == "mkdir":
            self.folders.append(path)
        elif what == "create" and path not in self.names:
            self.names[path] = self.next
            self.seen[self.next] = self.synced[self.next] = b""
            self.next += 1
        elif what == "write":
            self.seen[self.names[path]] += data
        elif what == "truncate":
            self.seen[self.names[path]] = self.seen[self.names[path]][:data]
        elif what == "sync" and path in self.names:
            self.synced[self.names[path]] = self.seen[self.names[path]]
        elif what == "sync":  # a directory
            under = lambda name: os.path.dirname(name) == path
            kept = {name: file for name, file in self.synced_names.items() if not under(name)}
            self.synced_names = kept | {name: file for name, file in self.names.items() if under(name)}
        elif what == "rename":
            self.names[data] = self.names.pop(path)
        elif what == "remove":
            self.names.pop(path, None)

    def restore(self, out, how):
        shutil.rmtree(out, ignore_errors=True)
        for folder in self.folders:
            os.makedirs(folder, exist_ok=True)
        for path, file in (self.synced_names if how == "dropped" else self.names).items():
            content, seen = self.synced[file], self.seen[file]
            if how == "torn" and seen != content:
                content = seen[: (len(content) + len(seen)) // 2] if seen.startswith(content) else seen[: len(seen) // 2]
            Path(path).write_bytes(content)


def outcome(out):
    return re.sub(r'"(seconds|seal)": [^\n]*', "", Path(out, "result.json").read_text())


def main():
    c2rl, options = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if not shutil.which("strace") or subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode:
        print("skipped: nothing can be traced here")
        sys.exit(77)
    wrong = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run")
        start = [c2rl, "solve", str(ROOT / "examples/navigation.toml"), "--out", out, "--quiet", *options]
        log = trace(start, out, os.path.join(folder, "log"))
        expected = outcome(out)
        assert sum(what == "sync" for what, _, _ in log) > 3, "nothing was traced"
        disk = Disk()
        for number, event in enumerate(log):
            disk.do(*event)
            for how in ("dropped", "torn", "empty"):
                disk.restore(out, how)
                there = os.path.exists(os.path.join(out, "problem.toml"))
                resume = [c2rl, "solve", "--resume", "--out", out, "--quiet"] if there else start
                ended = subprocess.run(resume, capture_output=True, text=True)
                tried += 1
                if ended.returncode not in (0, 3, 4) or outcome(out) != expected:
                    wrong += 1
                    print(f"after {number + 1} of {len(log)} ({event[0]} {event[1]}), {how}: exit {ended.returncode} "
                          f"{ended.stderr.strip()}", flush=True)
    print(f"{tried} losses of power after {len(log)} events, {wrong} wrong")
    sys.exit(1 if wrong else 0)


main()
