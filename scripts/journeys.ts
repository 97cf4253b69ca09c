/**
 * Counts the source files that one call runs through: `npm run journeys`. Add `-- --list` to see their names.
 * A file counts when V8 saw at least one of its functions run during the call; loading the module does not count.
 * Each call is made before it is measured, to leave out first-use work. Exits with 1 when a limit is exceeded.
 */
import assert from "node:assert/strict";
import { Session } from "node:inspector/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { asOwner } from "../test/support/http-browser.ts";
import { armed, enroll } from "../test/support/sequences.ts";
import { withAgent } from "../test/support/socialnet.ts";

interface Journey {
  name: string;
  most: Record<"files" | "calls", number>;
  call(): Promise<{ status: number; text: string }>;
}

const SOURCES = new URL("../src/", import.meta.url).href;
/** The function that runs once per call into the pipeline, and the one around it, which runs when the server starts. */
const PIPELINE = { call: "run", within: "createInvoke" };
/** Enough time for what a call does after it answers. */
const SETTLE_MS = 100;
/** The server records the first use of a key within a second. Until then, every call notes it again. */
const FIRST_USE_MS = 1_500;
/** That recorder runs once a second. The round with the fewest files is one in which it did not run. */
const ROUNDS = 3;

const closing: (() => unknown)[] = [];
const session = new Session();
try {
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const after = (close: unknown) => void closing.push(close as () => unknown);
  const agent = await withAgent({ after }, { env: { ROSTRUM_WORKERS: "off" } });
  const { server } = agent;
  const pipeline = (await coverage()).find(({ functions }) =>
    functions.some(({ functionName }) => functionName === PIPELINE.within),
  )?.url;
  const browser = await asOwner(server, agent.clock.now());
  const actions = await Promise.all(Array.from({ length: ROUNDS + 1 }, () => agent.approved()));
  // The page shows a contact in use: enrolled, with a planned action and a note.
  const { contact, ids } = await armed(server, { contact: { socialnet_url: "https://socialnet.example/in/page" } });
  await enroll(server, ids);
  await agent.planned({ contact });
  await server.rest("POST", `/contacts/${contact.id}/activities`, { body: { type: "note_added", body: "A note." } });
  const journeys: Journey[] = [
    {
      name: "POST /contacts",
      most: { files: 25, calls: 1 },
      call: () => server.rest("POST", "/contacts", { body: { email: `${Date.now()}@x.example`, first_name: "Ada" } }),
    },
    {
      name: "claim",
      most: { files: 30, calls: 1 },
      call: () => agent.command("claim", { actionId: actions.pop()?.id }),
    },
    {
      name: "contact page",
      most: { files: 60, calls: 3 },
      // A minute after the last visit, when the counts in the sidebar are no longer cached.
      call: () => {
        agent.clock.advance(60_000);
        return browser.get(`/console/w/${server.workspaceId}/contacts/${contact.id}`);
      },
    },
  ];

  console.log(row("journey", "files", "limit", "pipeline calls", "limit"));
  for (const journey of journeys) {
    await make(journey, FIRST_USE_MS);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure(journey, pipeline));
    const { files, calls } = rounds.reduce((best, next) => (next.files.length < best.files.length ? next : best));
    assert.ok(calls, `The function ${PIPELINE.call} of the pipeline did not run. Was it renamed?`);
    const { name, most } = journey;
    console.log(row(name, files.length, most.files, calls, most.calls));
    if (process.argv.includes("--list")) console.log(files.map((file) => `  ${file}`).join("\n"));
    if (files.length > most.files || calls > most.calls) process.exitCode = 1;
  }
} finally {
  session.disconnect();
  for (const close of closing.reverse()) await close();
}

async function make({ name, call }: Journey, settleMs = SETTLE_MS): Promise<void> {
  const { status, text } = await call();
  assert.ok(status < 300, `${name}: ${status} ${text}`);
  await sleep(settleMs);
}

async function measure(journey: Journey, pipeline: string | undefined) {
  await coverage();
  await make(journey);
  const scripts = await coverage();
  const ran = scripts.find(({ url }) => url === pipeline)?.functions ?? [];
  const calls = ran.find(({ functionName }) => functionName === PIPELINE.call)?.ranges[0]?.count;
  return { files: scripts.map(({ url }) => url.slice(SOURCES.length).replace(/\?.*/, "")).sort(), calls };
}

/** The source files that ran since the last call, each with the functions that ran. */
async function coverage() {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result
    .filter(({ url }) => url.startsWith(SOURCES))
    .map(({ url, functions }) => ({
      url,
      functions: functions.filter(({ functionName, ranges: [whole] }) => {
        const topLevel = functionName === "" && whole?.startOffset === 0;
        return whole !== undefined && whole.count > 0 && !topLevel;
      }),
    }))
    .filter(({ functions }) => functions.length > 0);
}

function row(name: string, ...figures: (string | number)[]): string {
  return name.padEnd(16) + figures.map((figure) => `${figure}`.padStart(16)).join("");
}
