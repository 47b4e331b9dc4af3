from .model import PairedModel

__all__ = ["PairedModel"]
