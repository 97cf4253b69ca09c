/** @jsxRuntime automatic @jsxImportSource preact */

import { actorNames, pageOf } from "../../app/lookups.ts";
import type { PageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Pager, Table, Time } from "../../ui/basics.tsx";
import { Choices } from "../../ui/fields.tsx";
import { amount } from "../../ui/format.ts";
import { codeLabel } from "../../ui/labels.ts";
import { AuditTabs } from "./tabs.tsx";

const SUCCESSFUL = ["signed_in", "signed_out", "password_set"] as const;
/** The sign-in log of this workspace. */
const CODES = [...SUCCESSFUL, "sign_in_failed", "scope_denied", "revoked_key", "expired_key"] as const;

/** Labels of codes that say too little on their own. */
const LABELS: Record<string, string> = {
  scope_denied: "Permission denied",
  revoked_key: "Revoked key used",
  expired_key: "Expired key used",
};
const EMPTY_TITLES: Record<(typeof CODES)[number], string> = {
  signed_in: "No sign-ins",
  signed_out: "No sign-outs",
  password_set: "No passwords set",
  sign_in_failed: "No failed sign-ins",
  scope_denied: "No denied requests",
  revoked_key: "No uses of revoked keys",
  expired_key: "No uses of expired keys",
};
const eventLabel = (code: string) => LABELS[code] ?? codeLabel(code);

/** Labels for a connected client, because no person has seen its key. */
const OF_CLIENTS: Record<string, string> = { revoked_key: "Revoked client", expired_key: "Expired client" };

/** Keys to look up names in; requests with older keys are rare. */
const NAMED = 100;

/** Names of keys by the logged prefix. A prefix that two keys share identifies neither. */
async function keysByPrefix({ may, call }: PageContext): Promise<Map<string, { name: string; isClient: boolean }>> {
  if (!may("list_keys")) return new Map();
  const { data } = await call("list_keys", { limit: NAMED });
  const isAlone = (prefix: string) => data.filter((key) => key.prefix === prefix).length === 1;
  return new Map(
    data
      .filter(({ prefix }) => isAlone(prefix))
      .map(({ prefix, name, connector_name: client }) => [prefix, { name: client ?? name, isClient: client !== null }]),
  );
}

/** Labels of the pages for people who are not signed in. */
const SIGN_IN_PAGES: readonly [RegExp, string][] = [
  [/ \/console\/sign-in$/, "Sign-in page"],
  [/ \/console\/sign-out$/, "Sign-out"],
  [/ \/console\/setup/, "Setup link"],
  [/ \/console\/invitation/, "Invitation link"],
  [/ \/console\/(reset|forgotten)/, "Password reset"],
  [/ \/console\/single-sign-on/, "Single sign-on"],
  [/ \/console\/account$/, "Account page"],
];

function Route({ route }: { route: string }) {
  if (route === "*") return <span class="quiet">Several pages or requests</span>;
  const known = SIGN_IN_PAGES.find(([pattern]) => pattern.test(route))?.[1];
  return known === undefined ? <code>{route}</code> : <span title={route}>{known}</span>;
}

export const signIns = screen({
  path: "/audit/sign-ins",
  title: "Sign-ins and refusals",
  needs: "list_auth_events",
  async load(ctx) {
    const code = CODES.find((known) => known === ctx.query.get("code"));
    const page = await ctx.call("list_auth_events", { ...pageOf(ctx), ...(code && { code }) });
    return { ...page, code, names: await actorNames(ctx), keys: await keysByPrefix(ctx) };
  },
  view: ({ data, meta, code, names, keys }) => (
    <>
      <AuditTabs />
      <Choices
        label="Event"
        name="code"
        choices={[{ value: undefined, name: "All" }, ...CODES.map((value) => ({ value, name: eventLabel(value) }))]}
      />
      {data.length === 0 ? (
        code === undefined ? (
          <Empty title="No events in the last 90 days">
            <p>Sign-ins and refused requests appear here.</p>
          </Empty>
        ) : (
          <Empty title={`${EMPTY_TITLES[code]} in the last 90 days`} />
        )
      ) : (
        <Table
          caption="Sign-ins and refusals, newest first"
          rows={data}
          keyOf={({ at, code, route, count }) => `${at} ${code} ${route} ${count}`}
          columns={[
            { name: "Time", phone: "end", cell: ({ at }) => <Time at={at} /> },
            {
              name: "Event",
              phone: "title",
              cell: ({ code, key_prefix, count }) => (
                <>
                  <Chip tone={SUCCESSFUL.some((known) => known === code) ? "done" : "stopped"}>
                    {keys.get(key_prefix ?? "")?.isClient ? (OF_CLIENTS[code] ?? eventLabel(code)) : eventLabel(code)}
                  </Chip>
                  {count > 1 && ` ${amount(count)} times`}
                </>
              ),
            },
            {
              name: "Actor",
              cell: ({ key_prefix, member_id }) =>
                key_prefix !== null ? (
                  <>
                    {keys.get(key_prefix)?.name} <code>{key_prefix}…</code>
                  </>
                ) : (
                  (names.get(member_id ?? "") ?? <span class="quiet">Unknown</span>)
                ),
            },
            { name: "IP address", cell: ({ address }) => address },
            { name: "Page or request", grow: "wrap", cell: Route },
          ]}
        />
      )}
      <Pager meta={meta} />
    </>
  ),
});
