import { asc, eq, sql } from "drizzle-orm";
import type { BrandVoiceRow, ProfileFactsRow, SocialConnectionRow, Voice } from "../checklist.ts";
import type { Drizzle } from "./connection.ts";
import { brandVoices as b, profileFacts as f, socialConnections as s } from "../sql/schema/index.ts";

const p = sql.placeholder;

const CONNECTION = { channel: s.channel, state: s.state, handle: s.handle, savedBy: s.savedBy, savedAt: s.savedAt };

export function prepareVoice(db: Drizzle) {
  return {
    db,
    brandVoice: db
      .select({ text: b.text, savedBy: b.savedBy, savedAt: b.savedAt })
      .from(b)
      .where(eq(b.workspaceId, p("workspaceId")))
      .prepare(),
    profileFacts: db
      .select({ facts: f.facts, savedBy: f.savedBy, savedAt: f.savedAt })
      .from(f)
      .where(eq(f.workspaceId, p("workspaceId")))
      .prepare(),
    socialConnections: db
      .select(CONNECTION)
      .from(s)
      .where(eq(s.workspaceId, p("workspaceId")))
      .orderBy(asc(s.channel))
      .prepare(),
  };
}

export class SqliteVoice implements Voice {
  readonly #s: ReturnType<typeof prepareVoice>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareVoice>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async brandVoice(): Promise<BrandVoiceRow | undefined> {
    return this.#s.brandVoice.get({ workspaceId: this.#workspaceId });
  }

  async saveBrandVoice(set: BrandVoiceRow): Promise<void> {
    const values = { ...set, workspaceId: this.#workspaceId };
    this.#s.db.insert(b).values(values).onConflictDoUpdate({ target: b.workspaceId, set }).run();
  }

  async profileFacts(): Promise<ProfileFactsRow | undefined> {
    return this.#s.profileFacts.get({ workspaceId: this.#workspaceId });
  }

  async saveProfileFacts(set: ProfileFactsRow): Promise<void> {
    const values = { ...set, workspaceId: this.#workspaceId };
    this.#s.db.insert(f).values(values).onConflictDoUpdate({ target: f.workspaceId, set }).run();
  }

  async socialConnections(): Promise<SocialConnectionRow[]> {
    return this.#s.socialConnections.all({ workspaceId: this.#workspaceId });
  }

  async saveSocialConnection(set: SocialConnectionRow): Promise<void> {
    const values = { ...set, workspaceId: this.#workspaceId };
    this.#s.db
      .insert(s)
      .values(values)
      .onConflictDoUpdate({ target: [s.workspaceId, s.channel], set })
      .run();
  }
}
