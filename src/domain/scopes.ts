/** The scopes of the agent door. Deny by default: none implies another. */
export const SCOPES = {
  "contacts.read": "List, get and query contacts; Brain views over MCP.",
  "contacts.write": "Create, assert and update contacts; add tags.",
  "sequences.read": "List sequences.",
  "sequences.write": "Enroll a contact.",
  "deals.write": "Create a deal.",
  "activities.write": "Log an activity.",
  "suppression.write": "Add to the suppression list.",
  "social_checklist.read": "Read the checklist, what is due, and an item's context.",
  "social_checklist.submit": "Hand an output to a person, as a draft post or a pending card.",
  "social_checklist.record": "Record an assistant's evidence.",
  "socialnet.read": "Read the assigned socialnet actions.",
  "socialnet.execute": "Run the socialnet agent's commands.",
} as const;

export type Scope = keyof typeof SCOPES;

export const ALL_SCOPES = Object.keys(SCOPES) as readonly Scope[];

/** Keeps the scopes that exist, once each, in the table's order; the rest is dropped without a word. */
export function recognisedScopes(given: readonly string[]): Scope[] {
  return ALL_SCOPES.filter((scope) => given.includes(scope));
}
