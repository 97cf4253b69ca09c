import { startApp } from "../../src/app.ts";
import { callAsOperator } from "../../src/cli/operator.ts";
import { openCore } from "../../src/composition/core.ts";
import { readConfig } from "../../src/config.ts";
import { newWebhookSecret, signedHeaders, signerOf } from "../../src/events/sign.ts";
import { dataKeyFile } from "../../src/lib/data-folder.ts";
import { createLog } from "../../src/lib/log.ts";
import { openVault } from "../../src/lib/vault.ts";
import { answersOf, callbackOf, fill, found } from "./outbox.ts";
import { moment, serve, usage } from "./serve.ts";

/** Rostrum with a full outbox: rostrum-deliveries.js <data folder> <warm-up> <events> <at a time> <ports> [<PostgreSQL URL>] */

const [, , data = "", warmUp = "", events = "", atATime = "", list = "", url = ""] = process.argv;
const ports = list.split(",").map(Number);
const env = { ROSTRUM_ALLOW_PRIVATE_CALLBACKS: "1", ROSTRUM_DATABASE_URL: url };
const config = readConfig({ port: "0", data }, env);
const filled = await fill(config, ports, Number(warmUp) + Number(events));

const log = createLog("warn");
const running = await startApp(config, log, { deliveriesAtATime: Number(atATime) });
const { id: workspaceId, accounts } = filled.workspace;
const signer = signerOf(newWebhookSecret());
const body = JSON.stringify({
  eventId: "evt_bare",
  data: { account_label: "as long as an event of ours, or nearly so" },
});

serve({
  port: running.port,
  close: async () => {
    await running.close();
    await filled.close();
  },
  answers: {
    ...answersOf(filled, Number(warmUp)),
    async emit() {
      const before = moment();
      await callAsOperator(running, "request_reconnect", workspaceId, { account_id: accounts[0] });
      return { before, after: moment() };
    },
    async post() {
      const before = moment();
      const headers = signedHeaders({
        subscriptionId: "sub_bare",
        signers: [signer],
        id: "evt_bare",
        body,
        at: Date.now(),
      });
      const { status } = await fetch(callbackOf(ports[0] as number), { method: "POST", headers, body });
      if (status !== 204) throw new Error(`The receiver answered ${status}.`);
      return before;
    },
    writes: measureWrites,
  },
});

const WRITES = 2_000;
const CALLERS = 50;

/** The same operation for accounts with one subscription and without, 50 at a time, without a dispatcher. */
async function measureWrites(): Promise<{ emitting: number; silent: number }> {
  const folder = `${data}-writes`;
  const core = await openCore(readConfig({ data: folder }, env), log);
  const vault = openVault(dataKeyFile(folder), undefined);
  const emitting = await found(core, vault, ports, true);
  const silent = await found(core, vault, ports, false);
  const cost = async ({ id, accounts }: typeof silent) => {
    const before = usage().cpu;
    for (let done = 0; done < WRITES; done += CALLERS) {
      await Promise.all(
        Array.from({ length: CALLERS }, (_, i) =>
          callAsOperator(core, "request_reconnect", id, { account_id: accounts[i % accounts.length] }),
        ),
      );
    }
    return (usage().cpu - before) / WRITES;
  };
  // Alternating, and the first run of each warms up.
  const costs = { emitting: Number.NaN, silent: Number.NaN };
  for (let turn = 0; turn < 3; turn++) {
    const [a, b] = [await cost(emitting), await cost(silent)];
    if (turn > 0) {
      costs.emitting = Math.min(a, costs.emitting || a);
      costs.silent = Math.min(b, costs.silent || b);
    }
  }
  await core.close();
  return costs;
}
