import type { ServerResponse } from "node:http";

/** An answer waits for others this long at most, but for what runs without a pause. */
const MAX_WAIT_MS = 1;

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
    setImmediate(sendAll);
  }
  ready.push({ response, send });
  if (now - since > MAX_WAIT_MS) sendAll();
}

function sendAll(): void {
  const due = ready;
  ready = [];
  for (const { response, send } of due) {
    try {
      send();
    } catch {
      response.destroy();
    }
  }
}
