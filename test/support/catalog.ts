/** Catalog items as in a file, for tests that need their own. */
export interface RawItem {
  [field: string]: unknown;
  id: string;
  executor: Record<string, unknown>;
}

/** A valid item for people only, with the test's changes. */
export function rawItem(id: string, changes: Record<string, unknown> = {}, executor: Record<string, unknown> = {}) {
  return {
    id,
    frequency: id.startsWith("OT") ? "once" : "weekly",
    area: "Ownership",
    task: `Do what ${id} asks.`,
    done_when: null,
    why: "Somebody has to.",
    sources: [{ name: "A guide by name" }],
    applies_to: "Every team",
    channels: "all",
    automation: "human_only",
    ...changes,
    executor: { evidence_verdict: "person", person_action: "do", runner: "person", priority: 1, ...executor },
  } as RawItem;
}

/** Fields that make an item accept submissions from an assistant. */
export const DRAFTED = { automation: "ai_draft_human_approves", accepts_output_kinds: ["document"] };
export const DRAFTED_BY = { evidence_verdict: "output", person_action: "approve_change_deny", runner: "assistant" };

export function rawCatalog(...items: RawItem[]) {
  return { version: "2026.11", items };
}
