"""The command line: thin callers of Workbench."""
