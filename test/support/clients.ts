import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** The answers that clients got until the server was gone. */
export interface Answered {
  /** Answers with status 200. */
  succeeded: number;
  /** Of these, the answers that closed their connection. */
  closed: number;
  /** Answers with status 503. */
  refused: number;
  /** Any other result except a refused connection, by its kind. */
  failed: Record<string, number>;
}

/**
 * Clients that keep their connection, and send one request after another until connections are refused. Some pause
 * between requests, so that their connections are sometimes idle.
 */
export async function askUntilGone(url: string, key: string, clients: number): Promise<Answered> {
  const answered: Answered = { succeeded: 0, closed: 0, refused: 0, failed: {} };
  const ask = async (pauseMs: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (;;) {
      const outcome = await once(url, key, agent);
      if (outcome === "ECONNREFUSED") break;
      if (outcome === "closed") answered.closed += 1;
      if (outcome === "closed" || outcome === "kept") answered.succeeded += 1;
      else if (outcome === "status 503") answered.refused += 1;
      else answered.failed[outcome] = (answered.failed[outcome] ?? 0) + 1;
      if (pauseMs > 0) await sleep(pauseMs);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: clients }, (_, i) => ask((i % 4) * 20)));
  return answered;
}

/** `kept` or `closed`, depending on the answer's connection header, or the error. */
function once(url: string, key: string, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const request = get(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      response.on("error", ({ message }) => resolve(message)).resume();
      response.on("end", () => {
        const { statusCode, headers } = response;
        resolve(statusCode !== 200 ? `status ${statusCode}` : headers.connection === "close" ? "closed" : "kept");
      });
    });
    request.on("error", ({ message, code }: NodeJS.ErrnoException) => resolve(code ?? message));
  });
}
