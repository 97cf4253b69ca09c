import { Router } from "express";
import { html } from "./html.ts";
import { type FakeNetwork, MODES, type Mode, PEOPLE } from "./network.ts";
import { page } from "./pages.ts";

/** For the operator of the network: what it received, and how it behaves. Visitors can't see it. */
export function controls(network: FakeNetwork): Router {
  const router = Router();
  router.get("/", (_request, response) => {
    const visitors = [{ handle: "*", name: "Everybody" }, ...PEOPLE];
    const modes = Object.entries(MODES).map(
      ([mode, means]) => html`<option value="${mode}">${mode}: ${means}</option>`,
    );
    const received = network.executions.map(
      ({ kind, from, to, copy }) => html`<li>${kind} from ${from} to ${to} <q>${copy}</q></li>`,
    );
    const body = html`<h1>How the network behaves</h1>
      <form method="post" action="/control">
        <label>Towards <select name="visitor">${visitors.map(({ handle, name }) => html`<option value="${handle}">${name}</option>`)}</select></label>
        <label>Mode <select name="mode">${modes}</select></label>
        <button>Switch</button>
      </form>
      <ul aria-label="Modes">${visitors.map(({ handle, name }) => html`<li>${name}: ${network.modeFor(handle)}</li>`)}</ul>
      <h2>What it received</h2><ol aria-label="Executions">${received}</ol>`;
    response.send(page("Control", body));
  });
  router.post("/", (request, response) => {
    const { mode = "", visitor = "*" } = request.body as Record<string, string>;
    if (Object.hasOwn(MODES, mode)) network.setMode(mode as Mode, visitor);
    response.redirect(303, "/control");
  });
  return router;
}
