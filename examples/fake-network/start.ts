import { InvalidArgumentError, Option, program } from "commander";
import { PASSWORD, PEOPLE } from "./network.ts";
import { startFakeNetwork } from "./site.ts";

const port = (text: string) => {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError("It is a number.");
  return Number(text);
};

program
  .description("A small network of made-up people, to try an agent on.")
  .addOption(new Option("--port <port>", "0 picks a free one").env("FAKE_NETWORK_PORT").default(4600).argParser(port))
  .action(async (options: { port: number }) => {
    const { url, close } = await startFakeNetwork(options);
    console.log(`${url}          sign in as ${PEOPLE.map(({ handle }) => handle).join(", ")}; password: ${PASSWORD}`);
    console.log(`${url}/control  what was received, and how the network behaves`);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void close());
  });
await program.parseAsync();
