"""The reader's network: one rectified tile crop in; number, colour, facing and corner corrections out."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from vision.read import COLOUR_CLASSES, FEATURES, NUMBER_CLASSES
from vision.training.detector_net import block

HEAD_SIZES = (len(NUMBER_CLASSES), len(COLOUR_CLASSES), 1, 8)


class Residual(nn.Module):
    """Two convolutions beside a short cut."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            block(channels, channels),
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False),
            nn.BatchNorm2d(channels),
        )
        self.out = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.out(x + self.body(x))
        return result


class ReaderNet(nn.Module):
    """Maps white-balanced crops (B, 3, 64, 48) to logits: numbers (B, 17), colours (B, 4), upside down (B, 1), corners
    (B, 8)."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            block(3, 16),
            block(16, 32, stride=2),
            Residual(32),
            block(32, 64, stride=2),
            Residual(64),
            block(64, 96, stride=2),
            Residual(96),
            block(96, 32, kernel=1),
            nn.Flatten(),
        )
        self.dense = nn.Sequential(nn.Linear(32 * 8 * 6, FEATURES), nn.ReLU(inplace=True), nn.Dropout(0.1))
        self.heads = nn.Linear(FEATURES, sum(HEAD_SIZES))

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return self.opinions(self.features(crops))

    def features(self, crops: Tensor) -> Tensor:
        """The values (B, 192) from which all opinions are drawn."""
        features: Tensor = self.dense(self.trunk(crops))
        return features

    def opinions(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The four answers drawn from features (B, 192)."""
        numbers, colours, upside, corners = torch.split(self.heads(features), list(HEAD_SIZES), dim=1)
        return numbers, colours, upside, corners * 0.1


class ReaderGraph(nn.Module):
    """What is exported: the four answers, then the features themselves."""

    def __init__(self, net: ReaderNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        features = self.net.features(crops)
        return *self.net.opinions(features), features
