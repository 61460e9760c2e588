"""What drivers declare of themselves: data that decisions and tables are checked against.

The drivers that run plans live on higher floors; here stands only what a decision needs to know.
"""

from enum import Enum

from attrs import frozen


class SettingKind(Enum):
    """The type of a setting's value."""

    TEXT = "text"
    TEXTS = "list of text"
    FLAG = "flag"
    DURATION = "duration"


@frozen
class Setting:
    """A setting that a lane's rows may give, one row a value."""

    name: str
    kind: SettingKind
    meaning: str


@frozen
class Driver:
    """A driver's declaration.

    `compute_nodes`: what it starts runs on compute nodes and not on the runner's host. `requires`: keys
    of a cluster record without which it can't work. `consumes`: the settings that it reads; `mounts`
    says whether it reads mount rows. `contributor` is filled in at load.
    """

    name: str
    compute_nodes: bool
    requires: tuple[str, ...] = ()
    consumes: tuple[Setting, ...] = ()
    mounts: bool = False
    contributor: str = "infx-policy"


SETUP_SCRIPT = Setting("setup-script", SettingKind.TEXT, "a script that every worker's container runs first")
TIME_LIMIT = Setting("time-limit", SettingKind.DURATION, "the job's limit, under the recipe's and the cluster's own")
CHECKPOINT = Setting(
    "checkpoint", SettingKind.TEXT, "the model directory, where it is not the one that the model id names"
)
REAL_VERIFICATION = Setting("real-verification", SettingKind.FLAG, "drafts are verified for real in an accuracy phase")
HEAD_FRONTEND = Setting("head-frontend", SettingKind.FLAG, "the frontend of an accuracy phase runs on the head node")
WRITE_EVAL_META = Setting("write-eval-meta", SettingKind.FLAG, "an accuracy phase writes its metadata file")
EVAL_UNSETS = Setting("eval-unsets", SettingKind.TEXTS, "dotted recipe keys that are taken away for an accuracy phase")

DRIVERS: tuple[Driver, ...] = (
    Driver("local", compute_nodes=False, consumes=(SETUP_SCRIPT, TIME_LIMIT)),
    Driver(
        "slurm",
        compute_nodes=True,
        requires=("slurm",),
        consumes=(SETUP_SCRIPT, TIME_LIMIT, CHECKPOINT),
        mounts=True,
    ),
    Driver(
        "srt-slurm",
        compute_nodes=True,
        requires=("slurm", "squash", "srt-slurm"),
        consumes=(
            SETUP_SCRIPT,
            TIME_LIMIT,
            CHECKPOINT,
            REAL_VERIFICATION,
            HEAD_FRONTEND,
            WRITE_EVAL_META,
            EVAL_UNSETS,
        ),
        mounts=True,
    ),
)
"""The built-in drivers' declarations."""
