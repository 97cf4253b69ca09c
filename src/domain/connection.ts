/** Where an account on a channel stands, as a person of the workspace says. */
export const CONNECTION_STATES = ["connected", "expired", "disconnected"] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];
