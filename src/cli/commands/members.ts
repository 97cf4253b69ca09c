import { problem } from "../../core/problem.ts";
import { INVITATION_LINK_MS, RESET_LINK_MS } from "../../domain/access/session-limits.ts";
import { readServerUrl, urlOf } from "../../http/server-url-file.ts";
import { MINUTE_MS } from "../../lib/time.ts";
import { invitationLink, resetLink } from "../../services/access/links.ts";
import { userName } from "../operator.ts";
import { configOf, type DataOptions, printData } from "../terminal.ts";
import { withCore } from "../with-core.ts";

/** Prints a password reset link; for members who never signed in, a new invitation to each workspace. */
export async function resetPassword(email: string, options: DataOptions): Promise<void> {
  const { publicUrl, data, host, port } = configOf(options);
  await withCore(options, async ({ store: { people }, authLog }) => {
    const by = { actorKind: "local_operator", actorId: userName() } as const;
    const parts = { people, url: publicUrl ?? readServerUrl(data) ?? urlOf(host, port), now: Date.now() };
    const person = await people.findByEmail(email);
    if (person !== undefined) {
      const url = await resetLink({ ...parts, by: { ...by, action: "issue_password_reset" } }, person.id);
      const memberships = await people.memberships(person.id);
      const of = memberships.map(({ workspaceId, member }) => ({ workspaceId, memberId: member.id }));
      authLog.signInEvent({ code: "reset_issued", address: null, route: "member reset-password", of });
      return printData(
        { email: person.email, reset_url: url },
        options,
        () => `${url}\n\nThis link works once and expires in ${RESET_LINK_MS / MINUTE_MS} minutes.`,
      );
    }
    const invited = await people.invited(email);
    if (invited.length === 0) {
      throw problem("member_not_found", `No teammate has the email ${email}. Check it, or invite them in the console.`);
    }
    const making = { ...parts, by: { ...by, action: "renew_invitation" as const } };
    const links = await Promise.all(
      invited.map(async ({ workspaceName, member }) => ({
        workspace: workspaceName,
        invitation_url: await invitationLink(making, member.id, INVITATION_LINK_MS),
      })),
    );
    printData({ email, invitations: links }, options, () =>
      [
        links.length === 1
          ? `${email} has not accepted the invitation yet. This link works once and expires in seven days:`
          : `${email} has not accepted these invitations yet. Each link works once and expires in seven days:`,
        ...links.map(({ workspace, invitation_url }) => `${workspace}: ${invitation_url}`),
      ].join("\n"),
    );
  });
}
