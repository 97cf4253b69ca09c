/** @jsxRuntime automatic @jsxImportSource preact */
import { operatorInWords } from "../../../context.ts";
import { inWords, statusInWords } from "../../names.ts";
import { Section, Time } from "../../parts/basics.tsx";
import type { WholeAction } from "./action.tsx";
import { OUTCOME_WORDS } from "./words.ts";

type Change = WholeAction["history"][number];

/** What was done, in words for people; a move that is not here says its own name. */
const MOVES_IN_WORDS: Record<string, string> = {
  plan: "planned it",
  edit: "changed what it says",
  approve: "approved it",
  void_approval: "took its approval back",
  claim: "claimed it",
  lapse: "freed it: the lease ran out, and nothing was started",
  start: "started it",
  complete: "reported that it is done",
  fail: "reported that it could not be done",
  turn_back: "met a closed door, and sent nothing",
  lose: "does not know what became of it",
  settle_sent: "found that it was sent",
  settle_not_sent: "found that it was not sent",
  settle_retry: "found that it was not sent, and has it tried again",
  hold: "held it",
  set_aside: "set it aside",
  release: "released it",
  resume: "released it, approved as it was",
  cancel: "cancelled it",
  withdraw: "withdrew it",
  late_stop: "noted that it must stop when it comes back",
  late_report: "was told afterwards that it was sent",
};

export function History({ action: { history, starts } }: { action: WholeAction }) {
  return (
    <>
      {starts.length > 0 && (
        <Section title="What the agent reported">
          <ol class="line card">
            {starts.map(({ started_at, by, outcome, evidence, recorded_at }) => (
              <li key={started_at}>
                <Time at={started_at} />
                <div>
                  <p>
                    {nameOf(by)}: {outcome === null ? "started, and reported nothing" : OUTCOME_WORDS[outcome]}
                    {recorded_at !== null && (
                      <span class="quiet">
                        , reported <Time at={recorded_at} />
                      </span>
                    )}
                  </p>
                  {evidence !== null && <p class="quiet">“{evidence}”</p>}
                </div>
              </li>
            ))}
          </ol>
        </Section>
      )}
      <Section title="History">
        <ol class="line card">
          {history.map((change, i) => (
            <li key={`${change.at} ${i}`}>
              <Time at={change.at} />
              <div>
                <p>
                  {nameOf(change.by)} {MOVES_IN_WORDS[change.move] ?? inWords(change.move)}
                  <Arrow {...change} />
                </p>
                {change.note !== null && <p class="quiet">“{change.note}”</p>}
                {change.copy !== null && ["plan", "edit", "void_approval"].includes(change.move) && (
                  <details class="more">
                    <summary>What it said then</summary>
                    <div class="copytext">{change.copy === "" ? "nothing" : change.copy}</div>
                  </details>
                )}
              </div>
            </li>
          ))}
        </ol>
      </Section>
    </>
  );
}

function Arrow({ from, to }: Change) {
  if (from === null || to === null || from === to) return null;
  return (
    <span class="quiet small">
      {" "}
      {statusInWords(from, "action").toLowerCase()} → {statusInWords(to, "action").toLowerCase()}
    </span>
  );
}

function nameOf({ kind, name, id }: Change["by"]): string {
  if (kind === "local_operator") return operatorInWords(id);
  return name ?? (kind === "member" ? "A former member" : "A former key");
}
