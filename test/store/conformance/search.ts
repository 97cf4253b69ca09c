import assert from "node:assert/strict";
import { test } from "node:test";
import type { OpenStore } from "./fixtures.ts";
import { archive, found, insert, W1, W2 } from "./fixtures.ts";

export function searchConforms(open: OpenStore): void {
  test("contacts are found by the start of their address, names or company, and by first and last name together", async (t) => {
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

  test("contacts are found by name: full names first, then prefixes, never by address or company", async (t) => {
    const store = await found(await open(t));
    const add = async (fields: object, workspaceId = W1) => (await insert(store, fields, { workspaceId })).contact.id;
    const ada = await add({ first_name: "Ada", last_name: "Lovelace", company: "Engines", email: "ada@x.example" });
    const ada2 = await add({ first_name: "Ada", last_name: "Lovelacey" });
    const vera = await add({ first_name: "Vera", company: "Ada & Sons" });
    const vera2 = await add({ first_name: "Vera", last_name: "Rubin" });
    const maryAnn = await add({ first_name: "Mary Ann", last_name: "van der Berg" });
    const berg = await add({ last_name: "Berg" });
    const inOne = await add({ first_name: "Zoë Maria Blum" });
    const gone = await add({ first_name: "Grace", last_name: "Hopper" });
    await add({ first_name: "Katherine" }, W2);
    await archive(store, gone);

    const byName = async (name: string, limit = 10) =>
      (await store.read(W1).contacts.byName(name, limit)).map(({ id }) => id);
    assert.deepEqual(await store.read(W1).contacts.byName("ada  lovelace", 10), [
      { id: ada, first_name: "Ada", last_name: "Lovelace", company: "Engines" },
    ]);
    assert.deepEqual(await byName("ADA LOVE"), [ada2, ada], "no whole name: how names begin, newest first");
    assert.deepEqual(await byName("ada"), [ada2, ada], "not by company or address");
    assert.equal((await byName("ada", 1)).length, 1);
    assert.deepEqual(await byName("vera"), [vera], "the whole name is Vera");
    assert.deepEqual(await byName("Ve"), [vera2, vera]);
    assert.deepEqual(await byName("berg"), [berg]);
    for (const name of ["mary ann van der berg", "Mary van der Berg", "mary ann", "van der", "Mary Ann van"])
      assert.deepEqual(await byName(name), [maryAnn], name);
    assert.deepEqual(await byName("zoë maria blum"), [inOne]);
    for (const none of ["Lovelace Ada", "%", "Grace Hopper", "Katherine", "a b c d e f g h", "love%"])
      assert.deepEqual(await byName(none), [], none);
  });
}
