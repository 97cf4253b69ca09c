import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { prepareDeliveries } from "../../src/store/sqlite/deliveries.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { prepareOutbox, prepareOutboxReader } from "../../src/store/sqlite/outbox.ts";
import { prepareSubscriptions } from "../../src/store/sqlite/subscriptions.ts";
import { prepareWebhooks } from "../../src/store/sqlite/webhooks.ts";
import { plansOf } from "../support/plans.ts";
import { temporaryFolder } from "../support/server.ts";

test("no statement of events walks a table: not the outbox, not its history, not its keeping", async (t) => {
  const file = join(temporaryFolder(t), "rostrum.db");
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  const plans = plansOf(file, (db) => [
    prepareSubscriptions(db),
    prepareWebhooks(db),
    prepareDeliveries(db),
    prepareOutboxReader(db.$client),
    prepareOutbox(db.$client),
  ]);
  assert.ok(plans.length >= 30, `${plans.length} statements`);
  for (const [text, plan] of plans) {
    // What is walked is what a subquery found, or the list that was given.
    const walked = plan.filter(
      (line) => /^SCAN (?!hosts|gone|json_each|a\b|CONSTANT)/.test(line) && !/VIRTUAL/.test(line),
    );
    assert.deepEqual(walked, [], text);
  }
  const using = (index: string) => plans.some(([, plan]) => plan.some((line) => line.includes(`INDEX ${index} `)));
  for (const index of ["deliveries_status", "deliveries_finished", "api_keys_revoked", "api_keys_expiry"]) {
    assert.ok(using(index), index);
  }
});
