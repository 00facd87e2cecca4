"""Every kind of photo file: decoded alike and upright, or refused in one sentence."""

from __future__ import annotations

import builtins
import io
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import IO

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image as PilImage

from vision import intake
from vision.intake import PhotoError, find_photos, read_photo

Pixels = npt.NDArray[np.uint8]
ORIENTATION_TAG = 274


def picture(width: int = 96, height: int = 64) -> Pixels:
    """An RGB picture (H, W, 3) in which no turn or mirror image equals another, smooth enough to survive JPEG."""
    y, x = np.mgrid[0:height, 0:width]
    red = 255 * x / (width - 1)
    green = 255 * y / (height - 1)
    blue = np.where((x < width // 3) & (y < height // 4), 230, 20)
    return np.stack([red, green, blue], axis=2).astype(np.uint8)


def save(path: Path, image: PilImage.Image, **options: object) -> Path:
    image.save(path, **options)  # type: ignore[arg-type]  # Pillow takes each format's own options here
    return path


def refusal(path: Path) -> str:
    """The sentence with which a photo is refused; checked to be one, and to name the file."""
    with pytest.raises(PhotoError) as caught:
        read_photo(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    assert str(path) in text
    return text.removeprefix(str(path))


@pytest.mark.parametrize("suffix", ["png", "bmp", "tif", "webp", "jpg"])
def test_formats_decode_to_bgr(tmp_path: Path, suffix: str) -> None:
    options: dict[str, object] = {"lossless": True} if suffix == "webp" else {"quality": 98} if suffix == "jpg" else {}
    photo = read_photo(save(tmp_path / f"a.{suffix}", PilImage.fromarray(picture()), **options))
    assert photo.image.dtype == np.uint8
    assert photo.image.flags.c_contiguous
    difference = np.abs(photo.image[:, :, ::-1].astype(int) - picture())
    assert difference.mean() < (4 if suffix == "jpg" else 0.01)


UNTURN: dict[int, Callable[[Pixels], Pixels]] = {
    1: lambda a: a,
    2: np.fliplr,
    3: lambda a: np.rot90(a, 2),
    4: np.flipud,
    5: lambda a: np.swapaxes(a, 0, 1),
    6: lambda a: np.rot90(a, 1),
    7: lambda a: np.swapaxes(np.rot90(a, 2), 0, 1),
    8: lambda a: np.rot90(a, -1),
}
"""How a camera that writes this EXIF orientation stores an upright picture."""


@pytest.mark.parametrize("suffix", ["png", "tif"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_exif_orientation_gives_the_same_upright_pixels(tmp_path: Path, orientation: int, suffix: str) -> None:
    stored = PilImage.fromarray(np.ascontiguousarray(UNTURN[orientation](picture())))
    exif = PilImage.Exif()
    exif[ORIENTATION_TAG] = orientation
    photo = read_photo(save(tmp_path / f"turned.{suffix}", stored, exif=exif))
    np.testing.assert_array_equal(photo.image[:, :, ::-1], picture())


@pytest.mark.parametrize("orientation", range(1, 9))
def test_jpeg_orientations_agree(tmp_path: Path, orientation: int) -> None:
    stored = PilImage.fromarray(np.ascontiguousarray(UNTURN[orientation](picture())))
    exif = PilImage.Exif()
    exif[ORIENTATION_TAG] = orientation
    photo = read_photo(save(tmp_path / "turned.jpg", stored, exif=exif, quality=98))
    assert np.abs(photo.image[:, :, ::-1].astype(int) - picture()).mean() < 4


def test_a_nonsense_exif_block_is_ignored(tmp_path: Path) -> None:
    nonsense = b"Exif\x00\x00II*\x00\xff\xff\xff\xff\x09\x00"
    path = save(tmp_path / "a.jpg", PilImage.fromarray(picture()), exif=nonsense, quality=95)
    assert read_photo(path).image.shape == (64, 96, 3)


def test_sixteen_bit_grey_is_scaled_not_clipped(tmp_path: Path) -> None:
    ramp = np.linspace(0, 65535, 64 * 64).reshape(64, 64).astype(np.uint16)
    photo = read_photo(save(tmp_path / "grey.png", PilImage.fromarray(ramp)))
    assert photo.image.shape == (64, 64, 3)
    np.testing.assert_array_equal(photo.image[:, :, 1], np.rint(ramp / 257).astype(np.uint8))


def test_cmyk_jpeg_keeps_its_colours(tmp_path: Path) -> None:
    image = PilImage.new("RGB", (64, 64), (200, 30, 40))
    photo = read_photo(save(tmp_path / "print.jpg", image.convert("CMYK"), quality=98))
    np.testing.assert_allclose(photo.image[32, 32].astype(int), (40, 30, 200), atol=6)


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_transparent_parts_lie_on_mid_grey(tmp_path: Path, mode: str) -> None:
    image = PilImage.new("RGBA", (64, 64), (255, 255, 255, 255))
    image.paste((255, 255, 255, 0), (0, 0, 32, 64))
    photo = read_photo(save(tmp_path / "alpha.png", image.convert(mode)))
    assert photo.image[10, 10].tolist() == [128, 128, 128]
    assert photo.image[10, 50].tolist() == [255, 255, 255]


def test_palette_with_transparency(tmp_path: Path) -> None:
    image = PilImage.new("P", (64, 64), 0)
    image.putpalette([250, 10, 20] + [0, 0, 0] * 255)
    image.paste(1, (0, 0, 32, 64))
    photo = read_photo(save(tmp_path / "palette.png", image, transparency=1))
    assert photo.image[10, 50].tolist() == [20, 10, 250]
    assert photo.image[10, 10].tolist() == [128, 128, 128]


def test_one_bit_and_grey(tmp_path: Path) -> None:
    for mode in ("1", "L"):
        photo = read_photo(save(tmp_path / f"{mode}.png", PilImage.new(mode, (64, 64), 255)))
        assert photo.image[5, 5].tolist() == [255, 255, 255]


def test_a_phones_multi_picture_jpeg_gives_its_first_picture(tmp_path: Path) -> None:
    first, preview = PilImage.fromarray(picture()), PilImage.new("RGB", (96, 64), "white")
    path = save(tmp_path / "phone.jpg", first, format="MPO", save_all=True, append_images=[preview], quality=98)
    assert np.abs(read_photo(path).image[:, :, ::-1].astype(int) - picture()).mean() < 4


def test_text_renamed_jpg(tmp_path: Path) -> None:
    path = tmp_path / "notes.jpg"
    path.write_text("dear diary, R5 R6 R7")
    assert "no picture" in refusal(path)


def test_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.jpg"
    path.touch()
    assert refusal(path) == " is empty."


def photo_bytes(form: str, **options: object) -> bytes:
    rng = np.random.default_rng(4)
    buffer = io.BytesIO()
    noise = PilImage.fromarray(rng.integers(0, 255, (120, 160, 3), dtype=np.uint8))
    noise.save(buffer, form, **options)
    return buffer.getvalue()


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("JPEG", {}),
        ("JPEG", {"progressive": True}),
        ("PNG", {}),
        ("BMP", {}),
        ("WEBP", {}),
        ("TIFF", {"compression": "tiff_lzw"}),
    ],
)
def test_cut_off_files_are_refused(tmp_path: Path, form: str, options: dict[str, object], share: float) -> None:
    data = photo_bytes(form, **options)
    path = tmp_path / "cut.jpg"
    path.write_bytes(data[: int(len(data) * share)])
    text = refusal(path)
    assert any(word in text for word in ("too early", "damaged"))
    if form == "JPEG":
        assert "ends too early" in text


@pytest.mark.parametrize("form", ["JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF"])
def test_damaged_bytes_never_raise_anything_else(tmp_path: Path, form: str) -> None:
    data = photo_bytes(form)
    rng = random.Random(7)
    path = tmp_path / "hurt.png"
    for _ in range(60):
        hurt = bytearray(data)
        for _ in range(rng.randint(1, 12)):
            hurt[rng.randrange(min(len(hurt), 600))] = rng.randrange(256)
        path.write_bytes(hurt)
        try:
            read_photo(path)
        except PhotoError as error:
            assert "\n" not in str(error)  # noqa: PT017  either outcome is right, but never another exception


@pytest.mark.parametrize(("form", "suffix"), [("GIF", "gif"), ("WEBP", "webp"), ("PNG", "png")])
def test_animations_are_refused(tmp_path: Path, form: str, suffix: str) -> None:
    frames = [PilImage.new("RGB", (64, 64), colour) for colour in ("red", "green", "blue")]
    path = save(tmp_path / f"moving.{suffix}", frames[0], format=form, save_all=True, append_images=frames[1:])
    assert "animation of 3 pictures" in refusal(path)


def test_a_still_gif_is_read(tmp_path: Path) -> None:
    path = save(tmp_path / "still.gif", PilImage.new("RGB", (64, 64), "red"))
    assert read_photo(path).image[3, 3].tolist() == [0, 0, 255]


def test_a_tiff_of_pages_is_refused(tmp_path: Path) -> None:
    page = PilImage.new("RGB", (64, 64), "red")
    path = save(tmp_path / "pages.tif", page, save_all=True, append_images=[page])
    assert "a file of 2 pictures" in refusal(path)


def test_one_pixel(tmp_path: Path) -> None:
    path = save(tmp_path / "dot.png", PilImage.new("RGB", (1, 1), "red"))
    assert refusal(path) == " is too small: 1 × 1 pixels."


@pytest.mark.parametrize(("size", "said"), [((10_000, 6_000), "60 megapixels"), ((20_000, 20_000), "far more than")])
def test_too_many_pixels_are_refused_before_decoding(tmp_path: Path, size: tuple[int, int], said: str) -> None:
    path = save(tmp_path / "huge.png", PilImage.new("1", size), compress_level=1)
    assert said in refusal(path)


def test_a_forty_eight_megapixel_photo_passes_the_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert intake.LARGEST_AREA_PX > 8064 * 6048
    monkeypatch.setattr(intake, "LARGEST_AREA_PX", 64 * 64)
    assert read_photo(save(tmp_path / "at-limit.png", PilImage.new("L", (64, 64)))).image.shape == (64, 64, 3)


def test_missing_file(tmp_path: Path) -> None:
    assert refusal(tmp_path / "nowhere.jpg") == " does not exist."


def test_a_folder_is_no_photo(tmp_path: Path) -> None:
    assert refusal(tmp_path) == " is a folder, not a photo."


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(tmp_path / "locked.png", PilImage.new("RGB", (64, 64)))

    def locked(_self: Path, *_arguments: object, **_options: object) -> IO[bytes]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", locked)
    assert refusal(path) == " cannot be opened: permission denied."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe.jpg"
    os.mkfifo(path)
    assert refusal(path) == " is not an ordinary file."


def test_a_film_is_not_read_into_memory(tmp_path: Path) -> None:
    path = tmp_path / "film.jpg"
    path.write_bytes(b"\x00\x00\x00\x20ftypisom")
    os.truncate(path, 1 << 36)  # takes no room on the disk, but none could hold it in memory
    assert "no picture" in refusal(path)


def test_measured_values_are_no_picture(tmp_path: Path) -> None:
    path = save(tmp_path / "heights.tif", PilImage.new("F", (64, 64), 0.5))
    assert "measured values" in refusal(path)


def test_a_null_byte_in_the_name() -> None:
    with pytest.raises(PhotoError):
        read_photo(Path("a\0b.jpg"))


def test_heic_is_read_with_the_extra(tmp_path: Path) -> None:
    heif = pytest.importorskip("pillow_heif", reason="the heic extra is not installed")
    heif.register_heif_opener()
    path = save(tmp_path / "phone.heic", PilImage.fromarray(picture()), quality=95)
    assert np.abs(read_photo(path).image[:, :, ::-1].astype(int) - picture()).mean() < 6


def test_heic_without_the_extra_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without_heif(name: str, *rest: object) -> ModuleType:
        if name == "pillow_heif":
            raise ImportError(name)
        return original(name, *rest)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.delitem(sys.modules, "pillow_heif", raising=False)
    monkeypatch.setattr(builtins, "__import__", without_heif)
    path = tmp_path / "phone.jpg"  # phones and messengers rename them
    path.write_bytes(b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic" + bytes(64))
    assert refusal(path) == " is a HEIC photo, which needs the Python package pillow-heif: pip install pillow-heif."


def test_folders_become_their_sorted_photos(tmp_path: Path) -> None:
    names = ["b.JPG", "a.png", "c.heic", "notes.txt", ".hidden.jpg", "a.ruling.jpg"]
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / "deeper.jpg").mkdir()
    single = tmp_path / "nowhere.bmp"
    found = find_photos([single, tmp_path])
    assert found.photos == (single, tmp_path / "a.png", tmp_path / "b.JPG", tmp_path / "c.heic")
    assert found.failures == ()


def test_a_folder_that_may_not_be_opened_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(_self: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", locked)
    found = find_photos([tmp_path])
    assert [str(error) for error in found.failures] == [f"{tmp_path} cannot be opened: permission denied."]


def test_a_folder_without_pictures_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    found = find_photos([tmp_path])
    assert found.photos == ()
    assert [str(error) for error in found.failures] == [f"{tmp_path} is a folder without pictures."]
