/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { DEAL_STAGES } from "../../../domain/contacts/deal.ts";
import { memberNames } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Fact, Section, Time } from "../../ui/basics.tsx";
import { Select, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { formatDay, money } from "../../ui/format.ts";
import { codeLabel, nameOf } from "../../ui/labels.ts";
import { Mark } from "../../ui/mark.tsx";
import { Owner, OwnerField, StageAge } from "./deal-owner.tsx";
import { LatestActivity, LogActivity } from "./timeline.tsx";

type DealRecord = DataOf<"get_deal_record"> & { members: ReadonlyMap<string, string> };

export const deal = screen({
  path: "/deals/:id",
  needs: "get_deal_record",
  forms: ["update_deal", "set_deal_stage", "log_activity"],
  async load(ctx): Promise<DealRecord> {
    const [{ data }, members] = await Promise.all([
      ctx.call("get_deal_record", { id: ctx.params.id ?? "" }),
      memberNames(ctx),
    ]);
    return { ...data, members };
  },
  title: ({ deal: { title } }) => title,
  status: ({ deal: { stage } }) => (
    <Chip tone={stage === "closed_won" ? "done" : stage === "closed_lost" ? "stopped" : "plain"}>
      {codeLabel(stage)}
    </Chip>
  ),
  action: (record) => <MoveOn record={record} />,
  view: (record) => (
    <div class="sides record">
      <Latest record={record} />
      <div>
        <Details record={record} />
        <OtherDeals record={record} />
      </div>
    </div>
  ),
});

interface Props {
  record: DealRecord;
}

/** Moves the deal to the stage after its own, or to any other. */
function MoveOn({ record: { deal } }: Props) {
  const open = DEAL_STAGES.filter((stage) => !stage.startsWith("closed"));
  const next = open[open.indexOf(deal.stage as (typeof open)[number]) + 1];
  return (
    <div class="bar-inline">
      <Confirm does="set_deal_stage" id="move" opens="Move…" submit="Move deal" align="right">
        <Hidden name="deal_id" value={deal.id} />
        <Select
          name="stage"
          label="Stage"
          choices={DEAL_STAGES.map((value) => ({ value, label: codeLabel(value) }))}
          value={deal.stage}
        />
      </Confirm>
      {open.includes(deal.stage) && (
        <Form does="set_deal_stage" id="advance" class="inline" label="Move to next stage">
          <Hidden name="deal_id" value={deal.id} />
          <Hidden name="stage" value={next ?? "closed_won"} />
          <button type="submit" class="primary">
            {next === undefined ? "Mark as won" : `Move to ${codeLabel(next)}`}
          </button>
        </Form>
      )}
    </div>
  );
}

/** The latest activity of the deal's contact. */
function Latest({ record: { contact, activities } }: Props) {
  const { href } = usePageContext();
  return (
    <Section title="Activity">
      <LogActivity contacts={[{ value: contact.id, label: nameOf(contact) }]} />
      {activities.length === 0 ? (
        <Empty title="No activity yet">
          <p>
            Calls, messages, meetings and notes with <a href={href(`/contacts/${contact.id}`)}>{nameOf(contact)}</a>{" "}
            appear here.
          </p>
        </Empty>
      ) : (
        <>
          <LatestActivity activities={activities} />
          <p>
            <a href={href(`/contacts/${contact.id}`)}>View all activity for {nameOf(contact)}</a>
          </p>
        </>
      )}
    </Section>
  );
}

function Details({ record: { deal, contact, account, owner, stage_since, members } }: Props) {
  const { href } = usePageContext();
  return (
    <Section title="Details">
      <dl class="facts">
        <Fact
          name="Title"
          form={
            <Edit deal={deal} name="title">
              <TextField name="title" label="Title" value={deal.title} required />
            </Edit>
          }
        >
          {deal.title}
        </Fact>
        <Fact
          name="Owner"
          form={
            <Edit deal={deal} name="owner">
              <OwnerField members={members} owner={owner} />
            </Edit>
          }
        >
          <Owner of={owner} />
        </Fact>
        <Fact
          name="Value"
          form={
            <Edit deal={deal} name="value">
              <TextField name="value" kind="number" type="number" label="Value" value={deal.value} />
              <TextField name="currency" label="Currency" value={deal.currency} required />
            </Edit>
          }
        >
          {money(deal.value, deal.currency)}
        </Fact>
        <Fact
          name="Probability"
          form={
            <Edit deal={deal} name="probability">
              <TextField
                name="probability"
                kind="limit"
                type="number"
                label="Probability (%)"
                value={deal.probability}
              />
            </Edit>
          }
        >
          {deal.probability === null ? null : `${deal.probability}%`}
        </Fact>
        <Fact
          name="Expected close"
          form={
            <Edit deal={deal} name="expected close">
              <TextField
                name="expected_close_date"
                kind="nullable"
                type="date"
                label="Expected close"
                value={deal.expected_close_date}
              />
            </Edit>
          }
        >
          {deal.expected_close_date === null ? null : formatDay(deal.expected_close_date)}
        </Fact>
        <Fact name="Contact">
          <span class="named">
            <Mark name={nameOf(contact)} small /> <a href={href(`/contacts/${contact.id}`)}>{nameOf(contact)}</a>
          </span>
        </Fact>
        <Fact name="Company">
          {account === null ? contact.company : <a href={href(`/accounts/${account.id}`)}>{account.name}</a>}
        </Fact>
        <Fact name="In this stage">
          <StageAge since={stage_since} />
        </Fact>
        <Fact name="Added">
          <Time at={deal.created_at} />
        </Fact>
      </dl>
    </Section>
  );
}

interface EditProps {
  deal: DealRecord["deal"];
  /** What it changes, for screen readers. */
  name: string;
  children: ComponentChildren;
}

function Edit({ deal, name, children }: EditProps) {
  const id = `edit-${name.replace(" ", "-")}`;
  return (
    <Confirm does="update_deal" id={id} opens="Edit" about={name} submit="Save" align="right" quiet>
      <Hidden name="deal_id" value={deal.id} />
      {children}
    </Confirm>
  );
}

function OtherDeals({ record: { other_deals } }: Props) {
  const { href } = usePageContext();
  if (other_deals.length === 0) return null;
  return (
    <Section title="Other deals of this contact">
      <ul class="tasks">
        {other_deals.map(({ id, title, value, currency, stage }) => (
          <li key={id}>
            <a href={href(`/deals/${id}`)}>
              {title}, {money(value, currency)}
            </a>
            <Chip>{codeLabel(stage)}</Chip>
          </li>
        ))}
      </ul>
    </Section>
  );
}
