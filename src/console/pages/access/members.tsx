/** @jsxRuntime automatic @jsxImportSource preact */

import { mayGrant, ROLES, type Role } from "../../../domain/access/roles.ts";
import { pageOf } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Facts, Pager, Reveal, Section, Table, Time } from "../../ui/basics.tsx";
import { Check, Select, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { codeLabel } from "../../ui/labels.ts";
import { SettingsTabs } from "./tabs.tsx";

export const members = screen({
  path: "/settings",
  title: "Members",
  needs: "list_members",
  forms: ["invite_member", "renew_invitation", "set_member", "remove_member"],
  load: (ctx) => ctx.call("list_members", pageOf(ctx, 50)),
  view: ({ data, meta }, { actor, may, created, mailsLinks }) => (
    <>
      <SettingsTabs />
      {created !== undefined && (
        <Reveal title={`Hand this link to ${created.data.name}.`} value={String(created.data.invitation_url)}>
          <p>
            It lets them in once, within seven days
            {created.operation === "renew_invitation" && "; every link of before has ended"}.{" "}
            {mailsLinks
              ? `${created.data.email} is mailed a link as well; whichever is used first lets them in.`
              : "This server sends no mail: nobody but you can hand it over."}
          </p>
        </Reveal>
      )}
      <Table
        caption="Members"
        rows={data}
        keyOf={({ id }) => id}
        columns={[
          {
            name: "Name",
            cell: ({ id, name, joined }) => (
              <>
                {name} {id === actor.id && <Chip>You</Chip>}
                {!joined && <Chip tone="needs">Invited, not yet in</Chip>}
              </>
            ),
          },
          { name: "E-mail address", cell: ({ email }) => email },
          { name: "Role", cell: ({ role }) => codeLabel(role) },
          {
            name: "Approves what goes out",
            cell: ({ approve_outbound }) =>
              approve_outbound ? <Chip tone="done">Yes</Chip> : <span class="quiet">no</span>,
          },
          { name: "Since", wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
          ...(may("set_member") ? [{ name: "Change", act: true, cell: ChangeMember }] : []),
        ]}
      />
      <Pager meta={meta} />
      <Invite />
    </>
  ),
});

/** What each role may do, in the words of domain/access/roles.ts. */
const MAY: Record<Role, string> = {
  super_admin: "Does all that an admin does, adds further workspaces, and alone makes or changes another super admin.",
  org_admin: "May do the same as an admin.",
  owner: "May do the same as an admin. Whoever set this server up has it.",
  admin:
    "Does all that a rep does, and sets everything here: members, keys, webhooks, plan, sending, agents' accounts and their limits, the pause of outreach.",
  rep: "Does the daily work: contacts, deals, imports; writes and starts sequences; plans what agents do; decides what waits in Review, but for what is sent out.",
  viewer: "Reads contacts, deals, sequences, agents and the checklist, and changes nothing.",
};

/** The roles that a member of this one may give. */
const roleChoices = (granter: Role) =>
  ROLES.filter((role) => mayGrant(granter, role)).map((role) => ({ value: role, label: codeLabel(role) }));

function RolesExplained() {
  return (
    <div class="card stack">
      <p>
        Most teams need three: an <strong>admin</strong>, <strong>reps</strong> and <strong>viewers</strong>. Approving
        what is sent out is no role's own: it is given by name, beside the role.
      </p>
      <Facts facts={ROLES.map((role) => [codeLabel(role), MAY[role]] as const)} />
    </div>
  );
}

type Member = DataOf<"list_members">[number];

function ChangeMember(member: Member) {
  const { actor } = usePageContext();
  const { id, name, role, approve_outbound } = member;
  if (!mayGrant(actor.role, role)) return null;
  return (
    <div class="bar-inline">
      <Renew {...member} />
      <Confirm does="set_member" id={`set-${id}`} opens="Change…" submit="Save the changes" align="right">
        <Hidden name="member_id" value={id} />
        <TextField name="name" label="Name" value={name} />
        <Select name="role" label="Role" choices={roleChoices(actor.role)} value={role} />
        {(actor.approveOutbound || approve_outbound) && (
          <Check name="approve_outbound" label="May approve what is sent out" checked={approve_outbound} />
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
          <p>{name} loses access at once. What they did stays in the audit.</p>
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
    <Confirm
      does="renew_invitation"
      id={`renew-${id}`}
      opens="New link…"
      submit="Make the invitation link anew"
      align="right"
    >
      <Hidden name="member_id" value={id} />
      <p>{name} comes in by the new link alone: every earlier one ends.</p>
    </Confirm>
  );
}

function Invite() {
  const { may, actor } = usePageContext();
  if (!may("invite_member")) return null;
  return (
    <Section title="Invite somebody">
      <RolesExplained />
      <Form does="invite_member" class="card narrow spaced" label="Invite somebody">
        <TextField name="name" label="Name" required />
        <TextField name="email" type="email" label="E-mail address" required />
        <Select name="role" label="Role" choices={roleChoices(actor.role)} value="rep" />
        {actor.approveOutbound && (
          <Check name="approve_outbound" label="May approve what is sent out" hint="No role has this of itself." />
        )}
        <button type="submit" class="primary">
          Make an invitation link
        </button>
      </Form>
    </Section>
  );
}
