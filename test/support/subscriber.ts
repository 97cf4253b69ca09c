import type { TestContext } from "node:test";
import { newAccount, startLocal, subscribe } from "./events.ts";
import { requestReconnect, rowsOf } from "./outbox.ts";
import { Receiver, type Respond } from "./receiver.ts";
import { FakeClock } from "./server.ts";
import { until } from "./until.ts";

/** Answers every delivery like this, with a body that must never be stored. */
export const answering =
  (status: number, headers: Record<string, string> = {}): Respond =>
  (_, response) =>
    void response.writeHead(status, headers).end("its own words");

/** A server with a fixed clock, an account, and a subscriber to its events. */
export async function withSubscriber(t: Pick<TestContext, "after">) {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const subscriber = async () => {
    const [receiver, account] = [await Receiver.start(t), await newAccount(server)];
    const about = { arguments: { account_id: account.id }, ttlMs: null };
    const { result } = await subscribe(server, receiver, about);
    const emit = () => requestReconnect(server, account);
    const refresh = async () => (await subscribe(server, receiver, about)).result;
    return { receiver, emit, refresh, id: result.id as string };
  };
  const mine = await subscriber();
  const { emit } = mine;
  const other = await subscriber();
  /**
   * Resolves once the dispatcher has checked for due deliveries at this time: another subscriber's event has arrived.
   */
  const lookedAgain = async () => {
    await other.emit();
    await other.receiver.waitFor(other.receiver.deliveries.length + 1);
  };
  const delivery = () =>
    rowsOf(server, `SELECT * FROM deliveries WHERE url = '${mine.receiver.url}' ORDER BY seq DESC`)[0];
  const attempts = () => mine.receiver.deliveries.length;
  const recorded = (): number =>
    rowsOf(server, `SELECT sum(attempts) AS n FROM deliveries WHERE url = '${mine.receiver.url}'`)[0].n ?? 0;
  const settled = (count: number) => until(() => recorded() >= count);
  /** Emits an event, and waits until its first attempt is recorded. The attempt may end before the emit is answered. */
  const attempt = async () => {
    const before = recorded();
    await emit();
    await settled(before + 1);
  };
  /**
   * Moves the clock to the newest event's next attempt, and waits for it, or for the end of the delivery. Another
   * delivery that fails first suspends the endpoint.
   */
  const next = async () => {
    const before = delivery();
    clock.advance(before.next_attempt_at - clock.now());
    await until(() => delivery().attempts > before.attempts || delivery().status !== "pending");
  };
  return { clock, server, ...mine, lookedAgain, delivery, attempts, attempt, settled, next };
}
