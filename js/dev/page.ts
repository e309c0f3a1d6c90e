/** The dev page: `?state=demo|odd`, `&view=session|turn`, `#dark`. It loads the built bundle. */

import { attentive, FakeModel } from "./fake_model.ts";
import { demoState, oddStates } from "./states.ts";

const query = new URLSearchParams(location.search);
const state = query.get("state") === "odd" ? oddStates() : demoState();
if (location.hash === "#dark") document.documentElement.setAttribute("theme", "dark");
else document.documentElement.setAttribute("theme", "light");

const bundle = "/static/widget.js";
const { default: widget } = await import(bundle);
const model = new FakeModel({ state, uid: "dev" }, attentive);
const { initialize } = widget();
const exports = initialize({ model, signal: new AbortController().signal });
const el = document.querySelector("#here");
if (query.get("view") === "turn") exports.mountTurn(el, "r:1", "dev");
else exports.mountSession(el);
model.receive({ type: "wait", waiting: true, clicks: true });
Object.assign(window, { model });
