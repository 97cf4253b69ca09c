/** What a signed-in browser finds when it looks. The words are those of the heartbeat command. */
export type Session = "ready" | "login_required" | "captcha" | "restricted";

/** What came of an action. The words are those of the result command. */
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
  /** What was read on the page, for the person who looks into it later. */
  evidence: string;
}

/** Something that another person did, in the form of the sync command. */
export interface Observation {
  kind: "reply" | "connection_accepted" | "message_received";
  profileUrl: string;
  observedAt: string;
  /** The network's own id of it: what was recorded once is not recorded again. */
  externalKey: string;
  excerpt?: string;
}

/** A social network in a browser that a person has signed in. Another network is another one of these. */
export interface SocialNetwork {
  /** Checks the real session; `profileUrl` is the signed-in account, if there is one. */
  look(): Promise<{ session: Session; profileUrl?: string }>;
  /** Clicks at most once, and answers outcome_unknown where it may have clicked and cannot tell what came of it. */
  connect(profileUrl: string, note: string): Promise<Seen>;
  message(profileUrl: string, text: string): Promise<Seen>;
  /** The newest of what others did. */
  inbox(): Promise<Observation[]>;
}
