import type { Store } from "../store.ts";
import { acrossWorkspaces } from "./statement.ts";

/** Who the server's mail is from. */
export const MAIL_FROM = "SELECT value FROM server_settings WHERE name = 'mail_from'";

export const serverSettings = acrossWorkspaces<Pick<Store, "recordMailFrom">>({ durable: ["recordMailFrom"] }, (db) => {
  const record = db.sql(
    `INSERT INTO server_settings (name, value, updated_at) VALUES ('mail_from', @value, @now)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
  );
  return {
    async recordMailFrom(value, now) {
      await record.run({ value, now });
    },
  };
});
