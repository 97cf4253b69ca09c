import { z } from "zod";
import type { Preparing } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { readSetup, setupName } from "../../services/access/mail-settings.ts";
import { MailSettings, showMailSettings } from "./mail-schema.ts";

export const sendTestEmail = personOperation({
  name: "send_test_email",
  area: "server",
  title: "Send a test message",
  description:
    "Sends one message with the current mail settings, and records whether the mail server accepted it. It does not " +
    "wait until the message arrives. Nothing is sent to contacts.",
  access: { permission: "operate" },
  effect: "write",
  errors: ["mail_not_configured"],
  input: z.strictObject({
    to: z.email().max(320).optional().describe("The recipient. Default: your own address."),
  }),
  output: MailSettings,
  async prepare(ctx, { to: given }) {
    const { setup } = readSetup(ctx, (await ctx.store.workspace.mail()).settings);
    const { smtp, from } = setup;
    if (smtp === undefined || from === undefined) {
      throw problem("mail_not_configured", "No mail server is connected yet. Save the mail settings first.");
    }
    const to = given ?? (await ownAddress(ctx));
    return { to, setup: setupName(setup), ...(await ctx.mailTester.test({ smtp, from, to })) };
  },
  async handler(ctx, _, { to, setup, accepted, detail }) {
    await ctx.store.workspace.recordMailTest({ at: ctx.now, to, accepted, detail, setup }, ctx.now);
    const data = await showMailSettings(ctx);
    await ctx.audit({
      recordId: ctx.workspaceId,
      before: null,
      after: { to, status: accepted ? "accepted" : "failed" },
    });
    return { data, record: ctx.workspaceId };
  },
});

/** @throws Problem validation_failed where the caller is no member */
async function ownAddress({ actor, store }: Preparing): Promise<string> {
  const member = actor.kind === "member" ? await store.members.find(actor.id) : undefined;
  if (member !== undefined) return member.email;
  throw problem(
    "validation_failed",
    "to: is required, because only members have an address of their own. Send an email address.",
  );
}
