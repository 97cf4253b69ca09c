/** How far an MCP client comes, in order. One that was given a key starts at `key`. */
export const CONNECTION_STAGES = [
  "unauthorized",
  "metadata",
  "registration",
  "consent",
  "key",
  "first_list",
  "first_call",
] as const;
export type ConnectionStage = (typeof CONNECTION_STAGES)[number];

export function isBefore(stage: ConnectionStage, other: ConnectionStage): boolean {
  return CONNECTION_STAGES.indexOf(stage) < CONNECTION_STAGES.indexOf(other);
}

/** An error that a client met, in the words that it was told. */
export interface ConnectionError {
  /** A code of this API, or of OAuth. */
  code: string;
  message: string;
}

/** One client's attempt to connect, as far as this process saw it. */
export interface ConnectionAttempt {
  id: string;
  /** What the client calls itself; null until it said so. */
  client: string | null;
  userAgent: string | null;
  /** Where it connects from, without the last part of the address. */
  network: string | null;
  stage: ConnectionStage;
  /** The last error since it came this far. */
  error: ConnectionError | null;
  /** The name and prefix of the key that it uses. */
  keyName: string | null;
  keyPrefix: string | null;
  startedAt: number;
  lastAt: number;
}
