/** What a server has used of the machine. */
export interface Usage {
  /** Microseconds of CPU since its start, all threads. */
  cpu: number;
  /** Bytes resident. */
  resident: number;
}

/** The questions that the bench asks a server, and their answers. */
export interface Asks {
  usage: Usage;
  /** Median microseconds of a page of 25 by offset, timed at the store. */
  pages: Record<number, number>;
}

interface Served {
  port: number;
  close(): Promise<void> | void;
  pages?: () => Promise<Asks["pages"]>;
}

/** Tells the bench that the server is ready, answers its questions, and ends with it. */
export function serve({ port, close, pages }: Served): void {
  const end = async () => {
    await close();
    process.exit(0);
  };
  process.on("disconnect", () => void end());
  process.on("message", async ({ ask }: { ask: keyof Asks | "stop" }) => {
    if (ask === "stop") return end();
    process.send?.(ask === "pages" ? await pages?.() : usage());
  });
  process.send?.({ port });
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpu: user + system, resident: process.memoryUsage.rss() };
}
