import { z } from "zod";
import { AUTOMATION_MODES } from "../../domain/socialnet-account.ts";
import type { ReconnectRequest as RequestRow, SocialnetAccountRow } from "../../store/socialnet.ts";
import { windows } from "../window.ts";

const time = z.iso.datetime();
const iso = (ms: number) => new Date(ms).toISOString();

export const SocialnetAccount = z.object({
  id: z.uuid(),
  label: z.string(),
  profile_url: z.string(),
  automation_mode: z.enum(AUTOMATION_MODES),
  time_zone: z.string(),
  windows,
  daily_limits: z.object({ connection_requests: z.int(), messages: z.int() }),
  created_at: time,
  updated_at: time,
});

export function toAccount(row: SocialnetAccountRow): z.infer<typeof SocialnetAccount> {
  return {
    id: row.id,
    label: row.label,
    profile_url: row.profileUrl,
    automation_mode: row.automationMode,
    time_zone: row.timeZone,
    windows: row.windows,
    daily_limits: { connection_requests: row.dailyConnectionRequests, messages: row.dailyMessages },
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
});

export function toRequest(row: RequestRow): z.infer<typeof ReconnectRequest> {
  return {
    id: row.id,
    account_id: row.accountId,
    requested_by: row.requestedBy,
    requested_at: iso(row.requestedAt),
    acknowledged_at: row.acknowledgedAt === null ? null : iso(row.acknowledgedAt),
  };
}
