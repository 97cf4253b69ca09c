import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { InvalidArgumentError, Option, program } from "commander";
import pino from "pino";
import { Agent } from "./agent.ts";
import { openBrowser } from "./browser.ts";
import { Journal } from "./journal.ts";
import { isHopeless, live } from "./live.ts";
import { PageNetwork } from "./network.ts";
import { Rostrum } from "./rostrum.ts";
import { Alarm, Subscriptions, startReceiver } from "./wake.ts";

interface Where {
  network: string;
  data: string;
  chromium: string;
}

interface RunOptions extends Where {
  mcpUrl: string;
  key: string;
  checkIn: number;
  pageTimeout: number;
  events: boolean;
  listen: number;
  callback?: string;
}

const whole = (from: number, to: number) => (text: string) => {
  const number = Number(text);
  if (!Number.isInteger(number) || number < from || number > to) {
    throw new InvalidArgumentError(`It is a whole number from ${from} to ${to}.`);
  }
  return number;
};

const option = (flags: string, description: string, env: string) => new Option(flags, description).env(env);
const NETWORK = option("--network <url>", "where the social network is", "NETWORK_URL").makeOptionMandatory();
const DATA = option("--data <folder>", "keeps the browser's profile and the journal", "AGENT_DATA").default(
  "./agent-data",
);
const CHROMIUM = option("--chromium <path>", "the browser", "CHROMIUM").default("/usr/bin/chromium");

/** The browser's profile is a signed-in account, so only its owner may read it. */
function profileIn(data: string): string {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  return join(data, "profile");
}

async function signIn({ network, data, chromium }: Where): Promise<void> {
  const browser = await openBrowser({ profile: profileIn(data), executable: chromium, headless: false });
  const page = browser.pages()[0] ?? (await browser.newPage());
  await page.goto(network);
  console.log("Sign in, then close the window.");
  await browser.waitForEvent("close", { timeout: 0 });
}

async function run({ network: url, data, chromium, ...options }: RunOptions): Promise<void> {
  const log = pino();
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const { signal } = stop;

  const browser = await openBrowser({ profile: profileIn(data), executable: chromium });
  browser.once("close", () => {
    if (signal.aborted) return;
    log.error("the browser has ended");
    process.exitCode = 1;
    stop.abort();
  });
  const journal = new Journal(join(data, "journal.jsonl"));
  const alarm = new Alarm();
  const receiver = options.events ? await startReceiver({ port: options.listen, alarm, log }) : undefined;
  try {
    const rostrum = await Rostrum.connect({ url: options.mcpUrl, key: options.key });
    const network = new PageNetwork({ browser, url, timeoutMs: options.pageTimeout * 1_000 });
    const agent = new Agent({ rostrum, network, journal, log, signal, checkInMinutes: options.checkIn });
    const delivery = receiver && { url: options.callback ?? receiver.url, secret: receiver.secret };
    await live({
      rostrum,
      agent,
      alarm,
      log,
      signal,
      ...(delivery === undefined ? {} : { subscriptions: new Subscriptions(rostrum, delivery, log) }),
    });
    await rostrum.close();
  } finally {
    stop.abort();
    await receiver?.close();
    await browser.close();
    journal.close();
  }
  log.info("stopped");
}

program
  .name("browser-agent")
  .description(
    "Runs the actions that people approved in Rostrum, in a browser where the account holder has signed in.",
  );
program
  .command("sign-in")
  .description("open a window in which the account holder signs in; the agent never sees the password")
  .addOption(NETWORK)
  .addOption(DATA)
  .addOption(CHROMIUM)
  .action(signIn);
program
  .command("run", { isDefault: true })
  .description("work until told to stop")
  .addOption(NETWORK)
  .addOption(DATA)
  .addOption(CHROMIUM)
  .addOption(
    option("--mcp-url <url>", "Rostrum's MCP endpoint", "ROSTRUM_MCP_URL").default("http://127.0.0.1:8787/api/v1/mcp"),
  )
  .addOption(
    option(
      "--key <key>",
      "better given by the environment, where others do not see it",
      "ROSTRUM_KEY",
    ).makeOptionMandatory(),
  )
  .addOption(
    option("--check-in <minutes>", "look at least so often, 5 to 1440", "AGENT_CHECK_IN")
      .default(60)
      .argParser(whole(5, 1_440)),
  )
  .addOption(
    option("--page-timeout <seconds>", "how long a page may take", "AGENT_PAGE_TIMEOUT")
      .default(20)
      .argParser(whole(1, 120)),
  )
  .addOption(
    option("--listen <port>", "where events are received, on this machine; 0 picks a free one", "AGENT_PORT")
      .default(0)
      .argParser(whole(0, 65_535)),
  )
  .addOption(
    option("--callback <url>", "how Rostrum reaches that port, behind whatever gives it https", "AGENT_CALLBACK"),
  )
  .option("--no-events", "go by the schedule alone")
  .action(run);
await program.parseAsync().catch((error: unknown) => {
  console.error(isHopeless(error) ? error.message : error);
  process.exitCode = 1;
});
