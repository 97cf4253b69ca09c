import type pg from "pg";
import { NOON } from "./conformance/fixtures.ts";

const CONTACTS = 20_000;

/** As idOf of a number in SQL. */
const id = (number: string) => `('01900000-0000-7000-8000-' || lpad(to_hex((${number})::int), 12, '0'))`;
/** The workspace of a contact: half of them are in the first one, the others in nine more. */
const workspaceOf = (contact: string) =>
  id(`CASE WHEN (${contact}) % 2 = 0 THEN 1 ELSE 2 + ((${contact}) / 2) % 9 END`);
/** Minutes before noon. */
const ago = (minutes: string) => `${NOON} - (${minutes})::bigint * 60000`;
const oneOf = (number: string, ...values: string[]) =>
  `(ARRAY[${values.map((value) => `'${value}'`)}])[1 + (${number}) % ${values.length}]`;

const c = `(g % ${CONTACTS})`;
const ofContact = { workspace_id: workspaceOf(c), contact_id: id(c) };
const address = `('p' || ${c} || '@x.example')`;
const profile = `('socialnet.example/in/p' || ${c})`;

/** How many rows each table gets, and how row `g` differs from others. Other columns are null, or the same in all. */
const TABLES: Record<string, [rows: number, columns: Record<string, string>]> = {
  workspaces: [10, { id: id("1 + g"), name: "'w' || g" }],
  people: [200, { id: id("g"), email_key: address, name: "'n' || g" }],
  members: [200, { id: id("g"), workspace_id: id("1 + g % 10"), person_id: id("g"), email_key: address }],
  identities: [200, { issuer: "'i'", subject: "'s' || g", person_id: id("g") }],
  sessions: [2_000, { hash: "int8send(g)", person_id: id("g % 200"), seen_at: ago("g") }],
  api_keys: [
    300,
    {
      id: id("g"),
      workspace_id: id("1 + g % 10"),
      hash: "int8send(g)",
      prefix: "'p' || g",
      created_at: ago("g"),
      expires_at: `CASE WHEN g % 10 = 0 THEN ${NOON + 1_000_000_000} END`,
      revoked_at: `CASE WHEN g % 100 = 0 THEN ${ago("g")} END`,
    },
  ],
  contacts: [
    CONTACTS,
    {
      id: id("g"),
      workspace_id: workspaceOf("g"),
      email: address,
      email_key: address,
      first_name: "'Ada' || g % 1000",
      last_name: "'Lovelace' || g % 3000",
      company: "CASE WHEN g % 3 > 0 THEN 'Company ' || g % 500 END",
      socialnet_url: `'https://' || ${profile}`,
      socialnet_key: profile,
      lifecycle: oneOf("g / 7", "prospect", "prospect", "prospect", "lead", "opportunity", "customer"),
      source: oneOf("g / 11", "import", "public_api", "member"),
      account_id: `CASE WHEN g % 3 > 0 THEN ${id("g % 2000")} END`,
      created_at: ago("20000 - g"),
      updated_at: ago("(g * 7) % 20000"),
      archived_at: `CASE WHEN g % 50 = 3 THEN ${NOON} END`,
    },
  ],
  contact_tags: [CONTACTS, { workspace_id: workspaceOf("g"), tag: "'t' || g % 20", contact_id: id("g") }],
  contact_provenance: [40_000, { contact_seq: c, field: oneOf("g / 20000", "email", "company") }],
  accounts: [
    4_000,
    { id: id("g"), workspace_id: workspaceOf("g"), name_key: "'a' || g", domain: "'a' || g || '.example'" },
  ],
  record_words: [
    20_000,
    {
      workspace_id: workspaceOf("g"),
      kind: oneOf("g", "account", "deal", "sequence", "post"),
      word: "'w' || g % 3000",
      record_id: id("g"),
    },
  ],
  activities: [
    60_000,
    {
      ...ofContact,
      id: id("g"),
      type: oneOf("g / 20000 + g", "note_added", "email_sent", "socialnet_reply", "suppressed", "meeting_booked"),
      metadata: "'{}'",
      profile_key: `CASE WHEN (g / 20000 + g) % 5 = 2 THEN ${profile} END`,
      created_at: ago("60000 - g"),
    },
  ],
  meetings: [4_000, { ...ofContact, id: id("g") }],
  bant_assessments: [4_000, { ...ofContact, id: id("g"), answers: "'{}'" }],
  deals: [
    10_000,
    {
      ...ofContact,
      id: id("g"),
      value: "g",
      currency: oneOf("g", "EUR", "USD"),
      stage: oneOf("g / 3", "prospecting", "qualification", "proposal", "negotiation", "closed_won", "closed_lost"),
      owner_id: id("g % 7"),
      created_at: ago("g"),
    },
  ],
  sequences: [
    100,
    { id: id("g"), workspace_id: id("1 + g % 10"), status: oneOf("g / 10", "active", "draft"), steps: "'[]'" },
  ],
  sequence_approvals: [
    2_000,
    {
      id: id("g"),
      workspace_id: id("1 + g % 10"),
      sequence_id: id("g % 100"),
      status: oneOf("g", "applied", "applied", "voided", "approved"),
      approved_at: ago("g"),
    },
  ],
  approval_contacts: [CONTACTS, { approval_id: id("g % 2000"), contact_id: id("g"), copy_hash: "'h'" }],
  enrollments: [
    CONTACTS,
    {
      ...ofContact,
      id: id("g"),
      sequence_id: id("g % 100"),
      approval_id: id("g % 2000"),
      status: oneOf("g / 3", "active", "waiting_on_action", "completed", "stopped_replied"),
      held_reason: "CASE WHEN g % 97 = 0 THEN 'unfilled' END",
      postponed_reason: "CASE WHEN g % 89 = 0 THEN 'daily_cap' END",
      due_at: `CASE WHEN g % 3 = 0 THEN ${NOON + 1_000_000} + g END`,
      enrolled_at: ago("g"),
      ended_at: `CASE WHEN g / 3 % 4 > 1 THEN ${ago("g")} END`,
    },
  ],
  sends: [
    40_000,
    {
      ...ofContact,
      id: id("g"),
      enrollment_id: id(c),
      sequence_id: id("g % 100"),
      step: "g / 20000",
      message_id: "'m' || g",
      address,
      address_key: address,
      status: "CASE WHEN g % 500 = 0 THEN 'unknown' WHEN g % 900 = 1 THEN 'sending' ELSE 'sent' END",
      last_attempt_at: ago("g"),
      lease_until: `CASE WHEN g % 900 = 1 THEN ${NOON} END`,
      leased_by: "CASE WHEN g % 900 = 1 THEN 'process' END",
      created_at: ago("g"),
    },
  ],
  suppressions: [
    4_000,
    {
      id: id("g"),
      workspace_id: workspaceOf("g"),
      email: address,
      email_key: address,
      socialnet_key: profile,
      created_at: ago("g"),
    },
  ],
  earlier_addresses: [4_000, { workspace_id: workspaceOf("g"), contact_id: id("g"), email_key: address }],
  earlier_profiles: [4_000, { workspace_id: workspaceOf("g"), contact_id: id("g"), socialnet_key: profile }],
  socialnet_accounts: [
    30,
    { id: id("g"), workspace_id: id("1 + g % 10"), profile_key: profile, look_at: `${NOON} + g * 1000` },
  ],
  socialnet_actions: [
    CONTACTS,
    {
      ...ofContact,
      id: id("g"),
      account_id: id("g % 30"),
      kind: oneOf("g / 30", "message", "connection_request"),
      status: oneOf("g / 2", "planned", "completed", "completed", "completed", "cancelled", "approved", "held"),
      recipient_key: profile,
      enrollment_id: `CASE WHEN g % 2 = 0 THEN ${id("g")} END`,
      sequence_id: `CASE WHEN g % 2 = 0 THEN ${id("g % 100")} END`,
      lease_expires_at: `CASE WHEN g % 700 = 0 THEN ${NOON} END`,
      created_at: ago("g"),
    },
  ],
  socialnet_starts: [
    10_000,
    {
      lease_hash: "int8send(g)",
      workspace_id: workspaceOf("g"),
      account_id: id("g % 30"),
      action_id: id("g"),
      kind: oneOf("g / 30", "message", "connection_request"),
      started_at: ago("g"),
    },
  ],
  socialnet_health: [
    4_000,
    {
      account_id: id("g % 30"),
      observation_id: "'o' || g",
      observed_at: ago("4000 - g"),
      recorded_at: ago("4000 - g"),
    },
  ],
  socialnet_runs: [
    4_000,
    { account_id: id("g % 30"), run_id: "'r' || g", finished_at: ago("4000 - g"), recorded_at: ago("4000 - g") },
  ],
  socialnet_sightings: [4_000, { account_id: id("g % 30"), external_key: "'k' || g", recorded_at: ago("4000 - g") }],
  reconnect_requests: [2_000, { id: id("g"), account_id: id("g % 30"), requested_at: ago("g"), resolved_at: ago("g") }],
  webhooks: [100, { id: id("g"), workspace_id: id("1 + g % 10"), url: "'u' || g", events: "'[]'" }],
  subscriptions: [
    300,
    {
      id: "'s' || g",
      workspace_id: id("1 + g % 10"),
      key_id: `CASE WHEN g % 2 = 0 THEN ${id("g % 300")} END`,
      webhook_id: `CASE WHEN g % 2 = 1 THEN ${id("g % 100")} END`,
      event: "'socialnet.work.available'",
      secret: "'v1.key.x'",
      expires_at: `CASE WHEN g % 2 = 0 THEN ${NOON + 1_000_000_000} END`,
      ended_at: `CASE WHEN g % 100 = 0 THEN ${NOON} END`,
      suspended_at: `CASE WHEN g % 90 = 0 THEN ${NOON} END`,
    },
  ],
  deliveries: [
    CONTACTS,
    {
      id: id("g"),
      workspace_id: workspaceOf("g"),
      subscription_seq: "1 + g % 300",
      host: "'hook' || g % 200 || '.example'",
      kind: "'event'",
      status: oneOf("g / 3", ...Array(40).fill("delivered"), "dead", "pending", "dropped"),
      next_attempt_at: `CASE WHEN g / 3 % 43 = 41 THEN ${NOON} + g END`,
      created_at: ago("20000 - g"),
      finished_at: `CASE WHEN g / 3 % 43 <> 41 THEN ${ago("20000 - g")} END`,
    },
  ],
  delivery_attempts: [CONTACTS, { delivery_seq: "g", outcome: "'2xx'" }],
  audit_log: [
    30_000,
    {
      workspace_id: workspaceOf("g"),
      at: ago("30000 - g"),
      action: oneOf("g", "set_deal_stage", "approve_sequence", "create_contact", "hold_action"),
      actor_id: id("g % 200"),
      record_id: id(c),
    },
  ],
  auth_events: [
    10_000,
    { workspace_id: workspaceOf("g"), at: ago("10000 - g"), code: oneOf("g / 2", "scope_denied", "signed_in") },
  ],
  operation_log: [30_000, { workspace_id: workspaceOf("g"), at: ago("30000 - g") }],
  answers: [10_000, { hash: "int8send(g)", created_at: ago("10000 - g") }],
  mail_received: [10_000, { workspace_id: workspaceOf("g"), message_id: "'m' || g", received_at: ago("10000 - g") }],
  notices: [2_000, { id: id("g"), due_at: `${NOON} + g`, member_id: id("g % 200") }],
  approval_cards: [
    2_000,
    { id: id("g"), workspace_id: id("1 + g % 10"), item_id: "'ON-' || g % 100", status: "'approved'" },
  ],
  social_posts: [
    2_000,
    {
      id: id("g"),
      workspace_id: id("1 + g % 10"),
      item_id: "'ON-' || g % 100",
      status: oneOf("g / 10", "published", "approved", "needs_review"),
    },
  ],
  oauth_clients: [2_000, { id: id("g"), used_at: `CASE WHEN g % 4 > 0 THEN ${ago("g")} END`, created_at: ago("g") }],
  oauth_grants: [300, { key_id: id("g"), member_id: id("g % 200"), client_id: id("g"), code_hash: "int8send(g)" }],
  oauth_codes: [200, { hash: "int8send(g)", member_id: id("g % 200"), expires_at: ago("g") }],
  one_time_tokens: [2_000, { hash: "int8send(g)", kind: "'invitation'", expires_at: ago("g") }],
  checklist_marks: [900, { workspace_id: id("1 + g % 10"), item_id: "'ON-' || g", source: "'member'" }],
};

/** Fills a database as a server of some years has it: 20,000 contacts, and what comes with them. */
export async function fillLarge(client: pg.Client): Promise<void> {
  const { rows: columns } = await client.query<{ table: string; column: string; type: string }>(
    `SELECT table_name AS "table", column_name AS "column", data_type AS type FROM information_schema.columns
     WHERE table_schema = 'public' AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'`,
  );
  const ANY: Record<string, string> = { text: "'x'", bigint: "0", bytea: "'x'", "double precision": "0" };
  // Rows are counted below, and may refer to anything.
  await client.query("SET session_replication_role = replica; SET statement_timeout = 0");
  for (const [table, [rows, own]] of Object.entries(TABLES)) {
    const rest = columns.filter((row) => row.table === table && own[row.column] === undefined);
    const all = { ...own, ...Object.fromEntries(rest.map(({ column, type }) => [column, ANY[type] as string])) };
    await client.query(
      `INSERT INTO ${table} (${Object.keys(all).join()})
       SELECT ${Object.values(all).join()} FROM generate_series(0, ${rows - 1}) AS g`,
    );
  }
  const counts = (list: string, part: string, status: string) =>
    `INSERT INTO list_counts (workspace_id, list, part, status, total)
     SELECT workspace_id, '${list}', ${part}, ${status}, count(*) FROM ${list} GROUP BY 1, 3, 4`;
  await client.query(
    [
      counts("enrollments", "sequence_id", "status"),
      counts("sends", "sequence_id", "status"),
      counts("socialnet_actions", "account_id", "status"),
      counts("deals", "''", "stage"),
      `INSERT INTO contact_blocks SELECT workspace_id, seq >> 10, count(*) FROM contacts GROUP BY 1, 2`,
      `INSERT INTO contact_sources SELECT workspace_id, source, count(*) FROM contacts GROUP BY 1, 2`,
      "SET session_replication_role = origin",
    ].join(";"),
  );
  // As autovacuum does, so that the planner may answer from an index alone.
  await client.query("VACUUM ANALYZE");
}
