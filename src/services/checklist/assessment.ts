import type { Catalog } from "../../domain/checklist/catalog.ts";
import { CHANNELS, channelPlace } from "../../domain/checklist/channel.ts";
import { dueOf } from "../../domain/checklist/due.ts";
import {
  acceptedOutputKinds,
  type CatalogItem,
  type Check,
  type CheckName,
  type OutputKind,
} from "../../domain/checklist/item.ts";
import type { Assessment, AssessmentSource, MarkedStatus } from "../../domain/checklist/status.ts";
import { dayOf } from "../../domain/time/date.ts";
import { DAY_MS } from "../../lib/time.ts";
import type { AssessmentRow, MarkRow, NewMark } from "../../store/checklist.ts";
import type { WorkspaceStore } from "../../store/store.ts";

/** The name that the service records marks under. */
const SERVICE = "Rostrum";

/**
 * Assesses every item of the catalog by Rostrum's own data, and stores the result. An item with a check is marked too,
 * unless a person has marked it. Call it inside a write, so that all of it is stored or nothing.
 */
export async function assessWorkspace(store: WorkspaceStore, catalog: Catalog, now: number): Promise<AssessmentRow[]> {
  const detected = new Map((await detect(store, catalog, now)).map((row) => [row.itemId, row]));
  const marks = new Map((await store.checklist.marks()).map((mark) => [mark.itemId, mark]));
  const days = new Map((await store.checklist.days()).map(({ itemId, lastDoneOn }) => [itemId, lastDoneOn]));
  const rows = catalog.items.map((item) => {
    const judged = () => judge(item, marks.get(item.id), days.get(item.id), now);
    return detected.get(item.id) ?? { itemId: item.id, ...judged(), assessedAt: now };
  });
  await store.checklist.replaceAssessments(rows);
  return rows;
}

/** Runs the checks again after a change that may affect them. The rest is checked at the next assessment. */
export async function assessChecksAgain(store: WorkspaceStore, catalog: Catalog, now: number): Promise<void> {
  for (const row of await detect(store, catalog, now)) await store.checklist.saveAssessment(row);
}

/** Runs every check, and only then sets the service's marks by the results. */
async function detect(store: WorkspaceStore, catalog: Catalog, now: number): Promise<AssessmentRow[]> {
  const rows: AssessmentRow[] = [];
  const marks: NewMark[] = [];
  for (const item of catalog.items) {
    const { detected_by, executor } = item;
    if (detected_by === null || executor.replaced_by !== null) continue;
    const found = await runCheck(store, detected_by, now);
    rows.push({ itemId: item.id, ...found, assessedAt: now });
    marks.push(...markOf(item, found, now));
  }
  await store.checklist.keepDetections(marks.map(({ itemId }) => itemId));
  for (const mark of marks) await store.checklist.recordDetection(mark);
  return rows;
}

/** Assesses an item without a check. */
function judge(item: CatalogItem, mark: MarkRow | undefined, lastDoneOn: string | undefined, now: number): Assessment {
  const { replaced_by } = item.executor;
  if (replaced_by !== null) {
    const sources = [{ kind: "item", id: replaced_by, label: "Replacement item" }];
    return { state: "not_applicable", reason: `Replaced by ${replaced_by}.`, sources };
  }
  if (mark?.source === "agent") return byEvidence(item, mark, lastDoneOn, now);
  return {
    state: "unknown",
    reason: `${unseenText(item)} as of ${dayOf(now)}.`,
    sources: [],
  };
}

/** Why an item without a check is unknown. The reason names the day, since more may have come since. */
function unseenText(item: CatalogItem): string {
  const { evidence_verdict: verdict } = item.executor;
  if (verdict !== "output") return UNSEEN[verdict];
  const completes = acceptedOutputKinds(item).map((kind) => COMPLETES[kind]);
  const none = completes.length === 1 ? completes.map(({ none }) => none) : ["Neither is recorded"];
  const how = completes.map(({ how }) => how).join(" or ");
  return `Rostrum can't check this item by itself. It's done when ${how}. ${none}`;
}

/** What completes an item that agents submit something for. */
const COMPLETES: Record<OutputKind, { how: string; none: string }> = {
  document: { how: "a teammate approves a document for it", none: "No approval is recorded" },
  social_post: { how: "a teammate publishes a post for it", none: "No publication is recorded" },
};

const UNSEEN: Record<Exclude<CatalogItem["executor"]["evidence_verdict"], "output">, string> = {
  observation: "Rostrum can't check this item. No agent has recorded evidence",
  service: "Rostrum has no data",
  person: "Rostrum can't check this item. No status has been set",
};

/** An assistant's evidence counts until the item is due again. */
function byEvidence(item: CatalogItem, mark: MarkRow, lastDoneOn: string | undefined, now: number): Assessment {
  const sources = [{ kind: "evidence", id: mark.byId, label: `${mark.byName} on ${dayOf(mark.updatedAt)}` }];
  const reason = mark.evidence ?? `${mark.byName} recorded it.`;
  const { state, due_on } = dueOf(item, mark, lastDoneOn, dayOf(now));
  if (mark.status !== "done") return { state: "missing", reason, sources };
  if (state === "overdue") return { state: "missing", reason: `Due again since ${due_on}. ${reason}`, sources };
  return { state: "done", reason, sources };
}

const MARKED: Record<Assessment["state"], MarkedStatus | undefined> = {
  done: "done",
  missing: "not_started",
  not_applicable: "not_applicable",
  unknown: undefined,
};

/**
 * The service's mark by a check. An item is marked as missing only where the service alone can tell. Elsewhere an
 * assistant may have seen what Rostrum does not store.
 */
function markOf(item: CatalogItem, { state, reason: evidence }: Assessment, now: number): NewMark[] {
  const alone = item.executor.evidence_verdict === "service";
  const status = state === "missing" && !alone ? undefined : MARKED[state];
  if (status === undefined) return [];
  const doneOn = status === "done" ? dayOf(now) : null;
  return [{ itemId: item.id, status, evidence, doneOn, byId: null, byName: SERVICE, updatedAt: now }];
}

/** Runs one check now. The check itself is the first source. */
async function runCheck(store: WorkspaceStore, check: Check, now: number): Promise<Assessment> {
  const assess = CHECKS[check.check] as (store: WorkspaceStore, check: Check, now: number) => Promise<Verdict>;
  const { state, reason, sources = [] } = await assess(store, check, now);
  const own = source("check", check.check, `Rostrum's own data on ${dayOf(now)}`);
  return { state, reason, sources: [own, ...sources] };
}

type Verdict = Pick<Assessment, "state" | "reason"> & { sources?: AssessmentSource[] };

type Checks = {
  [N in CheckName]: (store: WorkspaceStore, check: Extract<Check, { check: N }>, now: number) => Promise<Verdict>;
};

/** Done or missing, each with its reason. */
const either = (done: boolean, seen: string, lacking: string): Verdict =>
  done ? { state: "done", reason: seen } : { state: "missing", reason: lacking };

const many = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

/** What each check of a catalog reads of this workspace's own data. */
const CHECKS: Checks = {
  async brand_voice_saved({ voice }) {
    const saved = await voice.brandVoice();
    if (saved === undefined) return { state: "missing", reason: "No brand voice is saved." };
    return { state: "done", reason: `${saved.savedBy} saved a brand voice on ${dayOf(saved.savedAt)}.` };
  },

  async profile_facts_saved({ voice }, { count }) {
    const facts = (await voice.profileFacts())?.facts.length ?? 0;
    const are = `${many(facts, "profile fact")} saved`;
    return either(facts >= count, `${are}.`, `${are}, ${count} needed.`);
  },

  async social_connection_connected({ voice }, { channel }) {
    const found = (await voice.socialConnections()).find((connection) => connection.channel === channel);
    const text = `${CHANNELS[channel]} ${found === undefined ? "isn't set up" : `is ${found.state}`}.`;
    return either(found?.state === "connected", text, text);
  },

  async social_connections_healthy({ voice }) {
    const all = await voice.socialConnections();
    const broken = all.filter(({ state }) => state !== "connected");
    const named = (broken.length > 0 ? broken : all).map(({ channel, state }) => `${CHANNELS[channel]} is ${state}`);
    if (all.length === 0) return { state: "missing", reason: "No channel is set up." };
    return {
      state: broken.length === 0 ? "done" : "missing",
      reason: `${named.join(", ")}.`,
      sources: all.map(({ channel, state }) => source("social_connection", channel, `${CHANNELS[channel]}: ${state}`)),
    };
  },

  async sending_policy_set({ workspace }) {
    const { windows, dailyCap, senderName } = await workspace.sendingPolicy();
    const lacking = [
      ...(windows.length === 0 ? ["sending hours"] : []),
      ...(dailyCap === null ? ["a daily limit"] : []),
      ...(senderName === null ? ["a sender name"] : []),
    ];
    const seen = `Sending hours are set. Daily limit: ${dailyCap}. Sender name: ${senderName}.`;
    return either(lacking.length === 0, seen, `The sending policy is missing ${lacking.join(", ")}.`);
  },

  async suppression_list_in_use({ workspaceFacts }) {
    const used = await workspaceFacts.suppresses();
    return either(used, "The do-not-contact list is in use.", "The do-not-contact list is empty.");
  },

  async sequences_approved({ workspaceFacts }) {
    const { active, unapproved } = await workspaceFacts.activeSequences();
    if (active === 0) return { state: "not_applicable", reason: "No sequence is active." };
    const names = unapproved.map(({ name }) => name).join(", ");
    return {
      ...either(
        unapproved.length === 0,
        "Every active sequence has an activated audience.",
        `Active without an activated audience: ${names}.`,
      ),
      sources: unapproved.map(({ id, name }) => source("sequence", id, name)),
    };
  },

  async outbound_approver_named({ workspaceFacts }) {
    const { approvers } = await workspaceFacts.members();
    return either(
      approvers > 0,
      `${many(approvers, "member")} can approve outbound messages.`,
      "No member can approve outbound messages.",
    );
  },

  async administrators({ workspaceFacts }, { count }) {
    const { administrators } = await workspaceFacts.members();
    const has = `The workspace has ${many(administrators, "admin")}`;
    return either(administrators >= count, `${has}.`, `${has}, ${count} needed.`);
  },

  async keys_in_use({ workspaceFacts }, { days }, now) {
    const { live, idle } = await workspaceFacts.keys(now - days * DAY_MS, now);
    if (live === 0) return { state: "not_applicable", reason: "There is no active API key." };
    const names = idle.map(({ name }) => name).join(", ");
    return {
      ...either(
        idle.length === 0,
        `No active API key has been idle for more than ${many(days, "day")}.`,
        `Idle for more than ${many(days, "day")}: ${names}.`,
      ),
      sources: idle.map(({ id, name }) => source("key", id, name)),
    };
  },

  async recent_posts({ workspaceFacts }, { count, days, channel }, now) {
    const found = await workspaceFacts.published(now - days * DAY_MS, channel);
    const on = channel === undefined ? "" : ` on ${channelPlace(channel)}`;
    const were = `${many(found, "post")} published${on} in the last ${many(days, "day")}`;
    return either(found >= count, `${were}.`, `${were}, ${count} needed.`);
  },

  async scheduled_posts({ workspaceFacts }, { count, days }, now) {
    const found = await workspaceFacts.scheduled(now, now + days * DAY_MS);
    const are = `${many(found, "approved post")} scheduled for the next ${many(days, "day")}`;
    return either(found >= count, `${are}.`, `${are}, ${count} needed.`);
  },

  async review_queue_fresh({ workspaceFacts }, { days }, now) {
    const since = await workspaceFacts.waitingSince();
    const lacking = since === null ? "" : `The oldest submission has needed review since ${dayOf(since)}.`;
    const fresh = since === null || since >= now - days * DAY_MS;
    return either(
      fresh,
      `No post or document has been waiting for review for more than ${many(days, "day")}.`,
      lacking,
    );
  },
};

function source(kind: string, id: string, label: string): AssessmentSource {
  return { kind, id, label };
}
