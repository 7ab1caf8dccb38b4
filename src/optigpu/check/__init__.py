"""Verdicts: verification, certificates, their replay in another process, and the audit. Trusted."""
