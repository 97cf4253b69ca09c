import { cpSync } from "node:fs";
import { join } from "node:path";

/** What the program reads beside its sources, each at the same place below a build. */
export const ASSETS = [
  "src/store/sqlite/migrations",
  "src/console/ui/static",
  "src/cli/demo/demo.yaml",
  "catalog",
  "docs/agent-instructions.md",
];

export function copyAssets(root: string, build: string): void {
  for (const asset of ASSETS) cpSync(join(root, asset), join(build, asset), { recursive: true });
}
