import type { Activity, ActivityType } from "../domain/activity.ts";

export interface NewActivity {
  id: string;
  contactId: string;
  type: ActivityType;
  subject: string | null;
  body: string | null;
  metadata: Record<string, unknown>;
  now: number;
}

/** A page of a timeline, and the position before which the next one goes on; null at its beginning. */
export interface TimelinePage {
  rows: Activity[];
  next: number | null;
}

/** The timelines of contacts. Nothing rewrites them. */
export interface Activities {
  insert(activity: NewActivity): Promise<Activity>;
  /** Newest first. */
  page(contactId: string, page: { limit: number; before: number | null }): Promise<TimelinePage>;
  /** Whether anything of this type is in a contact's timeline. */
  has(contactId: string, type: ActivityType): Promise<boolean>;
  /** Notes that the team reached out to the contact. The time never goes back, and is no update of the record. */
  advanceLastContacted(contactId: string, at: number): Promise<void>;
}
