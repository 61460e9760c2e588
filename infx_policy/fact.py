"""The closed table of facts: what a request may state, of which kind, and where each is read from.

The names of the workflow's variables are those that the launcher of SemiAnalysisAI/InferenceX reads
(2026). A fact is named once, here; its YAML key, attribute, environment variable and `key=value` word
all follow from this table.
"""

from enum import Enum

from attrs import frozen


class Kind(Enum):
    """How a fact's value is written and compared."""

    TEXT = "text"
    FLAG = "flag"
    MODE = "mode"
    INTEGER = "integer"
    INTEGERS = "integers"
    TEXTS = "texts"
    ROLES = "roles"


@frozen(eq=False, repr=False)
class Fact:
    """One typed field of a request.

    `matched`: a `Match` can be over it. `vocabulary`: its known words are stated in `runners.yaml`.
    `variable`: the workflow's variable; `default`: what the workflow means where that is unset, None
    where it means nothing.
    """

    name: str
    kind: Kind
    meaning: str
    matched: bool = True
    vocabulary: bool = False
    variable: str | None = None
    default: str | bool | None = None
    attribute: str = ""

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "attribute", self.name.replace("-", "_"))


def _carried(name: str, kind: Kind, meaning: str, variable: str | None = None) -> Fact:
    return Fact(name, kind, meaning, matched=False, variable=variable)


FACTS: tuple[Fact, ...] = (
    Fact("cluster", Kind.TEXT, "the inventory record; follows from the runner where it is not stated"),
    Fact("runner", Kind.TEXT, "the runner that takes the job", variable="RUNNER_NAME"),
    Fact("model", Kind.TEXT, "the model id", variable="MODEL"),
    Fact("model-prefix", Kind.TEXT, "the model's short name", vocabulary=True, variable="MODEL_PREFIX"),
    Fact("precision", Kind.TEXT, "of the weights", vocabulary=True, variable="PRECISION"),
    Fact(
        "framework",
        Kind.TEXT,
        "the serving engine and its orchestrator",
        vocabulary=True,
        variable="FRAMEWORK",
    ),
    Fact("spec-decoding", Kind.TEXT, "the draft method, or none", vocabulary=True, variable="SPEC_DECODING"),
    Fact("agentic", Kind.FLAG, "the agentic client drives the run", variable="IS_AGENTIC"),
    Fact("multinode", Kind.FLAG, "more than one node serves", variable="IS_MULTINODE"),
    Fact("disagg", Kind.FLAG, "prefill and decode are workers of their own"),
    Fact("eval-only", Kind.FLAG, "accuracy is measured, throughput is not", variable="EVAL_ONLY"),
    Fact("run-eval", Kind.FLAG, "accuracy is measured too", variable="RUN_EVAL"),
    Fact("thinking-mode", Kind.MODE, "`on` or `off`; empty where the model has none", variable="THINKING_MODE"),
    Fact(
        "batch-job",
        Kind.FLAG,
        "the request is the batch job itself",
        variable="INFX_BATCH_REENTRY",
        default=False,
    ),
    Fact(
        "bench-script",
        Kind.TEXT,
        "a script that runs in the engine's place; empty where there is none",
        variable="BENCH_SCRIPT_OVERRIDE",
        default="",
    ),
    Fact("max-concurrency", Kind.INTEGER, "the largest of concurrency; 0 where concurrency is empty"),
    _carried("concurrency", Kind.INTEGERS, "requests in flight, one value a measurement", "CONC_LIST"),
    _carried("image", Kind.TEXT, "the container image", "IMAGE"),
    _carried("recipe", Kind.TEXT, "`FILE` or `FILE:SELECTOR`; empty where there is none", "CONFIG_FILE"),
    _carried("eval-recipe", Kind.TEXT, "the recipe of the accuracy phase", "EVAL_CONFIG_FILE"),
    _carried("roles", Kind.ROLES, "declared workers and sizes of prefill, decode or agg"),
    _carried("run-id", Kind.TEXT, "the workflow run", "GITHUB_RUN_ID"),
    _carried("run-attempt", Kind.TEXT, "its attempt", "GITHUB_RUN_ATTEMPT"),
    _carried("workspace", Kind.TEXT, "the runner's checkout", "GITHUB_WORKSPACE"),
    _carried("result-name", Kind.TEXT, "the stem of the result's file", "RESULT_FILENAME"),
    _carried("time-limit-minutes", Kind.INTEGER, "the limit where nothing else sets one", "SALLOC_TIME_LIMIT"),
    _carried("settings", Kind.TEXTS, "`NAME=value` for the recipe's jobs", "PREFILL_ADDITIONAL_SETTINGS"),
)
"""Every fact, in the order in which requests are shown."""

BY_NAME: dict[str, Fact] = {fact.name: fact for fact in FACTS}
MATCHED: tuple[Fact, ...] = tuple(fact for fact in FACTS if fact.matched)
MODES = ("on", "off", "")
"""The values of a fact of kind mode; the empty one is the value none."""


def folded(name: str) -> str:
    """A wire name in its one form: `_` is accepted on input for `-`."""
    return name.replace("_", "-")
