import { randomUUID } from "node:crypto";
import type { Request } from "express";
import type { ComponentChildren } from "preact";
import type { Problem } from "../../../core/problem.ts";
import { PASSWORD_LENGTH } from "../../../domain/access/session-limits.ts";
import type { ClientDirectory } from "../../../identity/oauth/clients.ts";
import type { Arrival, SignInService, Visitor } from "../../../identity/sign-in.ts";
import type { Typed } from "../../app/form-data.ts";
import { type PageAnswer, page } from "../../app/respond.ts";
import { type CookieScope, themeOf } from "../../app/session.ts";
import { TextField } from "../../ui/fields.tsx";
import { Document } from "../../ui/frame.tsx";
import { Icon } from "../../ui/icon.tsx";

/** @jsxRuntime automatic @jsxImportSource preact */

/** One request at a page that stands before the workspaces. */
export interface Ask {
  request: Request;
  /** Of a link that works once. */
  token: string;
  visitor: Visitor | undefined;
  arrival: Arrival;
  place: CookieScope;
  entrance: SignInService;
  clients: Pick<ClientDirectory, "find">;
  /** Of a POST. */
  form: Typed | undefined;
  now: number;
  /** Whether the server is reached from this machine alone. */
  staysHere: boolean;
}

export interface SignInLayout {
  /** The path without its token, for the trail. */
  name: string;
  path: RegExp;
  /** Whether the address holds a token. */
  secret?: boolean;
  answer(ask: Ask): Promise<PageAnswer>;
}

export function typedIn(form: Typed | undefined, name: string): string {
  return form?.get(name)?.[0] ?? "";
}

/** What may be shown again of a form that was refused: all but passwords, of which the names alone. */
export function shownAgain(form: Typed | undefined): Typed {
  const secret = (name: string) => ["password", "current"].includes(name);
  return new Map([...(form ?? [])].map(([name, values]) => [name, secret(name) ? [""] : values]));
}

/** By which a form that is sent twice does its work once. */
export function OnceToken() {
  return <input type="hidden" name="_token" value={randomUUID()} />;
}

interface Props {
  title: string;
  /** What the page is for, in a sentence. */
  lead?: ComponentChildren;
  children?: ComponentChildren;
}

/** A page at the entrance: one thing to do. */
export function entrancePage(request: Request, { title, lead, children }: Props, refusal?: Problem): PageAnswer {
  return page(
    refusal?.status ?? 200,
    <Document title={`${title} · Rostrum`} theme={themeOf(request)}>
      <main class="entrance">
        <p class="mark">
          <Icon name="rostrum" />
          <span>Rostrum</span>
        </p>
        <h1>{title}</h1>
        {lead !== undefined && <p class="lead">{lead}</p>}
        {children}
      </main>
    </Document>,
    { retryAfter: refusal?.retryAfter },
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */

/** Once, and shown by the browser's own means: typing it twice catches fewer mistakes than it makes. */
export function NewPassword({ name = "password", label = "Password" }: { name?: string; label?: string }) {
  return (
    <TextField
      name={name}
      type="password"
      label={label}
      hint={`At least ${PASSWORD_LENGTH.min} characters. A few words in a row do well.`}
      autoComplete="new-password"
      required
    />
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */

/** What cannot be shown, where no workspace stands around it. */
export function faultPage(request: Request, refusal: Problem): PageAnswer {
  const isSpent = refusal.code === "link_spent";
  const title = isSpent ? "This link works no more" : refusal.status === 404 ? "Not found" : "This did not work";
  const children = isSpent ? <a href="/console/sign-in">Sign in</a> : <a href="/console">Go to the console</a>;
  return entrancePage(request, { title, lead: refusal.message, children }, refusal);
}
