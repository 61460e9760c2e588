"""The schemas take what is read and printed, and nothing that the reader refuses."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from infx_policy import InputError, Request, explain, load_policy, schemas
from infx_policy.cli.main import main
from infx_policy.driver import DRIVERS, Driver, Setting, SettingKind
from infx_policy.duration import Duration
from infx_policy.fact import FACTS

ROOT = Path(__file__).parent.parent
REQUESTS = sorted((ROOT / "examples/requests").glob("*.yaml"))
LANES = sorted([*(ROOT / "lanes").glob("*.yaml"), *(ROOT / "examples").glob("*/lanes/*.yaml")])
RUNNERS = sorted([ROOT / "runners.yaml", *(ROOT / "examples").glob("*/runners.yaml")])


def _validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schemas.schema_of(name))


def _plain(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def _faults(name: str, data: Any) -> list[str]:
    return [f"{error.json_path}: {error.message[:300]}" for error in _validator(name).iter_errors(data)]


@pytest.mark.parametrize("name", schemas.NAMES)
def test_schemas_are_valid_and_printed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    jsonschema.Draft202012Validator.check_schema(schemas.schema_of(name))
    assert main(["schema", name]) == 0
    assert json.loads(capsys.readouterr().out) == schemas.schema_of(name)


def test_an_unknown_schema_is_an_error_that_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "reqest"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "ERROR: schema: `reqest` is not one of `request`, `decision`, `runners`, `lanes`; did you mean `request`? "
        "[not-one-of]\n"
    )


@pytest.mark.parametrize("path", RUNNERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_inventories_are_valid(path: Path) -> None:
    assert _faults("runners", _plain(path)) == []


@pytest.mark.parametrize("path", LANES, ids=lambda path: str(path.relative_to(ROOT)))
def test_lane_files_are_valid(path: Path) -> None:
    assert _faults("lanes", _plain(path)) == []


@pytest.mark.parametrize("path", REQUESTS, ids=lambda path: path.stem)
def test_requests_and_their_decisions_are_valid(path: Path) -> None:
    data = _plain(path)
    assert _faults("request", data) == []
    explained = explain(load_policy(with_plugins=()), Request.from_mapping(data)).to_mapping()
    assert _faults("decision", json.loads(json.dumps(explained))) == []


ODD = [
    {},
    {"framework": "vllm", "multinode": True},
    {"cluster": "nowhere", "runner": "no-one"},
    {"cluster": "gb300-nv", "multinode": True},
    {"cluster": "mi355x-amds", "multinode": True, "recipe": "a.yaml"},
    {"cluster": "gb200-nv", "framework": "vlm", "recipe": "", "multinode": True},
]


@pytest.mark.parametrize("facts", ODD, ids=str)
@pytest.mark.parametrize("root", [None, "gap", "upstream"])
def test_decisions_of_requests_that_state_little_are_valid(facts: dict[str, Any], root: str | None) -> None:
    policy = load_policy(None if root is None else ROOT / "examples" / root, with_plugins=())
    explained = explain(policy, Request.from_mapping(facts)).to_mapping()
    assert _faults("decision", json.loads(json.dumps(explained))) == []


def test_decisions_of_the_workflows_environment_are_valid() -> None:
    request = Request.from_env({"RUNNER_NAME": "gb200-nv_00", "FRAMEWORK": "vllm", "CONC": "4"})
    explained = explain(load_policy(with_plugins=()), request).to_mapping()
    assert explained["defaults"] == {"batch-job": False, "bench-script": ""}
    assert _faults("decision", json.loads(json.dumps(explained))) == []


def test_a_decision_lacks_no_key_that_is_described_and_has_no_other() -> None:
    explained = explain(load_policy(with_plugins=()), Request.from_mapping(_plain(REQUESTS[0]))).to_mapping()
    described = schemas.schema_of("decision")["$defs"]["decision"]
    assert set(described["properties"]) == set(explained) == set(described["required"])
    for key in explained:
        without = {name: value for name, value in explained.items() if name != key}
        assert _faults("decision", without) != [], key


def test_lists_are_valid_where_explain_takes_and_gives_them() -> None:
    requests = [_plain(path) for path in REQUESTS]
    assert _faults("request", requests) == []
    policy = load_policy(with_plugins=())
    decisions = [explain(policy, Request.from_mapping(one)).to_mapping() for one in requests]
    assert _faults("decision", json.loads(json.dumps(decisions))) == []
    assert _faults("request", []) != []


def _at(data: Any, path: str) -> Any:
    for name in path.split("/"):
        data = data[name]
    return data


def _misspelt(data: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The document with each one of its keys misspelt, where the keys are not names that it gives itself."""
    if not isinstance(data, dict):
        return
    for key, value in data.items():
        if path.count("/") < 1:
            yield f"{path}{key}", {**{k: v for k, v in data.items() if k != key}, f"{key}x": value}
        for where, inner in _misspelt(value, f"{path}{key}/"):
            yield where, {**data, key: inner}


@pytest.mark.parametrize("path", REQUESTS, ids=lambda path: path.stem)
def test_a_misspelt_fact_is_invalid(path: Path) -> None:
    found = list(_misspelt(_plain(path)))
    assert len(found) > 10
    for where, data in found:
        assert _faults("request", data) != [], where
        with pytest.raises(InputError):
            Request.from_mapping(data)


WRONG_RUNNERS = [
    ("", "clustres", {}),
    ("vocabulary", "frameworks", ["vllm"]),
    ("clusters/gb200-nv", "gpu-per-node", 4),
    ("clusters/gb200-nv", "gpus-per-node", "4"),
    ("clusters/gb200-nv", "gpus-per-node", None),
    ("clusters/gb200-nv", "shared-run-root", None),
    ("clusters/gb200-nv", "name", "gb200-nv"),
    ("clusters/gb200-nv", "contributor", "me"),
    ("clusters/gb200-nv/workspace", "visibility", "hidden"),
    ("clusters/gb200-nv/slurm", "partitions", "batch"),
    ("clusters/gb200-nv/srt-slurm", "default-time-limit", 360),
    ("clusters/gb200-nv/squash", "import-", "compute"),
    ("labels", "b200", "b200-cw_00"),
]


@pytest.mark.parametrize(("path", "key", "value"), WRONG_RUNNERS)
def test_a_wrong_inventory_is_invalid_and_refused(path: str, key: str, value: Any, tmp_path: Path) -> None:
    data = deepcopy(_plain(ROOT / "runners.yaml"))
    (_at(data, path) if path else data)[key] = value
    assert _faults("runners", data) != []
    (tmp_path / "runners.yaml").write_text(yaml.safe_dump(data))
    with pytest.raises(InputError):
        load_policy(tmp_path, with_plugins=())


def test_a_record_without_what_it_needs_is_invalid() -> None:
    data = _plain(ROOT / "runners.yaml")
    for key in ("gpus-per-node", "arch", "workspace"):
        changed = deepcopy(data)
        del changed["clusters"]["gb200-nv"][key]
        assert _faults("runners", changed) != []


WHENS_RIGHT: list[Any] = [
    "all",
    {"framework": "known"},
    {"framework": {"not": ["a", "b"]}},
    {"framework": {"not": {"not": "a"}}},
    {"agentic": [True, False]},
    {"agentic": {"not": True}},
    {"thinking-mode": ["on", ""]},
    {"max-concurrency": [1, 2]},
    {"max-concurrency": {"at-least": 1, "at-most": 4}},
    {"max-concurrency": {"not": {"at-most": 4}}},
    {"model": ["a/b", {"glob": "*/c"}]},
    {"model": {"not": {"glob": "*/c"}}},
    {"any-of": [{"agentic": True}, "all", {"any-of": [{"multinode": True}]}]},
]
WHENS_WRONG: list[Any] = [
    "any",
    {},
    None,
    [],
    {"frameworks": "vllm"},
    {"framework": []},
    {"framework": 5},
    {"framework": None},
    {"framework": {"glob": "v*"}},
    {"framework": {"not": []}},
    {"framework": {"not": "a", "glob": "b"}},
    {"framework": {"at-least": 1}},
    {"agentic": "true"},
    {"thinking-mode": "maybe"},
    {"thinking-mode": True},
    {"max-concurrency": "4"},
    {"max-concurrency": -1},
    {"max-concurrency": {}},
    {"max-concurrency": {"at-lest": 4}},
    {"model": "*/c"},
    {"model": {"glob": ["*/c"]}},
    {"recipe": "a.yaml"},
    {"any-of": []},
    {"any-of": {"agentic": True}},
]


def _lane_file(when: Any = "all", **row: Any) -> dict[str, Any]:
    rows = {"one": {"when": when, "because": "A reason.", **row}}
    return {"cluster": "gb200-nv", "lanes": {"srt-multi": {"takes": {"multinode": True}, "admits": rows}}}


def _is_read(data: Any, folder: Path) -> bool:
    (folder / "lanes").mkdir()
    (folder / "runners.yaml").write_text("extends: bundled\n")
    (folder / "lanes/one.yaml").write_text(yaml.safe_dump(data))
    try:
        load_policy(folder, with_plugins=())
    except InputError:
        return False
    return True


@pytest.mark.parametrize("when", WHENS_RIGHT, ids=str)
def test_conditions_that_are_read_are_valid(when: Any, tmp_path: Path) -> None:
    assert _faults("lanes", _lane_file(when)) == []
    assert _is_read(_lane_file(when), tmp_path)


@pytest.mark.parametrize("when", WHENS_WRONG, ids=str)
def test_conditions_that_are_refused_are_invalid(when: Any, tmp_path: Path) -> None:
    assert _faults("lanes", _lane_file(when)) != []
    assert not _is_read(_lane_file(when), tmp_path)


WRONG_LANES = [
    ("", {"lane": {}}),
    ("", {"cluster": 5}),
    ("lanes/srt-multi", {"admit": {}}),
    ("lanes/srt-multi", {"driver": None}),
    ("lanes/srt-multi", {"takes": "multinode"}),
    ("lanes/srt-multi", {"time-limit": {"one": {"when": "all", "because": "x", "value": 60}}}),
    ("lanes/srt-multi", {"time-limit": {"one": {"when": "all", "because": "x", "value": "60"}}}),
    ("lanes/srt-multi", {"time-limit": {"one": {"when": "all", "because": "x"}}}),
    ("lanes/srt-multi", {"eval-unsets": {"one": {"when": "all", "because": "x", "value": "a"}}}),
    ("lanes/srt-multi", {"head-frontend": {"one": {"when": "all", "because": "x", "value": "true"}}}),
    ("lanes/srt-multi", {"mounts": {"one": {"when": "all", "because": "x", "volume": "v"}}}),
    (
        "lanes/srt-multi",
        {"mounts": {"one": {"when": "all", "because": "x", "volume": "v", "target": "/t", "rw": True}}},
    ),
    ("lanes/srt-multi/admits/one", {"because": ""}),
    ("lanes/srt-multi/admits/one", {"because": "two\nlines"}),
    ("lanes/srt-multi/admits/one", {"value": "x"}),
    ("lanes/srt-multi/admits/one", {"whne": "all"}),
]


@pytest.mark.parametrize(("path", "change"), WRONG_LANES, ids=str)
def test_a_wrong_lane_file_is_invalid_and_refused(path: str, change: dict[str, Any], tmp_path: Path) -> None:
    data = _lane_file()
    (_at(data, path) if path else data).update(change)
    assert _faults("lanes", data) != []
    assert not _is_read(data, tmp_path)


@pytest.mark.parametrize("key", ["when", "because"])
def test_a_row_without_condition_or_reason_is_invalid(key: str) -> None:
    data = _lane_file()
    del data["lanes"]["srt-multi"]["admits"]["one"][key]
    assert _faults("lanes", data) != []


def test_settings_that_a_plugins_driver_declares_are_valid() -> None:
    own = Driver("other", compute_nodes=True, consumes=(Setting("nice", SettingKind.TEXT, "how nice"),))
    data = _lane_file()
    data["lanes"]["srt-multi"]["nice"] = {"one": {"when": "all", "because": "x", "value": "19"}}
    assert _faults("lanes", data) != []
    validator = jsonschema.Draft202012Validator(schemas.schema_of("lanes", [*DRIVERS, own]))
    assert list(validator.iter_errors(data)) == []


TIMES = ["240:00", "4:00:00", "1-12", "1-12:30", "1-12:30:59", "0-00:01", "99999:59:59", "04:05"]
NO_TIMES = ["", "60", "4:60", "4:60:00", "4:00:60", "1-24", "1-2:60", "4h", "1:2", "-1:00", "4:00:00:00", "٤:00"]


@pytest.mark.parametrize("text", [*TIMES, *NO_TIMES])
def test_times_are_valid_where_they_are_read(text: str) -> None:
    data = _lane_file()
    data["lanes"]["srt-multi"]["time-limit"] = {"one": {"when": "all", "because": "x", "value": text}}
    assert (_faults("lanes", data) == []) is (Duration.of(text) is not None) is (text in TIMES)


def test_every_fact_is_described() -> None:
    described = schemas.schema_of("request")["$defs"]["request"]["properties"]
    assert list(described) == [fact.name for fact in FACTS]
    assert [one["description"] for one in described.values()] == [fact.meaning for fact in FACTS]
