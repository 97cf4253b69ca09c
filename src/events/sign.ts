import { Webhook } from "standardwebhooks";
import { HEADER } from "./protocol.ts";

/** What one POST to a subscriber is signed with: several secrets while one replaces another, the newest first. */
export interface Signing {
  subscriptionId: string;
  secrets: readonly string[];
  /** The webhook-id. */
  id: string;
  body: string;
  /** Milliseconds since the epoch; signed as seconds. */
  at: number;
}

export function signedHeaders({ subscriptionId, secrets, id, body, at }: Signing): Record<string, string> {
  return {
    "content-type": "application/json",
    [HEADER.id]: id,
    [HEADER.timestamp]: String(Math.floor(at / 1_000)),
    [HEADER.signature]: secrets.map((secret) => new Webhook(secret).sign(id, new Date(at), body)).join(" "),
    [HEADER.subscription]: subscriptionId,
  };
}
