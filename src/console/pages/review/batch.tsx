/** @jsxRuntime automatic @jsxImportSource preact */

import { problem } from "../../../core/problem.ts";
import { TOGETHER } from "../../../domain/checklist/review.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Empty } from "../../ui/basics.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { Consequence, Explanation } from "./context.tsx";
import { KIND_NAMES, surroundingsReader, type Whole } from "./load.ts";
import { Proposal } from "./proposal.tsx";

/** As many as a person reads in one go. */
const AT_ONCE = 10;

/** Several of one kind, each open and whole, approved by those who have read them. */
export const reviewTogether = screen({
  path: "/review/:kind",
  needs: "list_review",
  forms: ["approve_review"],
  async load(ctx) {
    const kind = TOGETHER.find((one) => one === ctx.params.kind);
    if (kind === undefined) throw problem("route_not_found", "These are decided one by one.");
    const { data: heads, meta } = await ctx.call("list_review", { kind, limit: AT_ONCE });
    const around = surroundingsReader(ctx);
    const entries = await Promise.all(
      heads.map(async ({ id }) => {
        const { data: whole } = await ctx.call("get_review", { kind, id });
        return { whole, around: await around(whole) };
      }),
    );
    return { kind, entries, total: meta.total };
  },
  title: ({ kind }) => KIND_NAMES[kind][1],
  view: ({ kind, entries, total }, { actor, href }) => {
    if (entries.length === 0) return <Empty title="None waits" />;
    const may = kind !== "action" || actor.approveOutbound;
    return (
      <>
        <p class="lead">
          The longest waiting {entries.length} of {total}, each as it would go out. Tick what you have read; all that
          you tick is approved, or nothing, where one has changed since. <a href={href("/review")}>Decide one by one</a>
        </p>
        <Form does="approve_review" label="Approve what you have read">
          <Hidden name="kind" value={kind} />
          {entries.map(({ whole, around }, i) => (
            <article class="card stack together" key={whole.id} aria-label={`Entry ${i + 1}`}>
              <Proposal whole={whole} alone={false} />
              <Explanation whole={whole} around={around} />
              <Consequence whole={whole} around={around} />
              {may && <Read whole={whole} i={i} />}
            </article>
          ))}
          {may && (
            <button type="submit" class="primary">
              Approve those that I have read
            </button>
          )}
        </Form>
      </>
    );
  },
});

/** Ticked again after a refusal only where it is what was ticked: not where it has changed. */
function Read({ whole, i }: { whole: Whole; i: number }) {
  const { failed } = usePageContext();
  const typed = (name: string) => failed?.typed.get(`items.${i}.${name}`)?.[0];
  const same = typed("id") === whole.id && typed("version") === whole.version;
  return (
    <div class="field check">
      <Hidden name={`items.${i}.id`} value={whole.id} />
      <Hidden name={`items.${i}.version`} value={whole.version} />
      <label>
        <input
          type="checkbox"
          name={`items.${i}.read:flag`}
          value="true"
          checked={same && typed("read:flag") === "true"}
        />
        <span>I have read it, and approve it</span>
      </label>
      <input type="hidden" name={`items.${i}.read:flag`} value="false" />
    </div>
  );
}
