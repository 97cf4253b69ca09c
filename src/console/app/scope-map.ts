import { type HttpRoute, type Operation, pathNames } from "../../core/operation.ts";
import type { Scope } from "../../domain/access/roles.ts";

/** Something that a key may call, and by which doors. */
export interface Reachable {
  name: string;
  scope: Scope;
  http: HttpRoute | undefined;
  tool: boolean;
}

/** What the scopes open, from the operations' own list. */
export function reachOf(operations: readonly Operation[]): Reachable[] {
  return operations.flatMap(({ name, access, http, tool }) => {
    if (!("scope" in access) || access.scope === null) return [];
    return http === undefined && !tool ? [] : [{ name, scope: access.scope, http, tool: Boolean(tool) }];
  });
}

export function openedBy(reach: readonly Reachable[], scopes: readonly string[]): Reachable[] {
  return reach.filter(({ scope }) => scopes.includes(scope));
}

/** By which doors a scope is of use, in words. */
export function doorsOf(reach: readonly Reachable[], scope: Scope): string {
  const opened = openedBy(reach, [scope]);
  const doors = [
    ...(opened.some(({ tool }) => tool) ? ["MCP"] : []),
    ...(opened.some(({ http }) => http !== undefined) ? ["REST"] : []),
  ];
  return `over ${doors.join(" and ")}`;
}

/** A call that needs nothing but the key, and changes nothing. The account's own actions take a key that is bound to one. */
export function harmless(opened: readonly Reachable[], isBound: boolean): HttpRoute | undefined {
  return opened.find(
    ({ http, scope }) =>
      http?.method === "GET" && pathNames({ http }).length === 0 && (isBound || scope !== "socialnet.read"),
  )?.http;
}
