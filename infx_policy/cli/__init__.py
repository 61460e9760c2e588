"""Commands, rendering and exit codes: the one floor that prints, reads the environment and exits."""
