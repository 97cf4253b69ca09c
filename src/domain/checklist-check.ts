import { z } from "zod";
import { ALL_CHANNELS } from "./channel.ts";

const days = z.int().min(1).max(366);
const count = z.int().min(1).max(1_000);
const channel = z.enum(ALL_CHANNELS);

const check = <const N extends string, S extends z.ZodRawShape>(name: N, takes: S, tells: string) =>
  z.strictObject({ check: z.literal(name), ...takes }).describe(tells);

/**
 * What the service can tell from its own data, and nothing else: no check asks the network, and none reads what a
 * channel alone knows. A catalog picks from this list.
 */
export const CHECKS = [
  check("brand_voice_saved", {}, "A brand voice is saved."),
  check("profile_facts_saved", { count }, "At least `count` profile facts are saved."),
  check("social_connection_connected", { channel }, "The connection of `channel` is saved as connected."),
  check("social_connections_healthy", {}, "Connections are saved, and every one of them is connected."),
  check("sending_policy_set", {}, "Sending windows, a daily cap and a sender name are set."),
  check("suppression_list_in_use", {}, "At least one address is suppressed."),
  check("sequences_approved", {}, "Every active sequence has an applied approval."),
  check("outbound_approver_named", {}, "At least one member may approve what goes out."),
  check("administrators", { count }, "At least `count` members are administrators."),
  check("keys_in_use", { days }, "No live API key has been idle for more than `days` days."),
  check(
    "recent_posts",
    { count, days, channel: channel.optional() },
    "At least `count` posts were published in the last `days` days, on `channel` where one is named.",
  ),
  check("scheduled_posts", { count, days }, "At least `count` approved posts are scheduled for the next `days` days."),
  check("review_queue_fresh", { days }, "No post and no card has waited for a person for more than `days` days."),
] as const;

export const checkSchema = z.discriminatedUnion("check", CHECKS, {
  error: ({ code }) =>
    code === "invalid_union" ? `is none of ${CHECKS.map(({ shape }) => shape.check.value).join(", ")}` : undefined,
});

/** A check with what it takes: `{ check: "recent_posts", count: 3, days: 7 }`. */
export type Check = z.output<typeof checkSchema>;
export type CheckName = Check["check"];
