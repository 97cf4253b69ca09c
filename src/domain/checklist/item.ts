import { z } from "zod";
import { ALL_CHANNELS } from "./channel.ts";

const days = z.int().min(1).max(366);
const count = z.int().min(1).max(1_000);
const channel = z.enum(ALL_CHANNELS);

const check = <const N extends string, S extends z.ZodRawShape>(name: N, takes: S, tells: string) =>
  z.strictObject({ check: z.literal(name), ...takes }).describe(tells);

/**
 * What the service can tell from its own data: no check asks the network or reads a channel. A catalog picks from this
 * list.
 */
export const CHECKS = [
  check("brand_voice_saved", {}, "A brand voice is saved."),
  check("profile_facts_saved", { count }, "At least `count` profile facts are saved."),
  check("social_connection_connected", { channel }, "The status of `channel` is Connected."),
  check("social_connections_healthy", {}, "At least one channel is set up, and all that are set up are Connected."),
  check("sending_policy_set", {}, "Sending hours, a daily limit and a sender name are set."),
  check("suppression_list_in_use", {}, "At least one address is on the do-not-contact list."),
  check("sequences_approved", {}, "Every active sequence has an activated audience."),
  check("outbound_approver_named", {}, "At least one member can approve outbound messages."),
  check("administrators", { count }, "At least `count` members are admins."),
  check("keys_in_use", { days }, "No active API key has been idle for more than `days` days."),
  check(
    "recent_posts",
    { count, days, channel: channel.optional() },
    "At least `count` posts were published in the last `days` days, on `channel` where one is named.",
  ),
  check("scheduled_posts", { count, days }, "At least `count` approved posts are scheduled for the next `days` days."),
  check("review_queue_fresh", { days }, "No post or card has been waiting for review for more than `days` days."),
] as const;

const checkSchema = z.discriminatedUnion("check", CHECKS, {
  error: ({ code }) =>
    code === "invalid_union" ? `must be one of ${CHECKS.map(({ shape }) => shape.check.value).join(", ")}` : undefined,
});

/** A check with its parameters: `{ check: "recent_posts", count: 3, days: 7 }`. */
export type Check = z.output<typeof checkSchema>;
export type CheckName = Check["check"];

export const ITEM_ID = /^(OT|ON)-[0-9]{2}$/;

export const ITEM_KINDS = ["one_time", "ongoing"] as const;

/** Labels of how often an item is to be done. */
export const FREQUENCIES = {
  once: "Once",
  daily: "Daily",
  with_every_post: "With every post",
  weekly: "Weekly",
  monthly: "Monthly",
  every_3_months: "Every 3 months",
  every_6_months: "Every 6 months",
  yearly: "Yearly",
  as_needed: "As needed",
} as const;
export type Frequency = keyof typeof FREQUENCIES;

/** Labels of how much of an item runs without a person. */
export const AUTOMATIONS = {
  auto: "Automatic",
  ai_draft_human_approves: "Agent drafts, teammate approves",
  notify_human: "Agent watches, teammate acts",
  human_only: "Teammate only",
} as const;
export type Automation = keyof typeof AUTOMATIONS;

/**
 * What shows that an item is done: what an assistant saw or handed over, what the service sees, or a person's
 * statement.
 */
export const EVIDENCE_VERDICTS = ["observation", "output", "service", "person"] as const;
export type EvidenceVerdict = (typeof EVIDENCE_VERDICTS)[number];

export const PERSON_ACTIONS = ["approve_change_deny", "do", "none"] as const;
export type PersonAction = (typeof PERSON_ACTIONS)[number];

export const RUNNERS = ["assistant", "service", "person"] as const;
export type Runner = (typeof RUNNERS)[number];

export const OUTPUT_KINDS = ["social_post", "document"] as const;
export type OutputKind = (typeof OUTPUT_KINDS)[number];

const keysOf = <T extends object>(table: T) => Object.keys(table) as [keyof T & string, ...(keyof T & string)[]];
const text = (most: number) => z.string().trim().min(1).max(most);
const itemId = z.string().regex(ITEM_ID, "must be an id such as OT-01 or ON-01");
const listOf = <S extends z.ZodType>(entry: S) => z.array(entry).max(99);

const executor = z.strictObject({
  evidence_verdict: z.enum(EVIDENCE_VERDICTS),
  person_action: z.enum(PERSON_ACTIONS),
  runner: z.enum(RUNNERS),
  /** 1 comes first. Items may share a number: then one-time items come first, and then the lower id. */
  priority: z.int().min(1).max(999),
  /** When the item may be skipped or done differently. */
  exceptions: listOf(text(300)).default([]),
  /** What has to be done before. */
  dependencies: listOf(itemId).default([]),
  /** To be tried before it becomes part of the default checklist; never due until then. */
  test_first: z.boolean().default(false),
  replaced_by: itemId.nullable().default(null),
});

const channels = z
  .union([z.literal("all"), z.array(z.enum(ALL_CHANNELS)).max(ALL_CHANNELS.length)], {
    error: `must be "all" or a list of ${ALL_CHANNELS.join(", ")}`,
  })
  .transform((given) => (given === "all" ? ALL_CHANNELS : ALL_CHANNELS.filter((channel) => given.includes(channel))));

/** An item as a catalog file has it; what has a default may be left out. Its kind follows from its id. */
export const itemSchema = z
  .strictObject({
    id: itemId,
    frequency: z.enum(keysOf(FREQUENCIES)),
    area: text(60),
    task: text(500),
    done_when: text(300).nullable(),
    why: text(500),
    sources: z
      .array(
        z.strictObject({
          name: text(160),
          url: z.url({ protocol: /^https$/, error: "must be an https URL" }).optional(),
        }),
      )
      .min(1)
      .max(6),
    applies_to: text(200),
    /** Where it is done; an empty list means no particular channel. */
    channels,
    automation: z.enum(keysOf(AUTOMATIONS)),
    executor,
    accepts_output_kinds: listOf(z.enum(OUTPUT_KINDS)).default([]),
    /** How the service itself tells whether it is done; null where it cannot. */
    detected_by: checkSchema.nullable().default(null),
  })
  .transform((item) => ({ ...item, kind: item.id.startsWith("OT") ? ("one_time" as const) : ("ongoing" as const) }));

export type CatalogItem = z.output<typeof itemSchema>;

/** Whether an assistant may record that it saw the item done. */
export function canRecordEvidence({ executor: { evidence_verdict, replaced_by } }: CatalogItem): boolean {
  return evidence_verdict === "observation" && replaced_by === null;
}

/** What an assistant may hand over for the item. */
export function acceptedOutputKinds({ accepts_output_kinds, executor }: CatalogItem): readonly OutputKind[] {
  return executor.replaced_by === null ? accepts_output_kinds : [];
}
