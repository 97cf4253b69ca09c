/** @jsxRuntime automatic @jsxImportSource preact */
import { DEAL_STAGES, type DealStage } from "../../domain/deal.ts";
import type { DataOf } from "../answers.ts";
import { inWords, money, nameOf } from "../names.ts";
import { Empty } from "../parts/basics.tsx";
import { Hidden, Select } from "../parts/fields.tsx";
import { Form } from "../parts/form.tsx";
import { screen } from "../screen.ts";
import { useVisit } from "../visit.ts";

const SHOWN = 25;
const stages = DEAL_STAGES.map((value) => ({ value, label: inWords(value) }));

export const deals = screen({
  path: "/deals",
  title: "Deals",
  needs: "list_deals",
  forms: ["set_deal_stage"],
  load: ({ call }) =>
    Promise.all(DEAL_STAGES.map(async (stage) => ({ stage, ...(await call("list_deals", { stage, limit: SHOWN })) }))),
  view: (board) =>
    board.every(({ meta }) => meta.total === 0) ? (
      <Empty title="No deal yet">
        <p>A deal is what may be sold to a contact. Add the first on the contact's page, or let an agent do it.</p>
      </Empty>
    ) : (
      <div class="board" tabIndex={0} role="region" aria-label="Deals by stage">
        {board.map(({ stage, data, meta }) => (
          <section key={stage} aria-label={inWords(stage)}>
            <header>
              <h2>{inWords(stage)}</h2>
              <span class="quiet">{meta.total}</span>
            </header>
            <ul>
              {data.map((deal) => (
                <Card key={deal.id} deal={deal} stage={stage} />
              ))}
            </ul>
            {meta.hasMore && <p class="hint">The newest {SHOWN} are shown.</p>}
          </section>
        ))}
      </div>
    ),
});

function Card({ deal, stage }: { deal: DataOf<"list_deals">[number]; stage: DealStage }) {
  const { href, may, failed } = useVisit();
  const { id, title, value, currency, contact, contact_id, expected_close_date, probability } = deal;
  return (
    <li>
      <strong>{title}</strong>
      <span>
        {money(value, currency)}
        {probability !== null && <span class="quiet">, {probability} %</span>}
      </span>
      <a href={href(`/contacts/${contact_id}`)}>
        {nameOf(contact)}
        {contact.company !== null && `, ${contact.company}`}
      </a>
      {expected_close_date !== null && <span class="hint">Closes {expected_close_date}</span>}
      {may("set_deal_stage") && (
        <details class="more" open={failed?.form === `move-${id}`}>
          <summary>Move…</summary>
          <Form does="set_deal_stage" id={`move-${id}`} label={`Move ${title}`}>
            <Hidden name="deal_id" value={id} />
            <Select name="stage" label="To the stage" choices={stages} value={stage} />
            <button type="submit">Move the deal</button>
          </Form>
        </details>
      )}
    </li>
  );
}
