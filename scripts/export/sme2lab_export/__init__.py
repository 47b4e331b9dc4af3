"""PyTorch models to ExecuTorch programs that sme2lab runs: see __main__.py for the command."""
