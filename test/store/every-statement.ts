import { ACTION_MOVES, type ActionMove } from "../../src/domain/socialnet/action.ts";
import { searchOf } from "../../src/domain/text/words.ts";
import type { ContactQuery, ContactRecord } from "../../src/store/contacts.ts";
import { housekeeping } from "../../src/store/sql/housekeeping.ts";
import type { Connections, Db } from "../../src/store/sql/statement.ts";
import { createStore } from "../../src/store/sql/stores.ts";
import { NOON, W1 } from "./conformance/fixtures.ts";

const PAGE = { limit: 25, offset: 0 };
const given = <T>(value: T) => [undefined, value];

/** Every combination of these filters. */
function combinations<T extends object>(filter: T): Partial<T>[] {
  const found: Partial<T>[] = [{}];
  for (const [name, value] of Object.entries(filter)) found.push(...found.map((some) => ({ ...some, [name]: value })));
  return found;
}

/**
 * Has the store make all its statements on a connection: those of each area, and those that a filter, a move or a guard
 * leads to.
 */
export async function makeEveryStatement(db: Db): Promise<void> {
  const connections: Connections = { reader: db, run: (job) => job(db) };
  const store = createStore(connections, () => undefined);
  housekeeping(db);
  const bound = store.read(W1);
  const id = "01900000-0000-7000-8000-000000000001";
  for (const area of Object.keys(Object.getOwnPropertyDescriptors(bound))) void (bound as never)[area];
  for (const email of given("p2@x.example"))
    for (const company of given("Acme"))
      for (const source of given("import"))
        for (const updatedSince of given(NOON))
          for (const sort of ["created_at", "updated_at"] as const)
            for (const direction of ["asc", "desc"] as const) {
              const query: ContactQuery = {
                filter: { email, company, source, updatedSince },
                sort,
                direction,
                ...PAGE,
              };
              await bound.contacts.query(query);
            }
  const walks = { tag: "t", company: "Acme", accountId: id, stage: "lead" as const, source: "import" };
  for (const filter of combinations(walks)) await bound.contacts.walk(filter, { limit: 25, before: null });
  await bound.contacts.search("ada love", 10);
  for (const kind of ["account", "deal", "sequence", "post"] as const)
    for (const text of ["w1", "w1 w2"]) await bound.finder.records(kind, searchOf(text), 10);
  await store.wordIndex.indexWords(10);
  await bound.contacts.list(PAGE);
  await bound.contacts.list({ limit: 25, offset: 2_000 });
  const one = await bound.contacts.findByEmail("p2@x.example");
  await bound.contacts.update(one as ContactRecord, { fields: { phone: "1" }, tags: ["t"], now: NOON });
  const actions = { accountId: id, contactId: id, status: "planned" as const };
  for (const filter of combinations(actions)) await bound.socialnetActions.list(filter, PAGE);
  for (const move of Object.keys(ACTION_MOVES) as ActionMove[])
    for (const guard of [
      {},
      { from: "planned" as const },
      { from: "planned" as const, leaseHash: Buffer.alloc(1), leaseRunsAt: 1 },
      { from: "planned" as const, leaseOverAt: 1 },
    ])
      await bound.socialnetActions.move(id, move, NOON, {}, guard);
  await bound.socialnetActions.patch(id, ["started", "needs_review"], { stopWanted: null }, NOON);
  for (const view of ["to_answer", "open", "mine", "unassigned", "snoozed", "done"] as const)
    for (const order of ["newest", "oldest"] as const)
      await bound.conversations.list(view, { memberId: id, now: NOON }, PAGE, order);
  await bound.conversations.counts({ memberId: id, now: NOON });
  await bound.conversations.update(id, { status: "done", unread: false, snoozedUntil: null, mark: null }, NOON);
  for (const move of ["approve", "send_back", "cancel", "send", "write", "fail"] as const)
    await bound.emailAnswers.move(id, move, NOON);
  for (const filter of combinations({ status: "sent" as const, sequenceId: id })) await bound.sends.list(filter, PAGE);
  await bound.sends.move(id, ["sending", "unknown"], "sent", NOON);
  await bound.sends.unknown({ until: NOON }, 9);
  await bound.sends.unknown({ until: NOON, sequenceId: id }, 9);
  for (const filter of combinations({ sequenceId: id, status: "active" as const, held: true as const, contactId: id }))
    await bound.enrollments.list(filter, PAGE);
  for (const filter of combinations({ status: "pending" as const, itemId: "ON-1" })) {
    await bound.cards.list(filter, PAGE);
    await bound.posts.list({ ...filter, ...("status" in filter && { status: "approved" as const }) } as never, PAGE);
  }
  await bound.deliveries.list({ ...PAGE, status: undefined });
  await bound.deliveries.list({ ...PAGE, status: "dead" });
}
