/** @jsxRuntime automatic @jsxImportSource preact */

import { problem } from "../../../core/problem.ts";
import { DEAL_STAGES, type DealStage } from "../../../domain/contacts/deal.ts";
import { type Contact, memberNames, pageOf } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Pager, Section, Table, Time } from "../../ui/basics.tsx";
import { Select, TextField } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { amount, formatDay, money, roundMoney, shortDay } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { codeLabel, nameOf } from "../../ui/labels.ts";
import { Chooser, chooseContact } from "./chooser.tsx";
import { Owner, OwnerField, OwnerFilter, StageAge } from "./deal-owner.tsx";

const SHOWN = 12;

/** The owner filter in the address. */
const ownerOf = ({ query, actor }: PageContext) => (query.get("owner") === "mine" ? { owner_id: actor.id } : {});

/** Builds addresses that keep the owner filter. */
function useDealsAt(): (path: string) => string {
  const { href, query } = usePageContext();
  return (path) => href(path, { owner: query.get("owner") === "mine" ? "mine" : undefined });
}

type Totals = DataOf<"list_deal_totals">;

export const deals = screen({
  path: "/deals",
  title: "Deals",
  needs: "list_deals",
  forms: ["set_deal_stage"],
  async load(ctx) {
    const { call } = ctx;
    const owner = ownerOf(ctx);
    const [totals, columns] = await Promise.all([
      call("list_deal_totals", owner),
      Promise.all(
        DEAL_STAGES.map(async (stage) => ({ stage, ...(await call("list_deals", { stage, limit: SHOWN, ...owner })) })),
      ),
    ]);
    return { totals: totals.data, columns, isMine: owner.owner_id !== undefined };
  },
  action: () => <AddDeal />,
  view: ({ totals, columns, isMine }, { may, href }) => (
    <>
      <OwnerFilter />
      {columns.every(({ meta }) => meta.total === 0) && isMine ? (
        <Empty title="You don't own any deals">
          <p>
            <a href={href("/deals")}>View all deals</a>
          </p>
        </Empty>
      ) : columns.every(({ meta }) => meta.total === 0) ? (
        <Empty title="No deals yet">
          <p>Deals track the value and stage of each sale.{may("create_deal") && " Add your first deal above."}</p>
        </Empty>
      ) : (
        <div class="board" tabIndex={0} role="region" aria-label="Deals by stage">
          {columns.map(({ stage, data, meta }) => (
            <section key={stage} aria-label={codeLabel(stage)} data-stage={stage}>
              <Head stage={stage} total={meta.total} totals={totals} />
              <ul>
                {data.map((deal) => (
                  <Card key={deal.id} deal={deal} stage={stage} />
                ))}
              </ul>
              {meta.hasMore && <More stage={stage} left={meta.total - data.length} />}
            </section>
          ))}
        </div>
      )}
    </>
  ),
});

function AddDeal() {
  const { may, href } = usePageContext();
  if (!may("create_deal")) return null;
  return (
    <a class="button primary" href={href("/deals/new")}>
      Add deal
    </a>
  );
}

function Head({ stage, total, totals }: { stage: DealStage; total: number; totals: Totals }) {
  const dealsAt = useDealsAt();
  return (
    <header>
      <h2>
        <a href={dealsAt(`/deals/stage/${stage}`)}>{codeLabel(stage)}</a>
      </h2>
      <span class="quiet">{amount(total)}</span>
      <Sums stage={stage} totals={totals} />
    </header>
  );
}

/** The total value of a column, for each currency. */
function Sums({ stage, totals }: { stage: DealStage; totals: Totals }) {
  const sums = totals
    .filter((total) => total.stage === stage)
    .sort((a, b) => (b.value ?? Infinity) - (a.value ?? Infinity));
  if (sums.length === 0) return <p class="sums hint">No deals</p>;
  return (
    <ul class="sums hint" aria-label="Total value">
      {sums.map(({ value, currency }) => (
        <li key={currency}>{value === null ? `${currency}: too large to show` : roundMoney(value, currency)}</li>
      ))}
    </ul>
  );
}

function More({ stage, left }: { stage: DealStage; left: number }) {
  const dealsAt = useDealsAt();
  return (
    <p class="hint below">
      <a href={dealsAt(`/deals/stage/${stage}`)}>{amount(left)} more</a>
    </p>
  );
}

/** All deals of one stage. */
export const dealsAt = screen({
  path: "/deals/stage/:stage",
  needs: "list_deals",
  forms: ["set_deal_stage"],
  async load(ctx) {
    const stage = DEAL_STAGES.find((known) => known === ctx.params.stage);
    if (stage === undefined) throw problem("route_not_found", "This deal stage doesn't exist.");
    const [totals, page] = await Promise.all([
      ctx.call("list_deal_totals", { stage, ...ownerOf(ctx) }),
      ctx.call("list_deals", { stage, ...ownerOf(ctx), ...pageOf(ctx) }),
    ]);
    return { stage, totals: totals.data, isMine: ctx.query.get("owner") === "mine", ...page };
  },
  title: ({ stage }) => `Deals: ${codeLabel(stage)}`,
  view: ({ stage, totals, data, meta, isMine }, { href }) => (
    <>
      <OwnerFilter />
      {totals.length > 0 && (
        <div class="bar">
          <Sums stage={stage} totals={totals} />
        </div>
      )}
      {data.length === 0 ? (
        <Empty title={isMine ? "You don't own any deals at this stage" : "No deals at this stage"}>
          <p>
            <a href={href("/deals")}>View all deals</a>
          </p>
        </Empty>
      ) : (
        <Table
          caption="Deals at this stage, newest first"
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            { name: "Deal", cell: ({ id, title }) => <a href={href(`/deals/${id}`)}>{title}</a> },
            { name: "Value", figure: true, phone: "end", cell: ({ value, currency }) => money(value, currency) },
            {
              name: "Contact",
              cell: ({ contact, contact_id }) => (
                <>
                  <a href={href(`/contacts/${contact_id}`)}>{nameOf(contact)}</a>
                  {contact.company !== null && <p class="hint">{contact.company}</p>}
                </>
              ),
            },
            { name: "Owner", phone: "named", cell: ({ owner }) => <Owner of={owner} /> },
            { name: "In this stage", wide: true, cell: ({ stage_since }) => <StageAge since={stage_since} /> },
            {
              name: "Probability",
              figure: true,
              phone: "named",
              cell: ({ probability }) => probability !== null && `${probability}%`,
            },
            {
              name: "Expected close",
              phone: "named",
              cell: ({ expected_close_date: day }) => day !== null && formatDay(day),
            },
            { name: "Added", wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
            { name: "Move", act: true, cell: (deal) => <Move deal={deal} stage={stage} /> },
          ]}
        />
      )}
      <Pager meta={meta} />
    </>
  ),
});

const openStages = DEAL_STAGES.map((value) => ({ value, label: codeLabel(value) }));

export const newDeal = screen({
  path: "/deals/new",
  title: "New deal",
  needs: "create_deal",
  forms: ["add_deal"],
  async load(ctx) {
    const [choice, members] = await Promise.all([chooseContact(ctx), memberNames(ctx)]);
    return { choice, members };
  },
  view: ({ choice, members }) => (
    <>
      <Chooser title="Contact" {...choice} />
      {choice.chosen !== undefined && <NewDealForm contact={choice.chosen} members={members} />}
    </>
  ),
});

const stages = DEAL_STAGES.map((value) => ({ value, label: codeLabel(value) }));

interface CardProps {
  deal: DataOf<"list_deals">[number];
  stage: DealStage;
}

/** One deal of the board. When a card is dragged, console.js submits its form. */
function Card({ deal, stage }: CardProps) {
  const { href, now } = usePageContext();
  const {
    id,
    title,
    value,
    currency,
    contact,
    contact_id,
    expected_close_date: day,
    probability,
    owner,
    stage_since,
  } = deal;
  return (
    <li class="deal">
      <a href={href(`/deals/${id}`)}>{title}</a>
      <Move deal={deal} stage={stage} isCard />
      <p class="hint">
        <a href={href(`/contacts/${contact_id}`)}>{nameOf(contact)}</a>
        {contact.company !== null && ` · ${contact.company}`}
      </p>
      <p class="worth">
        <strong>{roundMoney(value, currency)}</strong>
        {probability !== null && <span class="hint">{probability}%</span>}
        {day !== null && (
          <time class="hint" dateTime={day} title={`Expected close ${formatDay(day)}`}>
            <span class="hidden">Expected close </span>
            {shortDay(day, now)}
          </time>
        )}
      </p>
      <p class="hint owned">
        <Owner of={owner} />
        {!stage.startsWith("closed") && (
          <span>
            <StageAge since={stage_since} /> in stage
          </span>
        )}
      </p>
    </li>
  );
}

interface MoveProps extends CardProps {
  /** In the corner of a card. */
  isCard?: boolean;
}

function Move({ deal: { id, title, probability, expected_close_date }, stage, isCard = false }: MoveProps) {
  const { may, failed } = usePageContext();
  if (!may("set_deal_stage")) return null;
  return (
    <details class={isCard ? "more corner" : "more"} open={failed?.form === `move-${id}`}>
      {isCard ? (
        <summary title="Move…">
          <Icon name="more" />
          <span class="hidden">Move {title}…</span>
        </summary>
      ) : (
        <summary>Move…</summary>
      )}
      <Form does="set_deal_stage" id={`move-${id}`} label={`Move ${title}`} class="move">
        <Hidden name="deal_id" value={id} />
        <Select name="stage" label="Stage" choices={stages} value={stage} />
        <TextField name="probability" kind="limit" type="number" label="Probability (%)" value={probability} />
        <TextField
          name="expected_close_date"
          kind="nullable"
          type="date"
          label="Expected close"
          value={expected_close_date}
        />
        <button type="submit">Move deal</button>
      </Form>
    </details>
  );
}

function NewDealForm({ contact, members }: { contact: Contact; members: ReadonlyMap<string, string> }) {
  const { href, actor } = usePageContext();
  return (
    <Section title="Deal">
      <Form does="add_deal" then="deals" class="card" label="New deal">
        <Hidden name="contact_id" value={contact.id} />
        <TextField name="title" label="Title" required />
        <div class="pair">
          <TextField name="value" kind="number" type="number" label="Value" />
          <TextField name="currency" kind="optional" label="Currency" value="USD" />
        </div>
        <div class="pair">
          <Select name="stage" label="Stage" choices={openStages} />
          <TextField name="probability" kind="limit" type="number" label="Probability (%)" />
          <TextField name="expected_close_date" kind="optional" type="date" label="Expected close" />
        </div>
        <OwnerField members={members} owner={{ id: actor.id, name: actor.name }} />
        {contact.lifecycle === "lead" && (
          <p class="hint">
            This contact is a lead. A lead needs a confirmed BANT assessment before you can add a deal. If it isn't
            confirmed yet, <a href={href(`/contacts/${contact.id}`)}>confirm it on the contact page</a>.
          </p>
        )}
        <button type="submit" class="primary">
          Add deal
        </button>
      </Form>
    </Section>
  );
}
