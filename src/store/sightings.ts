import type { Channel } from "../domain/channel.ts";

/** A record that shows something. */
export interface Seen {
  id: string;
  name: string;
}

/** What the checks of an assessment ask of the rest of the workspace. Each is bounded, whatever there is. */
export interface Sightings {
  /** Whether any address is suppressed. */
  suppresses(): Promise<boolean>;
  /** How many sequences are active, and some of those that no applied approval covers as they read now. */
  activeSequences(): Promise<{ active: number; unapproved: Seen[] }>;
  members(): Promise<{ administrators: number; approvers: number }>;
  /** How many keys are neither revoked nor expired, and some of those that nobody has used since. */
  keys(since: number, now: number): Promise<{ live: number; idle: Seen[] }>;
  /** Posts that a person said were published, since this moment; of one channel where it is named. */
  published(since: number, channel: Channel | undefined): Promise<number>;
  /** Approved posts with a time from one moment to the other. */
  scheduled(from: number, to: number): Promise<number>;
  /** When the card or post came that has waited longest for a person; null where none waits. */
  waitingSince(): Promise<number | null>;
}
