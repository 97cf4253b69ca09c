/** @jsxRuntime automatic @jsxImportSource preact */

import type { Step } from "../../../domain/outreach/sequence.ts";
import { PLACEHOLDERS } from "../../../domain/outreach/template.ts";
import { toInput } from "../../app/form-data.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { TextArea, TextField } from "../../ui/fields.tsx";
import { EnterButton, Form, Hidden } from "../../ui/form.tsx";
import { codeLabel } from "../../ui/labels.ts";

export const newSequence = screen({
  path: "/sequences/new",
  title: "Write a sequence",
  needs: "create_sequence",
  forms: ["create_sequence"],
  load: async () => undefined,
  view: () => <Editor sequence={undefined} />,
});

export const editSequence = screen({
  path: "/sequences/:id/edit",
  needs: "update_sequence",
  forms: ["update_sequence"],
  load: async ({ call, params }) => (await call("get_sequence", { sequence_id: params.id ?? "" })).data,
  up: ({ name }) => name,
  title: ({ name }) => `Edit ${name}`,
  view: (sequence) => <Editor sequence={sequence} />,
});

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

/** The steps as they were sent, with one more, one less, or one moved up. */
function again(given: readonly unknown[], act = ""): Draft[] {
  const steps = given.flatMap((step) => {
    const { type } = step as { type?: unknown };
    const known = STEP_TYPES.find((candidate) => candidate === type);
    return known === undefined ? [] : [typedOver(EMPTY[known], step as Record<string, unknown>)];
  });
  const [verb, at = ""] = act.split(".");
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

/** A form that no page sent may hold lists in place of text. */
function typedOver(empty: Draft, given: Readonly<Record<string, unknown>>): Draft {
  const fields = Object.entries(empty).map(([name, value]) => {
    const typed = given[name];
    return [name, typeof typed === "string" || typeof typed === "number" ? typed : value];
  });
  return Object.fromEntries(fields) as Draft;
}

interface Edited {
  id: string;
  name: string;
  description: string | null;
  steps: readonly Draft[];
}

/** What the form shows: the sent steps with one more or less, the refused input, or the saved record. */
function shownIn({ draft, failed }: PageContext, sequence: Edited | undefined): Omit<Edited, "id"> {
  const typed = draft ?? failed?.typed;
  if (typed === undefined) return sequence ?? { name: "", description: null, steps: [EMPTY.email] };
  const { name, description, steps } = toInput(typed);
  return {
    name: String(name ?? ""),
    description: String(description ?? ""),
    steps: again(Array.isArray(steps) ? steps : [], draft?.get("_again")?.[0]),
  };
}

function Editor({ sequence }: { sequence: Edited | undefined }) {
  const { name, description, steps } = shownIn(usePageContext(), sequence);
  return (
    <Form
      does={sequence === undefined ? "create_sequence" : "update_sequence"}
      then={sequence === undefined ? "sequences/{id}" : `sequences/${sequence.id}`}
      label="The sequence"
    >
      <EnterButton>Save</EnterButton>
      {sequence !== undefined && <Hidden name="sequence_id" value={sequence.id} />}
      <div class="pair">
        <TextField name="name" label="Name" value={name} required />
        <TextField name="description" label="What it is for" value={description} />
      </div>
      <p class="hint">
        You can use {PLACEHOLDERS.map((placeholder) => `{{${placeholder}}}`).join(", ")}. A change of a step voids every
        approval: people approved what it read before.
      </p>
      {steps.map((step, i) => (
        <StepFields key={i} step={step} at={i} last={steps.length - 1} />
      ))}
      <fieldset class="field">
        <legend>Add a step</legend>
        <div class="bar-inline wraps">
          {STEP_TYPES.map((type) => (
            <button key={type} type="submit" name="_again" value={`add.${type}`} formNoValidate>
              {codeLabel(type)}
            </button>
          ))}
        </div>
      </fieldset>
      <button type="submit" class="primary">
        {sequence === undefined ? "Save as a draft" : "Save the sequence"}
      </button>
    </Form>
  );
}

function StepFields({ step, at, last }: { step: Draft; at: number; last: number }) {
  const name = (field: string) => `steps.${at}.${field}`;
  return (
    <fieldset class="step">
      <legend class="hidden">
        Step {at + 1}: {codeLabel(step.type)}
      </legend>
      <div class="bar">
        <strong>
          {at + 1}. {codeLabel(step.type)}
        </strong>
        {at > 0 && <Act act={`up.${at}`} say="Move up" />}
        {last > 0 && <Act act={`remove.${at}`} say="Remove" />}
      </div>
      <Hidden name={name("type")} value={step.type} />
      {step.type === "email" && <TextField name={name("subject")} label="Subject" value={step.subject} />}
      {step.type === "socialnet_connect" && (
        <TextArea name={name("note")} label="Note, at most 300 characters" value={step.note} rows={3} mono />
      )}
      {(step.type === "email" || step.type === "socialnet_message") && (
        <TextArea name={name("body")} label="Text" value={step.body} rows={8} mono />
      )}
      {step.type === "wait" ? (
        <TextField name={name("days")} kind="number" type="number" label="Days to wait" value={step.days} />
      ) : (
        <TextField
          name={name("delay_days")}
          kind="number"
          type="number"
          label="Days before this step"
          value={step.delay_days}
        />
      )}
    </fieldset>
  );
}

function Act({ act, say }: { act: string; say: string }) {
  return (
    <button type="submit" class="plain" name="_again" value={act} formNoValidate>
      {say}
    </button>
  );
}
