import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type Database from "better-sqlite3";
import { ACTION_MOVES } from "../../src/domain/socialnet/action.ts";
import { prepareContacts } from "../../src/store/sqlite/contacts.ts";
import { prepareEnrollments } from "../../src/store/sqlite/enrollments.ts";
import { prepareHousekeeping } from "../../src/store/sqlite/housekeeping.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { prepareLogs } from "../../src/store/sqlite/logs.ts";
import { prepareSocialnet } from "../../src/store/sqlite/socialnet.ts";
import { prepareActions } from "../../src/store/sqlite/socialnet-actions.ts";
import { prepareSocialnetDue } from "../../src/store/sqlite/socialnet-due.ts";
import { prepareReports } from "../../src/store/sqlite/socialnet-reports.ts";
import { plansOf } from "../support/plans.ts";
import { temporaryFolder } from "../support/server.ts";

const FILTERS = ["accountId", "contactId", "status"];
const EVERY_FILTER = Array.from({ length: 8 }, (_, bits) => FILTERS.filter((_, i) => bits & (1 << i)).join());
const GUARDS = ["", "from", "from,leaseHash,leaseRunsAt", "from,leaseOverAt"];

function prepareAll(db: Parameters<typeof prepareActions>[0]): void {
  const actions = prepareActions(db);
  for (const filter of EVERY_FILTER) actions.pages(filter);
  for (const move of Object.keys(ACTION_MOVES))
    for (const guard of GUARDS) actions.move(`${move}|status,updatedAt|${guard}`);
  actions.patch("updatedAt,stopWanted|started,needs_review");
  prepareSocialnet(db);
  prepareReports(db);
  prepareLogs(db);
  prepareSocialnetDue(db.$client as Database.Database);
}

/** The plan of the one statement that has all of these words. */
function planner(plans: [string, string[]][]) {
  return (...words: string[]): string[] => {
    const found = plans.filter(([text]) => words.every((word) => text.includes(word)));
    assert.equal(found.length, 1, `${words.join(" … ")}: ${found.length} statements`);
    return found[0]?.[1] ?? [];
  };
}

/** An empty database, and the plans of whatever is prepared on it. */
async function planning(t: Parameters<typeof temporaryFolder>[0]) {
  const file = join(temporaryFolder(t), "rostrum.db");
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  return (prepare: Parameters<typeof plansOf>[1]) => plansOf(file, prepare);
}

test("no statement of the ledger walks a table", async (t) => {
  const plans = (await planning(t))(prepareAll);
  assert.ok(plans.length >= 100, `${plans.length} statements`);
  for (const [text, plan] of plans) {
    assert.ok(text.startsWith("insert") || plan.length > 0, text);
    const walked = plan.filter((line) => /^SCAN/.test(line));
    assert.deepEqual(walked, [], text);
  }
});

test("nothing of the ledger is sorted in memory: pages, the oldest and the next are read in an index's order", async (t) => {
  for (const [text, plan] of (await planning(t))(prepareAll)) {
    // Accounts that were made in one millisecond are.
    const sorted = plan.filter((line) => /TEMP B-TREE (?!FOR LAST TERM)/.test(line));
    assert.deepEqual(sorted, [], text);
  }
});

/** A count may read any index that holds all it asks for. */
const COVERED = /USING COVERING INDEX socialnet_actions_(account|contact)/;

test("a page of the ledger and its total are read from the index of what it is filtered by", async (t) => {
  const plans = await planning(t);
  for (const [filter, index] of [
    ["", "socialnet_actions_workspace (workspace_id=?)"],
    ["accountId", "socialnet_actions_account (account_id=?)"],
    ["contactId", "socialnet_actions_contact (contact_id=?)"],
    ["status", "socialnet_actions_status (workspace_id=? AND status=?)"],
    ["accountId,status", "socialnet_actions_account_status (account_id=? AND status=?)"],
    ["contactId,status", "socialnet_actions_contact_status (contact_id=? AND status=?)"],
  ] as const) {
    const of = plans((db) => prepareActions(db).pages(filter)).slice(-2);
    for (const [text, lines] of of) {
      assert.ok(
        lines.some((line) => line.endsWith(` INDEX ${index}`) || (/count/.test(text) && COVERED.test(line))),
        `${text}\n${lines.join("\n")}`,
      );
    }
  }
});

test("each question about the ledger is answered by the index that was made for it", async (t) => {
  const plan = planner((await planning(t))(prepareAll));
  for (const [words, index] of [
    [['group by "socialnet_actions"."kind"'], /^socialnet_actions_waiting \(account_id=\?\)$/],
    [['"approved_by" is null'], /^socialnet_actions_account_status \(account_id=\? AND status=\?\)$/],
    [['"contact_id" = ?', '"status" in'], /^socialnet_actions_contact_status \(contact_id=\? AND status=\?\)$/],
    [['"enrollment_id" = ?', '"status" in'], /^socialnet_actions_enrollment \(enrollment_id=\?\)$/],
    [["lease_expires_at <= ?"], /^socialnet_actions_leases \(lease_expires_at<\?\)$/],
    [['"record_id" = ?', "limit"], /^audit_log_record \(workspace_id=\? AND record_id=\?\)$/],
    [['"action_id" = ?', 'order by "socialnet_starts"'], /^socialnet_starts_action \(action_id=\?\)$/],
    [
      ['"reconnect_requests"."workspace_id" = ?', 'order by "reconnect_requests"'],
      /^reconnect_requests_newest \(account_id=\?\)$/,
    ],
    [["look_at <= ?"], /^socialnet_accounts_look \(look_at[><]\?( AND look_at<\?)?\)$/],
    [
      ['group by "socialnet_starts"."kind"'],
      /^socialnet_starts_account \(account_id=\? AND kind=\? AND started_at>\?\)$/,
    ],
    [
      ['"started_at" >= ?)', 'select count(*) from "socialnet_starts"'],
      /^socialnet_starts_workspace \(workspace_id=\? AND started_at>\?\)$/,
    ],
  ] as const) {
    const [line = ""] = plan(...words);
    assert.match(line.replace(/^.* INDEX /, ""), index, `${words}: ${line}`);
  }
});

test("what the ledger moves elsewhere, a contact's status and an enrollment, is found by its id", async (t) => {
  const plan = planner((await planning(t))((db) => [prepareContacts(db), prepareEnrollments(db)]));
  for (const [line = ""] of [plan('set "social_status"'), plan("current_step = current_step + 1")]) {
    assert.match(line, /SEARCH \w+ USING INDEX \w+ \((?:\w+=\? AND )?id=\?/);
  }
});

test("what agents told is pruned by the index of when it was told, oldest first", async (t) => {
  const plan = planner((await planning(t))((db) => prepareHousekeeping(db.$client as Database.Database)));
  for (const table of ["health", "runs", "sightings"]) {
    const lines = plan(`DELETE FROM socialnet_${table}`);
    const index = new RegExp(
      `^SEARCH socialnet_${table} USING COVERING INDEX socialnet_${table}_kept \\(recorded_at<\\?\\)$`,
    );
    assert.ok(
      lines.some((line) => index.test(line)),
      lines.join("\n"),
    );
    assert.deepEqual(
      lines.filter((line) => /^SCAN|TEMP B-TREE/.test(line)),
      [],
    );
  }
});
