import { setTimeout as pause } from "node:timers/promises";
import type { Response } from "express";
import { type FakeNetwork, type Kind, MOST_NOTE_CHARACTERS, type Person } from "./network.ts";
import type { Notice } from "./pages.ts";
import { sessionOf } from "./sign-in.ts";

export interface Sending {
  kind: Kind;
  to: Person;
  copy: string;
  /** Id of the form: browsers resend a form by themselves if a connection breaks before an answer. */
  once: string;
  /** The page with the result. */
  back: string;
}

/** Performs what a visitor sends, as far as the visitor's mode allows, and redirects to a page with the result. */
export async function send(
  network: FakeNetwork,
  response: Response,
  { kind, to, copy, once, back }: Sending,
): Promise<void> {
  const { handle: from } = sessionOf(response).person;
  const answer = (role: Notice["role"], text: string) => {
    sessionOf(response).notice = { role, text };
    response.redirect(303, back);
  };
  const mode = network.modeFor(from);
  if (kind === "connection_request" && copy.length > MOST_NOTE_CHARACTERS) {
    return answer("alert", `A note has at most ${MOST_NOTE_CHARACTERS} characters. This was not sent.`);
  }
  if (mode === "rate_limited") {
    return answer("alert", "You’ve reached the weekly invitation limit. This was not sent.");
  }
  if (mode === "refuses") return answer("alert", "Something went wrong. This was not sent.");
  network.execute({ kind, from, to: to.handle, copy }, once);
  if (mode === "ambiguous") {
    await pause(network.hangMs, undefined, { ref: false });
    response.req.socket.resetAndDestroy();
    return;
  }
  answer("status", kind === "message" ? "Message sent." : `Invitation sent to ${to.name}.`);
}
