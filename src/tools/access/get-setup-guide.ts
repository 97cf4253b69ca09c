import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { SAMPLE_CONTACTS } from "../../domain/contacts/sample.ts";
import { isoOrNull } from "../../lib/time.ts";
import { readSetup, setupName } from "../../services/access/mail-settings.ts";
import { hasMailServer } from "../../services/outreach/sending-conditions.ts";
import { time } from "../fields.ts";

/** The keys that are looked at: the newest. */
const MAX_KEYS = 100;

const done = z.boolean();

export const getSetupGuide = personOperation({
  name: "get_setup_guide",
  area: "workspaces",
  title: "Get the setup guide",
  description:
    "Reads which of the five steps of setting up this workspace are done. The steps are email, " +
    "contacts, an agent's API key, its first call, and a teammate. The server detects when a step is done.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    done: done.describe("Whether all steps are done."),
    hidden: done.describe("Whether you dismissed the guide."),
    email: z
      .object({ done })
      .describe("A mail server is connected. One that was set in the console counts after a successful test message."),
    contacts: z.object({ done, has_samples: z.boolean() }),
    key: z.object({ done }),
    call: z.object({ done, last_at: time.nullable(), key_name: z.string().nullable() }),
    teammate: z.object({ done }).describe("The workspace has a second member, joined or invited."),
  }),
  async handler(ctx) {
    const { contacts, keys, members } = ctx.store;
    const { rows } = await keys.list({ limit: MAX_KEYS, offset: 0 });
    const live = rows.filter(
      ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > ctx.now),
    );
    const used = rows
      .filter(({ lastUsedAt }) => lastUsedAt !== null)
      .sort((a, b) => (b.lastUsedAt ?? 0) - (a.lastUsedAt ?? 0));
    const [last] = used;
    const [sample] = SAMPLE_CONTACTS;
    const steps = {
      email: { done: await isEmailDone(ctx) },
      contacts: {
        done: (await contacts.count()) > 0,
        has_samples: sample !== undefined && (await contacts.findByEmail(sample.email)) !== undefined,
      },
      key: { done: live.length > 0 },
      call: { done: last !== undefined, last_at: isoOrNull(last?.lastUsedAt ?? null), key_name: last?.name ?? null },
      teammate: { done: (await members.list({ limit: 1, offset: 0 })).total > 1 },
    };
    const hidden = ctx.actor.kind === "member" && (await members.hidesGuide(ctx.actor.id));
    return { data: { done: Object.values(steps).every((step) => step.done), hidden, ...steps } };
  },
});

/** Settings of the environment were made by someone who can check them; those of the console count once a test shows it. */
async function isEmailDone(ctx: Context): Promise<boolean> {
  const { settings, test, defaultDelivery } = await ctx.store.workspace.mail();
  // On a demo server, emails are meant to go to files.
  if (!(await hasMailServer(ctx))) return defaultDelivery === "files";
  const { setup, stored } = readSetup(ctx, settings);
  if (stored.smtp === undefined || setup.smtp !== stored.smtp) return true;
  return test?.accepted === true && test.setup === setupName(setup);
}
