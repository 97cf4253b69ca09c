/** @jsxRuntime automatic @jsxImportSource preact */

import { usePageContext } from "../../app/page-context.ts";
import { Chip, Facts, Tabs, Time } from "../../ui/basics.tsx";
import { closedSettings } from "../../ui/closed-settings.ts";
import { amount, exactly, formatDay } from "../../ui/format.ts";
import { statusLabel } from "../../ui/labels.ts";
import { Meter, Status } from "../../ui/status.tsx";
import { type Account, at, HOLD_DETAILS, HOLD_LABELS, MODES, WRONG_ACCOUNT } from "./labels.ts";

type SessionState = Pick<Account, "session" | "session_since" | "session_at">;

interface SessionProps extends SessionState {
  /** Where a chip says it already. */
  isText?: boolean;
}

/** The session as a chip. */
export function SessionChip({ session, session_at }: Pick<SessionState, "session" | "session_at">) {
  if (session_at === null) return <Chip>No check-in yet</Chip>;
  if (session === null) return <Chip tone="stopped">{WRONG_ACCOUNT} signed in</Chip>;
  return <Status of={session} />;
}

export function NetworkSession({ session, session_since, session_at, isText = false }: SessionProps) {
  return (
    <>
      {isText && session !== null && session_at !== null ? (
        statusLabel(session)
      ) : (
        <SessionChip session={session} session_at={session_at} />
      )}{" "}
      {session_at !== null && session !== null && session_since !== null && (
        <span class="quiet nowrap">
          <Since at={session_since} />
        </span>
      )}
    </>
  );
}

/** The day on which a status began, with the exact time on hover. */
function Since({ at }: { at: string }) {
  return (
    <>
      since{" "}
      <time dateTime={at} title={exactly(at)}>
        {formatDay(at)}
      </time>
    </>
  );
}

/** Why the account is on hold, as a chip. */
export function HoldChip({ reason }: { reason: NonNullable<Account["held_reason"]> }) {
  return <Status of={reason} label={`On hold: ${HOLD_LABELS[reason]}`} />;
}

export function Hold({ held_reason, held_since, held_until, reconnect }: Account) {
  if (held_reason === null) return null;
  return (
    <p>
      <HoldChip reason={held_reason} />{" "}
      {held_since !== null && (
        <span class="quiet">
          <Since at={held_since} />
        </span>
      )}
      <br />
      {HOLD_DETAILS[held_reason]}
      {held_reason !== "rate_limited" &&
        (reconnect === null ? " Request a sign-in to continue." : " Waiting for the account holder to sign in.")}
      {held_until !== null && (
        <>
          {" "}
          Sending resumes <Time at={held_until} />.
        </>
      )}
    </p>
  );
}

/** Today's limits, as two thin bars with text. */
export function Limits({ daily_limits, started_today, remaining }: Account) {
  return (
    <div class="limits">
      <Limit
        name="Connection requests"
        used={started_today.connection_requests}
        of={daily_limits.connection_requests}
      />
      <Limit name="Messages" used={started_today.messages} of={daily_limits.messages} />
      {remaining.plan_month !== null && (
        <p class="small quiet">{amount(remaining.plan_month)} left this month on your plan.</p>
      )}
    </div>
  );
}

function Limit({ name, used, of }: { name: string; used: number; of: number }) {
  const full = used >= of;
  const words = `${used} of ${of} today${full ? ", limit reached" : ""}`;
  return (
    <div>
      <p class="small">
        <span>{name}</span> <span class="quiet">{words}</span>
      </p>
      <Meter
        label={`${name}: ${words}`}
        parts={[{ share: of === 0 ? 1 : used / of, tone: full ? "needs" : "accent" }]}
      />
    </div>
  );
}

export function SendingHoursStatus({
  window: { open, opens_at, closes_at },
  windows,
}: Pick<Account, "window" | "windows">) {
  if (windows.length === 0) return <>Always open</>;
  if (open) return closes_at === null ? <>Open</> : <>Open, closes {<Time at={closes_at} />}</>;
  return opens_at === null ? <>Closed</> : <>Closed, opens {<Time at={opens_at} />}</>;
}

interface SummaryProps {
  account: Account;
  /** The number of approved actions that wait for the agent. */
  approved: number;
  /** The session as a chip, or as text where a chip says it already. Without it where the hold says it. */
  session: "chip" | "text" | undefined;
}

/** The state of an account in a few lines. */
export function AccountSummary({ account, approved, session }: SummaryProps) {
  return (
    <Facts
      facts={[
        ...(session === undefined
          ? []
          : [["Session", <NetworkSession {...account} isText={session === "text"} />] as const]),
        ["Last check-in", <Time at={account.session_at} />],
        ["Mode", MODES[account.automation_mode].name],
        ["Sending hours", <SendingHoursStatus {...account} />],
        [
          "Approved actions",
          approved === 0
            ? "0"
            : `${amount(approved)} (${account.claimable === 0 ? "none" : amount(account.claimable)} ready to send now)`,
        ],
      ]}
    />
  );
}

/** Only the server admin can turn on social sending. */
export function NotActivated() {
  const { workspace } = usePageContext();
  const closed = closedSettings(workspace.deployment);
  if (closed.length === 0) return null;
  return (
    <p class="notice">
      <Chip tone="needs">Social sending is off</Chip> Agents can read and report, but not send. To turn it on, ask your
      server admin to start the server with <code>{closed.map(({ setting }) => setting).join(" ")}</code>.
    </p>
  );
}

export function AccountTabs({ id }: { id: string }) {
  const { may } = usePageContext();
  return (
    <Tabs
      label="Account pages"
      tabs={[
        { name: "Overview", path: at(id) },
        { name: "Hours and limits", path: at(id, "/rules") },
        { name: "Health", path: at(id, "/health") },
        { name: "Runs", path: at(id, "/runs") },
        ...(may("create_key") ? [{ name: "Connect agent", path: at(id, "/connect") }] : []),
      ]}
    />
  );
}
