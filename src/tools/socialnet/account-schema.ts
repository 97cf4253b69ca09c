import { z } from "zod";
import { profileKey } from "../../domain/contacts/address.ts";
import { AUTOMATION_MODES, DEFAULT_DAILY_LIMITS, SOCIALNET_SESSIONS } from "../../domain/socialnet/account.ts";
import { ACCOUNT_HOLDS } from "../../domain/socialnet/action.ts";
import { heldAt, holdOf } from "../../domain/socialnet/eligibility.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import type { AccountSettings, ReconnectRequest as RequestRow, SocialnetAccountRow } from "../../store/socialnet.ts";
import { recordId, time, timeZone, windows } from "../fields.ts";

const limit = (of: string) => z.int().min(0).max(1_000).optional().describe(`${of} per day.`);

/** What a person sets on an account, with the defaults of a new one. */
export const accountFields = {
  label: z.string().max(200).trim().min(1).describe("The name that your team uses for the account. Events include it."),
  profile_url: z
    .string()
    .max(500)
    .trim()
    .refine(
      (url) => profileKey(url) !== null,
      "is invalid. Enter the full URL, such as https://socialnet.example/in/name",
    )
    .describe("The sender's own profile on the professional network."),
  automation_mode: z
    .enum(AUTOMATION_MODES)
    .describe(
      "off: the agent sends only approved actions that a member planned, and no sequence steps. approve_each: a person " +
        "approves each action. automatic: most actions are approved as soon as they are planned. Turning this mode on requires the permission approve_outbound.",
    ),
  time_zone: timeZone,
  windows,
  daily_limits: z
    .strictObject({
      connection_requests: limit("Connection requests"),
      messages: limit("Messages"),
    })
    .describe(
      "The maximum number of actions to start per day, in the account's time zone. Omitted limits keep their value. In a " +
        `new account, they are ${DEFAULT_DAILY_LIMITS.connection_requests} connection requests and ` +
        `${DEFAULT_DAILY_LIMITS.messages} messages.`,
    ),
  owner_member_id: recordId("member")
    .nullable()
    .describe("The account holder: the member whose account it is. Null: none."),
};

export const readAutomationMode = z
  .enum(AUTOMATION_MODES)
  .optional()
  .describe("The account's automation mode that you read. If it has changed, the call is refused. Optional.");

export const readProfileUrl = z
  .string()
  .max(500)
  .optional()
  .describe("The account's profile that you read. If it has changed, the call is refused. Optional.");

export const SocialnetAccount = z.object({
  id: z.uuid(),
  label: z.string(),
  profile_url: z.string(),
  automation_mode: z.enum(AUTOMATION_MODES),
  time_zone: z.string(),
  windows,
  daily_limits: z.object({ connection_requests: z.int(), messages: z.int() }),
  owner_member_id: z.uuid().nullable(),
  session: z
    .enum(SOCIALNET_SESSIONS)
    .nullable()
    .describe("The session state that the agent last reported. Null: none yet."),
  session_at: time.nullable().describe("When the agent last reported its session."),
  session_since: time.nullable().describe("When the session entered this state. Null: not recorded."),
  held_reason: z.enum(ACCOUNT_HOLDS).nullable(),
  held_until: time
    .nullable()
    .describe(
      "When the hold ends. If null, a heartbeat with session ready ends it. A login or captcha hold with a time ends " +
        "once the time has passed and such a heartbeat has arrived.",
    ),
  held_since: time.nullable(),
  created_at: time,
  updated_at: time,
});

export function toAccount(row: SocialnetAccountRow, now: number): z.infer<typeof SocialnetAccount> {
  const held = heldAt(holdOf(row), now);
  return {
    id: row.id,
    label: row.label,
    profile_url: row.profileUrl,
    automation_mode: row.automationMode,
    time_zone: row.timeZone,
    windows: row.windows,
    daily_limits: { connection_requests: row.dailyConnectionRequests, messages: row.dailyMessages },
    owner_member_id: row.ownerMemberId,
    session: row.session,
    session_at: isoOrNull(row.sessionAt),
    session_since: isoOrNull(row.sessionSince),
    held_reason: held?.reason ?? null,
    held_until: held === null ? null : isoOrNull(row.heldUntil),
    held_since: held === null ? null : isoOrNull(row.heldSince),
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
  };
}

export const ReconnectRequest = z.object({
  id: z.uuid(),
  account_id: z.uuid(),
  requested_by: z.string(),
  requested_at: time,
  acknowledged_at: time.nullable(),
  resolved_at: time.nullable(),
});

export function toRequest(row: RequestRow): z.infer<typeof ReconnectRequest> {
  return {
    id: row.id,
    account_id: row.accountId,
    requested_by: row.requestedBy,
    requested_at: iso(row.requestedAt),
    acknowledged_at: isoOrNull(row.acknowledgedAt),
    resolved_at: isoOrNull(row.resolvedAt),
  };
}

type Given = Pick<z.output<typeof SocialnetAccount>, keyof typeof accountFields>;

export function toSettings(given: Given): AccountSettings {
  return {
    label: given.label,
    profileUrl: given.profile_url,
    automationMode: given.automation_mode,
    timeZone: given.time_zone,
    windows: given.windows,
    dailyConnectionRequests: given.daily_limits.connection_requests,
    dailyMessages: given.daily_limits.messages,
    ownerMemberId: given.owner_member_id,
  };
}
