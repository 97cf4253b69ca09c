import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder } from "../../src/console/pages/today/attention-item.ts";
import { isNews } from "../../src/console/pages/today/today.tsx";
import { fillAgentScreens } from "../support/agent-screens.ts";
import { asOwner } from "../support/http-browser.ts";
import { startServer } from "../support/server.ts";
import { ON } from "../support/socialnet.ts";

test("Today lists what is stopped first, then what needs review, as the checks found it", () => {
  const task = (text: string, tone: "plain" | "needs" | "stopped" | "done") => ({ text, tone, to: "/" }) as const;
  const found = [
    task("a", "plain"),
    task("b", "needs"),
    task("c", "stopped"),
    task("d", "needs"),
    task("e", "stopped"),
  ];
  assert.equal(
    inOrder(found)
      .map(({ text }) => text)
      .join(""),
    "cebda",
  );
});

test("Today links to the only unconfirmed action, before what needs approval, in sentences", async (t) => {
  const server = await startServer(t, { env: ON });
  const { account, action } = await fillAgentScreens(server);
  const owner = await asOwner(server);
  const at = `/console/w/${server.workspaceId}`;
  const { text } = await owner.get(at);
  const unknown = text.indexOf(
    `href="${at}/agents/${account.id}/actions/${action.id}">1 message from social account Ada is unconfirmed`,
  );
  const toApprove = text.indexOf("1 action to approve</a>");
  assert.ok(unknown > 0 && toApprove > unknown, text);
  assert.match(text.slice(unknown, toApprove), /Unconfirmed<\/span>/);
  assert.match(text.slice(toApprove), /Needs review<\/span>/);
  assert.doesNotMatch(text, />(window|sequences|deals)<\/span>/);
});

test("events from creating the workspace are not listed as news", () => {
  for (const kind of ["set_up", "create_workspace"]) assert.equal(isNews({ source: "audit", kind }), false, kind);
  assert.ok(isNews({ source: "audit", kind: "create_contact" }));
});
