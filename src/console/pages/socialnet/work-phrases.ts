import type { ActionKind, Outcome } from "../../../domain/socialnet/action.ts";
import type { DataOf } from "../../app/operations.ts";

export type Row = DataOf<"list_agent_work">[number];
export type Written = NonNullable<Row["record"]>;

/** What an agent did to one record, and to several. The names of the records follow. */
type Phrase = readonly [one: string, many: string];

const PHRASES: Record<string, Phrase> = {
  create_contact: ["Added contact", "Added contacts"],
  assert_contact: ["Added or updated contact", "Added or updated contacts"],
  update_contact: ["Updated contact", "Updated contacts"],
  add_contact_tags: ["Tagged contact", "Tagged contacts"],
  log_activity: ["Logged activity with", "Logged activity with"],
  create_deal: ["Added deal", "Added deals"],
  enroll_contact: ["Enrolled", "Enrolled"],
  submit_checklist_output: ["Submitted", "Submitted"],
  record_checklist_evidence: ["Recorded evidence for", "Recorded evidence for"],
};

/** The same for writes whose record has no page, or is gone. */
const ALONE: Record<string, string> = {
  create_contact: "Added a contact",
  assert_contact: "Added or updated a contact",
  update_contact: "Updated a contact",
  add_contact_tags: "Tagged a contact",
  log_activity: "Logged an activity",
  create_deal: "Added a deal",
  enroll_contact: "Enrolled a contact",
  submit_checklist_output: "Submitted a draft",
  add_suppression: "Added an address to the do-not-contact list",
  socialnet_command: "Reported to Rostrum",
};

/** By the status that an action got. */
const MOVES: Record<string, string> = {
  approved: "Put back in the queue:",
  claimed: "Claimed",
  started: "Started sending",
  completed: "Completed",
  failed: "Couldn't send",
  needs_review: "Couldn't confirm",
};
const SENT = ["connection_sent", "message_sent"] satisfies Outcome[];
const NOUNS: Record<ActionKind, Phrase> = {
  connection_request: ["connection request to", "connection requests to"],
  message: ["message to", "messages to"],
};

/**
 * What a write did, in the past tense.
 *
 * @param title the operation's title, for operations without words of their own
 */
function phraseOf({ operation, record, action }: Row, title: string): Phrase {
  if (action !== null) {
    const isSent = action.status === "completed" && SENT.some((outcome) => outcome === action.outcome);
    const verb = isSent ? "Sent" : (MOVES[action.status ?? ""] ?? "Reported on");
    const [one, many] = NOUNS[action.kind];
    return [`${verb} ${one}`, `${verb} ${many}`];
  }
  if (record?.kind === "account") return ["Checked in as", "Checked in as"];
  const alone = ALONE[operation] ?? title;
  return (record === null ? undefined : PHRASES[operation]) ?? [alone, alone];
}

/** Rows that say one thing together: the newest of them, what was done, and to which records. */
export interface WorkGroup {
  row: Row;
  phrase: Phrase;
  records: Written[];
  /** How many rows it stands for. */
  times: number;
}

/**
 * Rows of one agent that follow each other and did the same, as one.
 *
 * @param rows newest first
 */
export function groupWork(rows: readonly Row[], titleOf: (operation: string) => string): WorkGroup[] {
  const groups: WorkGroup[] = [];
  for (const row of rows) {
    const { key, record } = row;
    const phrase = phraseOf(row, titleOf(row.operation));
    const last = groups.at(-1);
    if (
      last?.row.key.id !== key.id ||
      last.phrase[0] !== phrase[0] ||
      (record === null) !== (last.records.length === 0)
    ) {
      groups.push({ row, phrase, records: record === null ? [] : [record], times: 1 });
      continue;
    }
    last.times += 1;
    if (record !== null && last.records.every(({ id }) => id !== record.id)) last.records.push(record);
  }
  return groups;
}

/**
 * What agents did without the steps on the way: of an action, only what became of it last, because it was claimed and
 * started before.
 *
 * @param rows newest first
 */
export function lastOfEach(rows: readonly Row[]): Row[] {
  const told = new Set<string>();
  return rows.filter(({ key, record, action }) => {
    const one = `${key.id} ${record?.id}`;
    if (action === null) return true;
    const isFirst = !told.has(one);
    told.add(one);
    return isFirst;
  });
}
