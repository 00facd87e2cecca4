/* What the referee can do: one line an act, with its key, when it can be done, and what is asked before. */

import { sentence } from "./words.js";

const RUNNING = ["ready", "play", "fix", "tidy"];
const BEFORE_RULING = [...RUNNING, "called", "bell", "tidied"];
const stages = (...wanted) => (view) => wanted.includes(view.stage);
const phases = (...wanted) => (view) => wanted.includes(view.phase);
const settingUp = (phase) => (view) => view.stage === "setup" && view.phase === phase;
const whose = (label, first) => ({ name: "seat", label, kind: "seat", value: first });
const reason = { name: "reason", label: sentence("Reason (may stay empty)"), kind: "text", empty: true };

/** The end of a turn names its seat: of two referees who press at once, none ends the turn of the next player.

    `place`: "chief" (beside the clock), "restore" (with the table that is put back), "rare" (folded away) or the list of
    all the others.
    `make(view, told)` is the act that is sent; `ask(view)` what is asked before; `go(desk)` something of the page. */
export const ACTS = [
  { id: "end", key: "e", text: sentence("End turn"), place: "chief", chief: true, when: stages(...RUNNING), make: (view) => ({ act: "CallTurnEnd", seat: view.seat }) },
  { id: "back", key: "b", text: sentence("The call was a mistake"), place: "chief", when: stages("called"), hides: true, make: () => ({ act: "TakeBackCall" }) },
  { id: "clock", key: "c", text: sentence("Start the clock"), place: "chief", when: stages("ready"), hides: true, make: () => ({ act: "StartClock" }) },
  { id: "stands", key: "s", text: sentence("The ruling stands"), place: "chief", when: stages("fix", "tidy"), hides: true, make: () => ({ act: "Conclude" }) },
  { id: "count", key: "n", text: sentence("Count the racks"), place: "chief", chief: true, when: stages("count"), hides: true, go: (desk) => desk.toCount() },
  { id: "round", key: "n", text: sentence("Next round"), place: "chief", chief: true, when: stages("between"), hides: true, make: () => ({ act: "NextRound" }) },
  {
    id: "drawn", key: "y", text: sentence("Tiles were drawn for the start"), place: "chief", chief: true, when: settingUp("starter"), hides: true,
    ask: (view) => ({
      title: sentence("Which tile did each draw?"),
      fields: view.drawing.map((seat) => ({ name: `drew${seat}`, label: view.seats[seat].name, kind: "text" })),
      yes: sentence("These were drawn"),
    }),
    make: (view, told) => ({ act: "DrawTiles", tiles: view.drawing.map((seat) => told[`drew${seat}`]) }),
  },
  {
    id: "starter", key: "h", text: sentence("Say who starts"), place: "chief", when: settingUp("starter"), hides: true,
    ask: (view) => ({ title: sentence("Who starts?"), fields: [whose(sentence("Player"), view.drawing[0])], yes: sentence("This player starts") }),
    make: (view, { seat }) => ({ act: "NameStarter", seat }),
  },
  { id: "deal", key: "n", text: sentence("The tiles are dealt"), place: "chief", chief: true, when: settingUp("deal"), hides: true, make: () => ({ act: "DealTiles" }) },
  { id: "won", key: "w", text: sentence("Declared win"), when: stages("ready", "play", "fix"), make: (view) => ({ act: "CallTurnEnd", seat: view.seat, won: true }) },
  {
    id: "legal", key: "l", text: sentence("Rule: legal"), when: ruleable,
    ask: () => ({ title: sentence("Rule that the turn is legal?"), fields: [reason], yes: sentence("It is legal") }),
    make: (view, told) => ({ act: "Overrule", legal: true, ...because(told) }),
  },
  {
    id: "illegal", key: "i", text: sentence("Rule: illegal"), grave: true, when: ruleable,
    ask: () => ({
      title: sentence("Rule that the turn is illegal?"),
      fields: [{ name: "draw", label: sentence("Tiles to draw (empty: as the rules say)"), kind: "number", empty: true }, reason],
      yes: sentence("It is illegal"),
    }),
    make: (view, told) => ({ act: "Overrule", legal: false, draw: told.draw, ...because(told) }),
  },
  { id: "draw", key: "d", text: sentence("It counts as a draw"), when: stages(...BEFORE_RULING, "restore"), make: (view) => ({ act: "CountAsDraw", seat: view.seat }) },
  { id: "pause", key: "p", text: sentence("Pause"), when: (view) => !view.paused && stages("play", "fix", "tidy")(view), turns: "resume", make: () => ({ act: "Pause" }) },
  { id: "resume", key: "p", text: sentence("Go on"), when: (view) => view.paused, hides: true, make: () => ({ act: "Resume" }) },
  { id: "extend", key: "x", text: sentence("Extend the time"), when: stages("ready", "play", "fix", "called"), make: () => ({ act: "Extend" }) },
  {
    id: "undo", key: "u", text: sentence("Undo the last turn"), when: (view) => view.turn > 0,
    ask: () => ({ title: sentence("Take the last turn back?"), fields: [reason], yes: sentence("Take it back") }),
    make: (view, told) => ({ act: "Undo", ...because(told) }),
  },
  {
    id: "penalty", key: "f", text: sentence("Penalty"), when: (view) => view.seats.length > 0 && view.phase !== "new",
    ask: (view) => ({
      title: sentence("A penalty"),
      fields: [
        whose(sentence("For"), view.seat),
        { name: "tiles", label: sentence("Tiles to draw"), kind: "number", value: 0 },
        { name: "points", label: sentence("Points to lose"), kind: "number", value: 0 },
        { name: "reason", label: sentence("Reason"), kind: "text" },
      ],
      yes: sentence("Give it"),
    }),
    make: (view, told) => ({ act: "GivePenalty", ...told }),
  },
  { id: "correct", key: "m", text: sentence("Correct a tile"), when: (view) => Boolean(view.read), go: (desk) => desk.toTiles() },
  { id: "restore", key: "r", text: sentence("What goes back where"), when: stages("restore"), go: (desk) => desk.toRestore() },
  { id: "restored", key: "t", text: sentence("It is put back"), place: "restore", chief: true, when: stages("restore"), make: () => ({ act: "Restored" }) },
  { id: "forgotten", key: "g", text: sentence("Nobody knows the rest"), place: "restore", when: stages("restore"), make: () => ({ act: "Restored", remembered: false }) },
  {
    id: "trust", key: "o", text: sentence("Go on without looking"), place: "restore", when: stages("restore"),
    ask: () => ({ title: sentence("Go on as the log has it, without looking at the table?"), fields: [], yes: sentence("Go on") }),
    make: () => ({ act: "Restored", trust: true }),
  },
  {
    id: "accept", key: "a", text: sentence("Take the table as it lies"), when: (view) => Boolean(view.read) && view.phase === "play",
    ask: () => ({
      title: sentence("Does the table count as it lies now, whoever laid it?"),
      fields: [{ name: "racks", label: sentence("Tiles on each rack, where they were counted anew (such as 5 9 12)"), kind: "text", empty: true }, reason],
      yes: sentence("It counts"),
    }),
    make: (view, told) => ({ act: "AcceptTable", racks: told.racks ? words(told.racks).map(Number) : null, ...because(told) }),
  },
  {
    id: "missed", key: "v", text: sentence("A call was missed"), place: "rare", when: (view) => Boolean(view.read) && stages(...BEFORE_RULING, "restore")(view),
    ask: (view) => ({
      title: sentence("How many tiles did each lay, as the table lies now? (empty: not played)"),
      fields: view.order.map((seat) => ({ name: `laid${seat}`, label: view.seats[seat].name, kind: "number", empty: true })),
      yes: sentence("Record it"),
    }),
    make: (view, told) => ({ act: "PlayedInstead", ...laidBy(view, told) }),
  },
  {
    id: "typed", key: "k", text: sentence("Type the table"), place: "rare", when: phases("play", "question"),
    ask: (view) => ({
      title: sentence("What lies on the table?"),
      fields: [{ name: "text", label: sentence("Sets, such as R5 R6 R7 | K1 B1 O1"), kind: "text", empty: true, most: 2000, value: view.lying || view.table }],
      yes: sentence("So it lies"),
    }),
    make: (view, { text }) => ({ act: "TellTable", text }),
  },
  {
    id: "empty", key: "q", text: sentence("A rack is empty"), place: "rare", when: phases("play"),
    ask: (view) => ({ title: sentence("Whose rack is empty, whatever the log counts?"), fields: [whose(sentence("Player"), view.seat)], yes: sentence("The rack is empty") }),
    make: (view, { seat }) => ({ act: "ConfirmWin", seat }),
  },
  {
    id: "redeal", key: "j", text: sentence("A new deal is claimed"), place: "rare", when: phases("play"),
    ask: (view) => ({
      title: sentence("Who claims a new deal?"),
      fields: [whose(sentence("Player"), view.seat), { name: "tiles", label: sentence("Tiles shown as proof (empty: none)"), kind: "text", empty: true }],
      yes: sentence("Judge the claim"),
    }),
    make: (view, { seat, tiles }) => ({ act: "ClaimRedeal", seat, tiles: tiles ? words(tiles) : null }),
  },
  {
    id: "leave", key: "z", text: sentence("A player leaves"), place: "rare", when: (view) => phases("starter", "deal", "play", "between")(view) && view.order.length > 1,
    ask: (view) => ({ title: sentence("Who leaves? The tiles of the rack go to the pool."), fields: [whose(sentence("Player"), view.seat)], yes: sentence("This player leaves") }),
    make: (view, { seat }) => ({ act: "Leave", seat }),
  },
];

function ruleable(view) {
  return stages(...BEFORE_RULING, "question")(view) || (view.turn > 0 && stages("restore", "count")(view));
}

/** What each laid, up to the last of whom anything was told. */
function laidBy({ order }, told) {
  const had = order.slice(0, order.findLastIndex((seat) => told[`laid${seat}`] !== null) + 1);
  return { seats: had, played: had.map((seat) => told[`laid${seat}`] ?? 0) };
}

const words = (text) => text.split(/[\s,]+/).filter(Boolean);

function because(told) {
  return told.reason ? { reason: told.reason } : {};
}
