"""The package as it is installed: alone, light, typed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import c2rl

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(c2rl.__file__).parent


def run(*words, **keywords):
    return subprocess.run(words, capture_output=True, text=True, **keywords)


def test_it_is_light():
    code = "import sys, c2rl; print([m for m in ('torch', 'gymnasium', 'pandas', 'scipy', 'matplotlib', 'tqdm', 'stable_baselines3') if m in sys.modules])"
    assert run(sys.executable, "-c", code, check=True).stdout.strip() == "[]"


def test_it_stands_alone():
    """What the module needs beside the system's own libraries lies with it, under the name that it looks for."""
    needed = re.compile(r"\(NEEDED\).*\[(.*)\]")
    ours = {path.name for path in PACKAGE.iterdir()}
    system = re.compile(r"(libc|libm|libstdc\+\+|libgcc_s|libpthread|libdl|librt|ld-linux-x86-64)\.so")
    (module,) = PACKAGE.glob("_core*.so")
    for file in [module, *PACKAGE.glob("lib*.so*")]:
        header = run("readelf", "-d", str(file), check=True).stdout
        for name in needed.findall(header):
            assert system.match(name) or name in ours, f"{file.name} needs {name}"
    assert "$ORIGIN" in run("readelf", "-d", str(module), check=True).stdout
    exported = run("nm", "-D", "--defined-only", str(module), check=True).stdout.split("\n")
    assert [line.split()[-1].split("@")[0] for line in exported if line] == ["PyInit__core"]


def test_versions_agree():
    stated = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.M).group(1)
    assert c2rl.__version__ == stated
    assert f"project(c2rl VERSION {stated} " in (ROOT / "CMakeLists.txt").read_text()


def check_types(*command):
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    return run(sys.executable, "-m", *command, env=environment, cwd=PACKAGE.parent)


def test_types():
    pytest.importorskip("mypy")
    done = check_types("mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"), "-p", "c2rl")
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs():
    """What stubtest finds of the module's stubs, beyond what is so with every module of nanobind."""
    pytest.importorskip("mypy")
    of_nanobind = re.compile(r'is not a function|is inconsistent, stub does not have \*args parameter "args"|is inconsistent, metaclass differs|'
                             "is a disjoint base at runtime, but isn't marked with @disjoint_base in the stub")
    done = check_types("mypy.stubtest", "c2rl._core", "--concise", "--mypy-config-file", str(ROOT / "pyproject.toml"))
    lines = (done.stdout + done.stderr).strip().split("\n")
    assert lines and [line for line in lines if not of_nanobind.search(line)] == []


def test_every_name_is_there():
    for name in c2rl.__all__:
        if name not in ("plot", "torch"):
            assert getattr(c2rl, name) is not None
    with pytest.raises(AttributeError):
        c2rl.nothing
