import assert from "node:assert/strict";
import { test } from "node:test";
import { EVENT_NAMES } from "../../src/events/catalog.ts";
import { asOwner } from "../support/http-browser.ts";
import { until } from "../support/until.ts";
import { withWebhook } from "../support/webhooks.ts";

test("events are named by what they report, with the API name beside; columns of buttons have no label", async (t) => {
  const { server, account, clock } = await withWebhook(t);
  const owner = await asOwner(server, clock.now());
  const at = `/console/w/${server.workspaceId}/events`;
  await server.operator("request_reconnect", { account_id: account.id });
  await until(async () => (await server.operator("list_deliveries", { status: "delivered" })).length === 1);
  const webhooks = (await owner.get(at)).text;
  for (const name of EVENT_NAMES) assert.match(webhooks, new RegExp(`[a-z] ?<span class="hint">${name}<`), name);
  assert.match(webhooks, /Sign-in requested<br\/><code class="quiet">socialnet\.reconnect\.requested/);
  const deliveries = (await owner.get(`${at}/deliveries`)).text;
  assert.match(deliveries, /Sign-in requested<br\/><code class="quiet">socialnet\.reconnect\.requested/);
  assert.match(deliveries, /<span title="The endpoint accepted the delivery\."><span class="chip/);
  assert.match(
    deliveries,
    /Rejected<\/strong>: The endpoint.*(Dead|Failed)<\/strong>: Every attempt.*Dropped<\/strong>: The webhook/s,
  );
  assert.doesNotMatch(`${webhooks}${deliveries}`, /data-label="Actions"|Six attempts/);
});
