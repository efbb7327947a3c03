"""The figures of a run, with their budgets."""

import math
import statistics
from dataclasses import dataclass

HEAD = ("Figure", "Median", "p95", "Most", "Of", "Budget")


def p95(values: list[float]) -> float:
    """Returns the value that 95 of 100 values do not exceed."""
    return sorted(values)[math.ceil(len(values) * 0.95) - 1]


# What of the values the budget is for.
BY = {"median": statistics.median, "p95": p95, "most": max}


@dataclass
class Figure:
    name: str
    unit: str
    values: list[float]
    by: str
    budget: float | None

    def _text(self, value: float) -> str:
        # Times past ten milliseconds are no more exact than that.
        exact = value % 1 and (value < 10 or self.unit != "ms")
        return f"{value:,.{1 if exact else 0}f} {self.unit}".strip()

    def cells(self) -> tuple[str, ...]:
        budget = "" if self.budget is None else f"{self.by} ≤ {self._text(self.budget)}"
        if len(self.values) == 1:
            return (self.name, self._text(self.values[0]), "", "", "", budget.removeprefix(f"{self.by} "))
        spread = (self._text(find(self.values)) for find in BY.values())
        return (self.name, *spread, str(len(self.values)), budget)

    def above(self) -> bool:
        return self.budget is not None and BY[self.by](self.values) > self.budget


class Figures:
    def __init__(self):
        self._all: list[Figure] = []
        self._checked = 0

    def add(self, name: str, values: list[float] | float, unit: str = "ms", budget: float | None = None, by: str = "median") -> None:
        """Adds measured values; without a budget they are for information."""
        self._all.append(Figure(name, unit, values if isinstance(values, list) else [values], by, budget))

    def check(self) -> None:
        """Fails where a figure that was added since the last check is above its budget."""
        new = self._all[self._checked :]
        self._checked = len(self._all)
        above = [" ".join(figure.cells()) for figure in new if figure.above()]
        assert not above, "above the budget:\n" + "\n".join(above)

    def table(self) -> str:
        rows = [HEAD, tuple("---" for _ in HEAD), *(figure.cells() for figure in self._all)]
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)
