import type { Store } from "../store.ts";
import type { Dialect } from "./dialect.ts";
import { MAIL_SETTINGS } from "./server-settings.ts";
import { acrossWorkspaces } from "./statement.ts";

/**
 * The ids of the data keys that sealed what is stored. A sealed text is `v1.<key id>.<…>`. Links in sent messages are
 * sealed too, by the current key.
 */
export const sealedBy = ({ keyIdOf }: Pick<Dialect, "keyIdOf">) => `SELECT ${keyIdOf("secret")} FROM subscriptions
  UNION SELECT ${keyIdOf("value")} FROM server_settings WHERE name = '${MAIL_SETTINGS}'
  UNION SELECT id FROM data_keys WHERE EXISTS (SELECT 1 FROM sends)`;

export const dataKeys = acrossWorkspaces<Pick<Store, "dataKeys" | "recordDataKey">>(
  { durable: [], alone: ["recordDataKey"] },
  (db) => {
    const sealed = db.value<object, string>(sealedBy(db.dialect));
    const recorded = db.value<object, string>("SELECT id FROM data_keys");
    const deleteOthers = db.sql("DELETE FROM data_keys WHERE id <> @id");
    const record = db.sql("INSERT INTO data_keys (id, recorded_at) VALUES (@id, @now) ON CONFLICT DO NOTHING");
    return {
      async dataKeys() {
        return { sealed: await sealed.all({}), recorded: await recorded.get({}) };
      },
      async recordDataKey(id, now) {
        await deleteOthers.run({ id });
        await record.run({ id, now });
      },
    };
  },
);
