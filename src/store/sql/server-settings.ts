import type { MailDelivery } from "../../domain/outreach/sending.ts";
import type { MailTest, WorkspaceSettings } from "../access.ts";
import type { LastBackup, Store } from "../store.ts";
import { acrossWorkspaces, type Db } from "./statement.ts";

/** Who the server's mail is from. */
export const MAIL_FROM = "SELECT value FROM server_settings WHERE name = 'mail_from'";

/** What is stored of the server's mail: one row each. */
const HAS_MAIL_SERVER = "has_mail_server";
const DEFAULT_DELIVERY = "default_delivery";
export const MAIL_SETTINGS = "mail_settings";
const MAIL_TEST = "mail_test";
const MAIL_ROWS = `SELECT name, value FROM server_settings
  WHERE name IN ('${HAS_MAIL_SERVER}', '${DEFAULT_DELIVERY}', '${MAIL_SETTINGS}', '${MAIL_TEST}')`;

/** Active sequences with emails, by where these go. In JSON text, quotes inside of a text are escaped. */
export const EMAILING = `SELECT delivery, count(*) AS count FROM sequences
  WHERE status = 'active' AND steps LIKE '%"type":"email"%' GROUP BY delivery`;
export const SEALED_MAIL = `SELECT value FROM server_settings WHERE name = '${MAIL_SETTINGS}'`;

/** The mail of the server, as each workspace sees it and server admins change it. */
export function mailOf(db: Db): Pick<WorkspaceSettings, "mail" | "setMailSettings" | "recordMailTest"> {
  const rows = db.sql<object, { name: string; value: string }>(MAIL_ROWS);
  const record = db.sql(RECORD_SETTING);
  const forget = db.sql("DELETE FROM server_settings WHERE name = @name");
  return {
    async mail() {
      const found = new Map((await rows.all({})).map(({ name, value }) => [name, value]));
      const has = found.get(HAS_MAIL_SERVER);
      return {
        hasServer: has === undefined ? null : has === "1",
        defaultDelivery: (found.get(DEFAULT_DELIVERY) as MailDelivery | undefined) ?? null,
        settings: found.get(MAIL_SETTINGS) ?? null,
        test: JSON.parse(found.get(MAIL_TEST) ?? "null") as MailTest | null,
      };
    },
    async setMailSettings(sealed, hasServer, now) {
      await record.run({ name: HAS_MAIL_SERVER, value: hasServer ? "1" : "0", now });
      if (sealed === null) await forget.run({ name: MAIL_SETTINGS });
      else await record.run({ name: MAIL_SETTINGS, value: sealed, now });
      await forget.run({ name: MAIL_TEST });
    },
    async recordMailTest(test, now) {
      await record.run({ name: MAIL_TEST, value: JSON.stringify(test), now });
    },
  };
}

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
  | "recordMailFrom"
  | "recordHasMailServer"
  | "recordDefaultDelivery"
  | "mailSettings"
  | "retention"
  | "recordRetention"
  | "lastBackup"
  | "recordLastBackup"
>;

export const serverSettings = acrossWorkspaces<ServerSettings>(
  // A write that read the sender before is committed first, so that its sequences are found and pinned again.
  {
    durable: ["recordHasMailServer", "recordDefaultDelivery", "recordRetention", "recordLastBackup"],
    alone: ["recordMailFrom"],
  },
  (db) => {
    const record = db.sql(RECORD_SETTING);
    const lastBackup = db.value<object, string>(`SELECT value FROM server_settings WHERE name = '${LAST_BACKUP}'`);
    const mailSettings = db.value<object, string>(SEALED_MAIL);
    const retentionAt = db.value<object, number>(RETENTION_AT);
    const newestRow = db.value<object, number | null>(NEWEST_ROW);
    return {
      async recordMailFrom(value, now) {
        await record.run({ name: "mail_from", value, now });
      },
      async recordHasMailServer(has, now) {
        await record.run({ name: HAS_MAIL_SERVER, value: has ? "1" : "0", now });
      },
      async recordDefaultDelivery(value, now) {
        await record.run({ name: DEFAULT_DELIVERY, value, now });
      },
      async mailSettings() {
        return (await mailSettings.get({})) ?? null;
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
