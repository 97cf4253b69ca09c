/** Holds the OpenAPI description to Redocly's recommended rules. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApi } from "../src/rest/openapi.ts";
import { operations } from "../src/tools/index.ts";
import { entryOf } from "./on-demand.ts";

const folder = mkdtempSync(join(tmpdir(), "rostrum-openapi-"));
try {
  const file = join(folder, "openapi.json");
  writeFileSync(file, JSON.stringify(openApi(operations)));
  execFileSync(
    process.execPath,
    [entryOf("@redocly/cli"), "lint", file, "--extends", "recommended", "--max-problems", "50"],
    {
      stdio: "inherit",
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    },
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
