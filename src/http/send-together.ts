import type { ServerResponse } from "node:http";

/** If the first answer has waited longer than this when another is ready, all are sent at once. */
const HELD_MS = 1;

interface Ready {
  response: ServerResponse;
  send: () => void;
}

let ready: Ready[] = [];
let since = 0;

/**
 * Sends an answer with the others of this turn of the event loop, at its end. A write wakes the process that waits for
 * it, which costs more than the write itself. Writes in a row find it awake.
 */
export function sendTogether(response: ServerResponse, send: () => void): void {
  const now = performance.now();
  if (ready.length === 0) {
    since = now;
    setImmediate(sendWaiting);
  }
  ready.push({ response, send });
  if (now - since > HELD_MS) sendWaiting();
}

/** Sends the answers that wait: before a connection ends, or before asking whether a request was answered. */
export function sendWaiting(): void {
  const due = ready;
  ready = [];
  for (const { response, send } of due) {
    try {
      send();
    } catch {
      // Only an invalid header throws. The values of all headers are checked before.
      response.destroy();
    }
  }
}
