import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { ClientFinder } from "../../../core/context.ts";
import type { Invoke } from "../../../core/invoke.ts";
import type { Operation } from "../../../core/operation.ts";
import { Problem, problem } from "../../../core/problem.ts";
import { AUTHORIZE_PATH, isRegistered, MCP_PATH } from "../../../domain/access/oauth.ts";
import { requestId } from "../../../http/json.ts";
import type { ConnectionLog } from "../../../identity/connection-log.ts";
import {
  authorizationResponseUrl,
  checkAuthorizationRequest,
  findClient,
  readClientAndRedirect,
} from "../../../identity/oauth/authorization-request.ts";
import type { SignInService } from "../../../identity/sign-in.ts";
import type { Clock } from "../../../lib/time.ts";
import type { Typed } from "../../app/form-data.ts";
import { createIdempotentForms } from "../../app/idempotent-forms.ts";
import type { InputOf } from "../../app/operations.ts";
import { createCaller, mayCall, type PageContext } from "../../app/page-context.ts";
import { goTo, type PageAnswer, pathWithin } from "../../app/respond.ts";
import { fieldValue, type SignInPage } from "../sign-in/layout.tsx";
import { askApproverPage, type ConsentRequest, chooseWorkspacePage, consentPage, type Membership } from "./consent.tsx";

export interface AuthorizeParts {
  operations: readonly Operation[];
  invoke: Invoke;
  signInService: SignInService;
  clients: ClientFinder;
  connections: Pick<ConnectionLog, "opened" | "declined">;
  clock: Clock;
  /** The issuer: the public address of this server, without a trailing slash. */
  url: () => string;
}

const PATH = new RegExp(`^${AUTHORIZE_PATH}$`);

/** The authorization endpoint of RFC 6749, as a console page where a member approves or rejects an MCP client. */
export function authorizePage(parts: AuthorizeParts): SignInPage {
  const { operations, invoke, signInService, clients, connections, clock, url } = parts;
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const idempotent = createIdempotentForms<PageAnswer>(() => clock.now());

  async function decide(
    consent: ConsentRequest,
    redirectBack: (response: Record<string, string>) => PageAnswer,
  ): Promise<PageAnswer> {
    const { session, actor, form } = consent;
    const may = mayCall(byName, actor, "approve_connector");
    const declined = (code: string, message: string) =>
      connections.declined({ code, message }, consent.client.id, consent.request.ip);
    if (!may) declined("insufficient_scope", "The teammate who signed in can't approve outbound messages.");
    if (form === undefined) return may ? consentPage(consent) : askApproverPage(consent);
    if (!isConsentToken(fieldValue(form, "consent"), session.hash, subjectOf(consent))) {
      throw problem("origin_not_allowed", "This form belongs to another request. Start again from the client.");
    }
    if (fieldValue(form, "decision") !== "approve") {
      if (may) declined("access_denied", "The teammate who signed in rejected the request.");
      return redirectBack({ error: "access_denied" });
    }
    if (!may) return askApproverPage(consent);
    const digest = createHash("sha256")
      .update(JSON.stringify([...form]))
      .digest("base64");
    return idempotent(session.hash.toString("base64"), digest, async () => {
      try {
        const { data } = await consent.call("approve_connector", inputOf(consent, form));
        return redirectBack({ code: data.code });
      } catch (error) {
        if (error instanceof Problem) return consentPage(consent, { problem: error, typed: form });
        throw error;
      }
    });
  }

  return {
    name: AUTHORIZE_PATH,
    path: PATH,
    async answer({ request, session, form }) {
      const query = new URL(request.originalUrl, "http://here").searchParams;
      const { clientId, redirectUri } = readClientAndRedirect(query);
      const signIn = goTo(`/console/sign-in?next=${encodeURIComponent(pathWithin(request.originalUrl))}`);
      // No document is fetched before a member has signed in.
      if (session === undefined && !isRegistered(clientId)) return signIn;
      const asked = { clientId, redirectUri };
      const client = await findClient(clients, asked, session?.person.id ?? "").catch((error: unknown) => {
        if (error instanceof Problem) connections.declined(error, clientId, request.ip);
        throw error;
      });
      connections.opened(client.id, client.name, request.ip);
      // A client can register any redirect URI, so no browser is redirected to one before sign-in (RFC 9700, 4.11.2).
      if (session === undefined) return signIn;
      const redirectBack = (response: Record<string, string>) =>
        goTo(authorizationResponseUrl(redirectUri, response, { query, issuer: url() }));
      const checked = checkAuthorizationRequest(query, url() + MCP_PATH);
      if ("error" in checked) {
        connections.declined({ code: checked.error, message: checked.description }, client.id, request.ip);
        return redirectBack({ error: checked.error, error_description: checked.description });
      }

      const memberships = await signInService.memberships(session);
      const membership = selectMembership(memberships, query);
      if (membership === undefined) return chooseWorkspacePage(request, client, memberships, query);
      const actor = await signInService.actor(session, membership.workspaceId);
      if (actor === undefined) throw notMember();
      const caller = createCaller(byName, invoke, actor, { requestId: requestId(request), address: () => request.ip });
      const call = caller as PageContext["call"];
      const { challenge } = checked;
      const consent = { request, form, session, actor, membership, client, redirectUri, challenge, call };
      return decide({ ...consent, token: consentToken(session.hash, subjectOf(consent)) }, redirectBack);
    },
  };
}

/** The only membership, or the one that the query selects. @throws Problem route_not_found */
function selectMembership(memberships: readonly Membership[], query: URLSearchParams): Membership | undefined {
  const [selected] = query.getAll("workspace");
  if (selected === undefined) return memberships.length === 1 ? memberships[0] : undefined;
  const found = memberships.find(({ workspaceId }) => workspaceId === selected);
  if (found === undefined) throw notMember();
  return found;
}

const notMember = () => problem("route_not_found", "This workspace doesn't exist, or you don't have access to it.");

type ConsentSubject = Pick<ConsentRequest, "request" | "actor" | "client">;

/** What the member sees and approves. A form that was rendered for another subject is rejected. */
function subjectOf({ request, actor, client }: ConsentSubject): string {
  return JSON.stringify([request.originalUrl, actor.workspaceId, actor.id, client.name]);
}

/** A token that is valid only for this session and subject. Nothing is stored. */
function consentToken(session: Buffer, subject: string): string {
  const nonce = randomBytes(16).toString("base64url");
  return `${nonce}.${signConsent(session, nonce, subject)}`;
}

function isConsentToken(token: string, session: Buffer, subject: string): boolean {
  const [nonce = "", given = ""] = token.split(".");
  const expected = signConsent(session, nonce, subject);
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}

function signConsent(session: Buffer, nonce: string, subject: string): string {
  return createHmac("sha256", session).update(`consent ${nonce} ${subject}`).digest("base64url");
}

function inputOf({ client, redirectUri, challenge }: ConsentRequest, form: Typed): InputOf<"approve_connector"> {
  const request = { client_id: client.id, redirect_uri: redirectUri, code_challenge: challenge };
  const account = fieldValue(form, "account");
  if (account !== "new") return { ...request, socialnet_account_id: account };
  const label = fieldValue(form, "new_account.label");
  return { ...request, new_account: { label, profile_url: fieldValue(form, "new_account.profile_url") } };
}
