import assert from "node:assert/strict";
import { test } from "node:test";
import { EmailTaken } from "../../../src/store/contacts.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, idOf, insert, NOON, W1 } from "./fixtures.ts";

const named = (number: number) => ({ id: idOf(number), fields: { first_name: "x" }, source: "import", now: NOON });

export function writesConform(open: OpenStore): void {
  test("a job that throws leaves nothing behind, and its error reaches the caller", async (t) => {
    const store = await found(await open(t));
    const fault = new Error("mine");
    const job = store.write(W1, async ({ contacts, journal }) => {
      await contacts.insert(named(1));
      await journal.audit({
        recordId: "r",
        before: null,
        after: {},
        action: "a",
        actorKind: "k",
        actorId: "i",
        at: NOON,
      });
      throw fault;
    });
    await assert.rejects(job, (thrown) => thrown === fault);
    assert.equal(await store.read(W1).contacts.count(), 0);
    assert.equal((await store.read(W1).logs.listAudit({ limit: 1, offset: 0 })).total, 0);
  });

  test("of jobs that arrive together, one that fails does not affect the others", async (t) => {
    const store = await found(await open(t));
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        store.write(W1, async ({ contacts }) => {
          await contacts.insert(named(i + 1));
          if (i % 3 === 0) throw new Error(`fault ${i}`);
          return i;
        }),
      ),
    );
    for (const [i, result] of results.entries()) {
      const expected = i % 3 === 0 ? `fault ${i}` : i;
      assert.equal(result.status === "fulfilled" ? result.value : (result.reason as Error).message, expected);
    }
    assert.equal(await store.read(W1).contacts.count(), 13);
  });

  test("a job sees its own writes, and a reader sees them once acknowledged", async (t) => {
    const store = await found(await open(t));
    const inside = await store.write(W1, async ({ contacts }) => {
      await contacts.insert(named(1));
      assert.equal(await store.read(W1).contacts.count(), 0, "not yet committed");
      return contacts.count();
    });
    assert.equal(inside, 1);
    assert.equal(await store.read(W1).contacts.count(), 1);
  });

  test("racing inserts of one address create one contact, and the others fail", async (t) => {
    const store = await found(await open(t));
    const results = await Promise.allSettled(Array.from({ length: 30 }, () => insert(store, { email: "a@x.example" })));
    const lost = results.filter((result) => result.status === "rejected");
    assert.equal(lost.length, 29);
    assert.ok(lost.every(({ reason }) => reason instanceof EmailTaken));
    assert.equal(await store.read(W1).contacts.count(), 1);
  });

  test("a job that waits for anything but the store is refused at once and rolled back", async (t) => {
    const store = await found(await open(t));
    const never = new Promise<void>(() => undefined);
    const waiting = store.write(W1, async ({ contacts }) => {
      await contacts.insert(named(1));
      await never;
    });
    await assert.rejects(waiting, /waited for I\/O/);
    await insert(store, { first_name: "Next" });
    assert.equal(await store.read(W1).contacts.count(), 1);
  });

  test("a closed store says that it is unavailable, can be closed twice, and keeps what it acknowledged", async (t) => {
    const store = await found(await open(t));
    const last = insert(store, { first_name: "Last" });
    await store.close();
    await last;
    for (const attempt of [
      () => store.ping(),
      () => store.read(W1).contacts.count(),
      () => store.findKey(Buffer.alloc(32)),
      () => insert(store, { first_name: "Late" }),
    ]) {
      await assert.rejects(attempt(), (error) => store.isUnavailable(error));
    }
    await store.close();
  });

  test("an internal error is not reported as an unavailable database", async (t) => {
    const store = await found(await open(t));
    for (const mistake of [new Error("x"), new TypeError("x is not a function"), "text", undefined, new EmailTaken()]) {
      assert.equal(store.isUnavailable(mistake), false);
    }
  });
}
