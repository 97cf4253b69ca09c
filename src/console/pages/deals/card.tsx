/** @jsxRuntime automatic @jsxImportSource preact */
import { DEAL_STAGES, type DealStage } from "../../../domain/deal.ts";
import type { DataOf } from "../../answers.ts";
import { roundMoney } from "../../figures.ts";
import { inWords, nameOf } from "../../names.ts";
import { Hidden, Select, TextField } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { dayInWords } from "../../parts/time.ts";
import { useVisit } from "../../visit.ts";

const stages = DEAL_STAGES.map((value) => ({ value, label: inWords(value) }));

/** One deal of the board. Its form moves it; console.js fills that in where a card is dragged. */
export function Card({ deal, stage }: { deal: DataOf<"list_deals">[number]; stage: DealStage }) {
  const { href } = useVisit();
  const { title, value, currency, contact, contact_id, expected_close_date, probability } = deal;
  return (
    <li class="deal">
      <strong>{title}</strong>
      <span>
        {roundMoney(value, currency)}
        {probability !== null && <span class="quiet nowrap"> · {probability} %</span>}
      </span>
      <div>
        <a href={href(`/contacts/${contact_id}`)}>{nameOf(contact)}</a>
        {contact.company !== null && <p class="hint">{contact.company}</p>}
      </div>
      {expected_close_date !== null && <span class="hint">Closes {dayInWords(expected_close_date)}</span>}
      <Move deal={deal} stage={stage} />
    </li>
  );
}

export function Move({ deal: { id, title, probability, expected_close_date }, stage }: Parameters<typeof Card>[0]) {
  const { may, failed } = useVisit();
  if (!may("set_deal_stage")) return null;
  return (
    <details class="more" open={failed?.form === `move-${id}`}>
      <summary>Move…</summary>
      <Form does="set_deal_stage" id={`move-${id}`} label={`Move ${title}`} class="move">
        <Hidden name="deal_id" value={id} />
        <Select name="stage" label="To the stage" choices={stages} value={stage} />
        <TextField name="probability" kind="limit" type="number" label="Likely, in percent" value={probability} />
        <TextField
          name="expected_close_date"
          kind="nullable"
          type="date"
          label="Expected to close"
          value={expected_close_date}
        />
        <button type="submit">Move the deal</button>
      </Form>
    </details>
  );
}
