"""./test long: what takes too long for every day. Each ends with one line: RESULT <name> <commit> <ok|FAILED> ..."""

import os
import sys
import time

import long_mongo
import long_work
import processes
import runners
from processes import ROOT
from runners import RESULTS, Tally


def _sanitized(preset: str, env: dict) -> list[Tally]:
    if unbuilt := long_work.build_failures(preset):
        return unbuilt
    # Everything runs several times slower: MB_SLOW stretches the tests' own deadlines.
    named = ":external_symbolizer_path=/usr/bin/llvm-symbolizer-19"
    env = {**{name: options + named for name, options in env.items()}, "MB_SLOW": "8"}
    tallies = []
    for tally in runners.suite(preset, env, ["--timeout=600"], unit_seconds=1800, server_seconds=5400):
        tally.show()
        tallies.append(tally)
    return tallies


def asan() -> list[Tally]:
    options = "detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1:abort_on_error=0:exitcode=99"
    undefined = "print_stacktrace=1:halt_on_error=1:exitcode=99"
    return _sanitized("asan", {"ASAN_OPTIONS": options, "UBSAN_OPTIONS": undefined})


def tsan() -> list[Tally]:
    suppressions = ROOT / "tests" / "tsan.supp"
    options = f"halt_on_error=1:exitcode=99:second_deadlock_stack=1:suppressions={suppressions}"
    return _sanitized("tsan", {"TSAN_OPTIONS": options})


def kill() -> list[Tally]:
    rounds = os.environ.get("MB_KILL_ROUNDS", "1000")
    return long_work.with_release(
        lambda server: runners.single(
            "kill rounds", [sys.executable, "tests/kill/kill_rounds.py", "--server", server, "--rounds", rounds], 14400
        )
    )


def hooks() -> list[Tally]:
    rounds = os.environ.get("MB_KILL_ROUNDS", "300")
    tallies = []
    for name, more in (("hooks", []), ("hooks with redis", ["--redis"])):
        line = [sys.executable, "tests/kill/kill_rounds.py", "--only", "hooks", "--rounds", rounds, *more]
        tallies += long_work.with_release(
            lambda server, name=name, line=line: runners.single(name, [*line, "--server", server], 7200)
        )
    return tallies


def functions_kill() -> list[Tally]:
    rounds = os.environ.get("MB_KILL_ROUNDS", "300")
    line = [sys.executable, "tests/kill/kill_rounds.py", "--only", "functions", "--rounds", rounds]
    return long_work.with_release(lambda server: runners.single("functions_kill", [*line, "--server", server], 7200))


def _file_faults(name: str, tests: str, env: dict) -> list[Tally]:
    def work(server):
        command = [server.parent / "faults_test", f"--gtest_filter={tests}"]
        return runners.single(name, command, 7200, env)

    return long_work.with_release(work)


def faults() -> list[Tally]:
    calls = os.environ.get("MB_FAULT_CALLS", "all")
    return _file_faults("faults", "FaultsTest.*", {"MB_FAULT_CALLS": calls})


def powercut() -> list[Tally]:
    cuts = os.environ.get("MB_POWER_CUTS", "100")
    return _file_faults("powercut", "PowerCutTest.LosesNothing*", {"MB_POWER_CUTS": cuts})


def queries() -> list[Tally]:
    cases = os.environ.get("MB_CASES", "200000")
    seeds = os.environ.get("MB_SEEDS", "250")  # of 200 sorted queries each
    walks = os.environ.get("MB_WALK_SEEDS", "40")  # of 25 walks each

    def unit(name: str, program: str, tests: str, env: dict) -> list[Tally]:
        return long_work.with_release(
            lambda server: runners.single(name, [server.parent / program, f"--gtest_filter={tests}"], 7200, env)
        )

    configurations = os.environ.get("MB_CONFIGURATIONS", "1000")

    tallies = unit("queries and policies", "data_test", "QueryRandomTest.*", {"MB_CASES": cases})
    for program in ("configuration_test", "functions_test"):
        name = f"configurations of {program}"
        tallies += unit(name, program, "*RandomConfigurationsAreOneTextEach", {"MB_CONFIGURATIONS": configurations})
    tallies += unit("sorted pages", "embedded_test", "*PagesEqualAPlainSort*", {"MB_SEEDS": seeds})
    return tallies + unit("pages among writes", "embedded_test", "*PagesHoldWhatStays*", {"MB_SEEDS": walks})


def fuzz() -> list[Tally]:
    if unbuilt := long_work.build_failures("fuzz", "fuzzers"):
        return unbuilt
    fuzzers = len(list((ROOT / "fuzz").glob("*_fuzz.cc")))
    cores = os.cpu_count() or 1
    tally = runners.FuzzRun(float(os.environ.get("MB_FUZZ_SECONDS", 3600 * fuzzers / cores)), cores).result()
    tally.show()
    return [tally]


def differential() -> list[Tally]:
    operations = int(os.environ.get("MB_DIFFERENTIAL_OPERATIONS", "1000000"))
    return long_work.with_release(lambda _server: runners.differential(operations, 7200))


def bench() -> list[Tally]:
    def work(_server):
        script = ROOT / "bench" / "run.py"
        return runners.single("bench", [sys.executable, script], 7200) if script.exists() else None

    return long_work.with_release(work)


def large() -> list[Tally]:
    script = ROOT / "bench" / "large.py"
    return long_work.with_release(lambda server: runners.single("large", [sys.executable, script, "--server", server], 7200))


def projects() -> list[Tally]:
    command = [sys.executable, ROOT / "bench" / "projects.py", "--build"]
    return long_work.with_release(lambda server: runners.single("projects", [*command, server.parent], 3600))


def realtime() -> list[Tally]:
    command = [sys.executable, ROOT / "bench" / "realtime.py", "--build"]
    return long_work.with_release(lambda server: runners.single("realtime", [*command, server.parent], 3600))


def functions() -> list[Tally]:
    command = [sys.executable, ROOT / "bench" / "functions.py", "--build"]
    return long_work.with_release(lambda server: runners.single("functions", [*command, server.parent], 3600))


def graphql() -> list[Tally]:
    shapes = os.environ.get("MB_GRAPHQL_SHAPES", "200")
    reference = [sys.executable, "-m", "pytest", "tests/graphql/test_graphql_reference.py", "-q"]
    tallies = long_work.with_release(
        lambda server: runners.single(
            "graphql reference", reference, 3600, {"MB_SERVER": str(server), "MB_GRAPHQL_SHAPES": shapes}
        )
    )
    cost = [sys.executable, ROOT / "bench" / "graphql.py", "--build"]
    return tallies + long_work.with_release(lambda server: runners.single("graphql cost", [*cost, server.parent], 3600))


def files() -> list[Tally]:
    command = [sys.executable, ROOT / "bench" / "files.py", "--build"]
    return long_work.with_release(lambda server: runners.single("files", [*command, server.parent], 3600))


def vectors() -> list[Tally]:
    def work(server):
        command = [server.parent / "vector_index_test", "--gtest_filter=*Recall.*"]
        vectors = os.environ.get("MB_RECALL_VECTORS", "10000")
        return runners.single("recall of walks", command, 3600, {"MB_RECALL_VECTORS": vectors})

    command = [sys.executable, ROOT / "bench" / "vectors.py", "--repeats", "3", "--build"]
    return long_work.with_release(work) + long_work.with_release(
        lambda server: runners.single("vectors", [*command, server.parent], 3600)
    )


def auth() -> list[Tally]:
    def bench(name, script):
        return long_work.with_release(
            lambda server: runners.single(name, [sys.executable, script, "--build", server.parent], 3600)
        )

    return bench("auth timing", "bench/auth_timing.py") + bench("revocation", "bench/revocation.py")


def waits() -> list[Tally]:
    return long_work.marked("waits")


def journeys() -> list[Tally]:
    return long_work.marked("journeys")


def races() -> list[Tally]:
    rounds = os.environ.get("MB_RACE_ROUNDS", "500")
    tests = ["tests/projects/test_races.py", "tests/test_policy_set_races.py", "tests/test_references.py"]
    command = [sys.executable, "-m", "pytest", *tests, "-q", "-k", "races or beside"]
    return long_work.with_release(
        lambda server: runners.single("races", command, 3600, {"MB_SERVER": str(server), "MB_RACE_ROUNDS": rounds})
    )


def billing() -> list[Tally]:
    def pytest(name, file, variable, rounds):
        command = [sys.executable, "-m", "pytest", f"tests/billing/{file}", "-q"]
        env = {variable: os.environ.get(variable, rounds)}
        return long_work.with_release(lambda server: runners.single(name, command, 7200, {"MB_SERVER": str(server), **env}))

    cost = [sys.executable, ROOT / "bench" / "billing.py", "--build"]
    return (
        pytest("limits at once", "test_limits_at_once.py", "MB_BILLING_ROUNDS", "50")
        + pytest("meters after kills", "test_meters_after_kill.py", "MB_BILLING_KILL_ROUNDS", "200")
        + long_work.with_release(lambda server: runners.single("billing cost", [*cost, server.parent], 3600))
    )


def description() -> list[Tally]:
    def pytest(name, more, env):
        command = [sys.executable, "-m", "pytest", "-q", *more]
        return long_work.with_release(lambda server: runners.single(name, command, 14400, {"MB_SERVER": str(server), **env}))

    examples = os.environ.get("MB_EXAMPLES", "200")
    return pytest("described requests", ["tests/description"], {"MB_EXAMPLES": examples}) + pytest(
        "described answers", ["tests", "--ignore=tests/description"], {"MB_DESCRIBED": "1"}
    )


def sdk() -> list[Tally]:
    def pytest(name, file):
        # -s: the figures.
        command = [sys.executable, "-m", "pytest", f"tests/sdk/{file}.py", "-q", "-s"]
        return long_work.with_release(lambda server: runners.single(name, command, 7200, {"MB_SERVER": str(server)}))

    return (
        pytest("sdk in deno and bun", "long_runtimes")
        + pytest("live lists after cuts", "long_histories")
        + pytest("live lists under load", "long_frames")
        + pytest("sizes of packages", "long_sizes")
    )


def tasks() -> list[Tally]:
    # -s: the figures.
    command = [sys.executable, "-m", "pytest", "tests/tasks/long_tasks.py", "-q", "-s"]
    return long_work.with_release(lambda server: runners.single("ten tasks", command, 1800, {"MB_SERVER": str(server)}))


def screens() -> list[Tally]:
    command = [sys.executable, "-m", "pytest", "tests/screens/long_screens.py", "-q"]
    return long_work.with_release(lambda server: runners.single("screens", command, 7200, {"MB_SERVER": str(server)}))


def dashboard() -> list[Tally]:
    # -s: the table of figures, which is shown whether or not one of them is above its budget.
    command = [sys.executable, "-m", "pytest", "tests/speed/long_speed.py", "-q", "-s"]
    name = "speed of the dashboard"
    tallies = long_work.with_release(lambda server: runners.single(name, command, 3600, {"MB_SERVER": str(server)}))
    log = processes.tail(RESULTS / f"{name.replace(' ', '-')}.log", 1000)
    print("\n".join(line for line in log.splitlines() if line.startswith("|")))
    return tallies


def alone() -> list[Tally]:
    if unbuilt := long_work.build_failures("release", "mb_pch", "mb_pch_tests"):
        return unbuilt
    every = runners.single(
        "headers", [sys.executable, ROOT / "scripts" / "testing" / "headers.py", "--all"], 3600
    )
    every.show()
    built = Tally("dev build")
    broken = processes.build("dev")
    if broken:
        built.fail(broken)
    else:
        built.passed = 1
    built.show()
    return [every, built]


def catalogue() -> list[Tally]:
    return long_work.with_release(lambda server: runners.catalogue(server, whole=True, seconds=3600))


RUNS = {
    "asan": (asan, "50 min", "all unit and whole-server tests under the address and undefined-behaviour sanitizers"),
    "tsan": (tsan, "60 min", "the same under the thread sanitizer"),
    "kill": (kill, "45 min", "1,000 rounds of kill -9 under writes, index builds, drops, renames, backups, webhooks (MB_KILL_ROUNDS)"),
    "hooks": (hooks, "15 min", "300 rounds of kill -9 under writes that webhooks tell of, without and with Redis"),
    "functions_kill": (
        functions_kill,
        "15 min",
        "300 rounds of kill -9 of server and workers under writes with pre-hooks and post functions",
    ),
    "faults": (faults, "12 min", "the store's standard load with each of its file system calls failing once"),
    "powercut": (powercut, "2 min", "100 rounds of the same with what was not synced lost (MB_POWER_CUTS)"),
    "queries": (
        queries,
        "20 min",
        "200,000 random queries and counts compared with a plain evaluation (MB_CASES), 50,000 sorted ones (MB_SEEDS), "
        "1,000 walks among writes (MB_WALK_SEEDS), 1,000 configurations exported and imported (MB_CONFIGURATIONS)",
    ),
    "fuzz": (fuzz, "4 h", "every fuzzer for an hour, one a core (MB_FUZZ_SECONDS: wall-clock time of all)"),
    "differential": (
        differential,
        "15 min",
        "a million operations compared with another implementation of MongoDB's semantics (MB_DIFFERENTIAL_OPERATIONS)",
    ),
    "mongo_differential": (
        long_mongo.differential,
        "45 min",
        "the same of the engine on MongoDB (MB_DIFFERENTIAL_OPERATIONS)",
    ),
    "mongo_others": (
        long_mongo.others,
        "30 min",
        "100,000 filters as they are sent to MongoDB, on mongo-java-server, FerretDB 1 and the server of the tests "
        "(MB_PUSHED_FILTERS), and what of the suite mongo-java-server carries (needs Go 1.21, Java, Maven and their registries)",
    ),
    "bench": (bench, "30 min", "the load benchmark"),
    "large": (large, "20 min", "a million documents: lists, memory, other clients during scans and an index build"),
    "projects": (projects, "8 min", "1,000 projects of 20 collections: start, memory, one project under load next to another"),
    "realtime": (realtime, "10 min", "10,000 idle sockets; 1,000 subscribers of one collection; 1,000 owners' filters"),
    "functions": (functions, "8 min", "warm and first runs, pre-hooks, an idle worker, others next to hostile programs"),
    "graphql": (
        graphql,
        "8 min",
        "200 random projects compared with graphql-js (MB_GRAPHQL_SHAPES); a list with a relation compared with REST's",
    ),
    "files": (files, "4 min", "the CPU of small files, the rate of large ones, the memory of 1 GiB up and down"),
    "vectors": (
        vectors,
        "18 min",
        "100,000 vectors: what is found, plain and under filters, and how soon at 100 a second; what walks find of 10,000 "
        "(MB_RECALL_VECTORS)",
    ),
    "auth": (auth, "8 min", "whether time tells who is registered; how soon what was revoked is refused, under load"),
    "waits": (waits, "6 min", "the tests that wait for a schedule's minute or a limit of many seconds, on the real clock"),
    "journeys": (
        journeys,
        "5 min",
        "journeys in a browser that are variations of those of ./test: by keyboard, at the limits, of those who may do less",
    ),
    "races": (races, "8 min", "500 rounds of members, environments, invites, sets and references changed at once (MB_RACE_ROUNDS)"),
    "billing": (
        billing,
        "20 min",
        "50 rounds of 200 uses at once of a limit (MB_BILLING_ROUNDS), 200 of kill -9 and a recount of the meters "
        "(MB_BILLING_KILL_ROUNDS), and what billing costs",
    ),
    "description": (
        description,
        "30 min",
        "200 requests made from the description for each operation (MB_EXAMPLES), and all tests with each response checked against it",
    ),
    "sdk": (
        sdk,
        "15 min",
        "the TypeScript SDK's scenarios in Deno and Bun, 1,000 histories of live lists with cut sockets (MB_HISTORIES), "
        "frames of a page under 10,000 changes a second, sizes next to other packages",
    ),
    "mongo": (long_mongo.usual, "45 min", "the next three, one after another"),
    "mongo_suites": (
        long_mongo.suites,
        "10 min",
        "the suite of all engines on the one on MongoDB, and on databases of projects' owners (MANYBASE_TEST_MONGO_URL: on that "
        "server)",
    ),
    "mongo_pair": (long_mongo.pair, "5 min", "two servers on one database of MongoDB's protocol, and killed moves to and from it"),
    "mongo_tests": (
        long_mongo.tests,
        "30 min",
        "the whole-server tests with servers on MongoDB, without those of the dashboard and the SDK",
    ),
    "mongo_kills": (
        long_mongo.kills,
        "10 min",
        "60 rounds of kill -9 of servers and of their MongoDB-protocol server, stalls, lost connections and commits "
        "(MB_MONGO_KILL_ROUNDS); with MANYBASE_TEST_MONGO_URL on that server, which is not killed",
    ),
    "mongo_real": (
        long_mongo.real,
        "45 min",
        "the suites, several servers, and rounds of kill -9 of servers and lost connections on the server that "
        "MANYBASE_TEST_MONGO_URL names (MB_MONGO_KILL_ROUNDS); drops the databases that it made",
    ),
    "mongo_drivers": (
        long_mongo.drivers,
        "15 min",
        "the tests of MongoDB's driver for Python against the server of our tests: what fails stands in a list",
    ),
    "mongo_bench": (long_mongo.bench, "10 min", "CPU a request on MongoDB next to the embedded engine, and /health while it stalls"),
    "tasks": (
        tasks,
        "4 min",
        "ten tasks at the dashboard and at PocketBase's, in presses and seconds (needs Go 1.21 and its proxy)",
    ),
    "screens": (
        screens,
        "30 min",
        "every screen of the dashboard as pictures in build/screens: wide and at 360 pixels, light and dark (MB_TOUR=1 also "
        "takes those of docs/images)",
    ),
    "dashboard": (
        dashboard,
        "5 min",
        "the speed of the dashboard against its budgets: first paint, clicks, 100,000 rows, interactions, memory (needs a "
        "quiet machine)",
    ),
    "alone": (alone, "25 min", "every header compiled alone, and every source file instead of units of ten (preset dev)"),
    "catalogue": (catalogue, "10 min", "the package catalogue, all of it, and its ten questions"),
}


def listing() -> str:
    lines = [f"  {name:<14} {length:>6}  {what}" for name, (_, length, what) in RUNS.items()]
    return "./test long NAME; on two cores:\n" + "\n".join(lines)


def run(name: str) -> int:
    if name not in RUNS:
        print(f"there is no long run {name!r}\n{listing()}", file=sys.stderr)
        return 2
    work, length, _ = RUNS[name]
    processes.stage(f"{name}: about {length}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    tallies = work()
    passed = sum(tally.passed for tally in tallies)
    failed = sum(tally.failed for tally in tallies)
    for tally in tallies:
        if name not in ("asan", "tsan", "fuzz") and not tally.failed:
            last = processes.tail(RESULTS / f"{tally.name.replace(' ', '-')}.log", 3)
            print("    " + last.replace("\n", "\n    "))
    verdict = "FAILED" if failed or not passed else "ok"
    seconds = time.monotonic() - began
    print(
        f"RESULT {name} {processes.commit()} {verdict} {passed} passed, {failed} failed in {seconds:.0f} s", flush=True
    )
    return 0 if verdict == "ok" else 1
