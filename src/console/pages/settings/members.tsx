/** @jsxRuntime automatic @jsxImportSource preact */

import { mayGrant } from "../../../domain/roles.ts";
import type { DataOf } from "../../answers.ts";
import { inWords, pageOf } from "../../names.ts";
import { Chip, Pager, Reveal, Section, Table, Time } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Check, Hidden, Select, TextField } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { RolesExplained, roleChoices } from "./roles.tsx";
import { SettingsTabs } from "./tabs.tsx";

export const members = screen({
  path: "/settings",
  title: "Members",
  needs: "list_members",
  forms: ["invite_member", "renew_invitation", "set_member", "remove_member"],
  load: (visit) => visit.call("list_members", pageOf(visit, 50)),
  view: ({ data, meta }, { actor, may, made, mailsLinks }) => (
    <>
      <SettingsTabs />
      {made !== undefined && (
        <Reveal title={`Hand this link to ${made.data.name}.`} value={String(made.data.invitation_url)}>
          <p>
            It lets them in once, within seven days
            {made.operation === "renew_invitation" && "; every link of before has ended"}.{" "}
            {mailsLinks
              ? `${made.data.email} is mailed a link as well; whichever is used first lets them in.`
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
          { name: "Role", cell: ({ role }) => inWords(role) },
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

type Member = DataOf<"list_members">[number];

function ChangeMember(member: Member) {
  const { actor } = useVisit();
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

/** To whoever could have invited them as they are. */
function Renew({ id, name, role, approve_outbound, joined }: Member) {
  const { actor } = useVisit();
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
  const { may, actor } = useVisit();
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
