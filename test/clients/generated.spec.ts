import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { entryOf, packageFolder } from "../../scripts/on-demand.ts";
import { ROOT } from "../support/program.ts";
import { startServer, temporaryFolder } from "../support/server.ts";

/** A generator of clients, and a program that uses what it generates. */
interface Generator {
  name: "openapi-typescript" | "@hey-api/openapi-ts" | "orval";
  /** Its arguments. It reads openapi.json and writes to the folder `client`. */
  args: string[];
  files?(base: string): Record<string, string>;
  /** The library that the generated client needs. */
  needs?: "openapi-fetch";
  program: string;
}

const UNKNOWN = "0190aaaa-0000-7000-8000-000000000000";

/** How two of the clients return data. */
const RETURN_READ = `return {
          email: got.data?.data?.email,
          total: listed.data?.meta?.total,
          bound: setup && "bound" in setup ? setup.bound : undefined,
          code: refused.error?.code,
        };`;

const GENERATORS: Generator[] = [
  {
    name: "openapi-typescript",
    args: ["openapi.json", "--output", "client/schema.ts"],
    needs: "openapi-fetch",
    program: `
      import createClient from "openapi-fetch";
      import type { paths } from "./client/schema";
      const api = createClient<paths>({ baseUrl, headers });
      // @ts-expect-error A claim needs an actionId.
      export const unnamed = () => api.POST("/socialnet/actions", { body: { command: "claim" } });
      export async function use() {
        const created = await api.POST("/contacts", { body: { email: "grace@hopper.example", first_name: "Grace" } });
        const id: string = created.data?.data?.id ?? "";
        const got = await api.GET("/contacts/{id}", { params: { path: { id } } });
        const listed = await api.GET("/contacts", { params: { query: { limit: 1 } } });
        const set = await api.POST("/socialnet/actions", { body: { command: "setup" } });
        const setup = set.data?.data;
        const refused = await api.GET("/contacts/{id}", { params: { path: { id: "${UNKNOWN}" } } });
        ${RETURN_READ}
      }`,
  },
  {
    name: "@hey-api/openapi-ts",
    args: ["--input", "openapi.json", "--output", "client", "--no-log-file"],
    program: `
      import { createContact, getContact, listContacts, socialnetCommand } from "./client";
      import { client } from "./client/client.gen";
      client.setConfig({ baseUrl, headers });
      // @ts-expect-error A claim needs an actionId.
      export const unnamed = () => socialnetCommand({ body: { command: "claim" } });
      export async function use() {
        const created = await createContact({ body: { email: "grace@hopper.example", first_name: "Grace" } });
        const id: string = created.data?.data?.id ?? "";
        const got = await getContact({ path: { id } });
        const listed = await listContacts({ query: { limit: 1 } });
        const set = await socialnetCommand({ body: { command: "setup" } });
        const setup = set.data?.data;
        const refused = await getContact({ path: { id: "${UNKNOWN}" } });
        ${RETURN_READ}
      }`,
  },
  {
    name: "orval",
    args: ["--config", "orval.config.mjs"],
    files: (baseUrl) => {
      const output = { target: "client/api.ts", client: "fetch", baseUrl };
      return { "orval.config.mjs": `export default ${JSON.stringify({ api: { input: "openapi.json", output } })}` };
    },
    program: `
      import { createContact, getContact, listContacts, socialnetCommand } from "./client/api";
      // @ts-expect-error A claim needs an actionId.
      export const unnamed = () => socialnetCommand({ command: "claim" }, { headers });
      export async function use() {
        const created = await createContact({ email: "grace@hopper.example", first_name: "Grace" }, { headers });
        if (created.status !== 201) throw new Error(String(created.status));
        const id: string = created.data.data.id;
        const got = await getContact(id, { headers });
        const listed = await listContacts({ limit: 1 }, { headers });
        const set = await socialnetCommand({ command: "setup" }, { headers });
        const setup = set.status === 200 ? set.data.data : null;
        const refused = await getContact("${UNKNOWN}", { headers });
        return {
          email: got.status === 200 ? got.data.data.email : undefined,
          total: listed.status === 200 ? listed.data.meta.total : undefined,
          bound: setup && "bound" in setup ? setup.bound : undefined,
          code: refused.status === 404 ? refused.data.code : undefined,
        };
      }`,
  },
];

const COMPILER_OPTIONS = {
  strict: true,
  target: "es2023",
  module: "nodenext",
  lib: ["es2023", "dom", "dom.iterable"],
  types: [],
  rootDir: ".",
  outDir: "built",
};

for (const { name, args, files, needs, program } of GENERATORS) {
  test(`a client generated by ${name} compiles in strict mode and reads live answers`, async (t) => {
    const server = await startServer(t);
    const folder = temporaryFolder(t);
    const run = (node: string, given: string[]) =>
      execFileSync(node, given, {
        cwd: folder,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
        env: { PATH: process.env.PATH, HOME: folder },
      });
    const { text } = await server.rest("GET", "/openapi.json");
    const connection = { baseUrl: server.base, headers: { authorization: `Bearer ${server.key}` } };
    const written = {
      "openapi.json": text,
      "use.ts": `const { baseUrl, headers } = ${JSON.stringify(connection)};\n${program}`,
      ...files?.(server.base),
    };
    for (const [path, content] of Object.entries(written)) writeFileSync(join(folder, path), content);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
    mkdirSync(join(folder, "node_modules"));
    if (needs !== undefined) symlinkSync(packageFolder(needs), join(folder, "node_modules", needs));
    // Two of the generators need a newer Node than Rostrum does.
    run(entryOf("node"), [entryOf(name), ...args]);
    run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc")]);
    // The server answers in this process, so the program must not block it.
    const answers = await import(join(folder, "built/use.js"));
    assert.deepEqual(await answers.use(), {
      email: "grace@hopper.example",
      total: 1,
      bound: false,
      code: "contact_not_found",
    });
  });
}
