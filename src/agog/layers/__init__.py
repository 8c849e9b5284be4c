"""Layers: modules that make their variables when they first see an input."""

from agog.layers.attention import MultiHeadAttention
from agog.layers.base import Layer
from agog.layers.cells import GRUCell, LSTMCell, SimpleRNNCell
from agog.layers.convolution import (
    Conv1D,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    DepthwiseConv2D,
    SeparableConv2D,
)
from agog.layers.core import Activation, Dropout, Embedding, Flatten, Masking, Reshape
from agog.layers.dense import Dense
from agog.layers.normalization import BatchNormalization, GroupNormalization, LayerNormalization
from agog.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    AvgPool1D,
    AvgPool2D,
    AvgPool3D,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling3D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling3D,
    MaxPool1D,
    MaxPool2D,
    MaxPool3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)
from agog.layers.recurrent import (
    GRU,
    LSTM,
    RNN,
    Bidirectional,
    SimpleRNN,
    StackedRNNCells,
)
from agog.near_names import missing

__getattr__ = missing(__name__)

__all__ = [
    "Activation",
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "BatchNormalization",
    "Bidirectional",
    "Conv1D",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Dense",
    "DepthwiseConv2D",
    "Dropout",
    "Embedding",
    "Flatten",
    "GRU",
    "GRUCell",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "GlobalAveragePooling3D",
    "GlobalMaxPooling1D",
    "GlobalMaxPooling2D",
    "GlobalMaxPooling3D",
    "GroupNormalization",
    "LSTM",
    "LSTMCell",
    "Layer",
    "LayerNormalization",
    "Masking",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "MultiHeadAttention",
    "RNN",
    "Reshape",
    "SeparableConv2D",
    "SimpleRNN",
    "SimpleRNNCell",
    "StackedRNNCells",
]
