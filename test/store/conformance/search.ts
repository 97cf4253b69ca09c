import assert from "node:assert/strict";
import { test } from "node:test";
import { searchOf } from "../../../src/domain/text/words.ts";
import type { RecordKind } from "../../../src/store/words.ts";
import type { OpenStore } from "./fixtures.ts";
import { archive, found, idOf, insert, NOON, update, W1, W2 } from "./fixtures.ts";

export function searchConforms(open: OpenStore): void {
  test("contacts are found by the start of any word of their name, company or address, in any order", async (t) => {
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
    assert.deepEqual(await search("love ada"), ["ada"]);
    assert.deepEqual(await search("zoe"), ["zoe"]);
    assert.deepEqual(await search("meyer"), ["oskar"]);
    assert.deepEqual(await search("research gold"), ["adele"]);
    assert.deepEqual(await search("a.l@engines.example"), ["ada"]);
    assert.deepEqual(await search("b.exa"), ["zoe"]);
    assert.deepEqual(await search("dele"), []);
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

  test("contacts that many others followed are found by the index, also after a change, and never in another workspace", async (t) => {
    const store = await found(await open(t));
    const texts: [name: string, fields: object, searches: string[]][] = [
      [
        "ada",
        { first_name: "Ada", last_name: "Lovelace", email: "ada.l@engines.example" },
        ["love a", "ada.l@engines.example"],
      ],
      ["cyrillic", { first_name: "Иван", last_name: "Йовчев", company: "Ёлки" }, ["ива", "ИОВ", "елки"]],
      ["accents", { first_name: "Zoë", company: "Müller & Söhne “Nord”" }, ["mull zoe", "nord", "söhne"]],
      ["long", { first_name: "x".repeat(500), company: "ﷺ".repeat(500) }, ["x".repeat(70)]],
      ["japanese", { last_name: "山田太郎" }, ["山田"]],
      ["none", { email: "noname@localhost" }, []],
    ];
    const ids = new Map<string, string>();
    for (const [name, fields] of texts) ids.set(name, (await insert(store, fields)).contact.id);
    const renamed = await insert(store, { first_name: "Grace", last_name: "Murray" });
    const foreign = (await insert(store, { first_name: "Ada", last_name: "Lovelace" }, { workspaceId: W2 })).contact.id;
    await store.write(W1, async ({ contacts }) => {
      for (let i = 0; i < 1_100; i += 1) {
        const fields = { first_name: "Quinn", email: `q${i}@b.example` };
        await contacts.insert({ id: idOf(0x50_0000 + i), fields, source: "import", now: NOON });
      }
    });
    const index = async () => {
      while ((await store.wordIndex.indexWords(400)) > 0);
    };
    const contacts = async (text: string, limit = 5, workspaceId = W1) =>
      (await store.read(workspaceId).finder.contacts(searchOf(text), limit)).map(({ id }) => id);
    await index();
    for (const [name, , searches] of texts)
      for (const text of searches) assert.deepEqual(await contacts(text), [ids.get(name)], text);
    assert.deepEqual(await contacts("lovelace", 5, W2), [foreign]);
    assert.deepEqual(await contacts("localhost"), []);
    assert.equal((await contacts("qu", 3)).length, 3);
    assert.deepEqual(await contacts("murray"), [renamed.contact.id]);
    await update(store, renamed, { fields: { last_name: "Hopper" } });
    await index();
    assert.deepEqual(await contacts("murray"), [], "the word that it had");
    assert.deepEqual(await contacts("hopper g"), [renamed.contact.id]);
    await archive(store, renamed.contact.id);
    assert.deepEqual(await contacts("hopper"), []);
    assert.equal(await store.wordIndex.indexWords(10), 0, "nothing is due");
  });

  test("companies, deals, sequences and posts are found by their words as they are now", async (t) => {
    const store = await found(await open(t));
    const { id: contactId } = (await insert(store, { first_name: "Ada", last_name: "Lovelace" })).contact;
    const account = { id: idOf(1), name: "Société Générale", domain: "sg.example", website: null, industry: null };
    const deal = { title: "Renewal 2027", value: 1, currency: "EUR", stage: "proposal" as const, probability: null };
    for (const workspaceId of [W1, W2]) {
      await store.write(workspaceId, async ({ accounts }) => {
        const id = workspaceId === W1 ? account.id : idOf(2);
        await accounts.insert({ ...account, id, createdAt: NOON, updatedAt: NOON });
      });
    }
    await store.write(W1, async ({ deals }) => {
      await deals.insert({ ...deal, id: idOf(3), contactId, expectedCloseDate: null, now: NOON });
    });
    const records = async (kind: RecordKind, text: string) =>
      (await store.read(W1).finder.records(kind, searchOf(text), 5)).map(({ id }) => id);
    assert.deepEqual(await records("account", "gener soc"), [account.id]);
    assert.deepEqual(await records("account", "s"), [account.id], "once, by whichever of its words");
    assert.deepEqual(await records("account", "gener nord"), []);
    assert.deepEqual(await records("deal", "2027 ren"), [idOf(3)]);
    assert.deepEqual(await records("deal", "soc"), [], "of another kind");
    const { createdAt: _, ...changed } = { ...account, name: "Crédit Agricole", createdAt: NOON };
    await store.write(W1, ({ accounts }) => accounts.update(account.id, changed, NOON));
    assert.deepEqual(await records("account", "soc"), []);
    assert.deepEqual(await records("account", "credit"), [account.id]);
    await archive(store, contactId);
    assert.deepEqual(await records("deal", "renewal"), [], "its contact is archived");
  });
}
