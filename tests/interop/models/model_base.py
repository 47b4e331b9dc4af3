"""The shape of ExecuTorch's own base class for models."""

from abc import ABC, abstractmethod


class EagerModelBase(ABC):
    @abstractmethod
    def get_eager_model(self):
        raise NotImplementedError

    @abstractmethod
    def get_example_inputs(self):
        raise NotImplementedError
