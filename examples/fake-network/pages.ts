import { randomUUID } from "node:crypto";
import { type Html, html } from "./html.ts";
import { type Acceptance, type FakeNetwork, type Message, MOST_NOTE_CHARACTERS, type Person } from "./network.ts";

/** The message about the last action, shown once. */
export interface Notice {
  role: "status" | "alert";
  text: string;
}

export const STYLE = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem }
nav a, form { margin-right: 1rem } textarea { display: block; width: 100% }
[role=status], [role=alert] { border-left: 4px solid; padding-left: 1rem }`;

/** The page frame; the navigation is shown to signed-in visitors. */
export function page(title: string, body: Html, me?: Person, notice?: Notice): string {
  const navigation = html`<nav aria-label="Main">
    <a href="/in/${me?.handle ?? ""}">My profile</a> <a href="/inbox">Inbox</a>
    <form method="post" action="/logout" style="display: inline"><button>Sign out</button></form>
  </nav>`;
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title><link rel="stylesheet" href="/style.css"><link rel="icon" href="data:,"></head>
<body>
${me === undefined ? null : navigation}
<main>
${notice === undefined ? null : html`<p role="${notice.role}">${notice.text}</p>`}
${body}
</main>
</body>
</html>`.markup;
}

/** Distinguishes a newly filled form from one that a browser sends again. */
const once = () => html`<input type="hidden" name="once" value="${randomUUID()}">`;

export const signIn = (next: string): Html => html`<h1>Sign in</h1>
<form method="post" action="/login">
  <input type="hidden" name="next" value="${next}">
  <p><label>Name <input name="handle" autocomplete="username" required></label></p>
  <p><label>Password <input name="password" type="password" autocomplete="current-password" required></label></p>
  <button>Sign in</button>
</form>`;

export const securityCheck = html`<h1>Let’s do a quick security check</h1>
<p>Show that you are a person before you go on.</p>
<label>The letters in the picture <input name="letters"></label> <button type="button">Submit</button>`;

export const restricted = html`<h1>Your account is restricted</h1>
<p>We have noticed unusual activity. Contact us to have the restriction lifted.</p>`;

export const missing = html`<h1>This page doesn’t exist</h1><p>The profile may have been removed.</p>`;

export function home(people: readonly Person[]): Html {
  return html`<h1>People</h1><ul>${people.map(({ handle, name }) => html`<li><a href="/in/${handle}">${name}</a></li>`)}</ul>`;
}

export function profile(person: Person, relation: "self" | "none" | "pending" | "connected"): Html {
  return html`<h1>${person.name}</h1>
<p>${person.headline}</p>
${{ self: null, none: invite(person), pending: pending(), connected: writeTo(person) }[relation]}`;
}

const pending = () => html`<button type="button" disabled>Invitation pending</button>`;

const writeTo = ({ handle }: Person) => html`<p>Connected</p><a href="/messages/${handle}">Message</a>`;

const invite = ({
  handle,
  name,
}: Person) => html`<button type="button" commandfor="invite" command="show-modal">Connect</button>
<dialog id="invite" aria-labelledby="invite-title">
  <h2 id="invite-title">Invite ${name} to connect</h2>
  <form method="post" action="/in/${handle}/connect">
    ${once()}
    <label>Note <textarea name="note" rows="5" maxlength="${MOST_NOTE_CHARACTERS}"></textarea></label>
    <button>Send invitation</button>
    <button type="button" commandfor="invite" command="close">Cancel</button>
  </form>
</dialog>`;

export function conversation(
  { handle, name }: Person,
  messages: readonly Message[],
  nameOf: (handle: string) => string,
): Html {
  const said = messages.map(({ from, text }) => html`<li><strong>${nameOf(from)}</strong> <q>${text}</q></li>`);
  return html`<h1>Messages with ${name}</h1>
<ol role="log" aria-label="Conversation">${said}</ol>
<form method="post" action="/messages/${handle}">
  ${once()}
  <label>Write a message <textarea name="text" rows="5" required></textarea></label>
  <button>Send message</button>
</form>`;
}

/** Activity of others: messages, accepted invitations, and invitations to answer; newest first. */
export function inbox(me: Person, network: FakeNetwork): Html {
  const nameOf = (handle: string) => network.find(handle)?.name ?? handle;
  const who = (handle: string) => html`<a href="/in/${handle}">${nameOf(handle)}</a>`;
  const when = (at: Date) => html`<time datetime="${at.toISOString()}">${at.toUTCString()}</time>`;
  const message = (received: Message) =>
    html`<li id="${received.id}">${who(received.from)} <span>${network.isReply(received) ? "replied" : "wrote"}</span>
      ${when(received.at)} <q>${received.text}</q></li>`;
  const acceptance = ({ id, by, at }: Acceptance) => html`<li id="${id}">${who(by)} accepted ${when(at)}</li>`;
  const invitation = (from: string) => html`<li>${who(from)}
    <form method="post" action="/inbox/accept"><button name="of" value="${from}">Accept</button></form></li>`;
  const list = (title: string, items: readonly Html[]) =>
    html`<h2>${title}</h2><ul aria-label="${title}">${items}</ul>`;
  return html`<h1>Inbox</h1>
${list(
  "Messages",
  network.messages
    .filter(({ to }) => to === me.handle)
    .toReversed()
    .map(message),
)}
${list(
  "Accepted invitations",
  network.acceptances
    .filter(({ of }) => of === me.handle)
    .toReversed()
    .map(acceptance),
)}
${list("Invitations to you", network.invitationsTo(me.handle).map(invitation))}`;
}
