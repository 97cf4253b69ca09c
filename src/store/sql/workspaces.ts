import { and, eq, type getTableColumns, gt, isNotNull, lt, lte, type SQL, sql } from "drizzle-orm";
import type { WorkspaceSettings } from "../access.ts";
import type { Store } from "../store.ts";
import { smtpBackoffs as r, workspaces as w } from "./schema/index.ts";
import { type Db, placeholders } from "./statement.ts";

const p = sql.placeholder;

const IDENTITY = { id: w.id, name: w.name, createdAt: w.createdAt };
const PLAN = { name: w.plan, contactAllowance: w.contactAllowance, socialnetAllowance: w.socialnetAllowance };
const PAUSE = { pausedAt: w.pausedAt, reason: w.pauseReason };
const SENDING = { timeZone: w.timeZone, windows: w.sendingWindows, dailyCap: w.dailyCap, senderName: w.senderName };
const BILLING = { state: w.billingState, endsAt: w.billingEndsAt };

/** A workspace that is bound to a store exists: its id came from a key, a session or the list. */
function existing<T>(row: T | undefined): T {
  if (row === undefined) throw new Error("The workspace of this call is not in the database.");
  return row;
}

export function workspace(db: Db): (workspaceId: string) => WorkspaceSettings {
  const { orm } = db;
  const mine = eq(w.id, p("workspaceId"));
  const set = (...columns: (keyof ReturnType<typeof getTableColumns<typeof w>>)[]) =>
    db.query(
      orm
        .update(w)
        .set(placeholders(...columns))
        .where(mine),
    );
  const create = db.query(orm.insert(w).values(placeholders("id", "name", "createdAt")));
  const find = db.query(orm.select(IDENTITY).from(w).where(mine));
  const billing = db.query(orm.select(BILLING).from(w).where(mine));
  const blocks = db.query(
    orm
      .select({ ...BILLING, pausedAt: w.pausedAt })
      .from(w)
      .where(mine),
  );
  const setBilling = set("billingState", "billingEndsAt");
  const plan = db.query(orm.select(PLAN).from(w).where(mine));
  const setPlan = set("plan", "contactAllowance", "socialnetAllowance");
  const sending = db.query(orm.select(SENDING).from(w).where(mine));
  const setSending = set("timeZone", "sendingWindows", "dailyCap", "senderName");
  // There is one row for each mail server, so there are few.
  const smtpBackoffs = db.query(
    orm
      .select({ until: sql<number | null>`max(${r.until})` })
      .from(r)
      .where(gt(r.until, p("now"))),
  );
  const pause = db.query(orm.select(PAUSE).from(w).where(mine));
  const pauseOutreach = db.query(
    orm
      .update(w)
      .set({
        pausedAt: sql`coalesce(${w.pausedAt}, ${p("now")})`,
        pauseReason: sql`coalesce(${p("reason")}, ${w.pauseReason})`,
      })
      .where(mine)
      .returning(PAUSE),
  );
  const resumeOutreach = db.query(
    orm
      .update(w)
      .set({ pausedAt: null, pauseReason: null })
      .where(and(mine, isNotNull(w.pausedAt))),
  );

  return (workspaceId) => ({
    async create(name, now) {
      await create.run({ id: workspaceId, name, createdAt: now });
    },
    async find() {
      return existing(await find.get({ workspaceId }));
    },
    async billing() {
      return existing(await billing.get({ workspaceId }));
    },
    async blocks() {
      return existing(await blocks.get({ workspaceId }));
    },
    async setBilling({ state, endsAt }) {
      await setBilling.run({ billingState: state, billingEndsAt: endsAt, workspaceId });
    },
    async plan() {
      return existing(await plan.get({ workspaceId }));
    },
    async setPlan({ name, ...allowances }) {
      await setPlan.run({ ...allowances, plan: name, workspaceId });
    },
    async sendingPolicy() {
      const { windows, ...policy } = existing(await sending.get({ workspaceId }));
      return { ...policy, windows: windows ?? [] };
    },
    async setSendingPolicy({ windows, ...policy }) {
      await setSending.run({ ...policy, sendingWindows: windows, workspaceId });
    },
    async smtpBackoffUntil(now) {
      return (await smtpBackoffs.get({ now }))?.until ?? null;
    },
    async pause() {
      return existing(await pause.get({ workspaceId }));
    },
    async pauseOutreach(reason, now) {
      return existing(await pauseOutreach.get({ reason, now, workspaceId }));
    },
    async resumeOutreach() {
      return (await resumeOutreach.run({ workspaceId })).changes === 1;
    },
  });
}

/** Reads over all workspaces. */
export function workspaces(db: Db): Pick<Store, "workspaces" | "assessmentsDue"> {
  const { id, checklistCatalog: catalog, checklistAssessedAt: at } = w;
  const all = db.query(db.orm.select(IDENTITY).from(w).orderBy(w.createdAt, w.id));
  const assessedBy = (condition: SQL | undefined) =>
    db.query(db.orm.select({ id }).from(w).where(condition).orderBy(catalog, at).limit(p("limit")));
  // "Not this catalog" would walk the table: the catalogs below it and above it are two ranges of the index.
  const due = [
    assessedBy(lt(catalog, p("catalogVersion"))),
    assessedBy(gt(catalog, p("catalogVersion"))),
    assessedBy(and(eq(catalog, p("catalogVersion")), lte(at, p("before")))),
  ];
  return {
    async workspaces() {
      return all.all({});
    },
    async assessmentsDue(before, catalogVersion, limit) {
      const found: { id: string }[] = [];
      for (const statement of due) found.push(...(await statement.all({ before, catalogVersion, limit })));
      return found.slice(0, limit).map((row) => row.id);
    },
  };
}
