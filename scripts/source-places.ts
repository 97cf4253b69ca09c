/** Names places of the sources in what compiled code printed. Tests run without source maps: reading them takes longer. */
import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, resolve } from "node:path";

/** A place in a stack trace. */
const PLACE = /(?:file:\/\/)?(\/[^\s:()]+\.js):(\d+):(\d+)/g;

export function inSources(printed: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  return printed.replaceAll(PLACE, (place, file: string, line: string, column: string) => {
    if (!maps.has(file)) maps.set(file, mapOf(file));
    const found = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (found === undefined || !("originalSource" in found)) return place;
    return `${resolve(dirname(file), found.originalSource)}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | undefined {
  const map = `${file}.map`;
  return existsSync(map) ? new SourceMap(JSON.parse(readFileSync(map, "utf8")) as SourceMapPayload) : undefined;
}
