"""Every multi-node entry of the real benchmark configs, decided: the golden file is what was reviewed by hand, and the
real launcher's own rules say the same, but for what docs/differences.md lists.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from infx_policy.duration import Duration
from tests.corpus import CLUSTERS, Point, points
from tests.decisions import bundled, differences, ours
from tests.goldens import check
from tests.upstream import Launcher, Upstream

DIFFERENCES = Path(__file__).parent.parent / "docs" / "differences.md"
FACTS = ("model-prefix", "precision", "framework", "spec-decoding", "agentic", "disagg")
HEAD = (
    "entry", "label", "cluster", *FACTS, "recipe", "points", "verdict", "lane", "run-root", "reasons", "time-limit",
    "setup-script", "settings", "mounts", "upstream",
)  # fmt: skip


@frozen
class Compared:
    """A point with our decision and the real launcher's."""

    point: Point
    here: Upstream
    codes: tuple[str, ...]
    there: Upstream

    @property
    def differ(self) -> tuple[str, ...]:
        return differences(self.here, self.there)


@pytest.fixture(scope="module")
def compared(shared: Path) -> list[Compared]:
    launcher = Launcher.of(shared / "facts")
    found = []
    for point in points(shared / "facts" / "corpus"):
        if "cluster" in point.facts:
            found.append(Compared(point, *ours(bundled(), point.facts), launcher.decide(point.facts)))
    return found


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, frozenset | tuple | list):
        return " ".join(sorted(value)) or "-"
    return "-" if value is None else str(value)


def _line(one: Compared) -> tuple[str, ...]:
    """A line of the golden file, less the count of its points."""
    facts, here = one.point.facts, one.here
    other = " ".join(f"{name.replace('_', '-')}={_said(getattr(one.there, name))}" for name in one.differ)
    return (
        one.point.entry,
        one.point.label,
        facts["cluster"],
        *(_said(facts[name]) for name in FACTS),
        "named" if facts["recipe"] else "none",
        here.verdict,
        _said(here.lane),
        _said(here.run_root),
        _said(one.codes),
        "-" if here.time_limit is None else str(Duration(here.time_limit)),
        _said(here.setup_script),
        _said(here.settings),
        _said([f"{volume}:{target}" for volume, target, _, _ in here.mounts]),
        other or "same",
    )


def _golden(compared: list[Compared], unmapped: Mapping[str, int]) -> str:
    counts = Counter(_line(one) for one in compared)
    place = HEAD.index("points")
    rows = [HEAD, *((*line[:place], str(count), *line[place:]) for line, count in counts.items())]
    labels = [f"# unmapped label {label}: {count} points" for label, count in sorted(unmapped.items())]
    return "\n".join(["\t".join(row) for row in rows] + labels) + "\n"


def test_every_point_is_decided_as_it_was_reviewed(compared: list[Compared], shared: Path) -> None:
    every = list(points(shared / "facts" / "corpus"))
    unmapped = Counter(one.label for one in every if "cluster" not in one.facts)
    assert (len(every), len(compared)) == (347, 347 - sum(unmapped.values()))
    check("corpus-decisions.tsv", _golden(compared, unmapped))


def test_the_labels_are_those_of_the_corpus_readme(shared: Path) -> None:
    text = (shared / "facts" / "corpus" / "README.md").read_text()
    listed = " ".join(text.partition("today's clusters: ")[2].split())
    found: dict[str, str] = {}
    for part in listed.rstrip(".").split("; "):
        labels, _, cluster = part.partition(" -> ")
        found.update(dict.fromkeys(labels.replace(" and ", ", ").split(", "), cluster))
    assert found == CLUSTERS


def _listed() -> Counter[tuple[str, ...]]:
    """The table of docs/differences.md: entry, points, what differs, here, there."""
    text = DIFFERENCES.read_text()
    section = text[text.index("## Entries of the corpus") :].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return Counter({(entry.strip("`"), *rest): int(count) for entry, count, *rest in rows})


def test_what_differs_from_the_real_launcher_is_listed(compared: list[Compared]) -> None:
    found = Counter(
        (one.point.entry, name.replace("_", "-"), _said(getattr(one.here, name)), _said(getattr(one.there, name)))
        for one in compared
        for name in one.differ
    )
    assert found == _listed()
