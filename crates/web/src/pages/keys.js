// Keys in place of clicks. They can be switched off, and every page works without them.
(() => {
  const stored = () => { try { return localStorage.getItem("barecode-keys") !== "no"; } catch { return true; } };
  let on = stored();
  const show = () => document.documentElement.classList.toggle("with-keys", on);
  const typing = (target) => target.matches("textarea, input:not([type=radio]):not([type=checkbox])");
  show();
  document.addEventListener("change", (event) => {
    if (event.target.id !== "keys") return;
    on = event.target.checked;
    try { localStorage.setItem("barecode-keys", on ? "yes" : "no"); } catch { /* Only for this page then. */ }
    show();
  });
  const offer = () => {
    const box = document.getElementById("keys");
    if (box) { box.checked = on; box.closest(".keys").hidden = false; }
  };
  offer();
  new MutationObserver(offer).observe(document.body, { childList: true, subtree: true });
  document.addEventListener("keydown", (event) => {
    const form = document.querySelector("form.answer");
    if (event.key === "Enter" && form && (event.ctrlKey || event.metaKey)) return form.requestSubmit();
    if (!on || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const meant = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!meant || meant.closest(".better")?.checkVisibility() === false) return;
    event.preventDefault();
    meant.focus();
    meant.click();
  });
})();
