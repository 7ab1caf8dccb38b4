"""Scripts: targets, the library of transformations, and the record of what they did. Nothing here is trusted."""
