"""A model by the name of a built-in one or as path/to/file.py:Class, unchanged from wherever it lies."""

import importlib
import inspect
import os
import sys
import types

from sme2lab_export.errors import ExportError
from sme2lab_export.zoo import BUILT_IN
from sme2lab_export.zoo.recipes import Recipe

NEEDED = ("get_eager_model", "get_example_inputs")
LEVELS = 3  # folders above a file that its relative imports may name


def built_in(name, checkout, weights):
    model = BUILT_IN[name]
    if issubclass(model, Recipe):
        return model(checkout, weights)
    if checkout or weights:
        raise ExportError(f"--checkout and --weights are for recipes; {name} is complete")
    return model()


def load(path):
    """The module in a file. Folders above it are packages to it, so that `from ..model_base import` works as where it came from."""
    folder, name = os.path.split(os.path.splitext(os.path.abspath(path))[0])
    folders = [folder]
    while len(folders) < LEVELS and "." not in os.path.basename(folders[0]) and os.path.dirname(folders[0]) != folders[0]:
        folders.insert(0, os.path.dirname(folders[0]))
    outer = types.ModuleType(f"sme2lab_export_user_{len(sys.modules)}")  # a name of its own for each file
    outer.__path__ = [folders[0]]
    sys.modules[outer.__name__] = outer
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(".".join([outer.__name__, *map(os.path.basename, folders[1:]), name]))
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith(outer.__name__):
            raise
        raise ExportError(f"{path} imports {error.name}, which is not beside it nor installed: {sys.executable} -m pip install --no-deps "
                          f"{(error.name or '').split('.')[0]}") from error
    finally:  # behind all others from now on: a user's types.py is not to stand for Python's
        sys.path.remove(folder)
        sys.path.append(folder)


def from_file(path, class_name):
    if not os.path.isfile(path):
        raise ExportError(f"no file {path}")
    model = getattr(load(path), class_name, None)
    if not inspect.isclass(model):
        raise ExportError(f"{path} has no class {class_name}")
    for method in NEEDED:
        if not callable(getattr(model, method, None)):
            raise ExportError(f"{path}: class {class_name} has no {method}(), which a model must have")
    if any(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
           for p in inspect.signature(model).parameters.values()):
        raise ExportError(f"{path}: class {class_name} cannot be made without arguments, which a model must: give them defaults")
    return model()


def find(name, checkout=None, weights=None):
    if name in BUILT_IN:
        return built_in(name, checkout, weights)
    path, colon, class_name = name.rpartition(":")
    if not colon:
        raise ExportError(f"no built-in model '{name}' (there are: {', '.join(BUILT_IN)}); name a file as path/to/file.py:Class")
    return from_file(path, class_name)
