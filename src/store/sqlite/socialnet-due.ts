import type { Database } from "better-sqlite3";
import type { SocialnetDue } from "../socialnet.ts";

type Due = { workspaceId: string; id: string };

/** On the reader: what the workers look for. */
export function prepareSocialnetDue(db: Database): Omit<SocialnetDue, "countAll"> {
  const lapsed = db.prepare<[number, number], Due>(
    `SELECT workspace_id AS workspaceId, id FROM socialnet_actions
     WHERE status IN ('claimed', 'started') AND lease_expires_at <= ? ORDER BY lease_expires_at LIMIT ?`,
  );
  const toCount = db.prepare<[number, number], Due>(
    `SELECT workspace_id AS workspaceId, id FROM socialnet_accounts
     WHERE look_at IS NOT NULL AND look_at <= ? ORDER BY look_at LIMIT ?`,
  );
  return {
    lapsed: async (now, most) => lapsed.all(now, most),
    toCount: async (now, most) => toCount.all(now, most),
  };
}

/** On the writer. */
export function prepareCountAll(db: Database): (now: number) => void {
  const all = db.prepare<[number]>("UPDATE socialnet_accounts SET look_at = ?");
  return (now) => {
    all.run(now);
  };
}
