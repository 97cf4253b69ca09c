import type { TestContext } from "node:test";
import { newAccount, RECONNECT, startLocal } from "./events.ts";
import { Receiver } from "./receiver.ts";
import { FakeClock } from "./server.ts";

/** A workspace with an account and a webhook for its events, with a fixed clock. */
export async function withWebhook(t: Pick<TestContext, "after">) {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const receiver = await Receiver.start(t);
  const account = await newAccount(server);
  const create = (events: readonly string[] = [RECONNECT]) =>
    server.operator("create_webhook", { url: receiver.url, events });
  const webhook = await create();
  const resend = (id: string) => server.operator("resend_delivery", { delivery_id: id });
  return { clock, server, receiver, account, create, webhook, resend };
}
