import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyAssets } from "./assets.ts";

/** Builds the package into dist/: sources, migrations, the checklist's catalog, the agent's instructions, and the reference's renderer. */

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const require = createRequire(import.meta.url);

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
copyAssets(root, dist);
chmodSync(join(dist, "bin/rostrum.js"), 0o755);

const plugin = dirname(require.resolve("@scalar/fastify-api-reference"));
const { version } = JSON.parse(readFileSync(join(plugin, "../package.json"), "utf8")) as { version: string };
mkdirSync(join(dist, "assets"), { recursive: true });
copyFileSync(join(plugin, "js/standalone.js"), join(dist, "assets/api-reference.js"));
writeFileSync(
  join(dist, "assets/NOTICE"),
  `api-reference.js is the renderer of @scalar/fastify-api-reference ${version}, copyright Scalar, under the MIT license.\n`,
);
