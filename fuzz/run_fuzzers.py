#!/usr/bin/env python3
"""Runs every fuzzer for an equal share of the time.

    fuzz/run_fuzzers.py [--seconds N] [--jobs N] [--only NAME] [--report FILE]

Each starts from fuzz/corpus/<name>/ and stores new inputs in build/fuzz-corpus/<name>/. An input that crashes,
leaks or hangs is stored in build/fuzz-findings/ and makes the run fail. Exit code: 0, or 1 if any fuzzer failed.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FINDINGS = ROOT / "build" / "fuzz-findings"
_running: set[subprocess.Popen] = set()
_stopping = threading.Event()


def run_one(name: str, binary: Path, seconds: int) -> dict:
    """Runs one fuzzer; returns {name, ok, runs, problem, output}."""
    if _stopping.is_set():
        return {"name": name, "ok": False, "runs": 0, "problem": "stopped", "output": ""}
    corpus = ROOT / "build" / "fuzz-corpus" / name
    seeds = ROOT / "fuzz" / "corpus" / name
    words = ROOT / "fuzz" / f"{name}.dict"
    corpus.mkdir(parents=True, exist_ok=True)
    FINDINGS.mkdir(parents=True, exist_ok=True)
    command = [
        str(binary),
        f"-max_total_time={seconds}",
        "-timeout=10",
        "-rss_limit_mb=2048",
        "-max_len=16384",
        "-print_final_stats=1",
        "-verbosity=0",
        f"-artifact_prefix={FINDINGS}/{name}-",
    ]
    command += [f"-dict={words}"] if words.exists() else []
    command += [str(corpus)] + ([str(seeds)] if seeds.is_dir() else [])
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    _running.add(process)
    try:
        output, _ = process.communicate(timeout=seconds + 120)
        problem = None if process.returncode == 0 else f"exit code {process.returncode}"
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        problem = "did not end in time"
    _running.discard(process)
    runs = next(
        (int(line.split()[-1]) for line in output.splitlines() if line.startswith("stat::number_of_executed_units")), 0
    )
    if problem is None and runs == 0:
        problem = "ran no input"
    shown = "" if problem is None else "\n".join(output.splitlines()[-60:])
    return {"name": name, "ok": problem is None, "runs": runs, "problem": problem, "output": shown}


def stop(_number, _frame) -> None:
    _stopping.set()
    for process in list(_running):
        process.kill()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300, help="wall-clock time of all together (300)")
    parser.add_argument("--jobs", type=int, default=1, help="fuzzers at once (1)")
    parser.add_argument("--only", help="one fuzzer, by name")
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "fuzz" / "bin", help="where the programs are")
    parser.add_argument("--report", type=Path, help="results as JSON")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)

    # Names come from the sources, not from the build folder, so that the program of a deleted fuzzer does not run.
    names = sorted(source.name.removesuffix("_fuzz.cc") for source in (ROOT / "fuzz").glob("*_fuzz.cc"))
    names = [name for name in names if options.only in (None, name)]
    if not names:
        print(f"unknown fuzzer: {options.only}" if options.only else "no fuzzers found in fuzz/")
        if options.report:
            options.report.write_text("[]")
        return 1
    share = max(1, int(options.seconds * options.jobs / len(names)))
    os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=1:allocator_may_return_null=1")
    os.environ.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")

    def timed(name: str) -> dict:
        began = time.monotonic()
        result = run_one(name, options.bin / f"{name}_fuzz", share)
        verdict = "ok" if result["ok"] else "FAILED: " + result["problem"]
        print(f"{name}: {result['runs']} inputs in {time.monotonic() - began:.0f} s: {verdict}", flush=True)
        if result["output"]:
            print(result["output"], flush=True)
        return result

    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(timed, names))
    if options.report:
        options.report.parent.mkdir(parents=True, exist_ok=True)
        options.report.write_text(json.dumps(results))
    return 0 if all(result["ok"] for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
