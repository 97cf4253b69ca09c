/** A meeting with a contact, booked or held. `heldOn` is a date, YYYY-MM-DD. */
export interface Meeting {
  id: string;
  contactId: string;
  /** The activity that booked it; null where a member confirmed one that was never booked here. */
  activityId: string | null;
  heldOn: string | null;
  note: string | null;
  confirmedBy: string | null;
  confirmedAt: number | null;
  createdAt: number;
}

/** What a member says of a meeting that was held. */
export interface MeetingConfirmation {
  heldOn: string;
  note: string | null;
  confirmedBy: string;
  now: number;
}

export interface Meetings {
  insert(meeting: Meeting): Promise<void>;
  /** Confirms the newest meeting of the contact that nobody has confirmed; undefined where there is none. */
  confirmNewest(contactId: string, confirmation: MeetingConfirmation): Promise<Meeting | undefined>;
}
