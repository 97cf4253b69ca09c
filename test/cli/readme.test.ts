import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";
import { programArgs, ROOT } from "../support/program.ts";
import { startServer, temporaryFolder } from "../support/server.ts";

const run = promisify(execFile);
const COMMAND = [process.execPath, ...programArgs("bin/rostrum.ts")].map((word) => JSON.stringify(word)).join(" ");

test("the flow of the README runs as it stands there", async (t) => {
  const readme = readFileSync(`${ROOT}README.md`, "utf8");
  const flow = /<!-- flow -->\n```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  assert.ok(flow.includes("bin/rostrum "));
  const server = await startServer(t, { env: { ROSTRUM_OUTBOUND_GATE: "open" } });
  const folder = temporaryFolder(t);
  const script = `set -e\n${flow.replace("bin/rostrum ", `${COMMAND} `)}`;
  const env = {
    ...process.env,
    API: server.base,
    KEY: server.key,
    ROSTRUM_DATA: server.folder,
    ROSTRUM_OUTBOUND_GATE: "open",
  };
  const { stdout } = await run("bash", ["-c", script], { cwd: folder, env, timeout: 120_000 });
  assert.ok(existsSync(`${folder}/contacts.csv`));
  const refusals = stdout.match(/"code": ?"[^"]+"/g);
  assert.equal(refusals, null, stdout);

  const { deals, enrollments, suppression, lifecycle } = await server.operator("brain_contact", {
    email: "grace@hopper.example",
  });
  assert.deepEqual([lifecycle.stage, deals[0].title], ["opportunity", "Ten seats"]);
  assert.equal(enrollments[0].status, "stopped_suppressed");
  assert.equal(suppression.reason, "asked by telephone");
});
