/* Dark or light as somebody chose for this browser; loaded before the page is drawn, so that it never flashes. */

(() => {
  const kept = (() => {
    try {
      return localStorage.getItem("look");
    } catch {
      return null; // a browser that keeps nothing follows the device
    }
  })();
  if (kept === "dark" || kept === "light") document.documentElement.dataset.look = kept;

  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("look")?.addEventListener("click", () => {
      const dark = document.documentElement.dataset.look ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
      const chosen = dark === "dark" ? "light" : "dark";
      document.documentElement.dataset.look = chosen;
      try {
        localStorage.setItem("look", chosen);
      } catch {
        // it holds for this page
      }
    });
  });
})();
