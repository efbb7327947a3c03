"""Nothing administrative is left to the command line: each operation of both planes has a screen, or a reason."""

from collections import Counter

from support.dashboard_operations import JOURNEYS, operations, without_a_journey


def test_each_operation_has_a_journey_or_a_reason():
    listed = Counter([id for ids in JOURNEYS.values() for id in ids.split()] + without_a_journey())
    assert sorted(listed.elements()) == sorted(operations())
