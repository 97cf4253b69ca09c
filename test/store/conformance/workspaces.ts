import assert from "node:assert/strict";
import { test } from "node:test";
import type { OpenStore } from "./fixtures.ts";
import { found, NOON, W1, W2 } from "./fixtures.ts";

export function workspacesConform(open: OpenStore): void {
  test("a new workspace is unlimited, active, and always open in UTC", async (t) => {
    const { workspace } = (await found(await open(t))).read(W2);
    assert.deepEqual(await workspace.find(), { id: W2, name: "two", createdAt: NOON + 1 });
    const { name: _, ...allowances } = await workspace.plan();
    assert.deepEqual(allowances, { contactAllowance: null, socialnetAllowance: null });
    assert.deepEqual(await workspace.billing(), { state: "active", endsAt: null });
    const policy = { timeZone: "UTC", windows: [], dailyCap: null, senderName: null };
    assert.deepEqual(await workspace.sendingPolicy(), policy);
  });

  test("the mail of the server is one for all workspaces; new settings end what the last test showed", async (t) => {
    const store = await found(await open(t));
    const { workspace } = store.read(W2);
    const none = { hasServer: null, defaultDelivery: null, settings: null, test: null };
    assert.deepEqual(await workspace.mail(), none);
    await store.recordHasMailServer(false, NOON);
    await store.recordDefaultDelivery("files", NOON);
    const last = { at: NOON, to: "a@b.example", accepted: true, detail: '250 "ok"', setup: "s" };
    await store.write(W1, async ({ workspace: mine }) => {
      await mine.setMailSettings("v1.ab12.sealed", true, NOON);
      await mine.recordMailTest(last, NOON);
    });
    const set = { hasServer: true, defaultDelivery: "files", settings: "v1.ab12.sealed", test: last } as const;
    assert.deepEqual(await workspace.mail(), set);
    assert.equal(await store.mailSettings(), "v1.ab12.sealed");
    assert.ok((await store.dataKeys()).sealed.includes("ab12"));
    await store.write(W1, ({ workspace: mine }) => mine.setMailSettings(null, false, NOON + 1));
    assert.deepEqual(await workspace.mail(), { ...none, hasServer: false, defaultDelivery: "files" });
    assert.equal(await store.mailSettings(), null);
  });

  test("plan, billing and sending policy read back as set, including null, only for their workspace", async (t) => {
    const store = await found(await open(t));
    const read = async (workspaceId: string) => {
      const { workspace } = store.read(workspaceId);
      return {
        plan: await workspace.plan(),
        billing: await workspace.billing(),
        policy: await workspace.sendingPolicy(),
      };
    };
    const fresh = await read(W2);
    const full = {
      plan: { name: "small", contactAllowance: 0, socialnetAllowance: 2 ** 40 },
      billing: { state: "trial", endsAt: NOON + 1 },
      policy: {
        timeZone: "Asia/Kolkata",
        windows: [{ days: [1, 7], from: "09:00", to: "24:00" }],
        dailyCap: 5,
        senderName: "Ada \u{1f469}\u200d\u{1f4bb} O'\"Lovelace",
      },
    } as const;
    const empty = {
      plan: { name: "none", contactAllowance: null, socialnetAllowance: null },
      billing: { state: "delinquent", endsAt: null },
      policy: { timeZone: "UTC", windows: [], dailyCap: null, senderName: null },
    } as const;
    for (const { plan, billing, policy } of [full, empty]) {
      await store.write(W1, async ({ workspace }) => {
        await workspace.setPlan(plan);
        await workspace.setBilling(billing);
        await workspace.setSendingPolicy({
          ...policy,
          windows: policy.windows.map((w) => ({ ...w, days: [...w.days] })),
        });
      });
      assert.deepEqual(await read(W1), { plan, billing, policy });
      assert.deepEqual(await read(W2), fresh);
    }
  });
}
