"""The requests that are timed: the multi-node grid of a policy, sampled the same way on every run."""

import json
from collections.abc import Iterable
from math import prod
from random import Random
from typing import Any

from infx_policy import Policy, Request

COUNT = 2_000
_RARE = 40
"""One request in so many names no recipe, and one in so many a word that the vocabulary lacks."""
_STRANGE = ("llmd-vllm", "dynamo-mlx", "vllm-omni")
_CONCURRENCY = ([1, 2, 4], [8, 16], [16, 32], [64, 128], [256, 512, 1024], [33])


def sampled(policy: Policy, count: int = COUNT, seed: int = 0) -> list[Request]:
    """`count` different points of clusters x frameworks x prefixes x precision x spec-decoding x agentic,
    each made a request with every fact stated.
    """
    words = policy.inventory.vocabulary
    axes: list[list[Any]] = [
        sorted(policy.inventory.clusters),
        *(sorted(words[name]) for name in ("framework", "model-prefix", "precision", "spec-decoding")),
        [False, True],
    ]
    random = Random(seed)
    points = random.sample(range(prod(len(axis) for axis in axes)), count)
    return [_request(policy, number, _at(point, axes), random) for number, point in enumerate(points)]


def again(requests: Iterable[Request]) -> list[Request]:
    """Equal requests made of other objects, as a launcher's are other than those that were decided before."""
    return [Request.from_mapping(json.loads(json.dumps(one.to_mapping()))) for one in requests]


def _at(point: int, axes: list[list[Any]]) -> list[Any]:
    found = []
    for axis in axes:
        point, index = divmod(point, len(axis))
        found.append(axis[index])
    return found


def _request(policy: Policy, number: int, values: list[Any], random: Random) -> Request:
    cluster, framework, prefix, precision, spec, agentic = values
    runner = random.choice(policy.inventory.runners_of(cluster))
    model = random.choice(policy.inventory.models.get(prefix) or (f"example/{prefix}",))
    disagg = random.random() < 0.7
    sizes = {"workers": 1, "tp": random.choice([4, 8, 16]), "ep": random.choice([1, 8])}
    stem = f"{prefix}-{precision}-{cluster}-{framework}-{number}"
    return Request.from_mapping(
        {
            "cluster": cluster,
            "runner": runner,
            "model": model,
            "model-prefix": prefix,
            "precision": precision,
            "framework": random.choice(_STRANGE) if number % _RARE == 13 else framework,
            "spec-decoding": spec,
            "agentic": agentic,
            "multinode": True,
            "disagg": disagg,
            "eval-only": random.random() < 0.1,
            "run-eval": random.random() < 0.3,
            "thinking-mode": random.choice(["on", "off", ""]),
            "batch-job": False,
            "bench-script": "",
            "concurrency": random.choice(_CONCURRENCY),
            "image": f"example.org/{framework}:nightly-{number % 7}",
            "recipe": ""
            if number % _RARE == 29
            else f"{prefix}/{framework}/{cluster}-{precision}/{number % 9}.yaml:1p1d",
            "roles": {"prefill": sizes, "decode": sizes} if disagg else {"agg": sizes},
            "run-id": str(17_000_000_000 + number),
            "run-attempt": "1",
            "workspace": f"/home/{runner}/actions-runner/_work/InferenceX/InferenceX",
            "result-name": stem,
            "time-limit-minutes": 480,
        }
    )
