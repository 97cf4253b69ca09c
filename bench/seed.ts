import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { callAsOperator } from "../src/cli/operator.ts";
import { openCore } from "../src/composition/core.ts";
import { readConfig } from "../src/config.ts";
import { ALL_SCOPES } from "../src/domain/access/roles.ts";
import { profileKey } from "../src/domain/contacts/address.ts";
import { databaseFile } from "../src/lib/data-folder.ts";
import { newId } from "../src/lib/ids.ts";
import { createLog } from "../src/lib/log.ts";
import { RESULTS, ROOT } from "./build.ts";
import { fakeContacts } from "./people.ts";

export interface Seed {
  folder: string;
  /** An API key with every scope. */
  key: string;
  /** Such a key of each workspace, by its id. */
  keys: Readonly<Record<string, string>>;
  contacts: number;
}

/** A data folder with this many contacts, spread over workspaces, created once per schema and kept. */
export async function seed(contacts: number, workspaces = 1): Promise<Seed> {
  const spread = workspaces === 1 ? "" : `-in-${workspaces}`;
  const folder = join(RESULTS, `seed-${contacts}${spread}-${fingerprint()}`);
  const note = join(folder, "seed.json");
  if (!existsSync(note)) {
    const partial = `${folder}.partial`;
    const begun = join(partial, "begun.json");
    if (!existsSync(begun)) {
      rmSync(partial, { recursive: true, force: true });
      mkdirSync(partial, { recursive: true });
      writeFileSync(begun, JSON.stringify(await found(partial, workspaces)));
    }
    const keys = JSON.parse(readFileSync(begun, "utf8")) as Seed["keys"];
    fill(databaseFile(partial), Object.keys(keys), contacts);
    await indexed(partial);
    writeFileSync(join(partial, "seed.json"), JSON.stringify(keys));
    renameSync(partial, folder);
  }
  const keys = JSON.parse(readFileSync(note, "utf8")) as Seed["keys"];
  return { folder, key: Object.values(keys)[0] as string, keys, contacts };
}

/** A separate data folder for a server, written to disk before measuring. */
export function copyOf(seed: Seed, name: string): string {
  const folder = join(RESULTS, "work", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const copy = databaseFile(folder);
  copyFileSync(databaseFile(seed.folder), copy, constants.COPYFILE_FICLONE);
  keepOnDisk(copy);
  return folder;
}

/** A sync of any other file waits until this one is on disk. */
export function keepOnDisk(path: string): void {
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}

/** Hash of the schema of the checkout at `root`. */
export function schemaFingerprint(root: string): string {
  const migrations = join(root, "src/store/sqlite/migrations");
  const hash = createHash("sha256");
  for (const name of readdirSync(migrations).sort()) {
    if (name.endsWith(".sql")) hash.update(readFileSync(join(migrations, name)));
  }
  return hash.digest("hex");
}

/** Hash of the schema and of the code that fills it. */
function fingerprint(): string {
  const hash = createHash("sha256").update(schemaFingerprint(ROOT));
  for (const name of ["seed.ts", "people.ts"]) hash.update(readFileSync(join(ROOT, "bench", name)));
  return hash.digest("hex").slice(0, 12);
}

async function found(folder: string, workspaces: number): Promise<Seed["keys"]> {
  const core = await openCore(readConfig({ data: folder }, {}), createLog("warn"));
  const operate = async (name: string, workspaceId: string, input: unknown) => {
    const answer = await callAsOperator(core, name, workspaceId, input);
    if (answer.refusal !== undefined) throw answer.refusal;
    return (JSON.parse(answer.body) as { data: { id: string; key: string } }).data;
  };
  const keys: Record<string, string> = {};
  for (let made = 0; made < workspaces; made++) {
    const { id } = await operate("create_workspace", "", { name: "bench" });
    const { key } = await operate("create_key", id, { name: "bench", scopes: ALL_SCOPES });
    keys[id] = key;
  }
  await core.close();
  return keys;
}

/** Indexes the words of all contacts, as the server does in the background. */
async function indexed(folder: string): Promise<void> {
  process.stderr.write("Indexing …\n");
  const core = await openCore(readConfig({ data: folder }, {}), createLog("warn"));
  while ((await core.store.wordIndex.indexWords(INDEXED_CHUNK)) > 0);
  await core.close();
}

const INDEXED_CHUNK = 10_000;

/** Rows per transaction. An interrupted run resumes after the last one. */
const CHUNK = 50_000;

/** Fills the file directly and without syncs, from where an earlier run was interrupted. */
function fill(file: string, workspaceIds: readonly string[], contacts: number): void {
  const db = new Database(file);
  db.pragma("journal_mode = TRUNCATE");
  db.pragma("synchronous = OFF");
  db.pragma("cache_size = -1500000");
  const columns = [
    ...["id", "workspace_id", "email", "email_key", "first_name", "last_name", "company", "job_title", "phone"],
    ...["socialnet_url", "socialnet_key", "website", "lifecycle", "source", "tags"],
    ...["created_at", "updated_at", "archived_at"],
  ];
  const insert = db.prepare(
    `INSERT INTO contacts (${columns.join()}) VALUES (${columns.map((name) => `@${name}`).join()})`,
  );
  const before = db.prepare<[], number>("SELECT count(*) FROM contacts").pluck().get() as number;
  db.exec("BEGIN");
  let done = 0;
  for (const contact of fakeContacts(contacts)) {
    if (done < before) {
      done += 1;
      continue;
    }
    insert.run({
      ...contact,
      id: newId(contact.created_at),
      workspace_id: workspaceIds[done % workspaceIds.length],
      email_key: contact.email?.toLowerCase() ?? null,
      socialnet_key: contact.socialnet_url === null ? null : profileKey(contact.socialnet_url),
    });
    done += 1;
    if (done % CHUNK === 0) {
      db.exec("COMMIT; BEGIN");
      process.stderr.write(`\rSeeding ${done} of ${contacts} contacts …`);
    }
  }
  db.exec("COMMIT");
  db.pragma("journal_mode = WAL");
  db.close();
  process.stderr.write("\n");
}
