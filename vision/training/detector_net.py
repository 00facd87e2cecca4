"""The tile detector's network: fully convolutional, U-shaped, one output cell for 4 x 4 pixels."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.detect import HEAT, OUTPUT_CHANNELS


def block(inputs: int, outputs: int, kernel: int = 3, stride: int = 1) -> nn.Sequential:
    """Convolution, batch norm, ReLU."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class DetectorNet(nn.Module):
    """Maps pictures (B, 3, H, W), BGR 0–255, H and W multiples of 16, to raw maps (B, OUTPUT_CHANNELS, H/4, W/4)."""

    def __init__(self) -> None:
        super().__init__()
        self.to_half = nn.Sequential(block(3, 16, stride=2), block(16, 16))
        self.to_quarter = nn.Sequential(block(16, 24, stride=2), block(24, 24), block(24, 24))
        self.to_eighth = nn.Sequential(block(24, 48, stride=2), block(48, 48), block(48, 48))
        self.to_sixteenth = nn.Sequential(block(48, 80, stride=2), block(80, 80), block(80, 80), block(80, 80))
        self.up_to_eighth = block(80, 48, kernel=1)
        self.mix_eighth = nn.Sequential(block(48, 48), block(48, 48))
        self.up_to_quarter = block(48, 48, kernel=1)
        self.side_quarter = block(24, 48, kernel=1)
        self.mix_quarter = nn.Sequential(block(48, 48), block(48, 48), block(48, 48))
        self.heads = nn.Conv2d(48, OUTPUT_CHANNELS, 1)
        with torch.no_grad():
            # rare centres: start from "nowhere", or the first steps drown in false alarms
            nn.init.zeros_(self.heads.bias)
            self.heads.bias[HEAT] = -4.0

    def forward(self, pictures: Tensor) -> Tensor:
        """Raw maps: logits for heat, plain numbers for the rest."""
        half = self.to_half(pictures * (1 / 64) - 2)
        quarter = self.to_quarter(half)
        eighth = self.to_eighth(quarter)
        deep = self.up_to_eighth(self.to_sixteenth(eighth))
        eighth = self.mix_eighth(eighth + functional.interpolate(deep, scale_factor=2.0, mode="nearest"))
        wide = functional.interpolate(self.up_to_quarter(eighth), scale_factor=2.0, mode="nearest")
        raw: Tensor = self.heads(self.mix_quarter(self.side_quarter(quarter) + wide))
        return raw


class DetectorGraph(nn.Module):
    """What is exported: uint8 pictures (B, H, W, 3) BGR to maps (B, C, H/4, W/4), heat as probability."""

    def __init__(self, net: DetectorNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, pictures: Tensor) -> Tensor:
        raw = self.net(pictures.permute(0, 3, 1, 2).float())
        return torch.cat([torch.sigmoid(raw[:, HEAT : HEAT + 1]), raw[:, HEAT + 1 :]], dim=1)
