import { randomUUID } from "node:crypto";
import Database from "better-sqlite3";

/** Rows of all other kinds, so that every console screen has a long list. */
const MANY = {
  accounts: 20_000,
  deals: 50_000,
  activities: 5_000,
  enrollments: 50_000,
  audit: 100_000,
  events: 50_000,
  actions: 50_000,
  conversations: 50_000,
};

export interface Places {
  contact: string;
  account: string;
  sequence: string;
  socialnet: string;
  action: string;
  deal: string;
}

const NOW = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const STAGES = ["prospecting", "qualification", "proposal", "negotiation", "closed_won", "closed_lost"];
const STATUSES = ["active", "active", "waiting_on_action", "completed", "stopped_replied", "failed"];
const STEPS = [
  { type: "email", subject: "Hello {{first_name}}", body: "From {{sender_name}} to {{company}}", delay_days: 0 },
  { type: "wait", days: 3 },
  { type: "socialnet_message", body: "Still there?", delay_days: 0 },
];

type Row = Record<string, string | number | null>;

/** How many rows of each kind are written. */
type Many = typeof MANY;

/**
 * Fills a copy of the seed past the store, in one transaction; answers one record of each kind.
 *
 * @param share of the usual number of rows, from 0 to 1; at least one of each kind is written
 */
export function fillAround(file: string, share = 1): Places {
  const many = Object.fromEntries(
    Object.entries(MANY).map(([kind, count]) => [kind, Math.max(1, Math.round(count * share))]),
  ) as Many;
  const db = new Database(file);
  db.pragma("synchronous = OFF");
  const insert = (table: string, rows: Iterable<Row>) => {
    let statement: Database.Statement<[Row]> | undefined;
    for (const row of rows) {
      const names = Object.keys(row);
      statement ??= db.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map((n) => `@${n}`).join()})`);
      statement.run(row);
    }
  };
  const workspace_id = db.prepare<[], string>("SELECT id FROM workspaces").pluck().get() as string;
  const contacts = db
    .prepare<[number], string>("SELECT id FROM contacts WHERE archived_at IS NULL ORDER BY seq DESC LIMIT ?")
    .pluck()
    .all(many.enrollments);
  const [account, sequence, socialnet] = [randomUUID(), randomUUID(), randomUUID()];
  const [action, deal] = [randomUUID(), randomUUID()];
  const places: Places = { contact: contacts[0] as string, account, sequence, socialnet, action, deal };
  const base = { workspace_id, created_at: NOW };
  const approval = randomUUID();
  db.transaction(() => {
    insert("accounts", accounts(many.accounts, places.account, base));
    db.prepare("UPDATE contacts SET account_id = ? WHERE id IN (SELECT value FROM json_each(?))").run(
      places.account,
      JSON.stringify(contacts.slice(0, 5_000)),
    );
    insert("deals", deals(many.deals, places.deal, contacts, base));
    insert("activities", activities(many.activities, places.contact, base));
    const answered = contacts.slice(0, many.conversations).map((contact) => ({ contact, reply: randomUUID() }));
    insert("activities", replies(answered, base));
    insert("conversations", conversations(answered, base));
    insert("sequences", [
      {
        id: places.sequence,
        workspace_id,
        name: "Bench",
        description: null,
        status: "active",
        steps: JSON.stringify(STEPS),
        steps_hash: "bench",
        created_at: NOW,
        updated_at: NOW,
      },
    ]);
    insert("sequence_approvals", [
      {
        id: approval,
        workspace_id,
        sequence_id: places.sequence,
        steps_hash: "bench",
        status: "applied",
        contact_count: contacts.length,
        approved_by: "bench",
        approved_at: NOW,
        applied_by: "bench",
        applied_at: NOW,
      },
    ]);
    const enrolled = [...enrollments(contacts, places.sequence, approval, workspace_id)];
    insert("enrollments", enrolled);
    insert("sends", sends(enrolled));
    insert("audit_log", audit(many.audit, workspace_id));
    insert("auth_events", authEvents(many.events, workspace_id));
    db.prepare(
      `INSERT INTO webhooks (id, workspace_id, url, events, created_by, created_at)
       VALUES ('bench', ?, 'https://hooks.example/', '[]', 'bench', ?)`,
    ).run(workspace_id, NOW);
    insert("deliveries", deliveries(many.events, workspace_id));
    insert("socialnet_accounts", [
      {
        id: places.socialnet,
        workspace_id,
        label: "Bench",
        automation_mode: "approve_each",
        time_zone: "UTC",
        profile_url: "https://socialnet.example/in/bench",
        profile_key: "socialnet.example/in/bench",
        windows: "[]",
        daily_connection_requests: 20,
        daily_messages: 40,
        created_at: NOW,
        updated_at: NOW,
      },
    ]);
    insert("socialnet_actions", actions(many.actions, contacts, places, workspace_id));
  })();
  db.close();
  return places;
}

const counted = (count: number) => Array.from({ length: count }, (_, n) => n);

function* accounts(count: number, first: string, base: { workspace_id: string; created_at: number }): Generator<Row> {
  for (const n of counted(count)) {
    const at = base.created_at - n * MINUTE_MS;
    const name = `Company ${n}`;
    yield {
      id: n === 0 ? first : randomUUID(),
      workspace_id: base.workspace_id,
      name,
      name_key: name.toLowerCase(),
      domain: `company-${n}.example`,
      website: null,
      industry: null,
      created_at: at,
      updated_at: at,
    };
  }
}

function* deals(
  count: number,
  first: string,
  contacts: readonly string[],
  base: { workspace_id: string; created_at: number },
): Generator<Row> {
  for (const n of counted(count)) {
    yield {
      id: n === 0 ? first : randomUUID(),
      workspace_id: base.workspace_id,
      contact_id: contacts[n % contacts.length] as string,
      title: `Deal ${n}`,
      value: n,
      currency: ["EUR", "USD", "GBP"][n % 3] as string,
      stage: STAGES[n % STAGES.length] as string,
      probability: n % 100,
      expected_close_date: "2026-06-30",
      created_at: base.created_at - n * MINUTE_MS,
    };
  }
}

function* actions(count: number, contacts: readonly string[], places: Places, workspace_id: string): Generator<Row> {
  const states = ["planned", "approved", "completed", "completed", "held", "cancelled"];
  for (const n of counted(count)) {
    const at = NOW - n * MINUTE_MS;
    const recipient = `socialnet.example/in/bench-${n}`;
    yield {
      id: n === 0 ? places.action : randomUUID(),
      workspace_id,
      account_id: places.socialnet,
      contact_id: contacts[n % contacts.length] as string,
      kind: "message",
      origin: "member",
      status: states[n % states.length] as string,
      copy: "Hello.",
      planned_by: "bench",
      recipient_url: `https://${recipient}`,
      recipient_key: recipient,
      created_at: at,
      updated_at: at,
      held_from: states[n % states.length] === "held" ? "planned" : null,
    };
  }
}

function* activities(
  count: number,
  contact_id: string,
  base: { workspace_id: string; created_at: number },
): Generator<Row> {
  for (const n of counted(count)) {
    yield {
      id: randomUUID(),
      workspace_id: base.workspace_id,
      contact_id,
      type: "note_added",
      subject: "Note",
      body: "A note of some length, as people write them.",
      metadata: '{"source":"member"}',
      created_at: base.created_at - (count - n) * MINUTE_MS,
    };
  }
}

interface Answered {
  contact: string;
  reply: string;
}

function* replies(answered: readonly Answered[], base: { workspace_id: string; created_at: number }): Generator<Row> {
  for (const [n, { contact, reply }] of answered.entries()) {
    yield {
      id: reply,
      workspace_id: base.workspace_id,
      contact_id: contact,
      type: "email_reply",
      subject: "Re: Hello",
      body: "Thank you, could you tell me more about it?",
      metadata: '{"from":"p@x.example"}',
      created_at: base.created_at + n,
    };
  }
}

/** A tenth of them is unread, and half is done. */
function* conversations(
  answered: readonly Answered[],
  base: { workspace_id: string; created_at: number },
): Generator<Row> {
  for (const [n, { contact, reply }] of answered.entries()) {
    yield {
      contact_id: contact,
      workspace_id: base.workspace_id,
      status: n % 2 === 0 ? "open" : "done",
      unread: n % 10 === 0 ? 1 : 0,
      last_reply_id: reply,
      last_reply_type: "email_reply",
      last_reply_at: base.created_at + n,
      subject: "Re: Hello",
      excerpt: "Thank you, could you tell me more about it?",
      updated_at: base.created_at + n,
    };
  }
}

function* enrollments(
  contacts: readonly string[],
  sequence_id: string,
  approval_id: string,
  workspace_id: string,
): Generator<Row> {
  for (const [n, contact_id] of contacts.entries()) {
    const status = STATUSES[n % STATUSES.length] as string;
    const open = status === "active" || status === "waiting_on_action";
    const at = NOW - n * MINUTE_MS;
    yield {
      id: randomUUID(),
      workspace_id,
      sequence_id,
      contact_id,
      approval_id,
      status,
      current_step: 0,
      held_reason: open && n % 50 === 0 ? "unfilled" : null,
      due_at: open ? NOW + 10 ** 12 : null,
      enrolled_at: at,
      ended_at: open ? null : at,
    };
  }
}

function* sends(enrolled: readonly Row[]): Generator<Row> {
  for (const [n, { id, workspace_id, sequence_id, contact_id, enrolled_at }] of enrolled.entries()) {
    const at = enrolled_at as number;
    yield {
      ...({ id: randomUUID(), workspace_id, enrollment_id: id, sequence_id, contact_id, step: 0 } as Row),
      message_id: `<${n}@bench.example>`,
      address: `p${n}@x.example`,
      address_key: `p${n}@x.example`,
      subject: "Hello",
      status: n % 100 === 0 ? "unknown" : "sent",
      attempts: 1,
      last_attempt_at: at,
      created_at: at,
      updated_at: at,
    };
  }
}

function* audit(count: number, workspace_id: string): Generator<Row> {
  for (const n of counted(count)) {
    yield {
      workspace_id,
      at: NOW - (count - n) * MINUTE_MS,
      action: n % 9 ? "set_deal_stage" : "approve_sequence",
      actor_kind: "member",
      actor_id: `member-${n % 20}`,
      record_id: randomUUID(),
      before: '{"stage":"proposal"}',
      after: '{"stage":"negotiation"}',
    };
  }
}

function* authEvents(count: number, workspace_id: string): Generator<Row> {
  for (const n of counted(count)) {
    yield {
      workspace_id,
      at: NOW - (count - n) * MINUTE_MS,
      code: n % 5 ? "scope_denied" : "signed_in",
      key_prefix: "ros_live_ab",
      member_id: null,
      address: "192.0.2.7",
      route: "GET /contacts",
    };
  }
}

function* deliveries(count: number, workspace_id: string): Generator<Row> {
  for (const n of counted(count)) {
    const at = NOW - (count - n) * MINUTE_MS;
    yield {
      id: randomUUID(),
      workspace_id,
      subscription_seq: 1,
      url: "https://hooks.example/",
      host: "hooks.example",
      kind: "event",
      event_id: `msg_${n}`,
      event: "socialnet.work.available",
      body: "{}",
      status: n % 50 ? "delivered" : "dead",
      attempts: 1,
      created_at: at,
      finished_at: at,
    };
  }
}
