"""From CPU loops to GPU kernels: `s.gpu`."""
