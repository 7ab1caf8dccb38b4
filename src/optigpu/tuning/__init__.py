"""Tuning: the options of a schedule that make the fastest kernels, for each size. Measuring needs the runtime alone."""
