"""`clusters`: the inventory, one line a cluster."""

import argparse
from typing import Any

from infx_policy.cli.output import write, write_json
from infx_policy.cli.tables import installed_plugins, policy_of
from infx_policy.policy import Policy


def run(arguments: argparse.Namespace) -> int:
    """Prints the inventory; exit 0."""
    policy = policy_of(arguments, installed_plugins(arguments))
    found = [_cluster(policy, name) for name in sorted(policy.inventory.clusters)]
    if arguments.format == "json":
        write_json({"schema": "infx-policy/clusters/1", "clusters": found, "policy": policy.name.to_mapping()})
    else:
        write(_table(found))
    return 0


def _cluster(policy: Policy, name: str) -> dict[str, Any]:
    record = policy.inventory.clusters[name]
    return {
        "cluster": name,
        "runners": list(policy.inventory.runners_of(name)),
        "gpus-per-node": record.gpus_per_node,
        "arch": record.arch,
        "available-cpu-dram-mib": record.available_cpu_dram_mib,
        "partition": record.slurm.partition if record.slurm else None,
        "workspace": record.workspace.visibility,
        "shared-run-root": record.shared_run_root,
        "volumes": {key: {"path": one.path, "visibility": one.visibility} for key, one in record.volumes.items()},
        "lanes": {lane.name: lane.driver for lane in policy.lanes.get(name, ())},
        "source": record.source.row,
        "contributor": record.contributor,
    }


def _table(found: list[dict[str, Any]]) -> str:
    head = ["cluster", "runners", "gpus-per-node", "arch", "workspace", "lanes", "source"]
    rows = [head]
    for one in found:
        rows.append(
            [one["cluster"], str(len(one["runners"])), str(one["gpus-per-node"]), one["arch"], one["workspace"],
             " ".join(one["lanes"]) or "none", one["source"]]
        )  # fmt: skip
    widths = [max(len(row[index]) for row in rows) for index in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
