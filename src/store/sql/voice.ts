import { asc, eq, sql } from "drizzle-orm";
import type { Voice } from "../checklist.ts";
import { brandVoices as b, profileFacts as f, socialConnections as s } from "./schema/index.ts";
import { type Db, newRow, placeholders } from "./statement.ts";

const p = sql.placeholder;

export function voice(db: Db): (workspaceId: string) => Voice {
  const { orm } = db;
  const brandVoice = db.query(
    orm
      .select({ text: b.text, savedBy: b.savedBy, savedAt: b.savedAt })
      .from(b)
      .where(eq(b.workspaceId, p("workspaceId"))),
  );
  const saveBrandVoice = db.query(
    orm
      .insert(b)
      .values(newRow(b))
      .onConflictDoUpdate({ target: b.workspaceId, set: placeholders("text", "savedBy", "savedAt") }),
  );
  const profileFacts = db.query(
    orm
      .select({ facts: f.facts, savedBy: f.savedBy, savedAt: f.savedAt })
      .from(f)
      .where(eq(f.workspaceId, p("workspaceId"))),
  );
  const saveProfileFacts = db.query(
    orm
      .insert(f)
      .values(newRow(f))
      .onConflictDoUpdate({ target: f.workspaceId, set: placeholders("facts", "savedBy", "savedAt") }),
  );
  const socialConnections = db.query(
    orm
      .select({ channel: s.channel, state: s.state, handle: s.handle, savedBy: s.savedBy, savedAt: s.savedAt })
      .from(s)
      .where(eq(s.workspaceId, p("workspaceId")))
      .orderBy(asc(s.channel)),
  );
  const saveSocialConnection = db.query(
    orm
      .insert(s)
      .values(newRow(s))
      .onConflictDoUpdate({
        target: [s.workspaceId, s.channel],
        set: placeholders("state", "handle", "savedBy", "savedAt"),
      }),
  );

  return (workspaceId) => ({
    async brandVoice() {
      return brandVoice.get({ workspaceId });
    },
    async saveBrandVoice(row) {
      await saveBrandVoice.run({ ...row, workspaceId });
    },
    async profileFacts() {
      return profileFacts.get({ workspaceId });
    },
    async saveProfileFacts(row) {
      await saveProfileFacts.run({ ...row, workspaceId });
    },
    async socialConnections() {
      return socialConnections.all({ workspaceId });
    },
    async saveSocialConnection(row) {
      await saveSocialConnection.run({ ...row, workspaceId });
    },
  });
}
