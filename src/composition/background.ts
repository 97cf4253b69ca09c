import type { Config } from "../config.ts";
import { mailFolder } from "../lib/data-folder.ts";
import type { Log } from "../lib/log.ts";
import { startWorkers, type Workers } from "../workers/start.ts";
import type { Overrides, Parts } from "./core.ts";
import { hastenMail, recordSetup, requireUsableMail } from "./mail.ts";
import type { ProcessState } from "./probe.ts";
import type { OptOuts } from "./surfaces.ts";

/** To be called before anything is served: people see who sends, and approve that. @throws BadSetting */
export async function recordSender(config: Config, parts: Parts): Promise<void> {
  await requireUsableMail(config, parts.mail);
  if (config.workers === "on") await recordSetup(parts, parts.mail.current());
}

export async function startBackground(
  config: Config,
  log: Log,
  { deliveriesAtATime }: Overrides,
  parts: Parts,
  optOuts: OptOuts,
  state: ProcessState,
): Promise<Workers> {
  const { store, shared, outgoing, clock, metrics, authLog, asSystem, mail } = parts;
  const { vault, catalog, url, deployment } = shared;
  const workers = await startWorkers({
    background: config.workers === "on",
    enlist: store.enlist,
    leads: store.leads,
    deployment,
    store,
    client: outgoing.callbackClient,
    vault,
    clock,
    log,
    metrics: {
      ...metrics,
      mailBackoff(isBackingOff) {
        state.backingOff = isBackingOff;
        metrics.mailBackoff(isBackingOff);
      },
    },
    authLog,
    catalog,
    asSystem,
    readToken: optOuts.readToken,
    unsubscribe: optOuts.unsubscribe,
    ...(deliveriesAtATime !== undefined && { most: deliveriesAtATime }),
    mail,
    mailFolder: mailFolder(config.data),
    async recordSetup(setup) {
      await recordSetup(parts, setup);
      if (setup.smtp !== undefined) await hastenMail(parts);
    },
    mailsLinks: mail.mailsLinks,
    provider: config.oidc?.name,
    mailboxReads(reads) {
      state.mailboxReads = reads;
      metrics.mailboxReads(reads);
    },
    mailboxSetAside: () => metrics.mailboxSetAside(),
    url,
  });
  state.jobs = workers.jobs;
  return workers;
}
