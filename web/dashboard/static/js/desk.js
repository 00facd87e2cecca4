import { act, ask } from "./session.js";

const place = document.getElementById("desk");
const table = place.dataset.table;
let after = 0;

async function look() {
  try {
    const news = await ask(`/tables/${table}/events?after=${after}`);
    if (news) show(news);
  } catch (error) {
    document.getElementById("trouble").textContent = error.message;
  } finally {
    setTimeout(look, 500);
  }
}

function show(news) {
  after = news.seq;
  const view = news.view;
  if (view) {
    document.getElementById("status").textContent =
      `${view.seats[view.seat]?.name ?? ""} ${view.stage_words} ${view.left_s ?? ""}`;
    document.getElementById("table").textContent = view.table;
  }
  const picture = document.getElementById("picture");
  if (picture && news.picture) picture.src = `/api/v1/tables/${table}/picture.jpg?seq=${news.picture.number}`;
  for (const notice of news.notices) {
    const line = document.createElement("li");
    line.textContent = notice.text.join(" ");
    document.getElementById("notices").prepend(line);
  }
}

for (const button of place.querySelectorAll("button[data-act]")) {
  button.addEventListener("click", () =>
    act(table, JSON.parse(button.dataset.act)).catch((error) => {
      document.getElementById("trouble").textContent = error.message;
    }));
}
look();
