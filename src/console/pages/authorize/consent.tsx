/** @jsxRuntime automatic @jsxImportSource preact */

import type { Request } from "express";
import type { ComponentChildren } from "preact";
import type { MemberActor } from "../../../core/actor.ts";
import { type Problem, problem } from "../../../core/problem.ts";
import {
  AUTHORIZE_PATH,
  type CONNECTOR_SCOPES,
  isOnThisMachine,
  type OAuthClient,
  redirectHost,
} from "../../../domain/access/oauth.ts";
import type { Session } from "../../../identity/sessions.ts";
import type { SignInService } from "../../../identity/sign-in.ts";
import type { Typed } from "../../app/form-data.ts";
import type { DataOf } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";
import type { PageAnswer } from "../../app/respond.ts";
import { Address } from "../../ui/basics.tsx";
import { TextField } from "../../ui/fields.tsx";
import { PlainForm } from "../../ui/form.tsx";
import { codeLabel } from "../../ui/labels.ts";
import { renderSignInPage } from "../sign-in/layout.tsx";

export type Membership = Awaited<ReturnType<SignInService["memberships"]>>[number];

/** A valid authorization request of a client, before a member who is signed in. */
export interface ConsentRequest {
  request: Request;
  /** The fields of a POST. */
  form: Typed | undefined;
  session: Session;
  actor: MemberActor;
  membership: Membership;
  client: OAuthClient;
  redirectUri: string;
  challenge: string;
  call: PageContext["call"];
  /** Ties the page's form to this session and this request. */
  token: string;
}

/** Descriptions of the scopes for the member who approves them. */
const SCOPE_MEANINGS: Record<(typeof CONNECTOR_SCOPES)[number], ComponentChildren> = {
  "socialnet.read": "View the planned and approved actions of the social account, with recipients and exact text.",
  "socialnet.execute":
    "Send approved messages and connection requests from its own browser session, and report the results.",
};

type Account = DataOf<"list_socialnet_accounts">[number];

/** The values that were sent, and why they were refused. */
interface Failed {
  problem: Problem;
  typed: Typed;
}

/** Shows the client, its redirect and its scopes, and asks for the account that it acts for. */
export async function consentPage(consent: ConsentRequest, failed?: Failed): Promise<PageAnswer> {
  const { request, actor, membership, client, token, call } = consent;
  const accounts = await ownAccounts(call, actor.id);
  const selected = failed?.typed.get("account")?.[0] ?? accounts[0]?.id ?? "new";
  const children = (
    <>
      <Facts consent={consent} />
      <h2>Permissions</h2>
      <ul class="scopes">
        {Object.entries(SCOPE_MEANINGS).map(([scope, means]) => (
          <li key={scope}>
            {means} <code>{scope}</code>
          </li>
        ))}
      </ul>
      <p class="quiet">
        The client can't access contacts, deals or settings. It sends only approved actions. On an account that sends
        automatically, Rostrum approves most actions automatically.
      </p>
      <PlainForm id="consent" failed={failed}>
        <input type="hidden" name="consent" value={token} />
        <fieldset class="field accounts">
          <legend>Social account</legend>
          {accounts.map(({ id, label, profile_url }) => (
            <label key={id}>
              <input type="radio" name="account" value={id} checked={id === selected} />
              <span>
                {label}
                <span class="hint">
                  <Address text={profile_url} />
                </span>
              </span>
            </label>
          ))}
          <label>
            <input type="radio" name="account" value="new" checked={selected === "new"} />
            <span>{accounts.length === 0 ? "Add my account" : "Add another of my accounts"}</span>
          </label>
          <div class="new-account">
            <TextField name="new_account.label" label="Name" />
            <TextField name="new_account.profile_url" type="url" label="Profile URL" />
          </div>
        </fieldset>
        <button type="submit" name="decision" value="approve" class="primary">
          Approve {client.name}
        </button>
        <button type="submit" name="decision" value="deny">
          Reject
        </button>
      </PlainForm>
      <p class="quiet">
        An admin of {membership.workspaceName} can revoke access under Settings → API keys. Access also ends when you
        lose permission to approve outbound messages.
      </p>
    </>
  );
  const lead = (
    <>
      <strong>{client.name}</strong> wants to act for you on the professional network.
    </>
  );
  return allowRedirect(
    consent,
    renderSignInPage(request, { title: "Approve this client?", lead, children }, failed?.problem),
  );
}

/** For a member without the permission: lists the members who have it. */
export async function askApproverPage(consent: ConsentRequest): Promise<PageAnswer> {
  const { request, client, membership, token, call } = consent;
  const approvers = (await everyPage((page) => call("list_members", page))).filter((member) => member.approve_outbound);
  const children = (
    <>
      <Facts consent={consent} />
      <p>
        You need permission to approve outbound messages, because the person who approves a client is responsible for
        what it sends.
      </p>
      {approvers.length === 0 ? (
        <p>
          No one in {membership.workspaceName} has this permission. An admin can grant it under Settings → Teammates.
        </p>
      ) : (
        <>
          <h2>Ask one of these teammates to sign in from the client, or ask an admin for permission</h2>
          <ul>
            {approvers.map(({ id, name, email }) => (
              <li key={id}>
                {name}, {email}
              </li>
            ))}
          </ul>
        </>
      )}
      <PlainForm id="consent" failed={undefined}>
        <input type="hidden" name="consent" value={token} />
        <button type="submit" name="decision" value="deny">
          Back to {client.name}
        </button>
      </PlainForm>
    </>
  );
  const title = "You can't approve this client";
  return allowRedirect(consent, renderSignInPage(request, { title, children }, problem("insufficient_scope")));
}

/** For a member of several workspaces, or of none. */
export function chooseWorkspacePage(
  request: Request,
  client: OAuthClient,
  memberships: readonly Membership[],
  query: URLSearchParams,
): PageAnswer {
  if (memberships.length === 0) {
    const lead = "You don't have access to a workspace yet. Ask a workspace admin to invite you.";
    return renderSignInPage(request, { title: "You can't approve this client", lead }, problem("insufficient_scope"));
  }
  const linkTo = (workspaceId: string) => {
    const withWorkspace = new URLSearchParams(query);
    withWorkspace.set("workspace", workspaceId);
    return `${AUTHORIZE_PATH}?${withWorkspace}`;
  };
  const children = (
    <ul class="picker">
      {memberships.map(({ workspaceId, workspaceName, member }) => (
        <li key={workspaceId}>
          <a href={linkTo(workspaceId)}>
            <strong>{workspaceName}</strong>
            <span class="quiet">{codeLabel(member.role)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
  return renderSignInPage(request, { title: `Which workspace is ${client.name} for?`, children });
}

function Facts({ consent: { client, redirectUri, membership, session } }: { consent: ConsentRequest }) {
  return (
    <dl class="facts">
      <dt>Client</dt>
      <dd>
        {client.name}
        <span class="hint">{client.host === null ? "Unverified name" : `Name provided by ${client.host}`}</span>
      </dd>
      <dt>Redirects to</dt>
      <dd>
        <strong>{redirectHost(redirectUri)}</strong>
        {isOnThisMachine(redirectUri) && <span class="hint">A program on your computer</span>}
      </dd>
      <dt>Workspace</dt>
      <dd>{membership.workspaceName}</dd>
      <dt>Signed in as</dt>
      <dd>
        {session.person.name}, {session.person.email}
      </dd>
    </dl>
  );
}

/** Allows the page's form to redirect to the client. */
function allowRedirect({ redirectUri }: ConsentRequest, answer: PageAnswer): PageAnswer {
  const { protocol, origin, hostname } = new URL(redirectUri);
  // A policy can't contain an IPv6 address.
  const isNamed = ["http:", "https:"].includes(protocol) && !hostname.startsWith("[");
  return { ...answer, formAction: isNamed ? origin : protocol };
}

async function ownAccounts(call: PageContext["call"], memberId: string): Promise<Account[]> {
  const all = await everyPage((page) => call("list_socialnet_accounts", page));
  return all.filter(({ owner_member_id }) => owner_member_id === memberId);
}

const PAGE_SIZE = 100;

async function everyPage<T>(
  list: (page: { limit: number; offset: number }) => Promise<{ data: T[]; meta: { hasMore: boolean } }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let more = true; more; ) {
    const { data, meta } = await list({ limit: PAGE_SIZE, offset: all.length });
    all.push(...data);
    more = meta.hasMore;
  }
  return all;
}
