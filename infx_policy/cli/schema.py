"""`schema`: a JSON Schema of what is read or printed."""

import argparse

from infx_policy import schemas
from infx_policy.cli.output import write_json
from infx_policy.cli.tables import installed_plugins
from infx_policy.driver import DRIVERS
from infx_policy.errors import FaultCode, InputError, fault
from infx_policy.source import Source
from infx_policy.spelling import nearest


def run(arguments: argparse.Namespace) -> int:
    """Prints the schema, that of lanes with the settings that drivers of plugins declare; exit 0."""
    name: str = arguments.name
    if name not in schemas.NAMES:
        expected = ", ".join(f"`{one}`" for one in schemas.NAMES)
        near = nearest(name, schemas.NAMES)
        source = Source("schema")
        raise InputError([fault(FaultCode.NOT_ONE_OF, source, literal=name, expected=expected, nearest=near)])
    contributors = installed_plugins(arguments) if name == "lanes" else ()
    write_json(schemas.schema_of(name, [*DRIVERS, *(driver for one in contributors for driver in one.drivers)]))
    return 0
