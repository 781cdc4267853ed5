"""The commands of the command line, one module a group; loaded when they are asked for."""
