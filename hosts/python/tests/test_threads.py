"""Threads, signals and large inputs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import MODULE, NOT_NOT

import drrvm

TESTS = Path(__file__).parent


def chain(count: int) -> str:
    """A module with a chain of `count` operations `t.not`, so that one rule applies again and again."""
    lines = ['%0 = "t.input"() : () -> i1']
    lines += [f'%{i + 1} = "t.not"(%{i}) : (i1) -> i1' for i in range(count)]
    return "\n".join([*lines, f'"t.output"(%{count}) : (i1) -> ()'])


def test_threads_share_rules(not_not: drrvm.Rules) -> None:
    texts = [chain(count) for count in range(2, 40)]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(not_not.apply, texts))
    for count, result in zip(range(2, 40), results):
        assert sum(result.rewrites.values()) >= count // 2
        names = [op.name for op in result.module.walk()]
        assert names.count("t.not") == count % 2


def test_threads_share_a_module(not_not: drrvm.Rules) -> None:
    module = drrvm.Module.parse(chain(2000))
    conflicts = 0

    def work(_: int) -> None:
        nonlocal conflicts
        try:
            not_not.apply(module)
        except drrvm.ConflictError:
            conflicts += 1
        assert "t.output" in str(module)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(12)))
    assert conflicts < 12
    module.verify()


def test_the_lock_is_released_while_matching() -> None:
    rules = drrvm.compile(td=NOT_NOT)
    module = drrvm.Module.parse(chain(60_000))
    done = threading.Event()
    ticks = 0

    def run() -> None:
        rules.apply(module, engine="reference")
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    while not done.wait(0.001):
        ticks += 1
    thread.join()
    assert ticks > 3


def interrupted(code: str, after: float) -> float:
    """Runs code that takes a long time, sends Ctrl-C, and returns the time until the exception arrived, in seconds."""
    # A shell makes its background programs ignore Ctrl-C, so the default handler is set here.
    prelude = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    prelude += f"import sys; sys.path.insert(0, {str(TESTS)!r})\nfrom test_threads import chain\nfrom conftest import *\n"
    tail = "print('ready', flush=True)\ntry:\n    RUN\nexcept KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
    setup, _, run = textwrap.dedent(code).strip().rpartition("\n")
    program = prelude + setup + "\n" + tail.replace("RUN", run)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(after)
    assert process.poll() is None, "the run is too short for this test"
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    line = process.stdout.readline()
    taken = time.monotonic() - started
    watchdog.cancel()
    process.kill()
    process.wait()
    assert line == "interrupted\n"
    return taken


# An optimised build needs at most 0.1 s. Tests use an unoptimised build, and other processes can delay single runs.
LIMIT = 1.0


def assert_stops(code: str, after: float = 0.3) -> None:
    """At least one of five runs must end within the limit after Ctrl-C."""
    delays: list[float] = []
    while len(delays) < 5:
        delays.append(interrupted(code, after))
        if delays[-1] < LIMIT:
            return
    pytest.fail(f"after Ctrl-C, the runs went on for {delays} seconds")


@pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")
def test_ctrl_c_stops_endless_rules() -> None:
    code = """
        td = NOT_NOT.replace("def NotNot", "def Grow : Pat<(T_Not $x), (T_Not (T_Not $x))>; def NotNot")
        rules = drrvm.compile(td=td, disable=["NotNot"])
        rules.apply(MODULE, max_rewrites=10**9, max_iterations=10**6)
    """
    assert_stops(code)


@pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")
def test_ctrl_c_stops_a_native() -> None:
    code = """
        from time import sleep
        td = NOT_NOT.replace("(replaceWithValue $x)>", "(replaceWithValue $x), [(Constraint<CPred<\\"slow($0)\\">> $x)]>")
        rules = drrvm.compile(td=td, natives={"slow": lambda x: sleep(100)})
        rules.apply(MODULE)
    """
    assert_stops(code)


@pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")
def test_ctrl_c_stops_parsing() -> None:
    code = """
        text = '"t.a"() {k = dense<[' + '1, ' * 60_000_000 + '1]> : tensor<60000001xi8>} : () -> ()'
        drrvm.Module.parse(text)
    """
    assert_stops(code)


def test_a_module_of_100_megabytes() -> None:
    line = '"t.a"() {text = "' + "x" * 1000 + '"} : () -> ()\n'
    text = line * (100_000_000 // len(line) + 1)
    module = drrvm.Module.parse(text)
    assert len(module) == text.count("\n") + 1
    rules = drrvm.compile(td=NOT_NOT)
    assert rules.apply(module).rewrites == {}


@pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")
def test_ctrl_c_stops_a_comparison() -> None:
    code = """
        rules = drrvm.compile(EXAMPLES / "tensor" / "rules.td")
        drrvm.equiv(rules, rules, seconds=1000)
    """
    assert_stops(code)


@pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")
def test_ctrl_c_stops_compiling() -> None:
    code = """
        td = "foreach i = 0...100000 in { def R#i { int s = !foldl(0, !range(0, 2000), a, b, !add(a, b, i)); } }"
        drrvm.compile(td=td)
    """
    assert_stops(code)


@pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")
@pytest.mark.parametrize(
    "run",
    [
        "rules.apply(module)",
        "slow.apply(module)",
        "rules.matches(module)",
        "rules.explain(module)",
        "rules.profile(module)",
        "module.verify()",
        "str(module)",
    ],
)
def test_ctrl_c_stops_work_on_large_modules(run: str) -> None:
    # Nothing in the module matches: copying, verifying, walking and printing take the time.
    code = f"""
        td = NOT_NOT.replace("(replaceWithValue $x)>", "(replaceWithValue $x), [(Constraint<CPred<\\"ok($0)\\">> $x)]>")
        rules, slow = drrvm.compile(td=NOT_NOT), drrvm.compile(td=td, natives={{"ok": lambda x: True}})
        module = drrvm.Module.parse(chain(500_000).replace("t.not", "t.keep"))
        [{run} for _ in range(100)]
    """
    assert_stops(code, after=0.03)
