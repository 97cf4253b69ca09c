import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** This module is a separate file in a checkout. The built package is bundled, with all its files in one folder. */
const bundled = !/\/lib\/package\.[jt]s$/.test(import.meta.url);
const ROOT = new URL(bundled ? "./" : "../../", import.meta.url);
const MANIFEST = new URL(bundled ? "../package.json" : "package.json", ROOT);

/** The path of a file that comes with the program, by its path in the repository, such as `catalog/checklist.yaml`. */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(path, ROOT));
}

/**
 * What browsers load from dependencies: the name that it has in `assets/` of a build, the package, and the file beside
 * that package's entry point. The renderer of the API reference comes from Scalar's smallest package that holds it.
 */
export const VENDORED = {
  "api-reference.js": { from: "@scalar/fastify-api-reference", file: "js/standalone.js" },
  "htmx.js": { from: "htmx.org", file: "htmx.min.js" },
};

/** The path of such a file: the build's copy, since the built package installs no such dependency, or the original. */
export function vendoredFile(name: keyof typeof VENDORED): string {
  const copy = packageFile(`assets/${name}`);
  if (existsSync(copy)) return copy;
  const { from, file } = VENDORED[name];
  return join(dirname(createRequire(import.meta.url).resolve(from)), file);
}

export const VERSION = (JSON.parse(readFileSync(MANIFEST, "utf8")) as { version: string }).version;

/** How the program was installed: in a checkout, for npx in this folder or npm's cache, or as a command. */
const INSTALLED = existsSync(new URL("bin/rostrum", new URL("./", MANIFEST)))
  ? "checkout"
  : /[\\/]_npx[\\/]/.test(process.argv[1] ?? "") || process.argv[1]?.startsWith(join(process.cwd(), "node_modules"))
    ? "npx"
    : "command";

/** How the command is written where it was installed, for advice that can be pasted. */
export const COMMAND = { checkout: "bin/rostrum", npx: "npx rostrum", command: "rostrum" }[INSTALLED];

/** Updates the program where it was installed. */
export const UPDATE = { checkout: "git pull && npm ci", npx: undefined, command: "npm install rostrum@latest" }[
  INSTALLED
];
