/** Bundles the program and its dependencies: one folder that starts in a third of the time that loading modules one by one takes. */
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";
import { parse } from "yaml";
import { VENDORED, vendoredFile } from "../src/lib/package.ts";
import { ASSETS } from "./assets.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const vendored = Object.keys(VENDORED) as (keyof typeof VENDORED)[];

/** Native addons: the installed package depends on them, and on nothing else. */
const NATIVE = ["better-sqlite3", "@node-rs/argon2"];

/** Some dependencies are CommonJS inside, and ask for Node's own modules by `require`. */
const BANNER =
  'import { createRequire as requireFrom } from "node:module";\nconst require = requireFrom(import.meta.url);';

/**
 * @param entryPoints where there are several, each lies in the folder as it does in the repository
 * @param mapped whether each file gets a source map beside it
 */
export async function bundle(folder: string, entryPoints = ["bin/rostrum.ts"], mapped = false): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    // pg-native is an optional other driver, which pg asks for by itself.
    external: [...NATIVE, "pg-native"],
    banner: { js: BANNER },
    metafile: true,
    ...(mapped && { sourcemap: "external", sourcesContent: false }),
    logLevel: "warning",
  });
  if (entryPoints.length === 1) chmodSync(join(folder, "rostrum.js"), 0o755);
  for (const asset of ASSETS) cpSync(join(root, asset), join(folder, asset), { recursive: true });
  mkdirSync(join(folder, "assets"), { recursive: true });
  for (const name of vendored) copyFileSync(vendoredFile(name), join(folder, "assets", name));
  const catalog = parse(readFileSync(join(root, "catalog/checklist.yaml"), "utf8"));
  writeFileSync(join(folder, "catalog/checklist.json"), JSON.stringify(catalog));
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), notices(metafile));
}

/** The licenses of everything that went into the bundle or lies beside it. */
function notices(metafile: Metafile): string {
  const inputs = [...Object.keys(metafile.inputs), ...vendored.map(vendoredFile)];
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const sections = [...new Set(folders.map((folder) => resolve(root, folder)))].map(noticeOf);
  return `Rostrum includes the following packages.\n\n${sections.sort().join("\n")}`;
}

function noticeOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, string>;
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  const text = file === undefined ? "" : `\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  return `${"=".repeat(80)}\n${manifest.name} ${manifest.version} (${manifest.license})\n${text}`;
}
