"""The crash test's own ledger must detect a loss."""

import shutil

import pytest

from kill.checks import sealed
from kill.kill_rounds import Rounds
from kill.ledger import States


def ledger(*steps) -> States:
    states = States()
    for name, after, outcome in steps:
        states.begin(name, after)
        if outcome != "unknown":
            getattr(states, outcome)(name)
    return states


@pytest.mark.parametrize(
    "steps, found, problems",
    [
        ([("a", 1, "acknowledge")], {"a": 1}, 0),
        ([("a", 1, "acknowledge")], {}, 1),
        ([("a", 1, "acknowledge"), ("a", 2, "acknowledge")], {"a": 1}, 1),
        ([("a", 1, "unknown")], {}, 0),
        ([("a", 1, "unknown")], {"a": 1}, 0),
        ([("a", 1, "unknown")], {"a": 2}, 1),
        ([("a", 1, "acknowledge"), ("a", 2, "unknown")], {"a": 1}, 0),
        ([("a", 1, "acknowledge"), ("a", 2, "unknown")], {"a": 2}, 0),
        ([("a", 1, "acknowledge"), ("a", None, "unknown")], {}, 0),
        ([("a", 1, "acknowledge"), ("a", None, "acknowledge")], {"a": 1}, 1),
        ([("a", 1, "acknowledge"), ("a", 2, "refuse")], {"a": 2}, 1),
        ([("a", 1, "acknowledge"), ("a", 2, "refuse")], {"a": 1}, 0),
        ([], {"a": 1}, 1),
    ],
    ids=str,
)
def test_ledger(steps, found, problems):
    states = ledger(*steps)
    assert len(states.compare(found, "thing")) == problems
    assert states.compare(found, "thing") == [], "what was found settles the ledger"


def test_a_mixture_of_two_states_breaks_the_seal():
    before, after = sealed({"id": "x", "n": 1, "tags": ["a"]}), sealed({"id": "x", "n": 2, "tags": ["b"]})
    assert sealed(before) == before
    for mixed in ({**before, "n": 2}, {**after, "tags": ["a"]}, {**before, "sum": after["sum"]}):
        assert sealed(mixed) != mixed


@pytest.mark.slow
@pytest.mark.embedded("it sets the files of the store back")
def test_data_from_before_is_seen_as_loss(tmp_path):
    """The whole crash test with a server that loses data: its data is set back to an earlier state."""
    rounds = Rounds(tmp_path, seed=1, only={"documents", "unique values"})
    rounds.prepare()
    try:
        rounds.one(1)
        assert rounds.problems == []
        rounds.server.stop()
        shutil.copytree(rounds.server.data, tmp_path / "earlier")
        rounds.server.start()
        rounds._write_until_killed(2)
        shutil.rmtree(rounds.server.data)
        shutil.copytree(tmp_path / "earlier", rounds.server.data)
        rounds.server.start()
        lost = [problem for check in rounds.checks for problem in check.verify(rounds.world)]
        assert any(" is lost" in problem for problem in lost)
        assert any("other than acknowledged" in problem for problem in lost)
    finally:
        rounds.server.kill()
