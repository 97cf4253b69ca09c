import { type HttpRoute, type Operation, pathNames } from "../../core/operation.ts";
import type { Scope } from "../../domain/access/roles.ts";

/** An operation that an API key with this scope can call, over REST, over MCP or both. */
export interface ScopedCall {
  name: string;
  scope: Scope;
  http: HttpRoute | undefined;
  tool: boolean;
}

/** Every call that needs a scope, from the list of operations. */
export function scopedCallsOf(operations: readonly Operation[]): ScopedCall[] {
  return operations.flatMap(({ name, access, http, tool }) => {
    if (!("scope" in access) || access.scope === null) return [];
    return http === undefined && !tool ? [] : [{ name, scope: access.scope, http, tool: Boolean(tool) }];
  });
}

export function callsWithScopes(calls: readonly ScopedCall[], scopes: readonly string[]): ScopedCall[] {
  return calls.filter(({ scope }) => scopes.includes(scope));
}

/** The protocols that a scope is useful for, as text. */
export function protocolsOf(calls: readonly ScopedCall[], scope: Scope): string {
  const allowed = callsWithScopes(calls, [scope]);
  const protocols = [
    ...(allowed.some(({ tool }) => tool) ? ["MCP"] : []),
    ...(allowed.some(({ http }) => http !== undefined) ? ["REST"] : []),
  ];
  return `over ${protocols.join(" and ")}`;
}

/** A read without arguments, to test a key. Socialnet reads need a key that is bound to an account. */
export function trialCall(allowed: readonly ScopedCall[], isBound: boolean): ScopedCall | undefined {
  return allowed.find(
    ({ http, scope }) =>
      http?.method === "GET" && pathNames({ http }).length === 0 && (isBound || scope !== "socialnet.read"),
  );
}
