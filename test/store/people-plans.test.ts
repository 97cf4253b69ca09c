import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { prepareClients, prepareClientsReader, prepareConnectors } from "../../src/store/sqlite/connectors.ts";
import { prepareContactSearch } from "../../src/store/sqlite/contact-search.ts";
import { prepareDeals } from "../../src/store/sqlite/deals.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { preparePeople, preparePeopleReader } from "../../src/store/sqlite/people.ts";
import { plansOf } from "../support/plans.ts";
import { temporaryFolder } from "../support/server.ts";

test("no statement about people, connectors, deals or searching walks contacts, deals, or all people", async (t) => {
  const file = join(temporaryFolder(t), "rostrum.db");
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  const plans = plansOf(file, (db) => [
    ...[preparePeopleReader(db.$client), preparePeople(db.$client)],
    ...[prepareConnectors(db.$client), prepareClientsReader(db.$client), prepareClients(db.$client)],
    ...[prepareContactSearch(db), prepareDeals(db)],
  ]);
  assert.ok(plans.length >= 25, `${plans.length} statements`);
  const walks = plans.flatMap(([text, plan]) =>
    plan
      .filter((line) => /^SCAN (?!\()/.test(line))
      .map((line) => `${line} in ${text.slice(0, 60).replace(/\s+/g, " ")}`),
  );
  // Workspaces are few, and so are registrations that nobody used, by the bound that they are counted for. Sessions
  // and links are walked to delete what has run out; members until the first owner.
  const allowed =
    /^SCAN (w|workspaces|sessions|one_time_tokens|members|CONSTANT ROW|oauth_clients USING INDEX oauth_clients_unused)\b/;
  assert.deepEqual(
    walks.filter((line) => !allowed.test(line)),
    [],
  );
  const used = (index: string) => plans.some(([, plan]) => plan.some((line) => line.includes(index)));
  for (const index of [
    ...["sessions_hash", "people_email", "members_person", "one_time_tokens_hash", "deals_stage"],
    ...["oauth_codes_hash", "oauth_grants_code", "oauth_clients_unused", "oauth_clients_used", "oauth_grants_client"],
    ...["contacts_first_name", "contacts_last_name", "contacts_company_name", "contacts_email"],
  ]) {
    assert.ok(used(index), index);
  }
});
