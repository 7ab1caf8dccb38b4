"""The language of proofs: terms with their laws, facts, cell families, and the judge that decides goals. Trusted."""
