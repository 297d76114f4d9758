"""The boxes that a person's own code runs in: plain data in, plain data out, nothing else.

Python runs in pydantic-monty's worker processes (`python_box`), JavaScript in processes of our own
that hold nothing but a QuickJS engine (`javascript_box`). Both can be ended at any moment.
"""
