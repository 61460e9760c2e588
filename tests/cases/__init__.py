"""The public faults of `shared/cases`, a file each, with the expectations that today's commands can meet."""
