import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { prepareCards } from "../../src/store/sqlite/cards.ts";
import { prepareChecklist } from "../../src/store/sqlite/checklist.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { preparePosts } from "../../src/store/sqlite/posts.ts";
import { prepareReviewQueue } from "../../src/store/sqlite/review-queue.ts";
import { prepareSightings } from "../../src/store/sqlite/sightings.ts";
import { prepareVoice } from "../../src/store/sqlite/voice.ts";
import { listAssessmentsDue } from "../../src/store/sqlite/workspaces.ts";
import { plansOf } from "../support/plans.ts";
import { temporaryFolder } from "../support/server.ts";

const FILTERS = ["", "status", "itemId", "status,itemId"];

test("no statement of the checklist walks a table, and no list of cards or posts is sorted", async (t) => {
  const file = join(temporaryFolder(t), "rostrum.db");
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  const plans = plansOf(file, (db) => {
    const lists = [prepareCards(db), preparePosts(db)];
    for (const filter of FILTERS) for (const { pages } of lists) pages(filter);
    listAssessmentsDue(db, 0, "1", 1);
    return [prepareChecklist(db), prepareVoice(db), prepareSightings(db.$client)];
  });
  assert.ok(plans.length >= 45, `${plans.length} statements`);
  for (const [text, plan] of plans) {
    // What is walked is the list of ids that was given, and the single row that an INSERT is made of.
    const walked = plan.filter((line) => /^SCAN (?!CONSTANT ROW|asked VIRTUAL|json_each VIRTUAL)/.test(line));
    assert.deepEqual(walked, [], text);
    assert.ok(!plan.some((line) => line.includes("TEMP B-TREE")), `${text}\n${plan.join("\n")}`);
  }
  const using = (index: string) => plans.some(([, plan]) => plan.some((line) => line.includes(`INDEX ${index} `)));
  for (const index of [
    ...["approval_cards_waiting", "approval_cards_workspace", "approval_cards_status", "approval_cards_item"],
    ...[
      "social_posts_workspace",
      "social_posts_status",
      "social_posts_item",
      "social_posts_asked",
      "social_posts_redo",
    ],
    ...["social_posts_waiting", "social_posts_ended", "social_posts_scheduled", "workspaces_assessed"],
  ]) {
    assert.ok(using(index), index);
  }
});

test("what waits for people is read by its indexes, in order, and what is new by when it happened", async (t) => {
  const file = join(temporaryFolder(t), "rostrum.db");
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  const plans = plansOf(file, (db) => prepareReviewQueue(db.$client));
  assert.equal(plans.length, 15);
  for (const [text, plan] of plans) {
    const walked = plan.filter((line) => /^SCAN (?!\(subquery)/.test(line));
    assert.deepEqual(walked, [], text);
    // News are grouped, of so many as the subquery lets through.
    if (!text.includes("GROUP BY")) assert.ok(!plan.some((line) => line.includes("TEMP B-TREE")), plan.join("\n"));
  }
  const using = (index: string) => plans.some(([, plan]) => plan.some((line) => line.includes(`INDEX ${index} `)));
  for (const index of [
    ...["socialnet_actions_status", "sequence_approvals_waiting", "approval_cards_status", "social_posts_status"],
    ...["activities_recent", "audit_log_recent", "audit_log_action", "audit_log_record"],
    "socialnet_actions_contact_status",
  ]) {
    assert.ok(using(index), `${index} ${plans.map(([, plan]) => plan.join()).join("\n")}`);
  }
});
