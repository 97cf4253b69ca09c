/** @jsxRuntime automatic @jsxImportSource preact */
import { DEAL_STAGES } from "../../../domain/deal.ts";
import { problem } from "../../../problem.ts";
import { money } from "../../figures.ts";
import { inWords, nameOf, pageOf } from "../../names.ts";
import { Empty, Pager, Table, Time } from "../../parts/basics.tsx";
import { dayInWords } from "../../parts/time.ts";
import { screen } from "../../screen.ts";
import { Sums } from "./board.tsx";
import { Move } from "./card.tsx";

/** One column of the board, however long it is. */
export const dealsAt = screen({
  path: "/deals/:stage",
  needs: "list_deals",
  forms: ["set_deal_stage"],
  async load(visit) {
    const stage = DEAL_STAGES.find((known) => known === visit.params.stage);
    if (stage === undefined) throw problem("route_not_found", "Deals have no such stage.");
    const [totals, page] = await Promise.all([
      visit.call("list_deal_totals", {}),
      visit.call("list_deals", { stage, ...pageOf(visit) }),
    ]);
    return { stage, totals: totals.data, ...page };
  },
  title: ({ stage }) => `Deals: ${inWords(stage).toLowerCase()}`,
  view: ({ stage, totals, data, meta }, { href }) => (
    <>
      <div class="bar">
        <Sums stage={stage} totals={totals} />
      </div>
      {data.length === 0 ? (
        <Empty title="No deal stands here" />
      ) : (
        <Table
          caption="Deals at this stage, newest first"
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            { name: "Deal", cell: ({ title }) => <strong>{title}</strong> },
            { name: "Value", figure: true, cell: ({ value, currency }) => money(value, currency) },
            {
              name: "With",
              cell: ({ contact, contact_id }) => (
                <>
                  <a href={href(`/contacts/${contact_id}`)}>{nameOf(contact)}</a>
                  {contact.company !== null && <p class="hint">{contact.company}</p>}
                </>
              ),
            },
            { name: "Likely", figure: true, cell: ({ probability }) => probability !== null && `${probability} %` },
            { name: "Closes", cell: ({ expected_close_date: day }) => day !== null && dayInWords(day) },
            { name: "Since", wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
            { name: "Move", cell: (deal) => <Move deal={deal} stage={stage} /> },
          ]}
        />
      )}
      <Pager meta={meta} />
    </>
  ),
});
