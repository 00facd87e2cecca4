"""Start a training from released weights: an ONNX file back into the network it was exported from.

Export folds each batch norm into its convolution, so the file no longer knows the norm's statistics.  They are measured
anew on a batch of samples, and scale and shift are set so that the network computes what the file does.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from vision.model_store import read_manifest


def start_from_release(net: nn.Module, name: str, models: Path, batch: Tensor) -> None:
    """Load the released ``detector`` or ``reader`` of the folder ``models`` into a fresh network of its kind.

    ``batch`` is a typical input of the network.  Raises ``ValueError`` where file and network differ in their layers.
    """
    graph = onnx.load(models / read_manifest(models).precise().models[name].file).graph
    arrays = {entry.name: numpy_helper.to_array(entry) for entry in graph.initializer}
    convolutions = [module for module in net.modules() if isinstance(module, nn.Conv2d)]
    dense = [module for module in net.modules() if isinstance(module, nn.Linear)]
    _fill(convolutions, [node for node in graph.node if node.op_type == "Conv"], arrays)
    _fill(dense, [node for node in graph.node if node.op_type == "Gemm"], arrays)
    norms = {
        following: convolution
        for convolution, following in pairwise(net.modules())
        if isinstance(convolution, nn.Conv2d) and isinstance(following, nn.BatchNorm2d)
    }
    shifts = {
        norm: torch.from_numpy(arrays[node.input[2]].copy())
        for convolution, node in zip(convolutions, (n for n in graph.node if n.op_type == "Conv"), strict=True)
        for norm, before in norms.items()
        if before is convolution
    }
    _set_norms(net, shifts, batch)


def _fill(layers: list[Any], nodes: list[Any], arrays: dict[str, Any]) -> None:
    """Weights of the file's nodes, and biases where the layer has one, into the layers, in their order."""
    if len(layers) != len(nodes):
        raise ValueError(f"the file has {len(nodes)} layers of a kind of which the network has {len(layers)}")
    with torch.no_grad():
        for layer, node in zip(layers, nodes, strict=True):
            weight = torch.from_numpy(arrays[node.input[1]].copy())
            if weight.shape != layer.weight.shape:
                raise ValueError(f"a layer of the file is {tuple(weight.shape)}, not {tuple(layer.weight.shape)}")
            layer.weight.copy_(weight)
            if layer.bias is not None:
                layer.bias.copy_(torch.from_numpy(arrays[node.input[2]].copy()))


def _set_norms(net: nn.Module, shifts: dict[nn.BatchNorm2d, Tensor], batch: Tensor) -> None:
    """Make each norm add its shift, then give it the mean and variance that it meets on ``batch``."""
    met: dict[nn.BatchNorm2d, tuple[Tensor, Tensor]] = {}

    def listener(norm: nn.BatchNorm2d) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
        def note(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            met[norm] = inputs[0].mean(dim=(0, 2, 3)), inputs[0].var(dim=(0, 2, 3))

        return note

    handles = [norm.register_forward_pre_hook(listener(norm)) for norm in shifts]
    with torch.no_grad():
        for norm, shift in shifts.items():
            norm.weight.fill_(1.0)
            norm.bias.copy_(shift)
            norm.running_mean.zero_()
            norm.running_var.fill_(1.0 - norm.eps)
        net.eval()
        net(batch)
        for norm, shift in shifts.items():
            mean, variance = met[norm]
            norm.weight.copy_((variance + norm.eps).sqrt())
            norm.bias.copy_(shift + mean)
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(variance)
        net.train()
    for handle in handles:
        handle.remove()
