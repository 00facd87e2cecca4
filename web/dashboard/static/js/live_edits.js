/* An edit of a reading (js/correct.js) as the act of a live table: what is numbered there is told by its place here. */

import { say } from "./words.js";

/** The act; `reading` is the one that the edit speaks of. */
export function acting(edit, reading) {
  const tile = (id) => centre(reading.tiles[id].quad);
  const region = (id) => centre(reading.unread[id]);
  const face = edit.face === "?" ? null : edit.face;
  switch (edit.edit) {
    case "name":
      return { act: "CorrectTile", at: tile(edit.tile), tile: face };
    case "remove":
      return { act: "RemoveTile", at: tile(edit.tile) };
    case "add":
      return { act: "AddTile", at: edit.at, tile: face };
    case "move":
      return { act: "MoveTile", at: tile(edit.tile), beside: edit.beside === null ? null : tile(edit.beside), after: edit.after ?? true };
    case "cut":
      return { act: "CutSet", at: tile(edit.tile) };
    case "uncover":
      return { act: "CorrectTile", at: region(edit.region), tile: face };
    case "clear":
      return { act: "RemoveTile", at: region(edit.region) };
    default:
      throw new Error(say("This correction cannot be made at a live table."));
  }
}

export function centre(quad) {
  return [0, 1].map((axis) => quad.reduce((sum, corner) => sum + corner[axis], 0) / 4);
}
