"""Figures, not promises: what deciding and explaining cost. See README.md."""
