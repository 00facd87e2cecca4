import { ask } from "./session.js";

const form = document.getElementById("sign-in");

/** Where to go then: an address of this site alone. */
function next() {
  const wanted = new URLSearchParams(location.search).get("next") ?? "/";
  return /^\/(?![/\\])/.test(wanted) ? wanted : "/";
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const trouble = document.getElementById("sign-in-trouble");
  trouble.textContent = "";
  try {
    await ask("/session", { method: "POST", body: { pin: form.pin.value } });
    location.assign(next());
  } catch (error) {
    trouble.textContent = error.message;
    form.pin.select();
  }
});
