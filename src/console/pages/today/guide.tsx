/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { ACCOUNT_SCOPES, ALL_SCOPES, mayGrant, ROLES } from "../../../domain/access/roles.ts";
import type { DataOf, OperationName } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { Chip, Reveal, Section, Time } from "../../ui/basics.tsx";
import { Connecting } from "../../ui/connecting.tsx";
import { ConnectEmail } from "../../ui/delivery.tsx";
import { Select, TextField } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { codeLabel } from "../../ui/labels.ts";
import { type Mail, MailForm, TestMessage } from "../access/mail-form.tsx";
import { InvitationLink } from "../access/members.tsx";
import { Choose } from "../contacts/import.tsx";

type Steps = DataOf<"get_setup_guide">;
type Step = "email" | "contacts" | "key" | "call" | "teammate";

export interface GuideData {
  steps: Steps;
  mail: Mail | undefined;
}

/** The forms of the guide. */
export const GUIDE_FORMS: readonly OperationName[] = [
  "set_mail_settings",
  "send_test_email",
  "add_sample_contacts",
  "create_key",
  "invite_member",
  "set_setup_guide",
];

/** The guide of a workspace that is not set up, for members who set it up. */
export async function loadGuide(ctx: PageContext): Promise<GuideData | undefined> {
  if (!ctx.may("create_key")) return undefined;
  const { data: steps } = await ctx.call("get_setup_guide", {});
  // A key or a link is shown once, right after it was created: also where that was the last step.
  if (ctx.created === undefined && (steps.done || steps.hidden)) return undefined;
  const mail = ctx.may("get_mail_settings") ? (await ctx.call("get_mail_settings", {})).data : undefined;
  return { steps, mail };
}

const TITLES: Record<Step, string> = {
  email: "Connect email",
  contacts: "Add contacts",
  key: "Create an API key for your agent",
  call: "Make the first API call",
  teammate: "Invite a teammate",
};
const STEPS = Object.keys(TITLES) as Step[];
/** The scopes of the first key. The others need an account on the professional network. */
const FIRST_SCOPES = ALL_SCOPES.filter((scope) => !ACCOUNT_SCOPES.includes(scope));

export function Guide({ guide }: { guide: GuideData }) {
  const { created } = usePageContext();
  const { steps } = guide;
  const next = STEPS.find((step) => !steps[step].done);
  const bodies: Record<Step, ComponentChildren> = {
    email: <Email guide={guide} />,
    contacts: <Contacts steps={steps} />,
    key: <Key />,
    call: <Call />,
    teammate: <Teammate />,
  };
  return (
    <Section
      title="Set up Rostrum"
      id="guide"
      action={
        <Form does="set_setup_guide" class="inline" label="Setup guide">
          <Hidden name="hidden" kind="flag" value="true" />
          <button type="submit" class="plain">
            Dismiss
          </button>
        </Form>
      }
    >
      <p class="hint lead" data-refresh="guide-count">
        {STEPS.filter((step) => steps[step].done).length} of {STEPS.length} steps done
      </p>
      {created !== undefined && <Created created={created} />}
      <ol class="plain">
        {STEPS.map((step, i) => (
          <li key={step}>
            <details class="more" open={isOpen(step, next, created)}>
              <summary>
                {i + 1}. {TITLES[step]}
                <span data-refresh={`guide-${step}`}>
                  {" "}
                  <State step={step} steps={steps} />
                </span>
              </summary>
              {bodies[step]}
            </details>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** After a key was created, its first call comes next, and the page waits for it. */
function isOpen(step: Step, next: Step | undefined, created: PageContext["created"]): boolean {
  return created === undefined && step === next;
}

function State({ step, steps }: { step: Step; steps: Steps }) {
  if (!steps[step].done) {
    return step === "call" && steps.key.done ? (
      <Chip tone="needs">Waiting for the first API call</Chip>
    ) : (
      <Chip>To do</Chip>
    );
  }
  return (
    <>
      <Chip tone="done">Done</Chip>
      {step === "call" && (
        <span class="quiet">
          {" "}
          {steps.call.key_name}, <Time at={steps.call.last_at} />
        </span>
      )}
    </>
  );
}

function Email({ guide: { mail, steps } }: { guide: GuideData }) {
  if (mail === undefined) {
    return (
      <p>Rostrum sends sequences, invitations and password resets by email. {!steps.email.done && <ConnectEmail />}</p>
    );
  }
  return (
    <>
      <p class="hint">
        Rostrum sends sequences, invitations and password resets by email. These settings apply to the whole server.
      </p>
      <MailForm mail={mail} />
      <TestMessage mail={mail} />
    </>
  );
}

function Contacts({ steps }: { steps: Steps }) {
  const { may } = usePageContext();
  return (
    <>
      {may("import_text") && <Choose />}
      {!steps.contacts.has_samples && (
        <Form does="add_sample_contacts" class="inline" label="Sample contacts">
          <button type="submit">Add sample contacts</button>
          <span class="quiet">Fictional people to try Rostrum with. You can remove them under Contacts.</span>
        </Form>
      )}
    </>
  );
}

function Key() {
  const { href } = usePageContext();
  return (
    <Form does="create_key" class="card" label="Create an API key">
      <TextField name="name" label="Name" hint="For example, the name of the agent." value="My first agent" required />
      {FIRST_SCOPES.map((scope) => (
        <Hidden key={scope} name="scopes" kind="list" value={scope} />
      ))}
      <p class="hint">
        The key can read, add and edit contacts, create deals, log activities, read sequences, enroll contacts from
        activated audiences, add to the do-not-contact list, and work on the checklist. To choose other permissions,{" "}
        <a href={href("/settings/keys")}>create the key under Settings</a>.
      </p>
      <button type="submit" class="primary">
        Create key
      </button>
    </Form>
  );
}

function Call() {
  return (
    <>
      <p class="hint">Connect a client, or run the test call. This page shows the first API call when it arrives.</p>
      <Connecting scopes={FIRST_SCOPES} />
    </>
  );
}

function Teammate() {
  const { actor } = usePageContext();
  const roles = ROLES.filter((role) => mayGrant(actor.role, role));
  return (
    <Form does="invite_member" class="card" label="Invite a teammate">
      <div class="pair">
        <TextField name="name" label="Name" required />
        <TextField name="email" type="email" label="Email" required />
        <Select
          name="role"
          label="Role"
          choices={roles.map((role) => ({ value: role, label: codeLabel(role) }))}
          value="rep"
        />
      </div>
      <button type="submit">Create invitation link</button>
    </Form>
  );
}

/** What a step has just created, and the page shows once. */
function Created({ created }: { created: NonNullable<PageContext["created"]> }) {
  const { operation, data } = created;
  if (operation === "invite_member") return <InvitationLink created={created} />;
  if (operation !== "create_key") return null;
  return (
    <>
      <Reveal title={`API key “${data.name}” created.`} value={String(data.key)} />
      <p class="lead">
        Connect a client with these commands, which include your key. The steps below show the first API call when it
        arrives.
      </p>
      <Connecting bearer={String(data.key)} scopes={data.scopes as string[]} />
    </>
  );
}
