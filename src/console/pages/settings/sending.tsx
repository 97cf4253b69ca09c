/** @jsxRuntime automatic @jsxImportSource preact */
import { toInput } from "../../form-data.ts";
import { Facts, Section } from "../../parts/basics.tsx";
import { Checks, TextField } from "../../parts/fields.tsx";
import { EnterButton, Form } from "../../parts/form.tsx";
import { useVisit } from "../../visit.ts";

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"].map((label, i) => ({
  value: String(i + 1),
  label,
}));

type Window = { days: number[]; from: string; to: string };

/** When mail goes out, how much of it, and in whose name. */
export function Sending() {
  const { workspace, may, draft, failed } = useVisit();
  const { time_zone, windows, daily_cap, sender_name } = workspace.sending_policy;
  if (!may("set_sending_policy")) {
    return (
      <Section title="Sending">
        <Facts
          facts={[
            ["Time zone", time_zone],
            ["Open", windows.length === 0 ? "always" : windows.map(windowInWords).join("; ")],
            ["At most a day", daily_cap ?? "no limit"],
            ["Sender's name", sender_name],
          ]}
        />
      </Section>
    );
  }
  const typed = draft ?? (failed?.form === "set_sending_policy" ? failed.typed : undefined);
  const shown = typed === undefined ? windows : again(toInput(typed).windows, typed.get("_again")?.[0]);
  const kept = draft === undefined ? undefined : toInput(draft);
  return (
    <Section title="Sending">
      <Form does="set_sending_policy" class="card" label="Sending">
        <EnterButton>Set the sending policy</EnterButton>
        <div class="pair">
          <TextField
            name="time_zone"
            label="Time zone"
            hint="By its IANA name: Europe/Berlin."
            value={String(kept?.time_zone ?? time_zone)}
          />
          <TextField
            name="daily_cap"
            kind="limit"
            type="number"
            label="Messages a day at most"
            hint="Left empty, there is no limit."
            value={kept === undefined ? daily_cap : String(kept.daily_cap ?? "")}
          />
          <TextField
            name="sender_name"
            kind="nullable"
            label="Sender's name"
            hint="Fills {{sender_name}}."
            value={kept === undefined ? sender_name : String(kept.sender_name ?? "")}
          />
        </div>
        {shown.length === 0 && <input type="hidden" name="windows:list" value="" />}
        {shown.map(({ days, from, to }, i) => (
          <div class="step" key={i}>
            <Checks
              name={`windows.${i}.days`}
              kind="numbers"
              label={`Window ${i + 1}: days`}
              choices={DAYS}
              chosen={days.map(String)}
            />
            <div class="pair">
              <TextField name={`windows.${i}.from`} label="From" type="time" value={from} />
              <TextField name={`windows.${i}.to`} label="To" type="time" value={to} />
            </div>
            <div>
              <button type="submit" name="_again" value={`remove.${i}`} class="plain" formNoValidate>
                Remove this window
              </button>
            </div>
          </div>
        ))}
        <p class="hint">
          {shown.length === 0 ? "Without a window, sending is always open." : "Nothing is sent outside the windows."}
        </p>
        <div class="bar">
          <button type="submit" class="primary">
            Set the sending policy
          </button>
          <button type="submit" name="_again" value="add" formNoValidate>
            Add a window
          </button>
        </div>
      </Form>
    </Section>
  );
}

function again(given: unknown, act: string | undefined): Window[] {
  const windows = (Array.isArray(given) ? given : []).map((window: Partial<Window>) => ({
    days: Array.isArray(window.days) ? window.days : [],
    from: window.from ?? "",
    to: window.to ?? "",
  }));
  if (act === "add") return [...windows, { days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" }];
  if (act?.startsWith("remove.")) return windows.filter((_, i) => i !== Number(act.slice("remove.".length)));
  return windows;
}

function windowInWords({ days, from, to }: Window): string {
  return `${days.map((day) => DAYS[day - 1]?.label.slice(0, 3)).join(", ")} ${from} to ${to}`;
}
