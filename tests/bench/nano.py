"""A network of YOLOv8-nano's layer plan with random weights: for its time alone, it finds nothing.

The real one may not be bundled with a project under this licence; how long it takes depends on its layers only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

SIDE_PX = 640
CLASSES = 80
BOX_CHANNELS = 64
OPSET = 17


@dataclass
class _Plan:
    """A graph that grows layer by layer; layers are named by their output."""

    rng: np.random.Generator
    nodes: list[Any] = field(default_factory=list)
    arrays: list[Any] = field(default_factory=list)
    channels: dict[str, int] = field(default_factory=dict)

    def _add(self, kind: str, inputs: list[str], channels: int, **attributes: Any) -> str:
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        self.channels[name] = channels
        return name

    def _array(self, values: NDArray[Any]) -> str:
        name = f"array_{len(self.arrays)}"
        self.arrays.append(numpy_helper.from_array(values, name))
        return name

    def plain(self, x: str, channels: int, kernel: int = 1, stride: int = 1) -> str:
        """A convolution with bias."""
        shape = (channels, self.channels[x], kernel, kernel)
        weight = self.rng.normal(0, 1 / np.sqrt(np.prod(shape[1:])), shape).astype(np.float32)
        arrays = [self._array(weight), self._array(np.zeros(channels, np.float32))]
        pads = [kernel // 2] * 4
        return self._add("Conv", [x, *arrays], channels, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=pads)

    def conv(self, x: str, channels: int, kernel: int = 3, stride: int = 1) -> str:
        """A convolution and the activation x · sigmoid(x)."""
        y = self.plain(x, channels, kernel, stride)
        return self._add("Mul", [y, self._add("Sigmoid", [y], channels)], channels)

    def join(self, *inputs: str) -> str:
        return self._add("Concat", list(inputs), sum(self.channels[x] for x in inputs), axis=1)

    def stage(self, x: str, channels: int, depth: int, shortcut: bool = True) -> str:
        """Half of the channels through ``depth`` pairs of convolutions, and all of it joined ("C2f")."""
        half = channels // 2
        both = self.conv(x, channels, 1)
        kept = self._half(both, 0, half)
        parts = [kept, self._half(both, half, channels)]
        for _ in range(depth):
            y = self.conv(self.conv(parts[-1], half), half)
            parts.append(self._add("Add", [parts[-1], y], half) if shortcut else y)
        return self.conv(self.join(*parts), channels, 1)

    def _half(self, x: str, start: int, end: int) -> str:
        bounds = [self._array(np.array([value], np.int64)) for value in (start, end, 1)]
        return self._add("Slice", [x, *bounds], end - start)

    def pyramid(self, x: str, channels: int) -> str:
        """Maxima over growing surroundings ("SPPF")."""
        parts = [self.conv(x, channels // 2, 1)]
        for _ in range(3):
            pool = {"kernel_shape": [5, 5], "strides": [1, 1], "pads": [2] * 4}
            parts.append(self._add("MaxPool", [parts[-1]], channels // 2, **pool))
        return self.conv(self.join(*parts), channels, 1)

    def doubled(self, x: str) -> str:
        scales = self._array(np.array([1, 1, 2, 2], np.float32))
        return self._add("Resize", [x, "", scales], self.channels[x], mode="nearest")


def nano_detector(seed: int = 1) -> bytes:
    """The network as an ONNX file: float32 (1, 3, 640, 640) to three maps of 64 box and 80 class channels."""
    plan = _Plan(np.random.default_rng(seed), channels={"picture": 3})
    x = plan.conv(plan.conv("picture", 16, stride=2), 32, stride=2)
    eighth = plan.stage(plan.conv(plan.stage(x, 32, 1), 64, stride=2), 64, 2)
    sixteenth = plan.stage(plan.conv(eighth, 128, stride=2), 128, 2)
    deep = plan.pyramid(plan.stage(plan.conv(sixteenth, 256, stride=2), 256, 1), 256)
    middle = plan.stage(plan.join(plan.doubled(deep), sixteenth), 128, 1, shortcut=False)
    fine = plan.stage(plan.join(plan.doubled(middle), eighth), 64, 1, shortcut=False)
    middle = plan.stage(plan.join(plan.conv(fine, 64, stride=2), middle), 128, 1, shortcut=False)
    coarse = plan.stage(plan.join(plan.conv(middle, 128, stride=2), deep), 256, 1, shortcut=False)
    outputs = []
    for level in (fine, middle, coarse):
        boxes = plan.plain(plan.conv(plan.conv(level, BOX_CHANNELS), BOX_CHANNELS), BOX_CHANNELS)
        classes = plan.plain(plan.conv(plan.conv(level, CLASSES), CLASSES), CLASSES)
        outputs.append(plan.join(boxes, classes))
    picture = helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 3, SIDE_PX, SIDE_PX])
    told = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, BOX_CHANNELS + CLASSES, SIDE_PX // k, SIDE_PX // k])
        for name, k in zip(outputs, (8, 16, 32), strict=True)
    ]
    graph = helper.make_graph(plan.nodes, "nano", [picture], told, plan.arrays)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())
