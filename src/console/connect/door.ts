import { createHash } from "node:crypto";
import type { Entrance, Visitor } from "../../auth/entrance.ts";
import type { MemberActor } from "../../context.ts";
import { AUTHORIZE_PATH, isRegistered, MCP_PATH } from "../../domain/connector.ts";
import { requestId } from "../../http/request-id.ts";
import { answerTo, judgeRequest, readAsker } from "../../oauth/authorization-request.ts";
import { type Client, requireRedirect } from "../../oauth/clients.ts";
import { Problem, problem } from "../../problem.ts";
import { pathWithin } from "../address.ts";
import type { InputOf } from "../answers.ts";
import type { ConsoleParts } from "../console.ts";
import { type Ask, type Door, typedIn } from "../entrance/door.tsx";
import type { Typed } from "../form-data.ts";
import { createOnce } from "../once.ts";
import { goTo, type PageAnswer } from "../respond.ts";
import { createCaller, mayCall, type Visit } from "../visit.ts";
import { consentPage, whomToAskPage } from "./consent.tsx";
import { consentToken, isConsentToken } from "./token.ts";
import { whichWorkspacePage } from "./which-workspace.tsx";

export type Membership = Awaited<ReturnType<Entrance["memberships"]>>[number];

/** One client's request, sound in all its parts, before a member who is signed in. */
export interface Asked {
  ask: Ask;
  visitor: Visitor;
  actor: MemberActor;
  membership: Membership;
  client: Client;
  redirectUri: string;
  challenge: string;
  call: Visit["call"];
  /** Ties the page's form to this session and this request. */
  token: string;
}

/** Where a person lets an MCP client in: the authorization endpoint of RFC 6749, as a page of the console. */
export function consentDoor({ operations, invoke, entrance, clients, clock, url }: ConsoleParts): Door {
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const once = createOnce<PageAnswer>(() => clock.now());

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
      const asked = { ask, visitor, actor, membership, client, redirectUri, ...judged, call: caller as Visit["call"] };
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
