"""Our tables against the real launcher's rules over a grid of requests: they differ where docs/differences.md says so,
and nowhere else.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from infx_policy import Policy, load_policy
from tests.decisions import bundled, differences, ours
from tests.upstream import Launcher, Upstream

UPSTREAM = Path(__file__).parent.parent / "examples" / "upstream"
BASE: Mapping[str, Any] = {
    "recipe": "r.yaml", "batch-job": False, "bench-script": "", "eval-only": False, "concurrency": [8],
}  # fmt: skip
IONIC = ("ionic-provider", None, False, True)
"""The mount whose target the source does not give."""


@pytest.fixture(scope="module")
def launcher(shared: Path) -> Launcher:
    return Launcher.of(shared / "facts")


def _grid(launcher: Launcher, values: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    for combined in product(launcher.clusters, *values.values()):
        yield {**BASE, **dict(zip(["cluster", *values], combined, strict=True))}


def multi_node(launcher: Launcher) -> Iterator[dict[str, Any]]:
    words = launcher.lanes["vocabulary"]
    values: dict[str, list[Any]] = {
        "framework": [*words["framework"], "llmd-vllm"],
        "model-prefix": words["model-prefix"],
        "precision": ["fp4", "fp8"],
        "spec-decoding": words["spec-decoding"],
        "agentic": [False, True],
        "multinode": [True],
    }
    yield from _grid(launcher, values)
    yield from _grid(launcher, {**values, "precision": ["fp4"], "spec-decoding": ["none"], "recipe": [""]})


def single_node(launcher: Launcher) -> Iterator[dict[str, Any]]:
    values: dict[str, list[Any]] = {
        "framework": ["sglang", "vllm", "trt"],
        "model-prefix": ["dsv41flash", "dsv4"],
        "precision": ["fp4"],
        "spec-decoding": ["none"],
        "agentic": [False, True],
        "multinode": [False],
        "bench-script": ["", "bench.sh"],
        "batch-job": [False, True],
        "eval-only": [False, True],
        "concurrency": [[8], [8, 64]],
    }
    return _grid(launcher, values)


def _expected(facts: Mapping[str, Any], there: Upstream) -> Upstream:
    """The real launcher's decision with our differences put in."""
    is_gb200 = facts["cluster"] == "gb200-nv"
    if is_gb200 and facts["multinode"] and facts["framework"] == "vllm" and facts["recipe"]:
        agentic = [("aiperf-cache", "/aiperf_mmap_cache", True, False), ("hf-hub-cache", "/hf_hub_cache", True, False)]
        mounts = frozenset(agentic if facts["agentic"] else ())
        there = Upstream("admitted", "srt-multi", time_limit=6 * 3600, mounts=mounts)
    elif is_gb200 and facts["framework"] == "vllm" and facts["multinode"]:
        return Upstream("refused", "srt-multi", "no-recipe")
    if is_gb200 and there.verdict == "admitted":
        there = evolve(there, run_root="shared")
    return evolve(there, mounts=there.mounts - {IONIC})


def _compared(policy: Policy, facts: Mapping[str, Any], there: Upstream) -> None:
    here, codes = ours(policy, facts)
    # What only follows from a word that nobody knows is no reason of its own here.
    assert here.verdict == "admitted" or {there.why, "unknown-framework"} & set(codes), (facts, here, there)
    assert differences(evolve(here, why=there.why), there) == (), (facts, here, there)


@pytest.mark.parametrize("grid", [multi_node, single_node])
def test_the_bundled_tables_differ_where_we_say(launcher: Launcher, grid: Any) -> None:
    decided = 0
    for facts in grid(launcher):
        _compared(bundled(), facts, _expected(facts, launcher.decide(facts)))
        decided += 1
    assert decided > 1000


@pytest.mark.parametrize("grid", [multi_node, single_node])
def test_the_upstream_example_refuses_what_the_real_launcher_leaves_in_the_workspace(
    launcher: Launcher, grid: Any
) -> None:
    policy = load_policy(UPSTREAM, with_plugins=())
    for facts in grid(launcher):
        if facts["cluster"] == "gb200-nv":
            there = launcher.decide(facts)
            if facts["multinode"] and facts["framework"] == "vllm":
                there = _llm_d(launcher, facts)
            if there.verdict == "admitted" and there.run_root == "workspace":
                there = Upstream("refused", there.lane, "no-shared-run-root")
            _compared(policy, facts, there)


def _llm_d(launcher: Launcher, facts: Mapping[str, Any]) -> Upstream:
    """What the founding change made of a request of framework vllm: admitted as the others, and staged by model."""
    there = launcher.decide({**facts, "framework": "dynamo-trt"})
    is_staged = facts["model-prefix"] in ("minimaxm3", "kimik3", "qwen3.5", "glm5.2")
    return evolve(there, run_root=("shared" if is_staged else "workspace") if there.verdict == "admitted" else None)


def test_what_is_unstaged_upstream_is_what_we_say(launcher: Launcher) -> None:
    found = {
        (facts["model-prefix"], facts["framework"], facts["agentic"])
        for facts in multi_node(launcher)
        if facts["cluster"] == "gb200-nv" and launcher.decide(facts).run_root == "workspace"
    }
    staged = {"minimaxm3", "kimik3", "qwen3.5", "glm5.2"}
    dynamo = ("dynamo-sglang", "dynamo-trt", "dynamo-vllm")
    others = set(launcher.lanes["vocabulary"]["model-prefix"]) - staged - {"dsv4"}
    expected = set(product(others, dynamo, (False, True)))
    expected |= {("dsv4", "dynamo-trt", False), ("dsv4", "dynamo-trt", True), ("dsv4", "dynamo-sglang", False)}
    assert found == expected


def test_our_vocabulary_is_the_facts(launcher: Launcher) -> None:
    ours = {name: sorted(words) for name, words in bundled().inventory.vocabulary.items()}
    assert ours == {name: sorted(words) for name, words in launcher.lanes["vocabulary"].items()}
