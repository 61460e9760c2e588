"""`plugins`: who contributed what."""

import argparse
from typing import Any

from infx_policy.cli.output import write, write_json
from infx_policy.cli.tables import installed_plugins, policy_of
from infx_policy.plugins import Plugin
from infx_policy.policy import Policy


def run(arguments: argparse.Namespace) -> int:
    """Prints the plugins and what the policy has from each; exit 0."""
    contributors = installed_plugins(arguments)
    policy = policy_of(arguments, contributors)
    found = [_plugin(policy, plugin) for plugin in contributors]
    if arguments.format == "json":
        write_json({"schema": "infx-policy/plugins/1", "plugins": found, "policy": policy.name.to_mapping()})
    elif not found:
        write("no plugin is installed: every row is of the tables")
    else:
        write("\n".join(_line(one) for one in found))
    return 0


def _plugin(policy: Policy, plugin: Plugin) -> dict[str, Any]:
    name = plugin.distribution
    return {
        "distribution": name,
        "version": plugin.version,
        "hooks": list(plugin.hooks),
        "clusters": sorted(each.name for each in policy.inventory.clusters.values() if each.contributor == name),
        "lanes": sorted(
            f"{lane.cluster}/{lane.name}"
            for lanes in policy.lanes.values()
            for lane in lanes
            if lane.contributor == name
        ),
        "drivers": sorted(each.name for each in policy.drivers.values() if each.contributor == name),
    }


def _line(one: dict[str, Any]) -> str:
    named = [f"{key} {', '.join(one[key])}" for key in ("clusters", "lanes", "drivers", "hooks") if one[key]]
    return f"{one['distribution']} {one['version']}: {'; '.join(named)}"
