/** @jsxRuntime automatic @jsxImportSource preact */

import { MAX_MEMBERS } from "../../app/lookups.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Appointment, Chip, Facts, Tabs, Time } from "../../ui/basics.tsx";
import { closedSettings } from "../../ui/closed-settings.ts";
import { amount, counted, exactly, formatDay } from "../../ui/format.ts";
import { statusLabel } from "../../ui/labels.ts";
import { SocialSendingOff } from "../../ui/sending-off.tsx";
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

/** The teammate who signs in to the profile. Undefined: no account holder is set, or they were removed. */
export function holderOf({ owner_member_id: id }: Account, members: ReadonlyMap<string, string>): string | undefined {
  if (id === null) return undefined;
  // Members beyond the first page have no name here.
  return members.get(id) ?? (members.size < MAX_MEMBERS ? undefined : "the account holder");
}

/** The choices of the field for the account holder. */
export const holderChoices = (members: ReadonlyMap<string, string>) => [
  { value: "", label: "No account holder" },
  ...[...members].map(([value, label]) => ({ value, label })),
];

/** What a sign-in waits for. Without an account holder, the page asks for one beside it. */
function signInText(isRequested: boolean, holder: string | undefined): string {
  if (!isRequested) return "Request a sign-in to continue.";
  return holder === undefined ? "No account holder is set." : `Waiting for ${holder} to sign in.`;
}

export function Hold(props: Account & { holder: string | undefined }) {
  const { held_reason, held_since, held_until, reconnect, time_zone, holder } = props;
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
      {held_reason !== "rate_limited" && ` ${signInText(reconnect !== null, holder)}`}
      {held_until !== null && (
        <>
          {" "}
          Sending resumes <Appointment at={held_until} timeZone={time_zone} />.
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
        <p class="small quiet">{counted(remaining.plan_month, "action")} left this month on your plan.</p>
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
  time_zone,
}: Pick<Account, "window" | "windows" | "time_zone">) {
  if (windows.length === 0) return <>Always open</>;
  if (open)
    return closes_at === null ? <>Open</> : <>Open, closes {<Appointment at={closes_at} timeZone={time_zone} />}</>;
  return opens_at === null ? <>Closed</> : <>Closed, opens {<Appointment at={opens_at} timeZone={time_zone} />}</>;
}

interface SummaryProps {
  account: Account;
  /** The session as a chip, or as text where a chip says it already. Without it where the hold says it. */
  session: "chip" | "text" | undefined;
}

/** The state of an account in a few lines. */
export function AccountSummary({ account, session }: SummaryProps) {
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
          account.approved === 0
            ? "0"
            : `${amount(account.approved)} (${account.claimable === 0 ? "none" : amount(account.claimable)} ready to send now)`,
        ],
      ]}
    />
  );
}

/** Only the server admin can turn on social sending. */
export function NotActivated() {
  const { workspace } = usePageContext();
  if (closedSettings(workspace.deployment).length === 0) return null;
  return (
    <p class="notice">
      <SocialSendingOff /> Agents can read and report, but not send.
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
