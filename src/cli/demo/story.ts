import type { Scope } from "../../domain/access/roles.ts";

/**
 * Two months of a small sales team that sells route and shift planning. Everything is made up, and everything is done
 * through the operations that everybody uses.
 */
export interface Act {
  /** Working days before today. */
  ago: number;
  /** In UTC. */
  time: `${number}:${number}`;
  operation: string;
  input: (the: Cast) => unknown;
  /** By which later acts know the record that this one made, and the lease that it was given. */
  as?: string;
  /** Done by the agent of one of the demo's accounts, with its key. */
  byAgent?: Agent;
}

/** An agent of the story: its key and its account, by the names that they go by. */
export interface Agent {
  key: string;
  account: string;
  scopes: readonly Scope[];
}

/** What acts refer to: records by the name they were given, days as dates. */
export interface Cast {
  id(name: string): string;
  /** The token of the lease that an act was given. */
  lease(name: string): string;
  /** So many minutes before this moment of the story, as a date and time. */
  before(minutes: number): string;
  /** The calendar date, YYYY-MM-DD: so many days from today, or so many working days before it. */
  date(days: number): string;
}

const log = (
  ago: number,
  time: Act["time"],
  who: string,
  type: string,
  subject: string | undefined,
  body?: string,
): Act => ({
  ago,
  time,
  operation: "log_activity",
  input: (the) => ({ id: the.id(who), type, ...(subject ? { subject } : {}), ...(body ? { body } : {}) }),
});

const note = (ago: number, time: Act["time"], who: string, body: string): Act =>
  log(ago, time, who, "note_added", undefined, body);

const met = (ago: number, time: Act["time"], who: string, words: string): Act => ({
  ago,
  time,
  operation: "confirm_meeting",
  input: (the) => ({ contact_id: the.id(who), held_on: the.date(-ago), note: words }),
});

const stage = (ago: number, time: Act["time"], who: string, lifecycle: string): Act => ({
  ago,
  time,
  operation: "update_contact",
  input: (the) => ({ id: the.id(who), lifecycle }),
});

const yes = (words: string) => ({ confirmed: true, note: words });
const open = (words: string) => ({ confirmed: false, note: words });

const bant = (ago: number, time: Act["time"], who: string, answers: object): Act => ({
  ago,
  time,
  operation: "confirm_bant",
  input: (the) => ({ contact_id: the.id(who), ...answers }),
});

const deal = (ago: number, time: Act["time"], as: string, who: string, input: object, closesIn: number): Act => ({
  ago,
  time,
  operation: "create_deal",
  input: (the) => ({ contact_id: the.id(who), expected_close_date: the.date(closesIn), ...input }),
  as,
});

const move = (ago: number, time: Act["time"], which: string, to: string): Act => ({
  ago,
  time,
  operation: "set_deal_stage",
  input: (the) => ({ deal_id: the.id(which), stage: to }),
});

const suppress = (ago: number, time: Act["time"], who: object | string, reason: string): Act => ({
  ago,
  time,
  operation: "add_suppression",
  input: (the) => ({ ...(typeof who === "string" ? { contact_id: the.id(who) } : who), reason }),
});

/** In any order: the acts are played by their time. */
export const STORY: readonly Act[] = [
  // Harbor & Pine Logistics: from a first call to a customer.
  log(38, "9:10", "ada.okafor", "call_made", "Asked about the demo request", "Runs 60 vans from two depots."),
  log(38, "9:40", "ada.okafor", "meeting_booked", "Walk-through of the depot roster"),
  met(35, "15:00", "ada.okafor", "Saw how Monday's roster is made: four hours in a spreadsheet."),
  stage(35, "15:20", "ada.okafor", "lead"),
  note(34, "8:30", "ada.okafor", "Wants Mateo to judge the import from their warehouse system before anything else."),
  log(32, "10:05", "mateo.ferreira", "call_received", "Questions about the CSV layout"),
  bant(30, "11:00", "ada.okafor", {
    budget: yes("Within the operations budget, up to 20,000 a year."),
    authority: yes("Ada decides, Ingrid signs."),
    need: yes("Rosters cost half a day each week."),
    timeline: yes("Before the winter peak."),
  }),
  stage(30, "11:05", "ada.okafor", "opportunity"),
  deal(30, "11:10", "harbor", "ada.okafor", { title: "Roster for two depots", value: 18_400, currency: "GBP" }, -6),
  move(24, "9:00", "harbor", "proposal"),
  log(20, "14:15", "ingrid.solberg", "call_made", "Terms of payment", "Quarterly, thirty days."),
  move(16, "9:30", "harbor", "negotiation"),
  move(9, "16:45", "harbor", "closed_won"),
  stage(9, "16:50", "ada.okafor", "customer"),
  note(8, "9:00", "ada.okafor", "Kick-off on Thursday; Mateo sends the depot plans before."),
  // Brightwater Clinics: a lead that has not been qualified.
  log(26, "13:00", "samuel.adeyemi", "socialnet_message", "Answered his post about rota gaps"),
  log(25, "8:50", "samuel.adeyemi", "meeting_booked", "Half an hour on cover for nights"),
  met(21, "10:30", "samuel.adeyemi", "Three clinics; nights are filled by telephone."),
  stage(21, "10:40", "samuel.adeyemi", "lead"),
  {
    ago: 18,
    time: "12:00",
    operation: "create_deal",
    as: "brightwater",
    input: (the) => ({
      contact_id: the.id("samuel.adeyemi"),
      title: "Night cover, three clinics",
      value: 9_600,
      currency: "GBP",
      stage: "qualification",
      probability: 30,
      expected_close_date: the.date(40),
      bant_assessment: {
        budget: open("The board meets next month."),
        authority: open("Unclear beside Samuel."),
        need: yes("Agency nights cost twice."),
        timeline: open("After the board."),
      },
    }),
  },
  log(6, "16:00", "yuki.tanaka", "call_made", "Single sign-on", "They want their own identity provider."),
  // Copperline Robotics: a large one, in negotiation.
  log(33, "9:25", "mei.lin.chua", "meeting_booked", "Partnership talk at the fair"),
  met(29, "14:00", "mei.lin.chua", "Wants shift planning inside their own dashboard."),
  stage(29, "14:10", "mei.lin.chua", "lead"),
  bant(22, "9:15", "mei.lin.chua", {
    budget: yes("Partnership fund."),
    authority: yes("Mei Lin, with Fatima for the contract."),
    need: yes("Customers ask for it."),
    timeline: open("Depends on their release."),
  }),
  stage(22, "9:20", "mei.lin.chua", "opportunity"),
  deal(22, "9:30", "copperline", "mei.lin.chua", { title: "Embedded planning", value: 64_000, currency: "EUR" }, 35),
  move(12, "11:30", "copperline", "negotiation"),
  log(3, "10:00", "fatima.zahra.idrissi", "call_received", "Two changes to the contract", "Liability and the notice."),
  // One that was lost, one that has just begun, and a proposal on the table.
  deal(36, "10:00", "northlight", "ethan.caldwell", { title: "Claims desk pilot", value: 12_000 }, -10),
  log(28, "15:10", "ethan.caldwell", "voicemail_left", "Second try after the proposal"),
  move(14, "9:05", "northlight", "closed_lost"),
  note(14, "9:10", "ethan.caldwell", "Chose to wait a year; their core system is being replaced. Ask again in autumn."),
  deal(5, "11:20", "juniper", "noah.bergstrom", { title: "Five bakeries", value: 3_450.5, currency: "EUR" }, 55),
  log(5, "11:00", "noah.bergstrom", "call_made", "Intro", "Plans shifts on paper; five shops."),
  deal(
    19,
    "13:30",
    "aster",
    "marcus.thorne",
    { title: "Housekeeping rosters", value: 22_000, currency: "EUR", stage: "proposal", probability: 55 },
    21,
  ),
  log(17, "8:45", "aiko.mori", "sms_sent", "Photos of the event rota arrived"),
  log(2, "9:50", "priya.raman", "socialnet_message", "Thanks for the mention in your newsletter"),
  // Opt-outs.
  suppress(13, "7:55", "viktor.sokolov", "Asked by telephone not to be written to"),
  suppress(11, "10:10", { email: "former.buyer@oldharbor.example" }, "Left the company"),
];
