/* Asks the server again and again what is new (`?after=SEQ`), less often when nobody looks or nothing answers. */

const SLOWEST_MS = 8000;
const HIDDEN_MS = 5000;
const PATIENCE_MS = 10000;

/** Calls `tell(answer)` for each answer and `trouble(error | null)` when the server falls silent or is back.
    Returns a function that asks at once (after an act). */
export function follow(address, tell, trouble, every = 500) {
  let [seq, wait, timer, failed, asking, again] = [0, every, 0, false, false, false];

  async function ask() {
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    try {
      const answer = await fetch(`${address}?after=${seq}`, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) });
      if (answer.status !== 204) {
        if (!answer.ok) throw new Error(`${answer.status}`);
        const told = await answer.json();
        seq = told.seq; // smaller than before where the server began anew: then it has told everything
        tell(told);
      }
      wait = every;
      if (failed) trouble(null);
      failed = false;
    } catch (error) {
      wait = Math.min(SLOWEST_MS, wait * 2);
      failed = true;
      trouble(error);
    } finally {
      asking = false;
    }
    schedule(again ? 0 : document.hidden ? Math.max(wait, HIDDEN_MS) : wait);
    again = false;
  }

  function schedule(ms) {
    clearTimeout(timer);
    timer = setTimeout(ask, ms);
  }

  document.addEventListener("visibilitychange", () => document.hidden || schedule(0));
  ask();
  return () => (asking ? (again = true) : schedule(0));
}
