"""The window in which flows are drawn, run and watched."""
