/** @jsxRuntime automatic @jsxImportSource preact */
import { DEAL_STAGES, type DealStage } from "../../../domain/deal.ts";
import type { DataOf } from "../../answers.ts";
import { amount, roundMoney } from "../../figures.ts";
import { inWords } from "../../names.ts";
import { Empty } from "../../parts/basics.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { Card } from "./card.tsx";

const SHOWN = 12;

type Totals = DataOf<"list_deal_totals">;

export const deals = screen({
  path: "/deals",
  title: "Deals",
  needs: "list_deals",
  forms: ["set_deal_stage"],
  async load({ call }) {
    const [totals, columns] = await Promise.all([
      call("list_deal_totals", {}),
      Promise.all(
        DEAL_STAGES.map(async (stage) => ({ stage, ...(await call("list_deals", { stage, limit: SHOWN })) })),
      ),
    ]);
    return { totals: totals.data, columns };
  },
  action: () => <AddDeal />,
  view: ({ totals, columns }) => (
    <>
      {columns.every(({ meta }) => meta.total === 0) ? (
        <Empty title="No deal yet">
          <p>A deal is what may be sold to a contact. Add the first, or let an agent do it.</p>
        </Empty>
      ) : (
        <div class="board" tabIndex={0} role="region" aria-label="Deals by stage">
          {columns.map(({ stage, data, meta }) => (
            <section key={stage} aria-label={inWords(stage)} data-stage={stage}>
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
  const { may, href } = useVisit();
  if (!may("create_deal")) return null;
  return (
    <a class="button primary" href={href("/deals/new")}>
      Add a deal
    </a>
  );
}

function Head({ stage, total, totals }: { stage: DealStage; total: number; totals: Totals }) {
  const { href } = useVisit();
  return (
    <header>
      <h2>
        <a href={href(`/deals/${stage}`)}>{inWords(stage)}</a>
      </h2>
      <span class="quiet">{amount(total)}</span>
      <Sums stage={stage} totals={totals} />
    </header>
  );
}

/** What a column comes to; currencies are never added to each other. */
export function Sums({ stage, totals }: { stage: DealStage; totals: Totals }) {
  const sums = totals.filter((total) => total.stage === stage).sort((a, b) => b.value - a.value);
  if (sums.length === 0) return <p class="sums hint">nothing</p>;
  return (
    <ul class="sums hint" aria-label="Comes to">
      {sums.map(({ value, currency }) => (
        <li key={currency}>{roundMoney(value, currency)}</li>
      ))}
    </ul>
  );
}

function More({ stage, left }: { stage: DealStage; left: number }) {
  const { href } = useVisit();
  return (
    <p class="hint below">
      <a href={href(`/deals/${stage}`)}>{amount(left)} more</a>
    </p>
  );
}
