import { Child } from "./child.ts";
import { figure, median } from "./numbers.ts";
import { markdown, type Verdict } from "./report.ts";

export interface MailFigures {
  perSecond: number;
  cpuMicros: number;
}

/** As many are handed over before, to warm up. */
const MESSAGES = 5_000;
const PER_SECOND = 200;

/** How fast messages that are due at once are composed and handed to one server, over the pool's five connections. */
export async function measureMail(rounds: number, profiles: string | undefined): Promise<MailFigures> {
  const sink = await Child.start("mail-sink", []);
  const measured: MailFigures[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const sender = await Child.start("rostrum-mail", [String(sink.port), String(MESSAGES)], profiles);
      await sink.ask("received");
      measured.push(await sender.ask("mails"));
      const { count } = await sink.ask("received");
      await sender.stop();
      if (count !== 2 * MESSAGES) throw new Error(`${2 * MESSAGES} messages were handed over, ${count} received.`);
    }
  } finally {
    await sink.stop();
  }
  const of = (name: keyof MailFigures) => median(measured.map((figures) => figures[name]));
  return { perSecond: of("perSecond"), cpuMicros: of("cpuMicros") };
}

export function mailTable({ perSecond, cpuMicros }: MailFigures): string {
  return markdown(
    ["Email", "Per second", "CPU µs"],
    [[`${figure(MESSAGES)} messages to one server, five at a time`, figure(perSecond), figure(cpuMicros)]],
  );
}

export function mailVerdict({ perSecond }: MailFigures): Verdict {
  return {
    what: "Emails handed over per second",
    found: figure(perSecond),
    target: `at least ${figure(PER_SECOND)}`,
    met: perSecond >= PER_SECOND,
  };
}
