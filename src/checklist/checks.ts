import { CHANNELS } from "../domain/channel.ts";
import type { Check, CheckName } from "../domain/checklist-check.ts";
import type { Assessment, AssessmentSource } from "../domain/checklist-status.ts";
import { dayOf } from "../domain/date.ts";
import type { WorkspaceStore } from "../store/store.ts";

const DAY_MS = 86_400_000;

type Verdict = Pick<Assessment, "state" | "reason"> & { sources?: AssessmentSource[] };

type Judges = {
  [N in CheckName]: (store: WorkspaceStore, check: Extract<Check, { check: N }>, now: number) => Promise<Verdict>;
};

/** Done or missing, and what shows it. */
const either = (done: boolean, seen: string, lacking: string): Verdict =>
  done ? { state: "done", reason: seen } : { state: "missing", reason: lacking };

const many = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

/** What each check of a catalog asks of this workspace's own data, and nothing beyond. */
const JUDGES: Judges = {
  async brand_voice_saved({ voice }) {
    const saved = await voice.brandVoice();
    if (saved === undefined) return { state: "missing", reason: "No brand voice is saved." };
    return { state: "done", reason: `${saved.savedBy} saved a brand voice on ${dayOf(saved.savedAt)}.` };
  },

  async profile_facts_saved({ voice }, { count }) {
    const facts = (await voice.profileFacts())?.facts.length ?? 0;
    const are = `${many(facts, "profile fact")} saved`;
    return either(facts >= count, `${are}.`, `${are}; ${count} are wanted.`);
  },

  async social_connection_connected({ voice }, { channel }) {
    const found = (await voice.socialConnections()).find((connection) => connection.channel === channel);
    const of = `The connection of ${CHANNELS[channel]} is`;
    return either(found?.state === "connected", `${of} connected.`, `${of} ${found?.state ?? "not saved"}.`);
  },

  async social_connections_healthy({ voice }) {
    const all = await voice.socialConnections();
    const broken = all.filter(({ state }) => state !== "connected");
    const named = (broken.length > 0 ? broken : all).map(({ channel, state }) => `${CHANNELS[channel]} is ${state}`);
    if (all.length === 0) return { state: "missing", reason: "No social connection is saved." };
    return {
      state: broken.length === 0 ? "done" : "missing",
      reason: `${named.join(", ")}.`,
      sources: all.map(({ channel, state }) => source("social_connection", channel, `${CHANNELS[channel]}: ${state}`)),
    };
  },

  async sending_policy_set({ workspace }) {
    const { windows, dailyCap, senderName } = await workspace.sendingPolicy();
    const lacking = [
      ...(windows.length === 0 ? ["sending windows"] : []),
      ...(dailyCap === null ? ["a daily cap"] : []),
      ...(senderName === null ? ["a sender name"] : []),
    ];
    const seen = `Windows are set, ${dailyCap} messages a day at most, as ${senderName}.`;
    return either(lacking.length === 0, seen, `The sending policy lacks ${lacking.join(", ")}.`);
  },

  async suppression_list_in_use({ sightings }) {
    const used = await sightings.suppresses();
    return either(used, "The do-not-contact list is in use.", "Nobody is on the do-not-contact list.");
  },

  async sequences_approved({ sightings }) {
    const { active, unapproved } = await sightings.activeSequences();
    if (active === 0) return { state: "not_applicable", reason: "No sequence is active." };
    const names = unapproved.map(({ name }) => name).join(", ");
    return {
      ...either(unapproved.length === 0, "Every active sequence has an applied approval.", `Not approved: ${names}.`),
      sources: unapproved.map(({ id, name }) => source("sequence", id, name)),
    };
  },

  async outbound_approver_named({ sightings }) {
    const { approvers } = await sightings.members();
    return either(
      approvers > 0,
      `${many(approvers, "member")} may approve what goes out.`,
      "No member may approve what goes out.",
    );
  },

  async administrators({ sightings }, { count }) {
    const { administrators } = await sightings.members();
    const has = `The workspace has ${many(administrators, "administrator")}`;
    return either(administrators >= count, `${has}.`, `${has}; ${count} are wanted.`);
  },

  async keys_in_use({ sightings }, { days }, now) {
    const { live, idle } = await sightings.keys(now - days * DAY_MS, now);
    if (live === 0) return { state: "not_applicable", reason: "There is no live key." };
    const names = idle.map(({ name }) => name).join(", ");
    return {
      ...either(
        idle.length === 0,
        `Every live key was used in the last ${many(days, "day")}.`,
        `Idle for more than ${many(days, "day")}: ${names}.`,
      ),
      sources: idle.map(({ id, name }) => source("key", id, name)),
    };
  },

  async recent_posts({ sightings }, { count, days, channel }, now) {
    const found = await sightings.published(now - days * DAY_MS, channel);
    const on = channel === undefined ? "" : ` on ${CHANNELS[channel]}`;
    const were = `${many(found, "post")} published${on} in the last ${many(days, "day")}`;
    return either(found >= count, `${were}.`, `${were}; ${count} wanted.`);
  },

  async scheduled_posts({ sightings }, { count, days }, now) {
    const found = await sightings.scheduled(now, now + days * DAY_MS);
    const are = `${many(found, "approved post")} scheduled for the next ${many(days, "day")}`;
    return either(found >= count, `${are}.`, `${are}; ${count} wanted.`);
  },

  async review_queue_fresh({ sightings }, { days }, now) {
    const since = await sightings.waitingSince();
    const lacking = since === null ? "" : `The oldest has waited for a person since ${dayOf(since)}.`;
    const fresh = since === null || since >= now - days * DAY_MS;
    return either(fresh, `Nothing has waited for a person for more than ${many(days, "day")}.`, lacking);
  },
};

/** What the service sees by a check at this moment. The check itself is the first source. */
export async function runCheck(store: WorkspaceStore, check: Check, now: number): Promise<Assessment> {
  const judge = JUDGES[check.check] as (store: WorkspaceStore, check: Check, now: number) => Promise<Verdict>;
  const { state, reason, sources = [] } = await judge(store, check, now);
  const own = source("check", check.check, `Rostrum's own data on ${dayOf(now)}`);
  return { state, reason, sources: [own, ...sources] };
}

function source(kind: string, id: string, label: string): AssessmentSource {
  return { kind, id, label };
}
