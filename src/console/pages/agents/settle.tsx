/** @jsxRuntime automatic @jsxImportSource preact */
import { Section } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden } from "../../parts/fields.tsx";
import { useVisit } from "../../visit.ts";
import type { WholeAction } from "./action.tsx";
import { Why } from "./decide.tsx";

/** What became of it is known to nobody but the network: a person looks, and says. */
export function Settle({ action }: { action: WholeAction }) {
  const { actor, may } = useVisit();
  if (!may("settle_socialnet_action")) return null;
  const { id, recipient_url, kind, contact_name } = action;
  const choices = [
    {
      outcome: "sent",
      opens: "It was sent…",
      submit: "Record that it was sent",
      means: `It is completed: logged with ${contact_name ?? "the contact"}, and their sequence goes on.`,
    },
    {
      outcome: "not_sent",
      opens: "It was not sent…",
      submit: "Record that it was not sent",
      means: "It has failed and is over: it is never tried again. To say the same after all, plan it anew.",
    },
    {
      outcome: "retry",
      opens: "Try it again…",
      submit: "Let the agent send it once more",
      means:
        "It is approved again, and the agent sends it once more. If it was sent after all, it arrives twice: choose this only after you have seen that it is not there.",
    },
  ] as const;
  return (
    <Section title="What became of it?">
      <div class="card stack">
        <p>
          The agent began, and cannot tell whether the {kind === "message" ? "message" : "request"} went out. Look at{" "}
          <code>{recipient_url}</code> on the social network, signed in as the account, and say what you see. Nothing is
          tried again by itself.
        </p>
        <dl class="settle">
          {choices
            .filter(({ outcome }) => outcome !== "retry" || actor.approveOutbound)
            .map(({ outcome, opens, submit, means }) => (
              <div key={outcome}>
                <dt>
                  <Confirm
                    does="settle_socialnet_action"
                    id={`settle-${outcome}`}
                    opens={opens}
                    submit={submit}
                    danger={outcome === "retry"}
                  >
                    <Hidden name="action_id" value={id} />
                    <Hidden name="outcome" value={outcome} />
                    <p>{means}</p>
                    <Why />
                  </Confirm>
                </dt>
                <dd>{means}</dd>
              </div>
            ))}
        </dl>
        {!actor.approveOutbound && (
          <p class="small quiet">Having it tried again takes the permission to approve what goes out.</p>
        )}
      </div>
    </Section>
  );
}
