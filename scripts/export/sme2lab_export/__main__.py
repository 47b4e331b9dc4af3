"""python -m sme2lab_export --model NAME|file.py:Class --outdir DIR: exports a model and what it needs to be run and checked.

Exit codes: 0 done, 1 the model cannot be exported or its answers differ, 2 usage.
"""

import os
import sys

from sme2lab_export.options import BUILT_IN, parse

NEEDED = ("executorch", "torch", "torchao")


def main(argv=None):
    options = parse(argv)
    if options.list:
        for name, says in BUILT_IN.items():
            print(f"{name:18} {says}")
        return 0
    try:
        import sme2lab_export.quiet  # noqa: F401  before PyTorch, which takes seconds
        from sme2lab_export import job
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in NEEDED:
            raise
        print(f"sme2lab_export: {sys.executable} has no {error.name}.\n  fix: {sys.executable} -m pip install executorch==1.5.1 torch==2.13.0, "
              "or name a Python that has them: --python FILE", file=sys.stderr)
        return 2
    try:
        return 0 if job.export(options) else 1
    except job.ExportError as error:
        print(f"sme2lab_export: {error}", file=sys.stderr)
        return 2
    except Exception as error:  # PyTorch and ExecuTorch raise many kinds; all mean the same here
        if os.environ.get("SME2LAB_EXPORT_TRACE"):
            raise
        job.explain(options, error)
        return 1


if __name__ == "__main__":
    sys.exit(main())
