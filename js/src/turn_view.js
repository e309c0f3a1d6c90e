// A turn's view: a model of a few hundred bytes that draws with what the session's model returned from `initialize`.
const PATIENCE = 12_000;

export default {
  render({ model, el, host, signal }) {
    const note = document.createElement("p");
    note.style.cssText = "margin:4px 0;opacity:.7;font-style:italic";
    note.textContent = "Waiting for the session…";
    el.append(note);
    const begun = Date.now();
    let ended = false;
    let unmount;
    const attach = async () => {
      try {
        const session = await host.getWidget(model.get("session"));
        if (ended || signal?.aborted) return;
        unmount = session.exports.mountTurn(el, model.get("turn"), model.get("uid"), model);
        note.remove();
      } catch {
        // No binding yet, or its module is still being loaded.
        const late = Date.now() - begun > PATIENCE;
        if (late)
          note.textContent = "The live view of this turn has no session here. Run the cell again for a new one.";
        if (!ended) setTimeout(attach, late ? 5000 : 250);
      }
    };
    attach();
    return () => {
      ended = true;
      unmount?.();
      note.remove();
    };
  },
};
