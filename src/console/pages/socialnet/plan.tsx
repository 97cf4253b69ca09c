/** @jsxRuntime automatic @jsxImportSource preact */

import { ACTION_KINDS, COPY_LIMITS } from "../../../domain/socialnet/action.ts";
import type { Contact } from "../../app/lookups.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Section } from "../../ui/basics.tsx";
import { Select, TextArea, TextField } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { nameOf } from "../../ui/labels.ts";
import { Chooser, chooseContact } from "../contacts/chooser.tsx";
import { type Account, KINDS, MODES } from "./labels.ts";

export const planAction = screen({
  path: "/agents/:id/plan",
  needs: "plan_socialnet_action",
  forms: ["plan_socialnet_action"],
  async load(ctx) {
    const { data: account } = await ctx.call("get_socialnet_account", { account_id: ctx.params.id ?? "" });
    return { account, choice: await chooseContact(ctx) };
  },
  up: ({ account }) => account.label,
  title: ({ account, choice: { chosen } }) =>
    chosen === undefined ? `Plan an action for ${account.label}` : `${account.label} writes to ${nameOf(chosen)}`,
  view: ({ account, choice }) => (
    <>
      <Chooser title="To whom?" {...choice} lacks={lacks} />
      {choice.chosen !== undefined && <Write account={account} contact={choice.chosen} />}
    </>
  ),
});

const lacks = ({ socialnet_url: url }: Contact) => (url === null ? "no profile yet" : undefined);

function Write({ account, contact }: { account: Account; contact: Contact }) {
  const { href } = usePageContext();
  if (contact.socialnet_url === null) {
    return (
      <Empty title={`${nameOf(contact)} has no address of a profile`}>
        <p>
          Set it on <a href={href(`/contacts/${contact.id}`)}>the contact's page</a> first.
        </p>
      </Empty>
    );
  }
  return (
    <Section title="What it says">
      <Form
        does="plan_socialnet_action"
        then={`agents/${account.id}/actions/{id}`}
        class="card narrow"
        label="Plan an action"
      >
        <Hidden name="account_id" value={account.id} />
        <Hidden name="read_profile_url" value={account.profile_url} />
        <Hidden name="contact_id" value={contact.id} />
        <Hidden name="recipient_url" value={contact.socialnet_url} />
        <p class="small">
          From <code>{account.profile_url}</code>
        </p>
        <p class="small">
          To <code>{contact.socialnet_url}</code>
        </p>
        <Select name="kind" label="Kind" choices={ACTION_KINDS.map((value) => ({ value, label: KINDS[value] }))} />
        <TextArea
          name="copy"
          label="Copy"
          hint={`Sent exactly as it reads. With a connection request it is the note: at most ${COPY_LIMITS.connection_request} characters, or none.`}
          rows={6}
          mono
        />
        <TextField name="campaign" kind="optional" label="Part of" hint="What it belongs to; may be left out." />
        <p class="small quiet">
          {account.automation_mode === "automatic"
            ? "This account is automatic: it is approved at once."
            : `It then waits for somebody's approval. The account's mode: ${MODES[account.automation_mode].name}.`}
        </p>
        <button type="submit" class="primary">
          Plan it
        </button>
      </Form>
    </Section>
  );
}
