"""The boxes that a person's own code runs in."""
