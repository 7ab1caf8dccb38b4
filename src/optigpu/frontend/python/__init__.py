"""Programs written in Python: typed Python functions become the same syntax as annotated C, which is then checked like that."""
