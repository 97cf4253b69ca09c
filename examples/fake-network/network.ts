import { randomBytes } from "node:crypto";

export interface Person {
  handle: string;
  name: string;
  headline: string;
}

/** Fictional people of a fictional network. All have the same password, which opens nothing else. */
export const PEOPLE: readonly Person[] = [
  { handle: "robin", name: "Robin Ashworth", headline: "Sales at Rostrum" },
  { handle: "ada-okafor", name: "Ada Okafor", headline: "Head of Operations at Harbor & Pine Logistics" },
  { handle: "mateo-ferreira", name: "Mateo Ferreira", headline: "Warehouse Systems Lead" },
  { handle: "priya-raman", name: "Priya Raman", headline: "Founder of <Lumen> Orchard" },
];
export const PASSWORD = "a test password";

/** How the site behaves towards a visitor. */
export const MODES = {
  normal: "nothing is in the way",
  login_wall: "the session has ended: every page leads to the sign-in",
  captcha: "every page leads to a security check",
  captcha_at_profiles: "the start page opens; others' profiles lead to a security check",
  captcha_on_send: "pages open; sending leads to a security check, and nothing is sent",
  restricted: "the account is restricted",
  unavailable: "nobody's profile is there",
  rate_limited: "the weekly invitation limit is reached",
  refuses: "sending fails, and the site says so",
  slow: "every page takes its time",
  ambiguous: "what is sent arrives, and then the connection breaks before an answer",
} as const;
export type Mode = keyof typeof MODES;

export type Kind = "connection_request" | "message";

/** One action that a visitor requested. */
export interface Execution {
  kind: Kind;
  from: string;
  to: string;
  copy: string;
  at: Date;
}

export interface Message {
  id: string;
  from: string;
  to: string;
  text: string;
  at: Date;
}

export interface Acceptance {
  id: string;
  by: string;
  of: string;
  at: Date;
}

export const MOST_NOTE_CHARACTERS = 300;

const pair = (a: string, b: string) => [a, b].sort().join(" ");

/** The network's state. Tests and the site's pages use it alike. */
export class FakeNetwork {
  /** Every request to send, in order of arrival. */
  readonly executions: Execution[] = [];
  readonly messages: Message[] = [];
  readonly acceptances: Acceptance[] = [];
  /** The delay of a slow page, and how long an ambiguous answer hangs before it breaks. */
  slowMs = 1_500;
  hangMs = 300;
  readonly #invitations = new Map<string, { from: string; to: string }>();
  readonly #connections = new Set<string>();
  readonly #taken = new Set<string>();
  readonly #modes = new Map<string, Mode>();
  readonly #id = randomBytes(4).toString("hex");

  find(handle: string): Person | undefined {
    return PEOPLE.find((person) => person.handle === handle);
  }

  /** For one visitor, or for all without their own. */
  setMode(mode: Mode, visitor = "*"): void {
    this.#modes.set(visitor, mode);
  }

  modeFor(visitor = "*"): Mode {
    return this.#modes.get(visitor) ?? this.#modes.get("*") ?? "normal";
  }

  relation(from: string, to: string): "none" | "pending" | "connected" {
    if (this.#connections.has(pair(from, to))) return "connected";
    return this.#invitations.has(pair(from, to)) ? "pending" : "none";
  }

  /** Records what a visitor sends, once per form, whether or not it changes anything. */
  execute(execution: Omit<Execution, "at">, once: string): void {
    if (this.#taken.has(once)) return;
    this.#taken.add(once);
    const { kind, from, to, copy } = execution;
    this.executions.push({ ...execution, at: new Date() });
    if (kind === "message") this.write(from, to, copy);
    else if (this.relation(from, to) === "none") this.#invitations.set(pair(from, to), { from, to });
  }

  write(from: string, to: string, text: string): void {
    this.messages.push({ id: this.#newId("message", this.messages.length), from, to, text, at: new Date() });
  }

  /** People who invited this visitor and wait for an answer. */
  invitationsTo(handle: string): string[] {
    return [...this.#invitations.values()].filter(({ to }) => to === handle).map(({ from }) => from);
  }

  accept(by: string, of: string): void {
    if (this.#invitations.get(pair(by, of))?.to !== by) throw new Error(`${of} has not invited ${by}.`);
    this.connect(by, of);
    this.acceptances.push({ id: this.#newId("acceptance", this.acceptances.length), by, of, at: new Date() });
  }

  /** Connects two people, as if they had been connected for a long time. */
  connect(a: string, b: string): void {
    this.#invitations.delete(pair(a, b));
    this.#connections.add(pair(a, b));
  }

  conversation(a: string, b: string): Message[] {
    return this.messages.filter(({ from, to }) => pair(from, to) === pair(a, b));
  }

  /** Whether its reader had written before, even if only with an invitation. */
  isReply({ from, to, id }: Message): boolean {
    const said = this.conversation(from, to);
    const before = said.slice(
      0,
      said.findIndex((message) => message.id === id),
    );
    const invited = ({ kind, ...execution }: Execution) =>
      kind === "connection_request" && execution.from === to && execution.to === from;
    return before.some((earlier) => earlier.from === to) || this.executions.some(invited);
  }

  #newId(kind: string, count: number): string {
    return `${kind}-${this.#id}-${count + 1}`;
  }
}
