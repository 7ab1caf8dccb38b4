"""OptiGPU: fast GPU kernels that are proved right."""
