import type { Logger } from "pino";
import type { Journal, Open } from "./journal.ts";
import type { Seen, SocialNetwork } from "./outcomes.ts";
import { Refused, type Rostrum } from "./rostrum.ts";
import type { Action } from "./shapes.ts";

export interface Hands {
  rostrum: Rostrum;
  network: SocialNetwork;
  journal: Journal;
  log: Logger;
}

export interface Performed {
  claimed: boolean;
  seen?: Seen;
  refused?: Refused;
}

const ENDED: Seen = {
  outcome: "outcome_unknown",
  evidence: "The agent ended after the start and before it could tell what came of it. It has not tried again.",
};
const UNANSWERED: Seen = { outcome: "not_sent", evidence: "The start was not answered, so nothing was clicked." };

/** Claim, start, execute once, report. */
export async function perform({ id: actionId, kind }: Action, hands: Hands): Promise<Performed> {
  const { rostrum, network, journal } = hands;
  let leaseToken: string;
  try {
    ({ leaseToken } = await rostrum.claim(actionId));
  } catch (error) {
    return { claimed: false, refused: refusal(error) };
  }
  journal.started(actionId, leaseToken);
  const started = await rostrum.start({ actionId, leaseToken }).catch((error: unknown) => {
    // A start without an answer may or may not count, and its copy is lost either way.
    if (!(error instanceof Refused) || error.isFault) journal.saw(actionId, UNANSWERED);
    else journal.reported(actionId);
    return refusal(error);
  });
  if (started instanceof Refused) return { claimed: true, refused: started };

  const execute = kind === "connection_request" ? network.connect : network.message;
  const seen = await execute
    .call(network, started.recipient.profileUrl, started.copy)
    .catch((error: unknown): Seen => ({ outcome: "outcome_unknown", evidence: `The browser failed: ${error}` }));
  journal.saw(actionId, seen);
  await report({ actionId, leaseToken, seen }, hands);
  return { claimed: true, seen };
}

/** Reports the result of an action. It stays open if the gateway can't be reached. */
export async function report(
  { actionId, leaseToken, seen = ENDED }: Open,
  hands: Omit<Hands, "network">,
): Promise<void> {
  try {
    const { status } = await hands.rostrum.result({ actionId, leaseToken, ...seen });
    hands.log.info({ actionId, outcome: seen.outcome, status }, "reported");
  } catch (error) {
    const { message, reason, code } = refusal(error);
    // The gateway already has another result, and a person resolves the conflict.
    hands.log.warn({ actionId, outcome: seen.outcome, reason, code }, `the result was not taken: ${message}`);
  }
  hands.journal.reported(actionId);
}

/** @throws any error that is not the gateway's final answer */
function refusal(error: unknown): Refused {
  if (error instanceof Refused && !error.isFault) return error;
  throw error;
}
