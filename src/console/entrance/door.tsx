/** @jsxRuntime automatic @jsxImportSource preact */
import { randomUUID } from "node:crypto";
import type { Request } from "express";
import type { ComponentChildren } from "preact";
import type { Arrival, Entrance, Visitor } from "../../auth/entrance.ts";
import type { ClientDirectory } from "../../oauth/clients.ts";
import type { Problem } from "../../problem.ts";
import { type Place, themeOf } from "../cookies.ts";
import { Document } from "../document.tsx";
import type { Typed } from "../form-data.ts";
import { Icon } from "../parts/icon.tsx";
import { type PageAnswer, page } from "../respond.ts";

/** One request at a page that stands before the workspaces. */
export interface Ask {
  request: Request;
  /** Of a link that works once. */
  token: string;
  visitor: Visitor | undefined;
  arrival: Arrival;
  place: Place;
  entrance: Entrance;
  clients: Pick<ClientDirectory, "find">;
  /** Of a POST. */
  form: Typed | undefined;
  now: number;
  /** Whether the server is reached from this machine alone. */
  staysHere: boolean;
}

export interface Door {
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
