import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Actor } from "../core/actor.ts";
import { hasAnyScope } from "../core/policy.ts";
import type { Scope } from "../domain/access/roles.ts";

interface Prompt {
  name: string;
  title: string;
  description: string;
  /** Who is offered it: a key with one of these. */
  scopes: readonly Scope[];
  text: string;
}

/** What a person can ask of an agent in a click. */
const PROMPTS: readonly Prompt[] = [
  {
    name: "work-the-checklist",
    title: "Work the checklist",
    description: "Find what is due on the social checklist, draft it, and submit it for review.",
    scopes: ["social_checklist.submit"],
    text:
      "Work the social checklist of my team in Rostrum.\n\n" +
      "1. Call list_due_checklist_items with submittable true.\n" +
      "2. Take the first item. If it has a change_request, that note says what to change.\n" +
      "3. Call get_checklist_item_context. Write in the brand voice. Claim only what the profile facts say, and repeat " +
      "no recent post.\n" +
      "4. Call submit_checklist_output with an output kind that the item accepts.\n" +
      "5. Continue with the next item, up to three in all.\n\n" +
      "Then tell me what you submitted, what needs my review, and what you skipped and why.",
  },
  {
    name: "run-as-the-accounts-agent",
    title: "Run as the account's agent",
    description: "Do one run as the browser agent of the social account that your key acts for.",
    scopes: ["socialnet.execute"],
    text:
      "Do one run as the agent of my account on the professional network, with your browser and Rostrum.\n\n" +
      "Call socialnet_command with setup and follow the instructions in its response. If nextStep is not null, tell me " +
      "what it says. If bound is false, stop. Send only what start returns, exactly, once. On a login page, a captcha or a warning, stop " +
      "and report it. End with run_report.\n\n" +
      "Then tell me what you sent, what you saw, and what I need to do.",
  },
];

export const listPrompts = (actor: Actor) => ({
  prompts: PROMPTS.filter(({ scopes }) => hasAnyScope(actor, scopes)).map(({ name, title, description }) => ({
    name,
    title,
    description,
  })),
});

/** @throws ProtocolError if the actor is offered no prompt of this name */
export function getPrompt(actor: Actor, name: unknown) {
  const prompt = PROMPTS.find((one) => one.name === name && hasAnyScope(actor, one.scopes));
  if (prompt === undefined) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      name === undefined
        ? "name is required. List the names with prompts/list."
        : `Unknown prompt ${JSON.stringify(name)}. List the names with prompts/list.`,
    );
  }
  const { description, text } = prompt;
  return { description, messages: [{ role: "user" as const, content: { type: "text" as const, text } }] };
}
