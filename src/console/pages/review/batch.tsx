/** @jsxRuntime automatic @jsxImportSource preact */

import { problem } from "../../../core/problem.ts";
import { TOGETHER } from "../../../domain/checklist/review.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Empty } from "../../ui/basics.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { AskAnother, needsAnother } from "../../ui/own-proposal.tsx";
import { SocialSendingOff } from "../../ui/sending-off.tsx";
import { Explanation, effectText } from "./context.tsx";
import { ConversationSoFar } from "./conversation.tsx";
import { headingOf, KIND_NAMES, kindOf, surroundingsReader, type Whole } from "./load.ts";
import { Proposal } from "./proposal.tsx";

/** The number of items that a person reads at once. */
const BATCH_SIZE = 10;

/** Shows several items of one kind in full, so that they can be read and approved together. */
export const reviewTogether = screen({
  path: "/review/:kind",
  needs: "list_review",
  forms: ["approve_review"],
  async load(ctx) {
    const kind = TOGETHER.find((one) => one === ctx.params.kind);
    if (kind === undefined) {
      throw kindOf(ctx.params.kind) === undefined
        ? problem("route_not_found", "This page doesn't exist. Check the address.")
        : problem("route_not_found", "You can't approve these together. Open one from Review.");
    }
    const { data: heads, meta } = await ctx.call("list_review", { kind, limit: BATCH_SIZE });
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
  view: ({ kind, entries, total }, { actor, href, workspace }) => {
    if (entries.length === 0) {
      return (
        <Empty title="Nothing to review">
          <p>
            <a href={href("/review")}>Back to review</a>
          </p>
        </Empty>
      );
    }
    const may = (kind !== "action" && kind !== "answer") || actor.approveOutbound;
    const some = may && entries.some(({ whole }) => !needsAnother(whole, workspace));
    const effects = new Set(entries.map(({ whole, around }) => effectText(whole, around, workspace)));
    return (
      <>
        <p class="lead">
          {entries.length} of {total}, oldest first.{" "}
          {some &&
            "Read the items, then select those to approve. If any selected item changed since you opened this page, none are approved. "}
          {!may && "Only teammates who can approve outbound messages can approve these. "}
          <a href={href("/review")}>Review one at a time</a>
        </p>
        {/* What all of them have in common is said once. */}
        {(effects.size === 1 || kind === "action") && (
          <p class="consequence">
            {effects.size === 1 && [...effects]} {kind === "action" && <SocialSendingOff />}
          </p>
        )}
        <Form does="approve_review" class="batch counts" label="Approve selected">
          <Hidden name="kind" value={kind} />
          {entries.map((entry, i) => (
            <article class="card together" key={entry.whole.id} aria-label={`Item ${i + 1}`}>
              <header>{may ? <Read whole={entry.whole} i={i} /> : <h2>{headingOf(entry.whole)}</h2>}</header>
              {may && needsAnother(entry.whole, workspace) && <AskAnother />}
              <Proposal {...entry} alone={false} />
              <Explanation {...entry} />
              <ConversationSoFar {...entry} alone={false} />
              {effects.size > 1 && <p class="consequence">{effectText(entry.whole, entry.around, workspace)}</p>}
            </article>
          ))}
          {some && (
            <div class="decide">
              <button type="submit" class="primary" data-needs-checked>
                Approve selected
              </button>
              <span class="ticked quiet" />
            </div>
          )}
        </Form>
      </>
    );
  },
});

/** After an error, an item stays selected only if it has not changed. */
function Read({ whole, i }: { whole: Whole; i: number }) {
  const { failed, workspace } = usePageContext();
  const typed = (name: string) => failed?.typed.get(`items.${i}.${name}`)?.[0];
  const same = typed("id") === whole.id && typed("version") === whole.version;
  return (
    <>
      <Hidden name={`items.${i}.id`} value={whole.id} />
      <Hidden name={`items.${i}.version`} value={whole.version} />
      {needsAnother(whole, workspace) ? (
        <h2>{headingOf(whole)}</h2>
      ) : (
        <label>
          <input
            type="checkbox"
            name={`items.${i}.read:flag`}
            value="true"
            checked={same && typed("read:flag") === "true"}
          />
          <strong>{headingOf(whole)}</strong>
          <span class="quiet small">I've read this and approve it</span>
        </label>
      )}
      <input type="hidden" name={`items.${i}.read:flag`} value="false" />
    </>
  );
}
