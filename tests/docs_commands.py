#!/usr/bin/env python3
"""Runs what the pages of the guide say to type: docs_commands.py COMMAND SOURCE DIRECTORY PAGE...

Each page has a directory of its own below DIRECTORY, with examples/ and experiments/ in it and the built c2rl first in PATH.
Its fenced blocks are taken in order, by their language:

  sh         commands, each of which must succeed
  console    a session: lines after "$ " are typed, all others are what a terminal of 120 columns shows then. "..." stands
             for any text, on a line of its own for any lines. A command that fails must be followed by "$ echo $?".
  python     a program, which must succeed, where the package can be imported (C2RL_PYTHON names the interpreter); skipped
             elsewhere. A block "output" behind it is what it prints.
  any        with file=NAME it is written to NAME first, and not run
             with from=PATH it must stand in that file of the tree, but for indentation

Words behind the language: "not-run" where a block takes long or needs what a test has not; instead='COMMAND' runs that in
its place. A block of another language, or of none, is only read; but one without a language may hold no command."""
import difflib
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import fcntl
import time

COLUMNS = 120
LIMIT_SECONDS = 300


class Block:
    def __init__(self, info, line):
        words = shlex.split(info)
        self.language = words[0] if words else ""
        self.marks = dict(word.partition("=")[::2] for word in words[1:])
        self.line = line
        self.lines = []

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"


def blocks_of(path):
    blocks, open_block, indent = [], None, ""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file.read().split("\n"), 1):
            fence = re.match(r"( *)```(.*)$", line)
            if fence and open_block is None:
                indent, open_block = fence[1], Block(fence[2], number)
            elif fence:
                blocks.append(open_block)
                open_block = None
            elif open_block is not None:
                open_block.lines.append(line.removeprefix(indent))
    return blocks


def steps_of(block):
    """The commands of a session, each with the lines shown after it."""
    steps, continued = [], False
    for line in block.lines:
        if continued:
            steps[-1][0] += "\n" + line
        elif line.startswith("$ "):
            steps.append([line[2:], []])
        elif not steps:
            raise SystemExit(f"line {block.line}: a session begins with a line that begins with '$ '")
        else:
            steps[-1][1].append(line)
        continued = (continued or line.startswith("$ ")) and line.endswith("\\")
    return steps


def run(words, directory, environment):
    """Status of a command and what a terminal shows of it. Lines drawn over are not seen in the end."""
    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    process = subprocess.Popen(words, cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=there, stderr=there,
                               start_new_session=True)
    os.close(there)
    output, began = b"", time.monotonic()
    os.set_blocking(here, False)
    while True:
        try:
            output += os.read(here, 65536)
        except BlockingIOError:
            if time.monotonic() - began > LIMIT_SECONDS:
                os.killpg(process.pid, 9)
                raise SystemExit(f"took more than {LIMIT_SECONDS} s: {words[-1]}")
            time.sleep(0.01)
        except OSError:  # the last who could write has closed it
            break
    os.close(here)
    status = process.wait()
    text = output.decode("utf-8", "replace").replace("\r\n", "\n")
    return status, [line.split("\r\x1b[K")[-1].rstrip() for line in text.split("\n")]


def as_shown(shown, found):
    """Whether lines are as a page shows them."""
    pattern = ""
    for line in shown:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.rstrip().split("...")) + r"\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in found)) is not None


def stripped(lines):
    """Without empty lines at either end."""
    lines = list(lines)
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return lines


class PageRun:
    def __init__(self, command, source, directory, page):
        self.source, self.page = source, page
        self.directory = os.path.join(directory, re.sub(r"\W", "-", page))
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.directory)
        for name in ("examples", "experiments"):
            shutil.copytree(os.path.join(source, name), os.path.join(self.directory, name))
        self.environment = dict(os.environ, PATH=os.path.dirname(command) + os.pathsep + os.environ["PATH"], TERM="xterm",
                                PAGER="cat")
        self.python = os.environ.get("C2RL_PYTHON")
        self.ran = self.skipped = 0

    def fail(self, block, message):
        raise SystemExit(f"{self.page}:{block.line}: {message}")

    def expect(self, block, what, shown, found):
        shown, found = stripped(shown), stripped(found)
        if not as_shown(shown, found):
            difference = "\n".join(difflib.unified_diff(shown, found, "on the page", "found", lineterm=""))
            self.fail(block, f"{what}\nshows something else than the page:\n{difference}")

    def run_session(self, block, steps):
        status = 0
        for i, (command, shown) in enumerate(steps):
            explained = i + 1 < len(steps) and steps[i + 1][0] == "echo $?"
            status, found = run(["bash", "-c", f"(exit {status})\n{command}"], self.directory, self.environment)
            if status != 0 and not explained:
                self.fail(block, f"{command}\nended with exit status {status}:\n" + "\n".join(found))
            if shown is not None:
                self.expect(block, command, shown, found)
            self.ran += 1

    def run_python(self, block, output):
        if not self.python:
            self.skipped += 1
            return
        with tempfile.NamedTemporaryFile("w", suffix=".py", dir=self.directory) as file:
            file.write(block.text)
            file.flush()
            status, found = run([self.python, file.name], self.directory, self.environment)
        if status != 0:
            self.fail(block, f"ended with exit status {status}:\n" + "\n".join(found))
        if output:
            self.expect(block, "the program", output.lines, found)
        self.ran += 1

    def run_block(self, block, following):
        if "from" in block.marks:
            with open(os.path.join(self.source, block.marks["from"]), encoding="utf-8") as file:
                lines = [line.strip() for line in file]
            wanted = [line.strip() for line in stripped(block.lines)]
            if not any(lines[i : i + len(wanted)] == wanted for i in range(len(lines))):
                self.fail(block, f"does not stand so in {block.marks['from']}")
        elif "file" in block.marks:
            path = os.path.join(self.directory, block.marks["file"])
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(block.text)
        elif "not-run" in block.marks:
            pass
        elif "instead" in block.marks:
            self.run_session(block, [(block.marks["instead"], None)])
        elif block.language == "console":
            self.run_session(block, steps_of(block))
        elif block.language == "sh":
            self.run_session(block, [(re.sub(r"^", "set -e\n", block.text), None)])
        elif block.language == "python":
            self.run_python(block, following if following and following.language == "output" else None)
        elif not block.language and re.search(r"^(\$ )?(c2rl|make|python3?|build/\S+) ", block.text, re.M):
            self.fail(block, "a block with commands says 'sh' or 'console' behind its fence")

    def run(self):
        blocks = blocks_of(os.path.join(self.source, self.page))
        for block, following in zip(blocks, blocks[1:] + [None]):
            self.run_block(block, following)
        print(f"{self.page}: {self.ran} commands are as it says" +
              (f"; {self.skipped} programs in Python skipped" if self.skipped else ""))


def main():
    command, source, directory = (os.path.abspath(path) for path in sys.argv[1:4])
    for page in sys.argv[4:]:
        PageRun(command, source, directory, page).run()


if __name__ == "__main__":
    main()
