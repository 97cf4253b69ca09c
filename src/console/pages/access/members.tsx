/** @jsxRuntime automatic @jsxImportSource preact */

import { mayGrant, ROLES, type Role } from "../../../domain/access/roles.ts";
import { pageOf } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Facts, Pager, Reveal, Section, Table, Time } from "../../ui/basics.tsx";
import { Check, Select, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { codeLabel } from "../../ui/labels.ts";
import { SettingsTabs } from "./tabs.tsx";

/** A link that was just created. It is shown once. */
export function InvitationLink({ created: { operation, data } }: { created: NonNullable<PageContext["created"]> }) {
  const { mailsLinks } = usePageContext();
  return (
    <Reveal
      title={
        mailsLinks ? `Invitation emailed to ${data.email}. Here is a second link.` : `Send this link to ${data.name}.`
      }
      value={String(data.invitation_url)}
    >
      <p>
        {mailsLinks
          ? "If the email doesn't arrive, send this link yourself. Both links expire in 7 days. Once one is used, the other stops working."
          : "Email isn't set up on this server, so send the link yourself. It works once and expires in 7 days."}
        {operation === "renew_invitation" && " Earlier links no longer work."}
      </p>
    </Reveal>
  );
}

export const members = screen({
  path: "/settings",
  title: "Teammates",
  needs: "list_members",
  forms: ["invite_member", "renew_invitation", "set_member", "remove_member"],
  load: (ctx) => ctx.call("list_members", pageOf(ctx, 50)),
  view: ({ data, meta }, { actor, may, created }) => (
    <>
      <SettingsTabs />
      {created !== undefined && <InvitationLink created={created} />}
      <Table
        caption="Teammates"
        rows={data}
        keyOf={({ id }) => id}
        columns={[
          {
            name: "Name",
            cell: ({ id, name, joined, invitation_open }) => (
              <>
                {name} {id === actor.id && <Chip>You</Chip>}
                {!joined && <Chip tone="needs">Pending</Chip>}
                {!joined && !invitation_open && <p class="hint">No valid invitation link</p>}
              </>
            ),
          },
          { name: "Email", cell: ({ email }) => email },
          { name: "Role", phone: "end", cell: ({ role }) => codeLabel(role) },
          {
            name: "Can approve outbound",
            phone: "named",
            cell: ({ approve_outbound }) =>
              approve_outbound ? <Chip tone="done">Yes</Chip> : <span class="quiet">No</span>,
          },
          { name: "Added", wide: "roomy", cell: ({ created_at }) => <Time at={created_at} /> },
          ...(may("set_member") ? [{ name: "Actions", act: true, cell: EditMember }] : []),
        ]}
      />
      <Pager meta={meta} />
      <Invite members={data} />
    </>
  ),
});

/** What each role in domain/access/roles.ts allows. */
const ROLE_DETAILS: Record<Role, string> = {
  super_admin:
    "Has all admin permissions. Manages the server's mail settings and backups. Sees which clients connect. Creates workspaces, and adds or removes super admins.",
  org_admin: "Same permissions as an admin.",
  owner: "Same permissions as an admin. Given to the person who set up this server.",
  admin:
    "Has all rep permissions. Manages teammates, API keys, webhooks, plan and billing, sending, and social accounts. Pauses outreach.",
  rep: "Manages the Inbox, contacts, companies, deals and sequences. Plans actions for agents. Reviews documents and posts.",
  viewer: "Read-only access to the Inbox, Review, contacts, companies, deals, sequences, agents and the checklist.",
};

/** Other names of the role Admin, shown only where a member has them. */
const ALIASES: readonly Role[] = ["org_admin", "owner"];

/** The roles that a member with this role can assign to another, who may already have one. */
const roleChoices = (granter: Role, now?: Role) =>
  ROLES.filter((role) => mayGrant(granter, role) && (role === now || !ALIASES.includes(role))).map((role) => ({
    value: role,
    label: codeLabel(role),
  }));

function RolesExplained({ members }: { members: readonly Member[] }) {
  const shown = ROLES.filter((known) => !ALIASES.includes(known) || members.some(({ role }) => role === known));
  return (
    <div class="stack small aside-note">
      <p>
        Most teams need an <strong>admin</strong>, <strong>reps</strong> and <strong>viewers</strong>. Approving
        outbound messages, such as sequence emails and social messages, is a separate permission.
      </p>
      <p>
        The server admin is the person who runs Rostrum's command line. They aren't listed here. The audit log shows
        their system user name in parentheses.
      </p>
      <Facts facts={shown.map((role) => [codeLabel(role), ROLE_DETAILS[role]] as const)} />
    </div>
  );
}

type Member = DataOf<"list_members">[number];

function EditMember(member: Member) {
  const { actor, mailsLinks } = usePageContext();
  const { id, name, role, approve_outbound, joined } = member;
  if (!mayGrant(actor.role, role)) return null;
  return (
    <div class="bar-inline">
      <Renew {...member} />
      <Confirm does="set_member" id={`set-${id}`} opens="Edit…" submit="Save changes" align="right">
        <Hidden name="member_id" value={id} />
        <TextField name="name" label="Name" value={name} />
        <Select name="role" label="Role" choices={roleChoices(actor.role, role)} value={role} />
        {(actor.approveOutbound || approve_outbound) && (
          <Check
            name="approve_outbound"
            label="Can approve outbound messages"
            checked={approve_outbound}
            {...(joined &&
              approve_outbound && {
                hint: "If you remove this permission, the MCP clients that this teammate connected lose access.",
              })}
            {...(!joined &&
              !approve_outbound && {
                hint: mailsLinks
                  ? `If you grant this permission, invitation links for ${name} that were created here stop working. The link in the invitation email still works.`
                  : `If you grant this permission, earlier invitation links for ${name} stop working. Create a new link afterward.`,
              })}
          />
        )}
      </Confirm>
      {id !== actor.id && (
        <Confirm
          does="remove_member"
          id={`remove-${id}`}
          opens="Remove…"
          submit={`Remove ${name}`}
          danger
          align="right"
        >
          <Hidden name="member_id" value={id} />
          <p>
            {name} loses access right away, and so do the MCP clients that they connected. Their conversations become
            unassigned, and their deals lose their owner. Their changes stay in the audit log.
          </p>
        </Confirm>
      )}
    </div>
  );
}

/** Shown to members who could have sent the invitation. */
function Renew({ id, name, role, approve_outbound, joined }: Member) {
  const { actor } = usePageContext();
  const mayInvite = (actor.approveOutbound || !approve_outbound) && mayGrant(actor.role, role);
  if (joined || !mayInvite) return null;
  return (
    <Confirm does="renew_invitation" id={`renew-${id}`} opens="New link…" submit="Create new link" align="right">
      <Hidden name="member_id" value={id} />
      <p>Earlier invitation links for {name} stop working.</p>
    </Confirm>
  );
}

function Invite({ members }: { members: readonly Member[] }) {
  const { may, actor } = usePageContext();
  if (!may("invite_member")) return null;
  return (
    <Section title="Invite teammate">
      <div class="halves">
        <Form does="invite_member" class="card" label="Invite teammate">
          <TextField name="name" label="Name" required />
          <TextField name="email" type="email" label="Email" required />
          <Select name="role" label="Role" choices={roleChoices(actor.role)} value="rep" />
          {actor.approveOutbound && (
            <Check
              name="approve_outbound"
              label="Can approve outbound messages"
              hint="Roles don't include this permission. Grant it to each teammate who needs it."
            />
          )}
          <button type="submit" class="primary">
            Create invitation link
          </button>
        </Form>
        <RolesExplained members={members} />
      </div>
    </Section>
  );
}
