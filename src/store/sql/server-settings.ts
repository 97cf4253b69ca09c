import type { LastBackup, Store } from "../store.ts";
import { acrossWorkspaces } from "./statement.ts";

/** Who the server's mail is from. */
export const MAIL_FROM = "SELECT value FROM server_settings WHERE name = 'mail_from'";

/** By when retention counts, in milliseconds since the epoch. */
export const RETENTION_AT = "SELECT CAST(value AS BIGINT) FROM server_settings WHERE name = 'retention_at'";
/** The last jump of the machine's clock, as JSON of ClockJump. */
export const CLOCK_JUMP = "SELECT value FROM server_settings WHERE name = 'clock_jump'";
/** Every write leaves a row in the operation log; an import may have made its contacts at another time. */
export const NEWEST_ROW = `SELECT max(at) FROM (
  SELECT created_at AS at FROM contacts WHERE seq = (SELECT max(seq) FROM contacts)
  UNION ALL SELECT at FROM operation_log WHERE id = (SELECT max(id) FROM operation_log)) AS newest`;

/** The last backup, as JSON of LastBackup. */
export const LAST_BACKUP = "last_backup";

export const RECORD_SETTING = `INSERT INTO server_settings (name, value, updated_at) VALUES (@name, @value, @now)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`;

type ServerSettings = Pick<
  Store,
  "recordMailFrom" | "retention" | "recordRetention" | "lastBackup" | "recordLastBackup"
>;

export const serverSettings = acrossWorkspaces<ServerSettings>(
  // A write that read the sender before is committed first, so that its sequences are found and pinned again.
  { durable: ["recordRetention", "recordLastBackup"], alone: ["recordMailFrom"] },
  (db) => {
    const record = db.sql(RECORD_SETTING);
    const lastBackup = db.value<object, string>(`SELECT value FROM server_settings WHERE name = '${LAST_BACKUP}'`);
    const retentionAt = db.value<object, number>(RETENTION_AT);
    const newestRow = db.value<object, number | null>(NEWEST_ROW);
    return {
      async recordMailFrom(value, now) {
        await record.run({ name: "mail_from", value, now });
      },
      async lastBackup() {
        return JSON.parse((await lastBackup.get({})) ?? "null") as LastBackup | null;
      },
      async recordLastBackup(backup) {
        await record.run({ name: LAST_BACKUP, value: JSON.stringify(backup), now: backup.at });
      },
      async retention() {
        return { at: await retentionAt.get({}), newest: (await newestRow.get({})) ?? undefined };
      },
      async recordRetention(at, jump, now) {
        await record.run({ name: "retention_at", value: String(Math.round(at)), now });
        if (jump !== undefined) await record.run({ name: "clock_jump", value: JSON.stringify(jump), now });
      },
    };
  },
);
