"""Where flows, settings and runs are kept."""
