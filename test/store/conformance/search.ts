import assert from "node:assert/strict";
import { test } from "node:test";
import type { OpenStore } from "./fixtures.ts";
import { archive, found, insert, W1, W2 } from "./fixtures.ts";

export function searchConforms(open: OpenStore): void {
  test("contacts are found by how their address, names or company begin, and by first and last name together", async (t) => {
    const store = await found(await open(t));
    const ids = new Map<string, string>();
    const add = async (name: string, fields: object, workspaceId = W1) =>
      ids.set(name, (await insert(store, fields, { workspaceId })).contact.id);
    await add("ada", { first_name: "Ada", last_name: "Lovelace", email: "A.L@Engines.example", company: "Engines" });
    await add("adele", { first_name: "Adele", last_name: "Goldberg", company: "Park %_ Research" });
    await add("oskar", { first_name: "Oskar", last_name: "Ada-Meyer" });
    await add("zoe", { first_name: "Zoë", email: "zoe@b.example" });
    await add("gone", { first_name: "Adam" });
    await add("foreign", { first_name: "Ada" }, W2);
    await archive(store, ids.get("gone") ?? "");

    const search = async (text: string, limit = 10) => {
      const rows = (await store.read(W1).contacts.search(text, limit)).parse();
      return rows.map(({ id }) => [...ids].find(([, known]) => known === id)?.[0]);
    };
    assert.deepEqual(await search("ad"), ["oskar", "adele", "ada"]);
    assert.deepEqual(await search("ADA"), ["oskar", "ada"]);
    assert.deepEqual(await search("ada l"), ["ada"]);
    assert.deepEqual(await search("Ada   Love"), ["ada"]);
    assert.deepEqual(await search("a.l@engines"), ["ada"]);
    assert.deepEqual(await search("engines"), ["ada"]);
    assert.deepEqual(await search("park %_"), ["adele"], "nothing in a search is a pattern");
    assert.deepEqual(await search("%"), []);
    assert.deepEqual(await search("Zoë"), ["zoe"]);
    assert.deepEqual(await search("love ada"), []);
    assert.equal((await search("a", 1)).length, 1);
  });
}
