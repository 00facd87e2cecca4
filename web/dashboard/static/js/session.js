// Asking the server: JSON in and out, with the token of this page in everything that changes something.

import { say } from "./words.js";

const API = "/api/v1";

export class Refused extends Error {
  constructor(sentence, status, told = {}) {
    super(sentence);
    this.status = status;
    this.told = told;
  }
}

/** Nobody answered: the network is gone, or the program. */
export class Unreached extends Error {
  constructor() {
    super(say("The program does not answer: is the network still there?"));
  }
}

let csrf = document.querySelector('meta[name="csrf"]')?.content ?? "";

/** What browsers have as fetch, with a sentence for people where nothing comes back (Unreached) or not in time. */
export async function reach(address, asked) {
  try {
    return await fetch(address, asked);
  } catch {
    throw new Unreached();
  }
}

/** Send and receive JSON; null for an answer without content. Throws Refused or Unreached with a sentence. `raw` is sent
    as it is. */
export async function ask(path, { method = "GET", body, raw, signal } = {}) {
  const headers = { Accept: "application/json" };
  if (method !== "GET") headers["X-CSRF-Token"] = csrf;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = await reach(API + path, {
    method, headers, signal, body: body === undefined ? raw : JSON.stringify(body),
  });
  if (response.status === 204) return null;
  const data = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(data.error ?? String(response.status), response.status, data);
  if (data.csrf) csrf = data.csrf;
  return data;
}

/** Have an act carried out at a table. */
export const act = (table, body) => ask(`/tables/${table}/acts`, { method: "POST", body });

document.getElementById("sign-out")?.addEventListener("click", async () => {
  const trouble = document.getElementById("site-trouble");
  try {
    await ask("/session", { method: "DELETE" });
    location.assign("/");
  } catch (error) {
    trouble.textContent = error.message;
    trouble.hidden = false;
  }
});
document.getElementById("language")?.addEventListener("change", (event) => event.target.form.requestSubmit());
