import { AGENT } from "./socialnet.ts";
import type { Act, Cast } from "./story.ts";

const VOICE = `Plain, warm, exact. We write as we speak to a dispatcher at seven in the morning: short sentences, no jargon, the number before the adjective.
We say: "Monday's roster takes four hours. It can take one." We do not say: "Unlock next-generation workforce synergy."
We address readers as you. Words we avoid: solution, leverage, seamless.`;

const FACTS = [
  "The product plans routes and shifts for teams that work away from a desk.",
  "Harbor & Pine Logistics plans 60 vans from two depots with it.",
  "A depot's Monday roster went from four hours to one.",
  "Data is kept in London and Frankfurt.",
  "Prices are on the website.",
];

const READERS = `Dispatchers and heads of a depot who make Monday's roster themselves. They read at half past six, on a telephone.
Owners with two or three sites. They ask what it costs before they ask what it does.
Neither wants to hear about technology; both want to know who else does it.`;

const DISCLOSURE = `We say "advert" at the top of everything that was paid for or given to us. Partners do the same when they write about us.`;

const RULES = `Questions, doubts and bad days are welcome.
We hide adverts and repeats. We remove insults, threats and private data of others.
Who goes on after one warning is blocked.
To complain about any of this, write to hello@rota.example; somebody other than the moderator answers.`;

const CRISIS = `What counts: harm to a person, data of customers in the wrong hands, a claim of ours that was false.
First fifteen minutes: Robin is called on ____, all scheduled posts are stopped, facts go into the shared log.
Who speaks: ____. It is over when: ____.
Holding statement: "We know of … since … . We are looking into it and will say more by … ."`;

const CRISIS_REDONE = `${CRISIS.replace("Robin is called, all scheduled posts are stopped", "Robin is called (+44 20 7946 0018, at night too), Sam stops all scheduled posts")}
Who stands in: Mateo, for both.`;

const submit = (ago: number, time: Act["time"], as: string, id: string, output: object): Act => ({
  ago,
  time,
  operation: "submit_checklist_output",
  input: () => ({ id, ...output }),
  as,
  byAgent: AGENT,
});

const card = (ago: number, time: Act["time"], which: string, decision: string, note?: string): Act => ({
  ago,
  time,
  operation: "decide_card",
  input: (the) => ({ card_id: the.id(which), decision, ...(note === undefined ? {} : { note }) }),
});

const connect = (channel: string, state: string, handle: string): Act => ({
  ago: 14,
  time: "9:05",
  operation: "save_social_connection",
  input: () => ({ channel, state, handle }),
});

const mark = (ago: number, item_id: string, status: string, evidence: string): Act => ({
  ago,
  time: "10:20",
  operation: "mark_checklist_item",
  input: () => ({ item_id, status, evidence }),
});

const decide = (ago: number, time: Act["time"], which: string, decided: (the: Cast) => object): Act => ({
  ago,
  time,
  operation: "decide_post",
  input: (the) => ({ post_id: the.id(which), ...decided(the) }),
});

const post = (body: string, title: string) => ({ output_kind: "social_post", platform: "socialnet", title, body });
const paper = (title: string, summary: string, body: string) => ({ output_kind: "document", title, summary, body });

/** The social checklist some weeks in: of everything that people decide on, one that is decided and one that waits. */
export const SOCIAL: readonly Act[] = [
  { ago: 14, time: "9:00", operation: "save_brand_voice", input: () => ({ text: VOICE }) },
  { ago: 14, time: "9:02", operation: "save_profile_facts", input: () => ({ facts: FACTS }) },
  connect("socialnet", "connected", "rota-planning"),
  connect("blog", "connected", "rota.example/blog"),
  connect("x", "expired", "@rotaplanning"),
  mark(13, "OT-01", "done", "Robin decides, Sam answers, both are on the wall of the office with their deputies."),
  mark(12, "OT-18", "not_applicable", "We keep no account on Bluesky."),
  mark(12, "OT-39", "in_progress", "SPF and DKIM are set; DMARC waits for the hosting company."),
  submit(11, "11:00", "rules", "OT-29", paper("House rules for comments", "Five sentences for the website.", RULES)),
  card(10, "9:15", "rules", "approve"),
  submit(
    8,
    "15:00",
    "crisis",
    "OT-33",
    paper("Crisis plan", "One page, first draft, with blanks for names and numbers.", CRISIS),
  ),
  card(
    7,
    "10:00",
    "crisis",
    "request_change",
    "Add the telephone numbers that work at night, and who stops the queue.",
  ),
  {
    ago: 6,
    time: "8:40",
    operation: "record_checklist_evidence",
    input: () => ({
      id: "OT-22",
      status: "in_progress",
      evidence: "Four of six pages show the right title and picture; prices and imprint show the old logo.",
    }),
  },
  submit(
    6,
    "9:30",
    "first post",
    "ON-14",
    post("Monday's roster takes four hours. Here is where they go, hour by hour, in a depot of 60 vans.", "Four hours"),
  ),
  decide(5, "9:00", "first post", () => ({ decision: "approve" })),
  {
    ago: 4,
    time: "12:00",
    operation: "mark_post",
    input: (the) => ({
      post_id: the.id("first post"),
      status: "published",
      published_at: the.before(20),
      url: "https://socialnet.example/posts/four-hours",
    }),
  },
  submit(
    5,
    "9:45",
    "numbers",
    "ON-14",
    post("Planning software saves everybody half their time. Ask us how.", "Half the time"),
  ),
  decide(4, "9:10", "numbers", () => ({
    decision: "request_change",
    note: "Not everybody, and not half: say whose roster, and from what to what.",
  })),
  submit(
    3,
    "9:20",
    "numbers again",
    "ON-14",
    post("One depot, one roster: from four hours to one. Nothing else about that Monday changed.", "One Monday"),
  ),
  decide(2, "9:00", "numbers again", (the) => ({ decision: "approve", scheduled_for: `${the.date(2)}T07:30:00Z` })),
  submit(12, "10:00", "readers", "OT-10", paper("Whom we write for", "Two kinds of reader.", READERS)),
  card(11, "9:00", "readers", "approve"),
  submit(5, "10:30", "disclosure", "OT-27", paper("Disclosure rule", "Two sentences.", DISCLOSURE)),
  card(4, "9:30", "disclosure", "deny", "Our lawyer writes this one."),
  mark(9, "OT-30", "done", "The register lies in the team's folder; 41 pictures are in it, each with its licence."),
  mark(9, "OT-38", "done", "The newsletter had two opt-outs; both are in."),
  mark(8, "OT-26", "blocked", "Waits for the agreement with the analytics company."),
  mark(9, "ON-19", "done", "Eleven comments, most under posts of hauliers."),
  mark(1, "ON-02", "done", "Two questions about prices, both answered."),
  {
    ago: 2,
    time: "8:30",
    operation: "record_checklist_evidence",
    input: () => ({
      id: "ON-21",
      status: "done",
      evidence:
        "Four mentions: two of them questions in a hauliers' forum, none unanswered, no account that uses the name.",
    }),
  },
  submit(
    1,
    "9:10",
    "inventory",
    "OT-02",
    paper(
      "Our accounts",
      "Seven accounts on five channels; one that nobody remembers.",
      "socialnet: rota-planning (Robin, Sam)\nblog: rota.example/blog (Sam)\nx: @rotaplanning (Sam; sign-in has lapsed)\nfacebook: Rota Planning, opened in 2019, registered to an address of a former colleague",
    ),
  ),
  submit(
    1,
    "9:40",
    "second post",
    "ON-14",
    post(
      "What a dispatcher told us this week: the gap is never in the roster, it is in the swap nobody wrote down.",
      "The swap",
    ),
  ),
  submit(
    2,
    "10:00",
    "third post",
    "ON-14",
    post("Swaps are agreed by message, and forgotten by noon. Write them where the roster is.", "Swaps"),
  ),
  {
    ago: 1,
    time: "11:00",
    operation: "decide_post",
    input: (the) => ({ post_id: the.id("third post"), decision: "approve", scheduled_for: `${the.date(2)}T09:00:00Z` }),
  },
  submit(1, "11:20", "crisis two", "OT-33", paper("Crisis plan", "Two pages, with the numbers.", CRISIS_REDONE)),
  { ago: 1, time: "16:00", operation: "run_assessment", input: () => ({}) },
];
