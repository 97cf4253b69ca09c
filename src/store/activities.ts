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

/** The timelines of contacts. Nothing rewrites them. */
export interface Activities {
  insert(activity: NewActivity): Promise<Activity>;
  /** Whether anything of this type is in a contact's timeline. */
  has(contactId: string, type: ActivityType): Promise<boolean>;
  /** Notes that the team reached out to the contact. The time never goes back, and is no update of the record. */
  advanceLastContacted(contactId: string, at: number): Promise<void>;
}
