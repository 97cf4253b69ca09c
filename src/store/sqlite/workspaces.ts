import { and, eq, gt, isNotNull, lt, lte, type SQL, sql } from "drizzle-orm";
import type { Billing } from "../../domain/access/billing.ts";
import type { OutreachPause, Plan, SendingPolicy, Workspace, WorkspaceSettings } from "../access.ts";
import type { Drizzle } from "./connection.ts";
import { mailRests as r, workspaces as w } from "../sql/schema/index.ts";

const p = sql.placeholder;

const IDENTITY = { id: w.id, name: w.name, createdAt: w.createdAt };
const PLAN = { name: w.plan, contactAllowance: w.contactAllowance, socialnetAllowance: w.socialnetAllowance };
const PAUSE = { pausedAt: w.pausedAt, reason: w.pauseReason };
const SENDING = { timeZone: w.timeZone, windows: w.sendingWindows, dailyCap: w.dailyCap, senderName: w.senderName };

export function listWorkspaces(db: Drizzle): Workspace[] {
  return db.select(IDENTITY).from(w).orderBy(w.createdAt, w.id).all();
}

/** Another catalog comes below or above this one: two ranges of the index, where "not this one" would walk the table. */
export function listAssessmentsDue(db: Drizzle, before: number, catalogVersion: string, limit: number): string[] {
  const { id, checklistCatalog: catalog, checklistAssessedAt: at } = w;
  const where = (condition: SQL | undefined) => db.select({ id }).from(w).where(condition).orderBy(catalog, at);
  const due = [
    lt(catalog, catalogVersion),
    gt(catalog, catalogVersion),
    and(eq(catalog, catalogVersion), lte(at, before)),
  ];
  const rows = due.flatMap((condition) => where(condition).limit(limit).all());
  return rows.slice(0, limit).map((row) => row.id);
}

export function prepareWorkspaces(db: Drizzle) {
  const mine = eq(w.id, p("workspaceId"));
  return {
    db,
    billing: db.select({ state: w.billingState, endsAt: w.billingEndsAt }).from(w).where(mine).prepare(),
    blocks: db
      .select({ state: w.billingState, endsAt: w.billingEndsAt, pausedAt: w.pausedAt })
      .from(w)
      .where(mine)
      .prepare(),
    setBilling: db
      .update(w)
      .set({ billingState: p("state") as never, billingEndsAt: p("endsAt") as never })
      .where(mine)
      .prepare(),
    plan: db.select(PLAN).from(w).where(mine).prepare(),
    setPlan: db
      .update(w)
      .set({
        plan: p("name") as never,
        contactAllowance: p("contactAllowance") as never,
        socialnetAllowance: p("socialnetAllowance") as never,
      })
      .where(mine)
      .prepare(),
    sending: db.select(SENDING).from(w).where(mine).prepare(),
    setSending: db
      .update(w)
      .set({
        timeZone: p("timeZone") as never,
        sendingWindows: p("windows") as never,
        dailyCap: p("dailyCap") as never,
        senderName: p("senderName") as never,
      })
      .where(mine)
      .prepare(),
    // As many rows as there are mail servers: one, as a rule.
    mailRests: db
      .select({ until: sql<number | null>`max(${r.until})` })
      .from(r)
      .where(gt(r.until, p("now")))
      .prepare(),
    find: db.select(IDENTITY).from(w).where(mine).prepare(),
    pause: db.select(PAUSE).from(w).where(mine).prepare(),
    pauseOutreach: db
      .update(w)
      .set({
        pausedAt: sql`coalesce(${w.pausedAt}, ${p("now")})`,
        pauseReason: sql`coalesce(${p("reason")}, ${w.pauseReason})`,
      })
      .where(mine)
      .returning(PAUSE)
      .prepare(),
    resumeOutreach: db
      .update(w)
      .set({ pausedAt: null, pauseReason: null })
      .where(and(mine, isNotNull(w.pausedAt)))
      .prepare(),
  };
}

type Statements = ReturnType<typeof prepareWorkspaces>;

/** A workspace that is bound to a store exists: its id came from a key, a session or the list. */
function present<T>(row: T | undefined): T {
  if (row === undefined) throw new Error("The workspace of this call is not in the database.");
  return row;
}

export class SqliteWorkspace implements WorkspaceSettings {
  readonly #s: Statements;
  readonly #workspaceId: string;

  constructor(statements: Statements, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async create(name: string, now: number): Promise<void> {
    this.#s.db.insert(w).values({ id: this.#workspaceId, name, createdAt: now }).run();
  }

  async find(): Promise<Workspace> {
    return present(this.#s.find.get({ workspaceId: this.#workspaceId }));
  }

  async billing(): Promise<Billing> {
    return present(this.#s.billing.get({ workspaceId: this.#workspaceId }));
  }

  async blocks(): Promise<Billing & Pick<OutreachPause, "pausedAt">> {
    return present(this.#s.blocks.get({ workspaceId: this.#workspaceId }));
  }

  async setBilling(billing: Billing): Promise<void> {
    this.#s.setBilling.run({ ...billing, workspaceId: this.#workspaceId });
  }

  async plan(): Promise<Plan> {
    return present(this.#s.plan.get({ workspaceId: this.#workspaceId }));
  }

  async setPlan(plan: Plan): Promise<void> {
    this.#s.setPlan.run({ ...plan, workspaceId: this.#workspaceId });
  }

  async sendingPolicy(): Promise<SendingPolicy> {
    const { windows, ...rest } = present(this.#s.sending.get({ workspaceId: this.#workspaceId }));
    return { ...rest, windows: windows ?? [] };
  }

  async setSendingPolicy(policy: SendingPolicy): Promise<void> {
    this.#s.setSending.run({ ...policy, workspaceId: this.#workspaceId });
  }

  async mailRestsUntil(now: number): Promise<number | null> {
    return this.#s.mailRests.get({ now })?.until ?? null;
  }

  async pause(): Promise<OutreachPause> {
    return present(this.#s.pause.get({ workspaceId: this.#workspaceId }));
  }

  async pauseOutreach(reason: string | null, now: number): Promise<OutreachPause> {
    return present(this.#s.pauseOutreach.get({ reason, now, workspaceId: this.#workspaceId }));
  }

  async resumeOutreach(): Promise<boolean> {
    return this.#s.resumeOutreach.run({ workspaceId: this.#workspaceId }).changes === 1;
  }
}
