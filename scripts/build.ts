/** Builds the package into dist/, which is replaced as a whole: a command may be running from it. */
import { renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.ts";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const fresh = `${dist}.${process.pid}`;
await bundle(fresh);
rmSync(dist, { recursive: true, force: true });
renameSync(fresh, dist);
