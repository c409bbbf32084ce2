from conformance.api import Results as Results
from conformance.api import Vector as Vector
from conformance.api import check_codec as check_codec
from conformance.api import decode as decode
from conformance.api import encode as encode
from conformance.api import explain as explain
from conformance.api import vector_params as vector_params
from conformance.api import vectors as vectors
from conformance.codecs.cases import strategies as strategies

__all__: list[str]
__version__: str
