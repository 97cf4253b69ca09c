import type { Channel } from "../domain/channel.ts";
import type { ConnectionState } from "../domain/connection.ts";

interface Saved {
  /** Who saved it, by name. */
  savedBy: string;
  savedAt: number;
}

export interface BrandVoiceRow extends Saved {
  text: string;
}

export interface ProfileFactsRow extends Saved {
  facts: string[];
}

export interface SocialConnectionRow extends Saved {
  channel: Channel;
  state: ConnectionState;
  handle: string | null;
}

/** What drafts are made from: how the workspace sounds, what it may claim, and where it publishes. */
export interface Voice {
  brandVoice(): Promise<BrandVoiceRow | undefined>;
  saveBrandVoice(voice: BrandVoiceRow): Promise<void>;
  profileFacts(): Promise<ProfileFactsRow | undefined>;
  saveProfileFacts(facts: ProfileFactsRow): Promise<void>;
  /** By channel's name. */
  socialConnections(): Promise<SocialConnectionRow[]>;
  saveSocialConnection(connection: SocialConnectionRow): Promise<void>;
}
