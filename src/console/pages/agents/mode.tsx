/** @jsxRuntime automatic @jsxImportSource preact */
import type { AutomationMode } from "../../../domain/socialnet-account.ts";
import { Chip, Section } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { useVisit } from "../../visit.ts";
import { type Account, MODES } from "./words.ts";

const TAKES: Record<Exclude<AutomationMode, "automatic">, string> = {
  off: "Turn automation off",
  approve_each: "Have a person approve each",
};

/** How far the account acts by itself. Less is one click; letting it send without being asked asks first. */
export function Mode({ account: { id, automation_mode: mode } }: { account: Account }) {
  const { actor, may } = useVisit();
  return (
    <Section title="Mode" action={<Chip tone={mode === "automatic" ? "needs" : "plain"}>{MODES[mode].name}</Chip>}>
      <div class="card stack">
        <p>{MODES[mode].say}</p>
        <div class="bar">
          {(["off", "approve_each"] as const)
            .filter((other) => other !== mode)
            .map((other) => (
              <Form
                does="update_socialnet_account"
                id={`mode-${other}`}
                key={other}
                class="inline"
                label={TAKES[other]}
              >
                <Hidden name="account_id" value={id} />
                <Hidden name="automation_mode" value={other} />
                <button type="submit">{TAKES[other]}</button>
              </Form>
            ))}
          {mode !== "automatic" && actor.approveOutbound && (
            <Confirm
              does="update_socialnet_account"
              id="mode-automatic"
              opens="Make it automatic…"
              submit="Let it send without asking"
              danger
            >
              <Hidden name="account_id" value={id} />
              <Hidden name="automation_mode" value="automatic" />
              <p>
                <strong>Nobody looks at it any more.</strong> Everything that is planned for this account is approved at
                once, and so is whatever sequences plan from now on. It is sent as it reads, within the windows and
                limits.
              </p>
              <p class="quiet">
                Taking it back is one click: what only the account had approved then waits for a person again, but for
                what an agent has started.
              </p>
            </Confirm>
          )}
        </div>
        {mode !== "automatic" && !actor.approveOutbound && may("update_socialnet_account") && (
          <p class="small quiet">Making it automatic takes the permission to approve what goes out.</p>
        )}
      </div>
    </Section>
  );
}
