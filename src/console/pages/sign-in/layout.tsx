/** @jsxRuntime automatic @jsxImportSource preact */

import { randomUUID } from "node:crypto";
import type { Request } from "express";
import type { ComponentChildren } from "preact";
import type { ClientFinder } from "../../../core/context.ts";
import type { Problem } from "../../../core/problem.ts";
import { PASSWORD_LENGTH } from "../../../domain/access/session-limits.ts";
import type { Session } from "../../../identity/sessions.ts";
import type { SignInRequest, SignInService } from "../../../identity/sign-in.ts";
import type { Typed } from "../../app/form-data.ts";
import { type PageAnswer, page } from "../../app/respond.ts";
import { type CookieScope, themeOf } from "../../app/session.ts";
import { TextField } from "../../ui/fields.tsx";
import { Document } from "../../ui/frame.tsx";
import { Icon } from "../../ui/icon.tsx";

/** A page outside the workspaces: sign-in, links, account, authorization of clients. */
export interface SignInPage {
  /** The path without its token, for the auth log. */
  name: string;
  path: RegExp;
  /** Whether the address holds a token. */
  secret?: boolean;
  answer(pageRequest: SignInPageRequest): Promise<PageAnswer>;
}

export interface SignInPageRequest {
  request: Request;
  /** The token of a one-time link, from the path. */
  token: string;
  /** Undefined if signed out. */
  session: Session | undefined;
  signInRequest: SignInRequest;
  cookieScope: CookieScope;
  signInService: SignInService;
  clients: ClientFinder;
  /** The fields of a POST. */
  form: Typed | undefined;
  now: number;
  /** Whether the server can be reached from this machine alone. */
  isLocalOnly: boolean;
}

interface Content {
  title: string;
  /** The purpose of the page, in one sentence. */
  lead?: ComponentChildren;
  children?: ComponentChildren;
}

/** The layout of these pages: logo, title and one task. A problem sets the HTTP status. */
export function renderSignInPage(request: Request, { title, lead, children }: Content, refusal?: Problem): PageAnswer {
  return page(
    refusal?.status ?? 200,
    <Document title={`${title} · Rostrum`} theme={themeOf(request)}>
      <main class="sign-in">
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

export function fieldValue(form: Typed | undefined, name: string): string {
  return form?.get(name)?.[0] ?? "";
}

/** The values to show again after an error, without passwords. */
export function withoutPasswords(form: Typed | undefined): Typed {
  const isPassword = (name: string) => ["password", "current"].includes(name);
  return new Map([...(form ?? [])].map(([name, values]) => [name, isPassword(name) ? [""] : values]));
}

/** A hidden field that makes a form idempotent. */
export function FormToken() {
  return <input type="hidden" name="_token" value={randomUUID()} />;
}

/** One field, because browsers can show the password, and a second one causes more mistakes than it catches. */
export function NewPassword({ name = "password", label = "Password" }: { name?: string; label?: string }) {
  return (
    <TextField
      name={name}
      type="password"
      label={label}
      hint={`At least ${PASSWORD_LENGTH.min} characters. Try a short phrase.`}
      autoComplete="new-password"
      required
    />
  );
}
