"""Ask a small model for help with side tasks, such as summarizing a page or describing an image."""

from hermes_auxiliary.client import make_client as make_client
from hermes_auxiliary.errors import AuxiliaryError as AuxiliaryError
from hermes_auxiliary.model import AuxiliaryModel as AuxiliaryModel
from hermes_auxiliary.model import Completion as Completion
from hermes_auxiliary.schema import AUXILIARY_SCHEMA as AUXILIARY_SCHEMA

__version__ = "1.0.0"
