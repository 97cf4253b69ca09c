import { type Config, mailsLinks } from "../config.ts";
import { mailFolder } from "../lib/data-folder.ts";
import type { Log } from "../lib/log.ts";
import { NO_SENDER, type Sender, senderText } from "../lib/mail-server.ts";
import { createMailer } from "../mail/mailer.ts";
import { recordMailFrom } from "../services/outreach/approvals.ts";
import { startWorkers, type Workers } from "../workers/start.ts";
import type { Overrides, Parts } from "./core.ts";
import type { ProcessState } from "./probe.ts";
import type { OptOuts } from "./surfaces.ts";

/** To be called before anything is served: people see who sends, and approve that. */
export async function recordSender(config: Config, { store, asSystem, clock }: Parts): Promise<void> {
  if (config.workers === "on") await recordMailFrom(store, asSystem, senderText(senderOf(config)), clock.now());
}

function senderOf({ mailFrom }: Config): Sender {
  return mailFrom ?? NO_SENDER;
}

export async function startBackground(
  config: Config,
  log: Log,
  { deliveriesAtATime }: Overrides,
  parts: Parts,
  optOuts: OptOuts,
  state: ProcessState,
): Promise<Workers> {
  const { store, shared, outgoing, clock, metrics, authLog, asSystem } = parts;
  const { vault, catalog, url } = shared;
  const workers = await startWorkers({
    background: config.workers === "on",
    enlist: store.enlist,
    leads: store.leads,
    deployment: config,
    store,
    client: outgoing.callbackClient,
    vault,
    clock,
    log,
    metrics: {
      ...metrics,
      mailBackoff(rests) {
        state.backingOff = rests;
        metrics.mailBackoff(rests);
      },
    },
    authLog,
    catalog,
    asSystem,
    readToken: optOuts.readToken,
    unsubscribe: optOuts.unsubscribe,
    ...(deliveriesAtATime !== undefined && { most: deliveriesAtATime }),
    mailer: await createMailer({ server: config.smtpUrl, folder: mailFolder(config.data) }),
    smtp: config.smtpUrl,
    from: senderOf(config),
    mailbox: config.imapUrl,
    mailsLinks: mailsLinks(config),
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
