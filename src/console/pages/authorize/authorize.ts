import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { MemberActor } from "../../../core/context.ts";
import { Problem, problem } from "../../../core/problem.ts";
import { AUTHORIZE_PATH, isRegistered, MCP_PATH } from "../../../domain/access/oauth.ts";
import { requestId } from "../../../http/reply.ts";
import { answerTo, judgeRequest, readAsker } from "../../../identity/oauth/authorization-request.ts";
import { type Client, requireRedirect } from "../../../identity/oauth/clients.ts";
import type { SignInService, Visitor } from "../../../identity/sign-in.ts";
import type { Typed } from "../../app/form-data.ts";
import { createIdempotentForms } from "../../app/idempotent-forms.ts";
import type { InputOf } from "../../app/operations.ts";
import { createCaller, mayCall, type PageContext } from "../../app/page-context.ts";
import type { ConsoleParts } from "../../app/parts.ts";
import { goTo, type PageAnswer, pathWithin } from "../../app/respond.ts";
import { type Ask, type SignInLayout, typedIn } from "../sign-in/layout.tsx";
import { consentPage, whichWorkspacePage, whomToAskPage } from "./consent.tsx";

const sign = (session: Buffer, nonce: string, subject: string) =>
  createHmac("sha256", session).update(`consent ${nonce} ${subject}`).digest("base64url");

/** What only a page drawn for this session can hold; nothing of it is kept. */
function consentToken(session: Buffer, subject: string): string {
  const nonce = randomBytes(16).toString("base64url");
  return `${nonce}.${sign(session, nonce, subject)}`;
}

function isConsentToken(token: string, session: Buffer, subject: string): boolean {
  const [nonce = "", given = ""] = token.split(".");
  const expected = sign(session, nonce, subject);
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}

export type Membership = Awaited<ReturnType<SignInService["memberships"]>>[number];

/** One client's request, sound in all its parts, before a member who is signed in. */
export interface Asked {
  ask: Ask;
  visitor: Visitor;
  actor: MemberActor;
  membership: Membership;
  client: Client;
  redirectUri: string;
  challenge: string;
  call: PageContext["call"];
  /** Ties the page's form to this session and this request. */
  token: string;
}

/** Where a person lets an MCP client in: the authorization endpoint of RFC 6749, as a page of the console. */
export function consentPages({ operations, invoke, entrance, clients, clock, url }: ConsoleParts): SignInLayout {
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const once = createIdempotentForms<PageAnswer>(() => clock.now());

  async function consent(asked: Asked, back: (answer: Record<string, string>) => PageAnswer): Promise<PageAnswer> {
    const { ask, visitor, actor } = asked;
    const may = mayCall(byName, actor, "approve_connector");
    const { form } = ask;
    if (form === undefined) return may ? consentPage(asked) : whomToAskPage(asked);
    if (!isConsentToken(typedIn(form, "consent"), visitor.hash, subjectOf(asked))) {
      throw problem("origin_not_allowed", "This form belongs to another request. Begin again from the client.");
    }
    if (typedIn(form, "decision") !== "approve") return back({ error: "access_denied" });
    if (!may) return whomToAskPage(asked);
    const sent = createHash("sha256")
      .update(JSON.stringify([...form]))
      .digest("base64");
    return once(visitor.hash.toString("base64"), sent, async () => {
      try {
        const { data } = await asked.call("approve_connector", inputOf(asked, form));
        return back({ code: data.code });
      } catch (error) {
        if (error instanceof Problem) return consentPage(asked, { problem: error, typed: form });
        throw error;
      }
    });
  }

  return {
    name: AUTHORIZE_PATH,
    path: new RegExp(`^${AUTHORIZE_PATH}$`),
    async answer(ask) {
      const { request, visitor } = ask;
      const query = new URL(request.originalUrl, "http://here").searchParams;
      const { clientId, redirectUri } = readAsker(query);
      const signIn = goTo(`/console/sign-in?next=${encodeURIComponent(pathWithin(request.originalUrl))}`);
      // For a stranger this server fetches no document.
      if (visitor === undefined && !isRegistered(clientId)) return signIn;
      const client = await clients.find(clientId, visitor?.person.id ?? "");
      requireRedirect(client, redirectUri);
      // Anybody can register an address: nobody is sent to one who has not signed in here (RFC 9700, 4.11.2).
      if (visitor === undefined) return signIn;
      const back = (answer: Record<string, string>) => goTo(answerTo(redirectUri, answer, { query, issuer: url() }));
      const judged = judgeRequest(query, url() + MCP_PATH);
      if ("error" in judged) return back({ error: judged.error, error_description: judged.description });

      const memberships = await entrance.memberships(visitor);
      const membership = chosen(memberships, query);
      if (membership === undefined) return whichWorkspacePage(ask, client, memberships, query);
      const actor = await entrance.actor(visitor, membership.workspaceId);
      if (actor === undefined) throw noMember();
      const caller = createCaller(byName, invoke, actor, { requestId: requestId(request), address: () => request.ip });
      const asked = {
        ask,
        visitor,
        actor,
        membership,
        client,
        redirectUri,
        ...judged,
        call: caller as PageContext["call"],
      };
      return consent({ ...asked, token: consentToken(visitor.hash, subjectOf(asked)) }, back);
    },
  };
}

/** The one there is, or the one that was picked. @throws Problem route_not_found */
function chosen(memberships: readonly Membership[], query: URLSearchParams): Membership | undefined {
  const [picked] = query.getAll("workspace");
  if (picked === undefined) return memberships.length === 1 ? memberships[0] : undefined;
  const found = memberships.find(({ workspaceId }) => workspaceId === picked);
  if (found === undefined) throw noMember();
  return found;
}

const noMember = () => problem("route_not_found", "There is no such workspace, or you are no member of it.");

/** What a person is shown and agrees to: a form made for something else agrees to nothing here. */
function subjectOf({ ask, actor, client }: Pick<Asked, "ask" | "actor" | "client">): string {
  return JSON.stringify([ask.request.originalUrl, actor.workspaceId, actor.id, client.name]);
}

function inputOf({ client, redirectUri, challenge }: Asked, form: Typed): InputOf<"approve_connector"> {
  const account = typedIn(form, "account");
  const named = { label: typedIn(form, "new_account.label"), profile_url: typedIn(form, "new_account.profile_url") };
  return {
    ...{ client_id: client.id, redirect_uri: redirectUri, code_challenge: challenge },
    ...(account === "new" ? { new_account: named } : { socialnet_account_id: account }),
  };
}
