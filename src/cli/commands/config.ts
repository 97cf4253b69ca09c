import { effectiveSettings, unknownVariables } from "../../config.ts";
import { configOf, type DataOptions, printData } from "../terminal.ts";

/** `rostrum config`: every setting with its value and source. Fails where the server would not start. */
export function showConfig(options: DataOptions): void {
  configOf(options);
  const settings = effectiveSettings({ data: options.data });
  const unknown = unknownVariables();
  printData({ settings, unknown }, options, () => {
    const rows = settings.map(({ setting, value, source }) => [setting, value ?? "not set", source] as const);
    const widths = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column as 0 | 1] as string).length)));
    const lines = rows.map(([setting, value, source]) =>
      [setting.padEnd(widths[0] as number), value.padEnd(Math.min(widths[1] as number, MAX_PADDED)), source].join("  "),
    );
    const strangers = unknown.map(({ name, nearest }) =>
      nearest === undefined ? `Unknown: ${name}` : `Unknown: ${name}. Did you mean ${nearest}?`,
    );
    return [...lines, ...strangers].join("\n");
  });
}

/** Longer values push their source to the right. */
const MAX_PADDED = 48;
