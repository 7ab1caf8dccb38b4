"""Scripts: a program under transformation, the targets that name its statements, and the record of its steps."""
