"""The cluster records of `runners.yaml`, their runners, and the vocabulary.

Attribute names are the YAML keys. What a key means to Slurm, Pyxis or srt-slurm is the field's own; the
values come from the fleet's inventory (SemiAnalysisAI/InferenceX, 2026). Records are compared by identity
and have no repr: every command pays for what attrs generates here.
"""

from collections.abc import Mapping
from posixpath import normpath
from typing import Literal

from attrs import field, frozen

from infx_policy.duration import Duration
from infx_policy.source import Source

ByName = Mapping[str, str]


@frozen(eq=False, repr=False)
class Workspace:
    """The runner's checkout: `shared` where compute nodes see it, else `submit-host`."""

    visibility: Literal["shared", "submit-host"]


@frozen(eq=False, repr=False)
class Volume:
    """A folder of the cluster: `shared` where every node sees one content, `node-local` where each has its own,
    `submit-host` where compute nodes do not see it.
    """

    path: str
    visibility: Literal["shared", "node-local", "submit-host"]


@frozen(eq=False, repr=False)
class ModelEntry:
    """A model's directory under a volume."""

    root: str
    dir: str


@frozen(eq=False, repr=False)
class Models:
    """Where models lie; `download-root` is the volume that missing ones are fetched to."""

    entries: Mapping[str, ModelEntry] = field(factory=dict)
    download_root: str | None = None


@frozen(eq=False, repr=False)
class SlurmSettings:
    """What sbatch, salloc and srun are given."""

    partition: str
    partitions: tuple[str, ...] = ()
    account: str | None = None
    exclusive: bool | None = None
    exclude: tuple[str, ...] = ()
    gres: str | None = None
    cpus_per_gpu: int | None = None
    cpus_per_task: int | None = None
    salloc_args: tuple[str, ...] = ()
    srun_args: tuple[str, ...] = ()


@frozen(eq=False, repr=False)
class PrefixSquash:
    """How the squash files of one model prefix are kept, where that differs from its framework."""

    dir: str | None = None
    key_style: str | None = None
    import_: str | None = None


@frozen(eq=False, repr=False)
class FrameworkSquash:
    """How the squash files of one framework are kept, where that differs from the cluster."""

    dir: str | None = None
    key_style: str | None = None
    import_: str | None = None
    model_prefixes: Mapping[str, PrefixSquash] = field(factory=dict)


@frozen(eq=False, repr=False)
class Squash:
    """How container images reach the nodes as squash files."""

    dir: str
    visibility: Literal["shared", "node-local"]
    import_: str
    lock_timeout_s: int | None = None
    lock_file: str | None = None
    import_step_args: tuple[str, ...] = ()
    single_node_import: bool | None = None
    multi_node_import: bool | None = None
    framework_dirs: Mapping[str, FrameworkSquash] = field(factory=dict)


@frozen(eq=False, repr=False)
class HostSetup:
    """A script that srtctl runs on the hosts before workers start."""

    script: str
    env: ByName = field(factory=dict)
    timeout_s: int | None = None
    nodes: str | None = None


@frozen(eq=False, repr=False)
class PowerTelemetry:
    """Where power is read."""

    dcgm_port: int
    cpu_source: str


@frozen(eq=False, repr=False)
class SrtSlurm:
    """The cluster's part of srtctl's configuration."""

    network_interface: str | None = None
    job_tag: str | None = None
    default_time_limit: Duration | None = None
    single_node_time_limit: Duration | None = None
    dist_timeout_s: int | None = None
    gpus_per_node_directive: bool | None = None
    segment_directive: bool | None = None
    preflight: bool | None = None
    single_node_exclusive: bool | None = None
    single_node_models: str | None = None
    container_aliases: tuple[str, ...] = ()
    nginx_aliases: tuple[str, ...] = ()
    uv_cache_root: str | None = None
    outputs: str | None = None
    env: ByName = field(factory=dict)
    power_telemetry: PowerTelemetry | None = None
    host_setup: HostSetup | None = None
    volume_mounts: ByName = field(factory=dict)
    mounts: ByName = field(factory=dict)
    extra: Mapping[str, str | bool] = field(factory=dict)


@frozen(eq=False, repr=False)
class Cluster:
    """An inventory record. `shared_run_root` is a folder that every node sees; runs are made under it. `waive` gives
    codes of findings that are accepted here, each with the reason.
    """

    name: str
    source: Source
    contributor: str
    gpus_per_node: int
    arch: str
    workspace: Workspace
    available_cpu_dram_mib: int | None = None
    shared_run_root: str | None = None
    scheduler: str | None = None
    env: ByName = field(factory=dict)
    slurm: SlurmSettings | None = None
    volumes: Mapping[str, Volume] = field(factory=dict)
    models: Models = field(factory=Models)
    squash: Squash | None = None
    srt_slurm: SrtSlurm | None = None
    waive: ByName = field(factory=dict)

    def volume_of(self, path: str) -> tuple[str, Volume] | None:
        """The volume that a path lies on: the longest path prefix wins."""
        parts = [part for part in normpath(path).split("/") if part]
        best: tuple[int, str, Volume] | None = None
        for name, volume in sorted(self.volumes.items()):
            above = [part for part in normpath(volume.path).split("/") if part]
            if parts[: len(above)] == above and (best is None or len(above) > best[0]):
                best = (len(above), name, volume)
        return None if best is None else best[1:]


CLUSTER_LABEL = "cluster:"


@frozen(eq=False, repr=False)
class Inventory:
    """All records, labels and known words.

    `vocabulary` gives the words of framework, model-prefix, precision and spec-decoding; `models` the
    models that each prefix names; `labels` the runners of each label, with the label's place.
    """

    clusters: Mapping[str, Cluster]
    labels: Mapping[str, tuple[str, ...]]
    vocabulary: Mapping[str, frozenset[str]]
    models: Mapping[str, tuple[str, ...]]
    label_sources: Mapping[str, Source] = field(factory=dict)
    clusters_of_runner: Mapping[str, tuple[str, ...]] = field(init=False)
    partitions: Mapping[str, str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        clusters: dict[str, tuple[str, ...]] = {}
        partitions: dict[str, str] = {}
        for label, runners in sorted(self.labels.items()):
            kind, _, name = label.partition(":")
            for runner in runners:
                if kind == "cluster":
                    clusters[runner] = (*clusters.get(runner, ()), name)
                elif kind == "partition":
                    partitions.setdefault(runner, name)
        object.__setattr__(self, "clusters_of_runner", clusters)
        object.__setattr__(self, "partitions", partitions)

    def runners_of(self, cluster: str) -> tuple[str, ...]:
        """The runners under the cluster's label."""
        return self.labels.get(f"{CLUSTER_LABEL}{cluster}", ())
