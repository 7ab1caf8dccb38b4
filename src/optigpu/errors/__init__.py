"""The error catalogue: for each code its cause, message, help and explanation, in one row."""
