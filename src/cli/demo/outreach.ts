import { AGENT } from "./socialnet.ts";
import type { Act } from "./story.ts";

const SIGN_OFF = "\n\nBest wishes,\n{{sender_name}}";

const ROSTERS = {
  name: "Rosters without the spreadsheet",
  description: "For operations leads of teams that plan shifts by hand.",
  steps: [
    {
      type: "email",
      subject: "How {{company}} plans its week",
      body: `Hello {{first_name}},\n\nteams of your size tell us that Monday's roster takes half a day. We made a short page on how three of them got it down to twenty minutes; shall I send it?${SIGN_OFF}`,
      delay_days: 0,
    },
    { type: "wait", days: 3 },
    {
      type: "socialnet_connect",
      note: "Hello {{first_name}}, I wrote to you about rosters at {{company}}.",
      delay_days: 0,
    },
    {
      type: "email",
      subject: "The page on rosters",
      body: `Hello {{first_name}},\n\nhere is what the three teams changed. If planning is not yours, who at {{company}} would want to see it?${SIGN_OFF}`,
      delay_days: 4,
    },
    {
      type: "socialnet_message",
      body: "Hello {{first_name}}, did the page on rosters find you?",
      delay_days: 4,
    },
  ],
};

const REVIVAL = {
  name: "A year later",
  description: "For those who told us to ask again.",
  steps: [
    {
      type: "email",
      subject: "You asked us to come back",
      body: `Hello {{first_name}},\n\na year ago the moment was not right for {{company}}. Has it come?${SIGN_OFF}`,
      delay_days: 0,
    },
  ],
};

/** Who the applied sequence was approved for; the first of them are on their way. */
const AUDIENCE = ["amara.nwosu", "giulia.conti", "elin.johansson", "kwame.mensah", "diego.morales", "zofia.nowak"];
const ENROLLED = AUDIENCE.slice(0, 4);

/** By whom a demo is known again. */
export const FIRST_COLLEAGUE = "tomoko@rostrum.example";

/** Who works here, beside the owner; nobody of them has come in. */
const TEAM: readonly Act[] = [
  { name: "Tomoko Arai", email: FIRST_COLLEAGUE, role: "admin", approve_outbound: true },
  { name: "Luca Ferri", email: "luca@rostrum.example", role: "rep" },
  { name: "Nadia Haddad", email: "nadia@rostrum.example", role: "viewer" },
].map((member) => ({ ago: 41, time: "9:00", operation: "invite_member", input: () => member }));

const KEYS: readonly Act[] = [
  { name: "Research assistant", scopes: ["contacts.read", "activities.write"] },
  { name: "Outreach agent", scopes: ["contacts.read", "sequences.read", "sequences.write"], expires_in_days: 66 },
].map((key) => ({ ago: 40, time: "9:30", operation: "create_key", input: () => key }));

/** What else may be sold: the board has more than one deal to a column, in more than one currency. */
const DEALS: readonly Act[] = (
  [
    [12, "kwame.mensah", "Depot pilot, Accra", 7_200, "USD", "prospecting"],
    [11, "hannah.fischer", "Studio rota", 2_400, "EUR", "prospecting"],
    [8, "leila.haddad", "Harvest season, four farms", 15_800, "EUR", "qualification"],
    [6, "oliver.grant", "Line three, night shift", 41_000, "USD", "proposal"],
    [4, "rosa.delgado", "Field team planner", 12_900, "EUR", "proposal"],
    [3, "mateo.ferreira", "Second depot", 9_900, "GBP", "negotiation"],
  ] as const
).map(([ago, who, title, value, currency, stage]) => ({
  ...{ ago, time: "11:00", operation: "create_deal" },
  input: (the) => ({ contact_id: the.id(who), title, value, currency, stage, expected_close_date: the.date(30 + ago) }),
}));

/** Two sequences: one approved, applied and under way, one that waits for a person. */
export const OUTREACH: readonly Act[] = [
  ...TEAM,
  ...KEYS,
  ...DEALS,
  {
    ago: 15,
    time: "8:00",
    operation: "set_sending_policy",
    input: () => ({
      time_zone: "Europe/London",
      windows: [{ days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" }],
      daily_cap: 40,
      sender_name: "Robin Ashworth",
    }),
  },
  {
    ...{ ago: 10, time: "9:00", operation: "create_sequence", as: "rosters" },
    input: (the) => ({ ...ROSTERS, socialnet_account_id: the.id(AGENT.account) }),
  },
  {
    ago: 10,
    time: "15:00",
    operation: "approve_sequence",
    input: (the) => ({ sequence_id: the.id("rosters"), contact_ids: AUDIENCE.map((name) => the.id(name)) }),
    as: "rosters approval",
  },
  {
    ago: 10,
    time: "15:10",
    operation: "apply_sequence_approval",
    input: (the) => ({ approval_id: the.id("rosters approval") }),
  },
  {
    ago: 9,
    time: "9:00",
    operation: "set_sequence_status",
    input: (the) => ({ sequence_id: the.id("rosters"), status: "active" }),
  },
  ...ENROLLED.map(
    (name): Act => ({
      ago: 1,
      time: "9:15",
      operation: "enroll_contact",
      input: (the) => ({ sequence_id: the.id("rosters"), contact_id: the.id(name) }),
    }),
  ),
  // Her address changed after she was approved: a person has to look.
  {
    ...{ ago: 1, time: "9:20", operation: "update_contact" },
    input: (the) => ({ id: the.id("zofia.nowak"), email: "zofia@sablefinch.example" }),
  },
  {
    ...{ ago: 1, time: "9:25", operation: "enroll_contact" },
    input: (the) => ({ sequence_id: the.id("rosters"), contact_id: the.id("zofia.nowak") }),
  },
  { ago: 1, time: "14:00", operation: "create_sequence", input: () => REVIVAL, as: "revival" },
  {
    ago: 1,
    time: "14:20",
    operation: "approve_sequence",
    input: (the) => ({
      sequence_id: the.id("revival"),
      contact_ids: ["ethan.caldwell", "sofia.lindqvist"].map((name) => the.id(name)),
    }),
  },
];
