"""Evidence that the checker can be trusted: programs and kernel rules attacked at random and one by one (docs/evidence.md)."""
