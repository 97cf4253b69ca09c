/** @jsxRuntime automatic @jsxImportSource preact */

import { ACTION_KINDS, COPY_LIMITS } from "../../../domain/socialnet/action.ts";
import type { Contact } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Address, Empty, Section } from "../../ui/basics.tsx";
import { Select, TextArea, TextField } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { nameOf } from "../../ui/labels.ts";
import { Chooser, chooseContact } from "../contacts/chooser.tsx";
import { HasReplied, Marks, SimilarOptOut } from "../outreach/recipients.tsx";
import { LastReply } from "../review/context.tsx";
import { ReadMode } from "./decide.tsx";
import { type Account, KINDS, MODES } from "./labels.ts";

export const planAction = screen({
  path: "/agents/:id/plan",
  needs: "plan_socialnet_action",
  forms: ["plan_socialnet_action"],
  async load(ctx) {
    const { data: account } = await ctx.call("get_socialnet_account", { account_id: ctx.params.id ?? "" });
    const choice = await chooseContact(ctx);
    const record = choice.chosen && (await ctx.call("get_contact_record", { id: choice.chosen.id })).data;
    const { similar_suppressed: optedOut = null, last_reply: reply = null } = record ?? {};
    const replied = { at: record?.last_reply_at ?? null, notInterested: record?.not_interested ?? false };
    return { account, choice, optedOut, reply, replied, marks: record?.profile_marks ?? [] };
  },
  up: ({ account }) => account.label,
  title: ({ account, choice: { chosen } }) =>
    chosen === undefined ? `Plan action from ${account.label}` : `Plan action to ${nameOf(chosen)}`,
  view: ({ account, choice, ...known }) => (
    <>
      <Chooser title="Contact" {...choice} lacks={lacks} />
      {choice.chosen !== undefined && <ActionForm account={account} contact={choice.chosen} {...known} />}
    </>
  ),
});

const lacks = ({ socialnet_url: url }: Contact) => (url === null ? "No profile URL" : undefined);

interface FormProps {
  account: Account;
  contact: Contact;
  /** A listed address that may be this contact's. */
  optedOut: string | null;
  reply: DataOf<"get_contact_record">["last_reply"];
  replied: Parameters<typeof HasReplied>[0];
  /** Warnings about the profile. */
  marks: DataOf<"get_contact_record">["profile_marks"];
}

function ActionForm({ account, contact, optedOut, reply, replied, marks }: FormProps) {
  const { href, actor } = usePageContext();
  if (contact.socialnet_url === null) {
    return (
      <Empty title={`${nameOf(contact)} has no profile URL`}>
        <p>
          <a href={href(`/contacts/${contact.id}`)}>Add a profile URL to this contact</a>
        </p>
      </Empty>
    );
  }
  return (
    <Section title="Action">
      <Form
        does="plan_socialnet_action"
        then={`agents/${account.id}/actions/{id}`}
        class="card narrow"
        label="Plan action"
      >
        <Hidden name="account_id" value={account.id} />
        <Hidden name="read_profile_url" value={account.profile_url} />
        <ReadMode account={account} />
        <Hidden name="contact_id" value={contact.id} />
        <Hidden name="recipient_url" value={contact.socialnet_url} />
        <Hidden name="read_last_reply" kind="nullable" value={reply?.id ?? ""} />
        <p class="small">
          From{" "}
          <code>
            <Address text={account.profile_url} />
          </code>
        </p>
        <p class="small">
          To{" "}
          <code>
            <Address text={contact.socialnet_url} />
          </code>
          <Marks of={marks} />
        </p>
        <SimilarOptOut address={optedOut} />
        <LastReply reply={reply} of={contact.id} />
        <HasReplied {...replied} />
        <Select name="kind" label="Type" choices={ACTION_KINDS.map((value) => ({ value, label: KINDS[value] }))} />
        <TextArea
          name="copy"
          label="Text"
          hint={`Sent exactly as written. The note of a connection request is optional, up to ${COPY_LIMITS.connection_request} characters.`}
          rows={6}
        />
        <TextField
          name="campaign"
          kind="optional"
          label="Campaign"
          hint="Optional. A label to group actions, such as Spring launch. Reviewers and the agent see it."
        />
        <p class="small quiet">
          {account.automation_mode === "automatic" && (optedOut === null || actor.approveOutbound)
            ? `Automatic sending is on. This action is approved right away${actor.approveOutbound ? "" : ", unless the contact has replied. After a reply, a teammate who can approve outbound messages must approve it"}.`
            : account.automation_mode === "automatic"
              ? "This contact might have opted out, so a teammate who can approve outbound messages must approve this action before it's sent."
              : `This action needs approval before it's sent. Account mode: ${MODES[account.automation_mode].name}.`}
        </p>
        <button type="submit" class="primary">
          Plan action
        </button>
      </Form>
    </Section>
  );
}
