/** @jsxRuntime automatic @jsxImportSource preact */
import { AUTHORIZE_PATH } from "../../domain/connector.ts";
import type { Client } from "../../oauth/clients.ts";
import { problem } from "../../problem.ts";
import { type Ask, entrancePage } from "../entrance/door.tsx";
import type { PageAnswer } from "../respond.ts";
import type { Membership } from "./door.ts";

/** For a member of several workspaces, or of none. */
export function whichWorkspacePage(
  { request }: Ask,
  client: Client,
  memberships: readonly Membership[],
  query: URLSearchParams,
): PageAnswer {
  if (memberships.length === 0) {
    const lead = "You are a member of no workspace any more. An administrator can invite you.";
    return entrancePage(request, { title: "You cannot let this client in", lead }, problem("insufficient_scope"));
  }
  const to = (workspaceId: string) => {
    const picked = new URLSearchParams(query);
    picked.set("workspace", workspaceId);
    return `${AUTHORIZE_PATH}?${picked}`;
  };
  const children = (
    <ul class="picker">
      {memberships.map(({ workspaceId, workspaceName, member }) => (
        <li key={workspaceId}>
          <a href={to(workspaceId)}>
            <strong>{workspaceName}</strong>
            <span class="quiet">{member.role}</span>
          </a>
        </li>
      ))}
    </ul>
  );
  return entrancePage(request, { title: `Which workspace is ${client.name} for?`, children });
}
