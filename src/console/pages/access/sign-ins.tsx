/** @jsxRuntime automatic @jsxImportSource preact */

import { actorNames, pageOf } from "../../app/lookups.ts";
import type { PageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Pager, Table, Time } from "../../ui/basics.tsx";
import { Choices } from "../../ui/fields.tsx";
import { amount } from "../../ui/format.ts";
import { codeLabel } from "../../ui/labels.ts";
import { AuditTabs } from "./tabs.tsx";

const FINE = ["signed_in", "signed_out", "password_set"];
/** The sign-in log of this workspace. */
const CODES = [...FINE, "sign_in_failed", "scope_denied", "revoked_key", "expired_key"];

/** The same for a connected client, whose key no person has seen. */
const OF_CLIENTS: Record<string, string> = { revoked_key: "Revoked client", expired_key: "Expired client" };

/** Keys to look up names in; requests with older keys are rare. */
const NAMED = 100;

/** Names of keys by the prefix that a refusal logs. A prefix that two keys share identifies neither. */
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
  [/ \/console\/sign-in$/, "The sign-in page"],
  [/ \/console\/sign-out$/, "Signing out"],
  [/ \/console\/setup/, "The setup link"],
  [/ \/console\/invitation/, "An invitation link"],
  [/ \/console\/(reset|forgotten)/, "A new password"],
  [/ \/console\/single-sign-on/, "Single sign-on"],
  [/ \/console\/account$/, "The account page"],
];

function Route({ route }: { route: string }) {
  if (route === "*") return <span class="quiet">several places</span>;
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
    return { ...page, names: await actorNames(ctx), keys: await keysByPrefix(ctx) };
  },
  view: ({ data, meta, names, keys }) => (
    <>
      <AuditTabs />
      <Choices
        label="By what happened"
        name="code"
        choices={[{ value: undefined, name: "All" }, ...CODES.map((value) => ({ value, name: codeLabel(value) }))]}
      />
      {data.length === 0 ? (
        <Empty title="Nothing of this kind in the last 90 days" />
      ) : (
        <Table
          caption="Sign-ins and refusals, newest first"
          rows={data}
          keyOf={({ at, code, route, count }) => `${at} ${code} ${route} ${count}`}
          columns={[
            { name: "When", cell: ({ at }) => <Time at={at} /> },
            {
              name: "What",
              cell: ({ code, key_prefix, count }) => (
                <>
                  <Chip tone={FINE.includes(code) ? "done" : "stopped"}>
                    {keys.get(key_prefix ?? "")?.isClient ? (OF_CLIENTS[code] ?? codeLabel(code)) : codeLabel(code)}
                  </Chip>
                  {count > 1 && ` ${amount(count)} times`}
                </>
              ),
            },
            {
              name: "Who",
              cell: ({ key_prefix, member_id }) =>
                key_prefix !== null ? (
                  <>
                    {keys.get(key_prefix)?.name} <code>{key_prefix}…</code>
                  </>
                ) : (
                  (names.get(member_id ?? "") ?? <span class="quiet">not known</span>)
                ),
            },
            { name: "From", cell: ({ address }) => address },
            { name: "Where", cell: Route },
          ]}
        />
      )}
      <Pager meta={meta} />
    </>
  ),
});
