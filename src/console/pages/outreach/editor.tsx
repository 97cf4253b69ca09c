/** @jsxRuntime automatic @jsxImportSource preact */

import type { MailDelivery } from "../../../domain/outreach/sending.ts";
import type { Step } from "../../../domain/outreach/sequence.ts";
import { PLACEHOLDERS } from "../../../domain/outreach/template.ts";
import { toInput } from "../../app/form-data.ts";
import { actorNames } from "../../app/lookups.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Time } from "../../ui/basics.tsx";
import { Select, TextArea, TextField } from "../../ui/fields.tsx";
import { EnterButton, Form, Hidden } from "../../ui/form.tsx";
import { counted } from "../../ui/format.ts";
import { actorLabel, codeLabel } from "../../ui/labels.ts";
import type { Whole } from "./approvals.tsx";

export const newSequence = screen({
  path: "/sequences/new",
  title: "New sequence",
  needs: "create_sequence",
  forms: ["create_sequence"],
  load: async () => undefined,
  view: () => <Editor sequence={undefined} />,
});

export const editSequence = screen({
  path: "/sequences/:id/edit",
  needs: "update_sequence",
  forms: ["update_sequence"],
  async load(ctx) {
    const { data: sequence } = await ctx.call("get_sequence", { sequence_id: ctx.params.id ?? "" });
    const approvals = sequence.approvals.filter(({ status }) => status !== "voided");
    return { sequence, approvals, names: approvals.length === 0 ? new Map<string, string>() : await actorNames(ctx) };
  },
  up: ({ sequence }) => sequence.name,
  title: ({ sequence }) => `Edit ${sequence.name}`,
  view: ({ sequence, approvals, names }) => (
    <>
      <CancelsApprovals approvals={approvals} names={names} />
      <Editor sequence={sequence} approvals={approvals} />
    </>
  ),
});

type Approval = Whole["approvals"][number];

/** What an edit of a step costs. */
function cancelsText(approvals: readonly Approval[]): string {
  const contacts = approvals.reduce((sum, { contact_count }) => sum + contact_count, 0);
  return `Editing a step cancels the approval of ${counted(contacts, "contact")}.`;
}

/** Names the approvals that an edit of a step cancels. */
function CancelsApprovals({
  approvals,
  names,
}: {
  approvals: readonly Approval[];
  names: ReadonlyMap<string, string>;
}) {
  if (approvals.length === 0) return null;
  return (
    <div class="needs-note stack">
      <p>
        <strong>{cancelsText(approvals)}</strong>{" "}
        {approvals.length === 1 && approvals[0]?.contact_count === 1 ? "The contact gets" : "They get"} no more messages
        until a teammate who can approve outbound messages approves them again and activates the new audience.
      </p>
      <ul class="bullets">
        {approvals.map(({ id, contact_count, status, approved_by, approved_at }) => (
          <li key={id}>
            {counted(contact_count, "contact")}, approved by {actorLabel(approved_by, names)} <Time at={approved_at} />
            {status === "applied" ? ", activated" : ", not activated"}
          </li>
        ))}
      </ul>
    </div>
  );
}

type StepType = Step["type"];

/** A step while it is edited: numbers may still be text. */
type Draft = {
  [Type in StepType]: { type: Type } & {
    [Field in Exclude<keyof Extract<Step, { type: Type }>, "type">]: Field extends "days" | "delay_days"
      ? string | number
      : string;
  };
}[StepType];

/** A new step of each type. */
const EMPTY = {
  email: { type: "email", subject: "", body: "", delay_days: 0 },
  wait: { type: "wait", days: 3 },
  socialnet_connect: { type: "socialnet_connect", note: "", delay_days: 0 },
  socialnet_message: { type: "socialnet_message", body: "", delay_days: 0 },
} as const satisfies { [Type in StepType]: Extract<Step, { type: Type }> };

const STEP_TYPES = Object.keys(EMPTY) as readonly StepType[];

/** The submitted steps after the member added, removed or moved one. */
function editedSteps(given: readonly unknown[], edit = ""): Draft[] {
  const steps = given.flatMap((step) => {
    const { type } = step as { type?: unknown };
    const known = STEP_TYPES.find((candidate) => candidate === type);
    return known === undefined ? [] : [typedOver(EMPTY[known], step as Record<string, unknown>)];
  });
  const [verb, at = ""] = edit.split(".");
  const index = Number(at);
  if (verb === "add") {
    const type = STEP_TYPES.find((known) => known === at);
    return type === undefined ? steps : [...steps, EMPTY[type] as Draft];
  }
  if (verb === "remove") return steps.filter((_, i) => i !== index);
  if (verb === "up" && index > 0 && index < steps.length) {
    const [moved] = steps.splice(index, 1);
    steps.splice(index - 1, 0, moved as Draft);
  }
  return steps;
}

/** A forged form may hold lists in place of text. */
function typedOver(empty: Draft, given: Readonly<Record<string, unknown>>): Draft {
  const fields = Object.entries(empty).map(([name, value]) => {
    const typed = given[name];
    return [name, typeof typed === "string" || typeof typed === "number" ? typed : value];
  });
  return Object.fromEntries(fields) as Draft;
}

const CANCELING = "Save and cancel approvals";

interface Edited {
  id: string;
  name: string;
  description: string | null;
  steps: readonly Draft[];
  status?: string | null;
  delivery?: MailDelivery | undefined;
}

/** The form shows the edited steps, the rejected input, or the saved record. */
function shownIn({ draft, failed }: PageContext, sequence: Edited | undefined): Omit<Edited, "id"> {
  const typed = draft ?? failed?.typed;
  if (typed === undefined) return sequence ?? { name: "", description: null, steps: [EMPTY.email] };
  const { name, description, steps } = toInput(typed);
  return {
    name: String(name ?? ""),
    description: String(description ?? ""),
    steps: editedSteps(Array.isArray(steps) ? steps : [], draft?.get("_again")?.[0]),
  };
}

interface EditorProps {
  sequence: Edited | undefined;
  /** Canceled by an edit of a step. */
  approvals?: readonly Approval[];
}

/** Whether the form holds other steps than the record. While they are edited, numbers are text and lines end as browsers end them. */
function isEdited(steps: readonly Draft[], saved: readonly Draft[]): boolean {
  const fieldOf = (step: Draft, name: string) => String(step[name as keyof Draft] ?? "").replaceAll("\r\n", "\n");
  const textOf = (all: readonly Draft[]) =>
    JSON.stringify(all.map((step) => Object.keys(EMPTY[step.type]).map((name) => fieldOf(step, name))));
  return textOf(steps) !== textOf(saved);
}

function Editor({ sequence, approvals = [] }: EditorProps) {
  const { href } = usePageContext();
  const { name, description, steps } = shownIn(usePageContext(), sequence);
  const cancels = approvals.length > 0;
  const saves = sequence === undefined ? "Save draft" : "Save sequence";
  return (
    <Form
      does={sequence === undefined ? "create_sequence" : "update_sequence"}
      then={sequence === undefined ? "sequences/{id}" : `sequences/${sequence.id}`}
      class="editing"
      label="Sequence"
    >
      <EnterButton>Save</EnterButton>
      {sequence !== undefined && <Hidden name="sequence_id" value={sequence.id} />}
      <div class="pair">
        <TextField name="name" label="Name" value={name} required />
        <TextField name="description" label="Description" value={description} />
      </div>
      <p class="hint">Available placeholders: {PLACEHOLDERS.map((placeholder) => `{{${placeholder}}}`).join(", ")}.</p>
      {steps.map((step, i) => (
        <StepFields key={i} step={step} at={i} last={steps.length - 1} />
      ))}
      <fieldset class="field">
        <legend>Add step</legend>
        <div class="bar-inline wraps">
          {STEP_TYPES.map((type) => (
            <button key={type} type="submit" name="_again" value={`add.${type}`} formNoValidate>
              {codeLabel(type)}
            </button>
          ))}
        </div>
      </fieldset>
      {sequence?.status === "active" && <Delivery steps={steps} delivery={sequence.delivery} />}
      <div class="bar">
        {/* A script changes the label as soon as a step differs from what the page shows. */}
        <button type="submit" class="primary" data-when-edited={cancels ? CANCELING : undefined}>
          {cancels && sequence !== undefined && isEdited(steps, sequence.steps) ? CANCELING : saves}
        </button>
        <a class="button" href={href(sequence === undefined ? "/sequences" : `/sequences/${sequence.id}`)}>
          Cancel
        </a>
        {cancels && <span class="needs-note">{cancelsText(approvals)}</span>}
      </div>
    </Form>
  );
}

/** Without a mail server, a member says where the emails go that they add to an active sequence. */
function Delivery({ steps, delivery }: Pick<Edited, "steps" | "delivery">) {
  const { workspace } = usePageContext();
  if (workspace.deployment.email === "send" || !steps.some(({ type }) => type === "email")) return null;
  return (
    <Select
      name="delivery"
      kind="optional"
      label="Emails"
      hint={
        delivery === "files"
          ? workspace.deployment.outbound_gate === "closed"
            ? "No mail server is connected. Once sending is on, due emails in this sequence will be saved to files instead of being sent."
            : "No mail server is connected, so due emails in this sequence are saved to files. The saved emails are never sent."
          : "No mail server is connected. To add an email to this active sequence, save all its emails to files."
      }
      choices={[
        { value: "", label: "Select…" },
        { value: "files", label: "Save to files, don't send" },
      ]}
      value={delivery === "files" ? "files" : ""}
    />
  );
}

function StepFields({ step, at, last }: { step: Draft; at: number; last: number }) {
  const name = (field: string) => `steps.${at}.${field}`;
  return (
    <fieldset class="step">
      <legend class="hidden">
        Step {at + 1}: {codeLabel(step.type)}
      </legend>
      <div class="bar step-head">
        <strong>
          {at + 1}. {codeLabel(step.type)}
        </strong>
        {at > 0 && <EditButton edit={`up.${at}`} label="Move up" />}
        {last > 0 && <EditButton edit={`remove.${at}`} label="Remove" />}
      </div>
      {step.type === "email" && <TextField name={name("subject")} label="Subject" value={step.subject} />}
      {step.type === "socialnet_connect" && (
        <TextArea name={name("note")} label="Note" hint="Optional. Up to 300 characters." value={step.note} rows={3} />
      )}
      {(step.type === "email" || step.type === "socialnet_message") && (
        <TextArea name={name("body")} label="Message" value={step.body} rows={step.type === "email" ? 6 : 3} />
      )}
      {step.type === "wait" ? (
        <TextField name={name("days")} kind="number" type="number" label="Wait (days)" value={step.days} />
      ) : (
        <TextField
          name={name("delay_days")}
          kind="number"
          type="number"
          label={at === 0 ? "Days after enrollment" : "Days after the previous step"}
          value={step.delay_days}
        />
      )}
      {/* After the fields, because a conflict names the first part of a step. */}
      <Hidden name={name("type")} value={step.type} isEdited />
    </fieldset>
  );
}

function EditButton({ edit, label }: { edit: string; label: string }) {
  return (
    <button type="submit" class="plain" name="_again" value={edit} formNoValidate>
      {label}
    </button>
  );
}
