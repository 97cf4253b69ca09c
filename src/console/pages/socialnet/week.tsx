/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { readWeek, spansOf, writeWeek } from "../../app/form-data.ts";
import { faultText, useForm } from "../../ui/form.tsx";
import type { Account } from "./labels.ts";

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const NAME = "windows:week";
const DAY_MINUTES = 1_440;
const ENTER_HOURS = "use 24-hour times, such as “9-17” or “9-12:30, 14-18”";

type Windows = Account["windows"];

/** One text field for each day. console.js also makes the strip editable. */
export function WeekFields({ windows }: { windows: Windows }) {
  const { id, failed, snapshot } = useForm();
  snapshot.set(NAME, writeWeek(windows));
  const typed = failed?.typed.get(NAME);
  const week = typed ?? writeWeek(windows);
  const wrong = typed === undefined ? undefined : wrongDay(typed, failed?.problem.faults[0] ?? "");
  return (
    <div class="field week-field">
      <Week
        week={week}
        cell={(i, day) => (
          <input
            id={`${id}-day-${i}`}
            name={NAME}
            value={week[i]}
            aria-label={`${day}, sending hours`}
            placeholder="Closed"
            autoComplete="off"
            aria-invalid={wrong === i ? "true" : undefined}
            aria-describedby={wrong === i ? `${id}-fault` : `${id}-week-hint`}
            autoFocus={wrong === i || undefined}
          />
        )}
      />
      <WeekFault day={wrong} />
      <p class="hint" id={`${id}-week-hint`}>
        Use 24-hour times: “9-17” for one block, or “9-12:30, 14-18” for two. You can also drag across the timeline. If
        a day is blank, no sequence steps are sent that day.{" "}
        <strong class="always-open">If every day is blank, they can be sent at any hour.</strong>
      </p>
    </div>
  );
}

/** Names the day in the error, because the member typed days rather than windows. */
function WeekFault({ day }: { day: number | undefined }) {
  const { id, failed, wrong, faultShown } = useForm();
  if (failed === undefined || wrong !== "windows" || faultShown.by !== undefined) return null;
  faultShown.by = "windows";
  const message = failed.problem.faults[0] ?? "";
  const fix = message.includes("later than") ? "the end time must be later than the start time" : ENTER_HOURS;
  return (
    <p class="fault" role="alert" id={`${id}-fault`}>
      {day === undefined ? faultText(message, "windows", "Hours") : `${DAYS[day]}: ${fix}.`}
    </p>
  );
}

/** Read-only hours by day. */
export function WeekShown({ windows }: { windows: Windows }) {
  const week = writeWeek(windows);
  return <Week week={week} cell={(i) => <span>{week[i] || <span class="quiet">Closed</span>}</span>} />;
}

/** The day of an error, which names a window by its index in the list. */
function wrongDay(typed: readonly string[], message: string): number | undefined {
  const [, index] = /^windows\.(\d+)\b/.exec(message) ?? [];
  const day = index === undefined ? undefined : readWeek(typed)[Number(index)]?.days[0];
  return day === undefined ? undefined : day - 1;
}

interface WeekProps {
  week: readonly string[];
  cell: (i: number, day: string) => ComponentChildren;
}

function Week({ week, cell }: WeekProps) {
  return (
    <table class="week">
      <caption class="hidden">Sending hours by day</caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">
            <span class="hidden">Timeline</span>
            <span class="scale" aria-hidden="true">
              {[0, 6, 12, 18, 24].map((hour) => (
                <span key={hour}>{hour}</span>
              ))}
            </span>
          </th>
          <th scope="col">Hours</th>
        </tr>
      </thead>
      <tbody>
        {DAYS.map((day, i) => (
          <tr key={day}>
            <th scope="row">{day}</th>
            <td class="strip">
              <Strip text={week[i] ?? ""} />
            </td>
            <td>{cell(i, day)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The sending hours of a day, on a line from midnight to midnight. */
function Strip({ text }: { text: string }) {
  return (
    <svg viewBox={`0 0 ${DAY_MINUTES} 24`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <path class="hours" d="M360 0v24M720 0v24M1080 0v24" />
      {spansOf(text).map(({ from, to }) => (
        <rect key={from} x={from} width={to - from} height="24" />
      ))}
    </svg>
  );
}
