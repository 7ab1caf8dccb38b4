"""Proofs that two values are equal: which sums to split, merge or re-index, which maxima have the same terms."""
