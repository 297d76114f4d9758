"""What can be done with lists, records and texts: plain functions that change nothing in place."""
