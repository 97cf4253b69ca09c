import { BadSetting, effectiveSettings, envFileFaults, settingProblems, unknownVariables } from "../../config.ts";
import { type DataOptions, printData } from "../terminal.ts";

/** `rostrum config`: every setting with its value and source. Fails after that where the server would not start. */
export function showConfig(options: DataOptions): void {
  const problems = settingProblems({ data: options.data });
  const refuse = () => {
    if (problems.length > 0) throw new BadSetting(problems.join("\n"));
  };
  // With --json, there is one document.
  if (options.json) refuse();
  const settings = effectiveSettings({ data: options.data });
  const unknown = unknownVariables();
  printData({ settings, unknown }, options, () => {
    const rows = settings.map(
      ({ setting, value, source, problem }) =>
        [setting, value ?? "not set", problem === undefined ? source : `${source}  INVALID`] as const,
    );
    const widths = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column as 0 | 1] as string).length)));
    const lines = rows.map(([setting, value, source]) =>
      [setting.padEnd(widths[0] as number), value.padEnd(Math.min(widths[1] as number, MAX_PADDED)), source].join("  "),
    );
    const strangers = unknown.map(({ name, nearest }) =>
      nearest === undefined ? `Unknown: ${name}` : `Unknown: ${name}. Did you mean ${nearest}?`,
    );
    const faults = envFileFaults().map((fault) => `Warning: ${fault}.`);
    return [...lines, ...strangers, ...faults].join("\n");
  });
  refuse();
}

/** Longer values push their source to the right. */
const MAX_PADDED = 48;
