import { and, asc, count, desc, eq, getTableColumns, inArray, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Activity } from "../../domain/contacts/activity.ts";
import { emailKey } from "../../domain/contacts/contact.ts";
import { CLOSED_STAGES, type Deal } from "../../domain/contacts/deal.ts";
import type { BantAnswers } from "../../domain/contacts/lifecycle.ts";
import { OPEN_ENROLLMENT, type Step } from "../../domain/outreach/sequence.ts";
import {
  type AccountContacts,
  type ActionOfContact,
  type BantAssessment,
  BOUNDS,
  type Brain,
  type EnrollmentWithSequence,
  type Meeting,
  type Origin,
} from "../contacts.ts";
import type { SuppressionRow } from "../outreach.ts";
import { prepareAccountContacts } from "./account-contacts.ts";
import { toActivity } from "./activities.ts";
import type { Drizzle } from "./connection.ts";
import { toDeal } from "./deals.ts";
import { prepareOrigins } from "./origins.ts";
import {
  activities as a,
  bantAssessments as b,
  deals as d,
  enrollments as e,
  meetings as m,
  socialnetActions as n,
  suppressions as s,
  sequences,
  socialnetAccounts,
} from "../sql/schema/index.ts";

const p = sql.placeholder;

/** Whether a column holds one of the texts of a JSON array. */
const among = (column: SQL | { getSQL(): SQL }, name: string) =>
  sql`${column} IN (SELECT value FROM json_each(${p(name)}))`;

/**
 * The positions of the newest activities of many contacts. Only a contact whose newest entry is among the newest of
 * all can have one of them, so that a long timeline is never walked.
 */
const newestActivities = sql`
  SELECT a.seq FROM (
    SELECT i.value AS contact_id, (SELECT max(seq) FROM activities WHERE contact_id = i.value) AS newest
    FROM json_each(${p("contactIds")}) i ORDER BY newest DESC LIMIT ${BOUNDS.activities}
  ) c CROSS JOIN activities a ON a.contact_id = c.contact_id AND a.seq >= coalesce((
    SELECT seq FROM activities WHERE contact_id = c.contact_id ORDER BY seq DESC LIMIT 1 OFFSET ${BOUNDS.activities - 1}
  ), 0)
  ORDER BY a.seq DESC LIMIT ${BOUNDS.activities}`;

export function prepareBrain(db: Drizzle) {
  const mine = (table: typeof a | typeof b | typeof e | typeof m | typeof s) => eq(table.workspaceId, p("workspaceId"));
  /** Asked of the rows that the contact's index found: left to itself, SQLite would walk the whole workspace. */
  const mineByTheWay = (table: typeof d | typeof n) => sql`+${table.workspaceId} = ${p("workspaceId")}`;
  const open = inArray(e.status, [...OPEN_ENROLLMENT]);
  const newestBant = (condition: SQL, order: SQL) =>
    db
      .select({ id: b.id })
      .from(b)
      .where(and(eq(b.contactId, p("contactId")), condition, mine(b)))
      .orderBy(order, desc(b.id))
      .limit(1);
  return {
    deals: db
      .select()
      .from(d)
      .where(and(among(d.contactId, "contactIds"), sql`${d.id} IS NOT ${p("except")}`, mineByTheWay(d)))
      .orderBy(asc(inArray(d.stage, [...CLOSED_STAGES])), desc(d.createdAt), desc(d.id))
      .limit(BOUNDS.deals)
      .prepare(),
    meetings: db
      .select()
      .from(m)
      .where(and(eq(m.contactId, p("contactId")), mine(m)))
      .orderBy(desc(m.createdAt), desc(m.id))
      .limit(BOUNDS.meetings)
      .prepare(),
    bant: db
      .select()
      .from(b)
      .where(
        or(
          eq(b.id, newestBant(isNotNull(b.confirmedAt), desc(b.confirmedAt))),
          eq(b.id, newestBant(isNull(b.confirmedAt), desc(b.createdAt))),
        ),
      )
      .prepare(),
    enrollments: db
      .select({
        ...getTableColumns(e),
        ...{ sequenceName: sequences.name, sequenceStatus: sequences.status },
        stepType: sql<Step["type"] | null>`json_extract(${sequences.steps}, '$[' || ${e.currentStep} || '].type')`,
      })
      .from(e)
      .innerJoin(sequences, eq(sequences.id, e.sequenceId))
      .where(and(among(e.contactId, "contactIds"), mine(e)))
      .orderBy(desc(open), desc(e.enrolledAt), desc(e.id))
      .limit(BOUNDS.enrollments)
      .prepare(),
    actions: db
      .select({
        ...{ id: n.id, accountId: n.accountId, contactId: n.contactId, kind: n.kind, origin: n.origin },
        ...{ status: n.status, copy: n.copy, outcome: n.outcome, createdAt: n.createdAt, endedAt: n.endedAt },
        accountLabel: socialnetAccounts.label,
      })
      .from(n)
      .innerJoin(socialnetAccounts, eq(socialnetAccounts.id, n.accountId))
      .where(and(among(n.contactId, "contactIds"), mineByTheWay(n)))
      .orderBy(desc(isNull(n.endedAt)), desc(n.createdAt), desc(n.id))
      .limit(BOUNDS.actions)
      .prepare(),
    suppression: db
      .select()
      .from(s)
      .where(and(eq(s.email, p("email")), mine(s)))
      .prepare(),
    suppressed: db
      .select({ total: count() })
      .from(s)
      .where(and(among(s.email, "emails"), mine(s)))
      .prepare(),
    activities: db
      .select()
      .from(a)
      .where(and(sql`${a.seq} IN (${newestActivities})`, mine(a)))
      .orderBy(desc(a.seq))
      .prepare(),
    origins: prepareOrigins(db),
    accountContacts: prepareAccountContacts(db),
  };
}

export class SqliteBrain implements Brain {
  readonly #s: ReturnType<typeof prepareBrain>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareBrain>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async deals(contactIds: readonly string[], except?: string): Promise<Deal[]> {
    return this.#s.deals.all({ ...this.#many(contactIds), except: except ?? null }).map(toDeal);
  }

  async meetings(contactId: string): Promise<Meeting[]> {
    return this.#s.meetings.all(this.#one(contactId)).map(({ workspaceId: _, ...meeting }) => meeting);
  }

  async bant(contactId: string): Promise<{ confirmed: BantAssessment | null; unconfirmed: BantAssessment | null }> {
    const rows = this.#s.bant.all(this.#one(contactId)).map(({ workspaceId: _, answers, ...row }) => ({
      ...row,
      answers: answers as BantAnswers,
    }));
    return {
      confirmed: rows.find(({ confirmedAt }) => confirmedAt !== null) ?? null,
      unconfirmed: rows.find(({ confirmedAt }) => confirmedAt === null) ?? null,
    };
  }

  async enrollments(contactIds: readonly string[]): Promise<EnrollmentWithSequence[]> {
    return this.#s.enrollments.all(this.#many(contactIds)).map(({ workspaceId: _, ...enrollment }) => enrollment);
  }

  async actions(contactIds: readonly string[]): Promise<ActionOfContact[]> {
    return this.#s.actions.all(this.#many(contactIds));
  }

  async suppression(email: string): Promise<SuppressionRow | undefined> {
    const row = this.#s.suppression.get({ email: emailKey(email), workspaceId: this.#workspaceId });
    if (row === undefined) return undefined;
    const { workspaceId: _, ...suppression } = row;
    return suppression;
  }

  async countSuppressed(emailKeys: readonly string[]): Promise<number> {
    const emails = JSON.stringify(emailKeys);
    return this.#s.suppressed.get({ emails, workspaceId: this.#workspaceId })?.total ?? 0;
  }

  async activities(contactIds: readonly string[]): Promise<Activity[]> {
    return this.#s.activities.all(this.#many(contactIds)).map(toActivity);
  }

  async origins(contactSeq: number): Promise<Origin[]> {
    return this.#s.origins(this.#workspaceId, contactSeq);
  }

  async accountContacts(accountId: string): Promise<AccountContacts> {
    return this.#s.accountContacts(this.#workspaceId, accountId);
  }

  #one(contactId: string) {
    return { contactId, workspaceId: this.#workspaceId };
  }

  #many(contactIds: readonly string[]) {
    return { contactIds: JSON.stringify(contactIds), workspaceId: this.#workspaceId };
  }
}
