import { invitationLink, resetLink } from "../auth/links.ts";
import { INVITATION_MS } from "../domain/visit.ts";
import { urlOf } from "../http/server.ts";
import { configOf, type DataOptions, printData, UsageError, withCore } from "./terminal.ts";

/** Prints a link for a new password; for those who have not come in yet, a new invitation to each workspace. */
export async function resetPassword(email: string, options: DataOptions): Promise<void> {
  const { publicUrl, host, port } = configOf(options);
  await withCore(options, async ({ store: { people } }) => {
    const parts = { people, url: publicUrl ?? urlOf(host, port), now: Date.now() };
    const person = await people.findByEmail(email);
    if (person !== undefined) {
      const url = await resetLink(parts, person.id);
      return printData({ email: person.email, reset_url: url }, options, () => `${url}\n\nIt works once, for an hour.`);
    }
    const invited = await people.invited(email);
    if (invited.length === 0) throw new UsageError(`Nobody is known by ${email}.`);
    const links = await Promise.all(
      invited.map(async ({ workspaceName, member }) => ({
        workspace: workspaceName,
        invitation_url: await invitationLink(parts, member.id, INVITATION_MS),
      })),
    );
    printData({ email, invitations: links }, options, () =>
      [
        `${email} has not come in yet. Each link works once, for seven days:`,
        ...links.map(({ workspace, invitation_url }) => `${workspace}: ${invitation_url}`),
      ].join("\n"),
    );
  });
}
