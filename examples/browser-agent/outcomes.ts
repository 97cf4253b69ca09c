/** The states of a signed-in browser's session, as in the heartbeat command. */
export type Session = "ready" | "login_required" | "captcha" | "restricted";

/** The outcomes of an action, as in the result command. */
export type Outcome =
  | "connection_sent"
  | "message_sent"
  | "already_connected"
  | "profile_unavailable"
  | "login_required"
  | "captcha"
  | "rate_limited"
  | "not_sent"
  | "outcome_unknown";

export interface Seen {
  outcome: Outcome;
  /** The text read on the page, for the person who checks it later. */
  evidence: string;
}

/** Something that another person did, in the form of the sync command. */
export interface Observation {
  kind: "reply" | "connection_accepted" | "message_received";
  profileUrl: string;
  observedAt: string;
  /** The network's own id for it, so that it is recorded only once. */
  externalKey: string;
  excerpt?: string;
}

/** A social network in a browser that a person has signed in. Implement it for another network. */
export interface SocialNetwork {
  /** Checks the real session; `profileUrl` is the signed-in account, if there is one. */
  look(): Promise<{ session: Session; profileUrl?: string }>;
  /** Clicks at most once, and returns outcome_unknown if it may have clicked and can't tell the result. */
  connect(profileUrl: string, note: string): Promise<Seen>;
  message(profileUrl: string, text: string): Promise<Seen>;
  /** The latest activity of others. */
  inbox(): Promise<Observation[]>;
}
