"""Imported first: keeps PyTorch and its kin from talking of optional parts that are not there."""

import logging
import warnings

logging.getLogger("torchao").setLevel(logging.ERROR)
logging.getLogger("torch").setLevel(logging.ERROR)
warnings.simplefilter("ignore")
