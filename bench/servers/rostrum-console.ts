import { startApp } from "../../src/app.ts";
import { callAsOperator } from "../../src/cli/operator.ts";
import { readConfig } from "../../src/config.ts";
import { unlimited } from "../../src/core/policy.ts";
import { createLog } from "../../src/lib/log.ts";
import { setupLink } from "../../src/services/access/links.ts";
import { serve } from "./serve.ts";

/** Rostrum with its owner signed in, for the screens of the console: rostrum-console.js <data folder> */

const [, , data = ""] = process.argv;
const config = readConfig({ port: "0", data }, {});
const running = await startApp(config, createLog("warn"), { limits: unlimited });
const { store, url, close } = running;
serve({ port: Number(new URL(url).port), close, answers: { enter } });

async function enter() {
  const link = (await setupLink({ people: store.people, url, now: Date.now() }, false)) ?? "";
  const owner = { name: "Bench", email: "bench@rostrum.example", password: "correct horse battery" };
  const entered = await fetch(link, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams(owner),
    headers: { origin: url },
  });
  const cookie = entered.headers
    .getSetCookie()
    .map((set) => set.split(";")[0])
    .join("; ");
  const [workspace] = await store.workspaces();
  // Some screens are only for the server admin.
  const operator = { email: owner.email, role: "super_admin" };
  const { refusal } = await callAsOperator(running, "set_member", workspace?.id ?? "", operator);
  if (refusal !== undefined) throw refusal;
  return { cookie, root: `/console/w/${workspace?.id}` };
}
