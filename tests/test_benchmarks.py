"""The benchmarks measure answers that are right, and run. No time is asserted: machines differ."""

import re
from pathlib import Path

import pytest

from benchmarks import decide as decide_benchmark
from benchmarks import engines, explain, grid, peers, rules
from infx_policy import Policy, Request, Verdict, decide, load_policy
from infx_policy.fact import MATCHED

ROOT = Path(__file__).parent.parent
TABLES = {"bundled": None, "gap": ROOT / "examples/gap", "upstream": ROOT / "examples/upstream"}


@pytest.fixture(scope="module", params=TABLES)
def policy(request: pytest.FixtureRequest) -> Policy:
    return load_policy(TABLES[request.param], with_plugins=())


def test_requests_are_the_same_on_every_run_and_state_every_fact(policy: Policy) -> None:
    requests = grid.sampled(policy, 300)
    assert requests == grid.sampled(policy, 300)
    assert requests != grid.sampled(policy, 300, seed=1)
    for request in requests:
        assert all(getattr(request, fact.attribute) is not None for fact in MATCHED)
        assert request.multinode is True
        assert request.recipe is not None
    assert {request.cluster for request in requests} == set(policy.inventory.clusters)


def test_requests_made_again_are_equal_and_other_objects(policy: Policy) -> None:
    requests = grid.sampled(policy, 5)
    for one, other in zip(requests, grid.again(requests), strict=True):
        assert one == other
        assert one.framework is not other.framework


def test_requests_are_admitted_and_refused_for_several_reasons() -> None:
    policy = load_policy(with_plugins=())
    decisions = [decide(policy, request) for request in grid.sampled(policy)]
    admitted = sum(decision.verdict is Verdict.ADMITTED for decision in decisions)
    assert 0.15 < admitted / len(decisions) < 0.85
    codes = {reason.code.value for decision in decisions for reason in decision.reasons}
    assert {
        "no-admit-row",
        "no-lane",
        "no-recipe",
        "no-shared-run-root",
        "refused-by-row",
        "unknown-framework",
    } <= codes


def test_peers_agree_with_decide(policy: Policy) -> None:
    requests = grid.sampled(policy, 400, seed=2)
    found = decide_benchmark.peers_of(policy, requests)
    installed = [engine for engine in engines.ENGINES if engine.version is not None]
    assert len(found) == 3 + len(installed)
    assert decide_benchmark.disagreements(policy, found, requests) == []


def test_a_peer_that_does_not_agree_is_found(policy: Policy) -> None:
    requests = grid.sampled(policy, 40)
    wrong = {"never": lambda _request: False}
    admitted = [request for request in requests if decide(policy, request).verdict is Verdict.ADMITTED]
    found = decide_benchmark.disagreements(policy, wrong, requests)
    assert len(found) == len(admitted) > 0
    assert found[0].startswith("never says no where decide says admitted: {'cluster': ")


def test_nothing_is_timed_where_a_peer_does_not_agree(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(decide_benchmark, "linear_of", lambda _rules: lambda _request: False)
    assert decide_benchmark.main(["--rounds", "1", "--requests", "40"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1].endswith(" answers differ; nothing was timed")


LANES = """
cluster: gb200-nv
lanes:
  srt-multi:
    takes: {multinode: true}
    driver: srt-slurm
    admits:
      one: {when: {framework: {not: [vllm, trt]}, agentic: true}, because: x}
      two: {when: {any-of: [{precision: fp8}, {agentic: false, spec-decoding: {not: mtp}}]}, because: x}
    refuses:
      three: {when: {model-prefix: {not: dsv4}, precision: [bf16, fp4]}, because: x}
    shared-run-root:
      four: {when: all, because: x}
  srt-native:
    takes: {model-prefix: [dsv4, kimik3], multinode: true, agentic: [true, false], precision: fp4}
    instead-of: srt-multi
    driver: srt-slurm
    admits:
      five: {when: all, because: x}
    shared-run-root:
      six: {when: {framework: {not: atom}}, because: x}
"""


def test_peers_agree_on_every_form_of_condition(tmp_path: Path) -> None:
    (tmp_path / "lanes").mkdir()
    (tmp_path / "runners.yaml").write_text("extends: bundled\n")
    (tmp_path / "lanes/gb200-nv.yaml").write_text(LANES)
    policy = load_policy(tmp_path, with_plugins=())
    requests = [one for one in grid.sampled(policy, 6_000) if one.cluster == "gb200-nv"]
    verdicts = {decide(policy, one).verdict for one in requests}
    assert verdicts == {Verdict.ADMITTED, Verdict.REFUSED}
    assert decide_benchmark.disagreements(policy, decide_benchmark.peers_of(policy, requests), requests) == []


@pytest.mark.parametrize("when", ["max-concurrency: 4", 'model: {glob: "a*"}'])
def test_conditions_that_no_peer_can_hold_are_errors(when: str, tmp_path: Path) -> None:
    (tmp_path / "lanes").mkdir()
    (tmp_path / "runners.yaml").write_text("extends: bundled\n")
    (tmp_path / "lanes/gb200-nv.yaml").write_text(LANES.replace("model-prefix: {not: dsv4}", when))
    with pytest.raises(ValueError, match=r"^no peer is written for "):
        rules.rules_of(load_policy(tmp_path, with_plugins=()))


def test_predicates_have_no_other_facts() -> None:
    way = (rules.Test("thinking_mode", ("on",)),)
    lane = rules.LaneRules(takes=(way,), above=(), admits=((),), refuses=(), stages=None)
    with pytest.raises(ValueError, match="no field for `thinking_mode`"):
        peers.linear_of(rules.Rules({"gb200-nv": (lane,)}, {}))


def test_rego_is_written_as_it_is_read() -> None:
    takes = ((rules.Test("multinode", (True,)), rules.Test("precision", ("fp4", "fp8"), negated=True)),)
    lane = rules.LaneRules(takes=takes, above=takes, admits=((),), refuses=(), stages=None)
    assert engines.rego_text("infx.c0", (lane,), rules.Rules({}, {"precision": ("fp4",)})).splitlines() == [
        "package infx.c0",
        "import rego.v1",
        "default admitted := false",
        "default takes_0 := false",
        'takes_0 if { input.multinode in {true}; not input.precision in {"fp4", "fp8"} }',
        "default admits_0 := false",
        "admits_0 if { true }",
        'above_0 if { input.multinode in {true}; not input.precision in {"fp4", "fp8"} }',
        'admitted if { input.has_recipe; takes_0; admits_0; not above_0; input.precision in {"fp4"} }',
    ]


def test_deciding_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert decide_benchmark.main(["--rounds", "2", "--requests", "30"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("30 requests, ")
    shown = re.findall(r"^\| (.+?) \| (?:[\d.]+|not installed) \|", out, re.MULTILINE)
    fixed = [decide_benchmark.OURS, decide_benchmark.COLD, decide_benchmark.DICT, decide_benchmark.LINEAR]
    assert shown[:5] == [*fixed, decide_benchmark.ONE_LIST]
    assert len(shown) == 5 + len(engines.ENGINES)
    assert len(re.findall(r"^(?:met|missed|not measured): at least ", out, re.MULTILINE)) == 3


def test_missing_engines_are_listed_and_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = (engines.Engine("no-such-distribution", lambda _rules: lambda _request: False),)
    monkeypatch.setattr(decide_benchmark, "ENGINES", missing)
    assert decide_benchmark.main(["--rounds", "1", "--requests", "20"]) == 0
    out = capsys.readouterr().out
    assert "| no-such-distribution | not installed | | |\n" in out
    assert "\nnot measured: at least 3 times the speed of the fastest engine, as none is installed\n" in out


def test_ratios_are_of_each_round() -> None:
    ours, other = decide_benchmark.OURS, decide_benchmark.DICT
    times = {ours: [1.0, 2.0, 4.0], other: [2.0, 2.0, 20.0]}
    assert decide_benchmark.ratio(times, other) == 2.0


def test_the_memo_is_empty_in_each_cold_round() -> None:
    policy = load_policy(with_plugins=())
    requests = grid.sampled(policy, 20)
    contenders = decide_benchmark.contenders_of(policy, {}, requests)
    cold = next(one for one in contenders if one.name == decide_benchmark.COLD)
    assert cold.before is not None
    assert cold.passes == 1
    cold.round(requests)
    kept = list(policy.answers.values())
    assert all(cold.answer(request) == decide(policy, request) for request in requests)
    assert not any(cold.answer(request) is one for request in requests for one in kept)
    first = cold.answer(requests[0])
    assert cold.answer(requests[0]) is first
    cold.before()
    assert cold.answer(requests[0]) is not first


def test_explaining_is_measured(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert explain.main(["--rounds", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("1 rounds, Python ")
    assert re.search(r"^(met|missed): at most 1\.3 times: \d\.\d\d of the minima, \d\.\d\d in the ", out, re.MULTILINE)


def test_what_explain_is_held_against_reads_the_same_files() -> None:
    policy = load_policy(with_plugins=())
    read = {Path(name).relative_to(ROOT).as_posix() for name in explain.commands()[1][2:]}
    assert read == {*policy.name.files, explain.REQUEST}


def test_requests_are_read_as_a_user_would_write_them() -> None:
    request = grid.sampled(load_policy(with_plugins=()), 1)[0]
    assert Request.from_mapping(request.to_mapping()) == request
