import { PEOPLE } from "./people.ts";
import type { Act, Agent, Cast } from "./story.ts";

/** The agents that act for the team's accounts: what each is known by, and what its key may do. */
const SCOPES = ["socialnet.read", "socialnet.execute", "social_checklist.read", "social_checklist.submit"] as const;
export const AGENT: Agent = { key: "Robin's browser agent", account: "Robin Ashworth", scopes: SCOPES };
const OTHER: Agent = { key: "Ines's browser agent", account: "Ines Carvalho", scopes: SCOPES };

const OTHER_PROFILE = "https://socialnet.example/in/ines-carvalho";
const PROFILE = "https://socialnet.example/in/robin-ashworth";
const WORKDAYS = [1, 2, 3, 4, 5];

const profileOf = (name: string) => PEOPLE.find(({ email }) => email.startsWith(`${name}@`))?.socialnet_url ?? "";

const agent = (
  ago: number,
  time: Act["time"],
  command: string,
  input: (the: Cast) => object = () => ({}),
  as?: string,
  byAgent = AGENT,
): Act => ({
  ago,
  time,
  operation: "socialnet_command",
  input: (the) => ({ command, ...input(the) }),
  byAgent,
  ...(as === undefined ? {} : { as }),
});

const person = (ago: number, time: Act["time"], operation: string, input: (the: Cast) => object, as?: string): Act => ({
  ...{ ago, time, operation, input },
  ...(as === undefined ? {} : { as }),
});

/** A person plans it and, unless it is to wait, approves it a little later. */
function planned(ago: number, as: string, who: string, kind: string, copy: string, approved = true, by = AGENT): Act[] {
  const plan = (the: Cast) => ({
    account_id: the.id(by.account),
    contact_id: the.id(who),
    kind,
    copy,
    campaign: "Autumn round",
  });
  return [
    person(ago, "8:20", "plan_socialnet_action", plan, as),
    ...(approved ? [person(ago, "8:40", "approve_socialnet_action", (the: Cast) => ({ action_id: the.id(as) }))] : []),
  ];
}

/** The agent's part: claim, start, and what came of it. */
function executed(
  ago: number,
  hour: number,
  minute: number,
  as: string,
  outcome: string,
  evidence: string,
  by = AGENT,
): Act[] {
  const at = (more: number): Act["time"] => `${hour}:${minute + more}`;
  const lease = `${as} lease`;
  const held = (the: Cast) => ({ actionId: the.id(as), leaseToken: the.lease(lease) });
  return [
    agent(ago, at(0), "claim", (the) => ({ actionId: the.id(as) }), lease, by),
    agent(ago, at(1), "start", held, undefined, by),
    agent(ago, at(2), "result", (the) => ({ ...held(the), outcome, evidence }), undefined, by),
  ];
}

const ready = (ago: number, time: Act["time"]): Act =>
  agent(ago, time, "heartbeat", () => ({ session: "ready", profileUrl: PROFILE }));

const run = (ago: number, time: Act["time"], number: number, counts: object, notes: string, status = "ok"): Act =>
  agent(ago, time, "run_report", (the) => ({
    runId: `0f8fad5b-d9cb-469f-a165-70867728950${number}`,
    startedAt: the.before(20),
    finishedAt: the.before(0),
    status,
    ...{ claimed: 0, completed: 0, failed: 0, synced: 0, ...counts },
    notes,
  }));

const measured = (ago: number, number: number, sent: number, accepted: number): Act =>
  agent(ago, "16:45", "health_observation", (the) => ({
    observation: {
      observationId: `7d444840-9dc0-11d1-b245-5ffdce74fad${number}`,
      profileUrl: PROFILE,
      observedAt: the.before(0),
      windowStartedAt: the.before(14 * 1_440),
      windowEndedAt: the.before(7 * 1_440),
      ...{ invitationsSent: sent, invitationsAccepted: accepted, invitationsWithdrawn: 0 },
      ...{ warnings: 0, accountAgeDays: null, evidence: "The network's own page of sent invitations." },
    },
  }));

/** Another account, whose owner has to sign in again. */
const OTHERS: readonly Act[] = [
  person(
    9,
    "9:00",
    "create_socialnet_account",
    () => ({
      label: OTHER.account,
      profile_url: OTHER_PROFILE,
      time_zone: "Europe/Lisbon",
      windows: [
        { days: [1, 2, 3, 4], from: "09:30", to: "12:30" },
        { days: [1, 2, 3, 4], from: "14:00", to: "18:00" },
        { days: [5], from: "09:30", to: "13:00" },
      ],
      daily_limits: { connection_requests: 10, messages: 15 },
    }),
    OTHER.account,
  ),
  person(
    9,
    "9:05",
    "create_key",
    (the) => ({ name: OTHER.key, scopes: OTHER.scopes, socialnet_account_id: the.id(OTHER.account) }),
    OTHER.key,
  ),
  agent(2, "9:00", "heartbeat", () => ({ session: "ready", profileUrl: OTHER_PROFILE }), undefined, OTHER),
  ...planned(2, "mateo", "mateo.ferreira", "connection_request", "Hello Mateo, we met at the depot.", true, OTHER),
  ...executed(2, 9, 10, "mateo", "login_required", "The network asked to sign in before the profile opened.", OTHER),
  agent(2, "9:14", "heartbeat", () => ({ session: "login_required", profileUrl: OTHER_PROFILE }), undefined, OTHER),
  person(2, "10:00", "request_reconnect", (the) => ({ account_id: the.id(OTHER.account) })),
  agent(2, "10:01", "reconnect_ack", () => ({}), undefined, OTHER),
];

/** A month of one account: requests, messages, a reply, an outcome that nobody knows, and work that waits. */
export const SOCIALNET: readonly Act[] = [
  person(
    20,
    "9:00",
    "create_socialnet_account",
    () => ({
      label: AGENT.account,
      profile_url: PROFILE,
      time_zone: "Europe/London",
      windows: [{ days: WORKDAYS, from: "09:00", to: "17:00" }],
    }),
    AGENT.account,
  ),
  person(
    20,
    "9:05",
    "create_key",
    (the) => ({ name: AGENT.key, scopes: AGENT.scopes, socialnet_account_id: the.id(AGENT.account) }),
    AGENT.key,
  ),
  agent(20, "9:10", "schedule_report", () => ({
    schedules: [
      { label: "Morning round", rrule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9", timezone: "Europe/London" },
    ],
    checkInMinutes: 120,
  })),
  ready(18, "9:00"),
  ...planned(18, "samuel", "samuel.adeyemi", "connection_request", "Hello Samuel, we spoke about cover for nights."),
  ...planned(
    18,
    "amara",
    "amara.nwosu",
    "connection_request",
    "Hello Amara, your post on depot rosters was a good read.",
  ),
  ...executed(18, 9, 10, "samuel", "connection_sent", "The button says Pending."),
  ...executed(18, 9, 20, "amara", "connection_sent", "The button says Pending."),
  run(18, "9:40", 1, { claimed: 2, completed: 2 }, "Both requests went out."),
  measured(17, 1, 34, 11),
  agent(15, "9:05", "connection_accepted", (the) => ({ actionId: the.id("samuel") })),
  ready(12, "9:00"),
  ...planned(
    12,
    "samuel two",
    "samuel.adeyemi",
    "message",
    "Thank you for connecting. The page on night cover is up; shall I send it?",
  ),
  ...executed(12, 9, 10, "samuel two", "message_sent", "The message stands in the conversation."),
  run(12, "9:30", 2, { claimed: 1, completed: 1, synced: 1 }, "One message."),
  measured(10, 2, 41, 16),
  ready(6, "9:00"),
  ...planned(6, "priya", "priya.raman", "connection_request", ""),
  ...executed(6, 9, 10, "priya", "already_connected", "The profile offers Message."),
  ...planned(6, "noah", "noah.bergstrom", "message", "Hello Noah, here is the example for five shops that I promised."),
  ...executed(
    6,
    9,
    20,
    "noah",
    "outcome_unknown",
    "The page hung after the click; the conversation did not load again.",
  ),
  run(6, "9:45", 3, { claimed: 2, completed: 1 }, "One stays unclear: the page hung.", "partial"),
  agent(4, "9:10", "sync", (the) => ({
    observations: [
      {
        kind: "reply",
        profileUrl: profileOf("samuel.adeyemi"),
        observedAt: the.before(30),
        externalKey: "conversation-12/message-2",
        excerpt: "Yes please. The board meets on Thursday, before that would be best.",
      },
    ],
  })),
  measured(8, 4, 36, 12),
  measured(3, 3, 38, 17),
  measured(2, 5, 29, 13),
  measured(1, 6, 33, 16),
  ready(1, "9:00"),
  ...planned(1, "giulia", "giulia.conti", "connection_request", "Hello Giulia, we met at the fair in Bologna."),
  ...planned(
    1,
    "yuki",
    "yuki.tanaka",
    "message",
    "Hello Yuki, single sign-on with your own provider is in. May I show you?",
    false,
  ),
  ...planned(
    1,
    "elin",
    "elin.johansson",
    "connection_request",
    "Hello Elin, your talk on fair shifts stayed with me.",
    false,
  ),
  ...planned(1, "ada", "ada.okafor", "message", "Hello Ada, how did the first week with the new roster go?"),
  person(1, "9:30", "hold_socialnet_action", (the) => ({ action_id: the.id("ada"), note: "After the kick-off." })),
  ...planned(
    1,
    "fatima",
    "fatima.zahra.idrissi",
    "message",
    "Hello Fatima, the second change is in the draft now.",
    false,
  ),
  person(1, "9:35", "cancel_socialnet_action", (the) => ({
    action_id: the.id("fatima"),
    note: "She called before it went out.",
  })),
  // Before the day begins: what was started today shows in its limits.
  ready(0, "0:01"),
  ...executed(0, 0, 2, "giulia", "connection_sent", "The button says Pending."),
  ...["marcus.thorne", "aiko.mori"].flatMap((who) =>
    planned(1, who, who, "message", "Hello, the rota for the winter season is ready to look at. Shall I send it?"),
  ),
  ...executed(0, 0, 5, "marcus.thorne", "message_sent", "The message stands in the conversation."),
  ...executed(0, 0, 8, "aiko.mori", "not_sent", "The conversation is closed: the network takes no message to her."),
  run(0, "0:11", 4, { claimed: 3, completed: 2, failed: 1 }, "One could not be written to."),
  ...OTHERS,
];
