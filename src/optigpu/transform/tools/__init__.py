"""What transformations share: simplified expressions, counted loops, declarations, refusals."""
