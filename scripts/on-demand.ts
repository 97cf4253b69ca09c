/**
 * Packages that few commands need. They are installed at first use rather than by `npm ci`, each into a folder of its
 * own below node_modules/.cache.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Pinned {
  version: string;
  integrity: string;
  /** The package downloads its program in an install script. Other packages run none. */
  scripts?: true;
}

const PACKAGES = {
  "@ai-sdk/mcp": {
    version: "2.0.99",
    integrity: "sha512-9yDWp5WABLMRNKYuLrLIXGtJpIkjwXAdJyYUSu5XpD0cqtuM11LGqk3gb5XGiShco3RT/79W8CkqXskegTtWKw==",
  },
  "@modelcontextprotocol/conformance": {
    version: "0.2.0-alpha.12",
    integrity: "sha512-eXtZFgmtZiU5SsvXty+RGXGnyIqEVm3GLU/HZmg1wMjtKOocPZZgD9HQKd30oJhio5UB0wFJmsc6r8u48Q+EYA==",
  },
  "@redocly/cli": {
    version: "2.77.0",
    integrity: "sha512-XUa4hURDWLPG9WukIXo+UBqa9VpeTndmLI5PHu9QDkwtwH990Jsgz9nl2m1pZjsWrKFPP7avn6etRxxDbuD2Bg==",
  },
  "gpt-tokenizer": {
    version: "4.0.0",
    integrity: "sha512-YAWIyzvuVUHEfW7tFfFAxH8qQb+Q3RU9nYOTy7skMNX5qzU6Q8jxTHZLyO56ug1vYvCR7wndzpd3jwD86/mhjQ==",
  },
  "mcp-remote": {
    version: "0.15.1",
    integrity: "sha512-znJhxnoQZTDx9AieHZrRYs8YqWKpyH1SKyFEFnMTMDUPpx6r9dSc/L4lKf18DdWMQqKpbwWbfIZfyiVg2RSXzg==",
  },
  "oxc-parser": {
    version: "0.154.0",
    integrity: "sha512-Gr/6fkjZwi937c4Tsz8y0iO4U0FLPkZI6JSVucLAIvQyqh379px7RS8ORIc0HOORbFjXZ6zyqWLl53qxhSeofw==",
  },
  recheck: {
    version: "4.5.0",
    integrity: "sha512-kPnbOV6Zfx9a25AZ++28fI1q78L/UVRQmmuazwVRPfiiqpMs+WbOU69Shx820XgfKWfak0JH75PUvZMFtRGSsw==",
  },
  node: {
    version: "24.21.0",
    integrity: "sha512-GquwdXTr1CyRzrHsP+GVYnKj/yxIX7kUpyGMKu30fKJa9Hqtp9GP/Zu4BXY3gLIQVc/H5eWdMQmBgMBx5veCbw==",
    scripts: true,
  },
} satisfies Record<string, Pinned>;

/** Dependencies of these packages are resolved to what was published by this day, so every install gets the same. */
const PUBLISHED_BEFORE = "2026-11-20";

/** npm runs scripts in the repository's folder, compiled ones too. A linked node_modules would be another folder to npm. */
const CACHE = join(realpathSync(join(process.cwd(), "node_modules")), ".cache/rostrum");

type PackageName = keyof typeof PACKAGES;

/** The folder of an installed package. Throws if the registry's package is not the one that is pinned. */
export function packageFolder(name: PackageName): string {
  const pinned: Pinned = PACKAGES[name];
  const home = join(CACHE, `${name.replace("/", "+")}@${pinned.version}`);
  if (!existsSync(home)) install(name, pinned, home);
  return join(home, "node_modules", name);
}

/** The path of a file of a package. */
export function fileIn(name: PackageName, path: string): string {
  return join(packageFolder(name), path);
}

/** The path of a package's program, or of its main module if it has no program. */
export function entryOf(name: PackageName): string {
  const folder = packageFolder(name);
  const manifest = readJson(join(folder, "package.json")) as { bin?: string | Record<string, string>; main?: string };
  const [program] = typeof manifest.bin === "string" ? [manifest.bin] : Object.values(manifest.bin ?? {});
  return join(folder, program ?? manifest.main ?? "index.js");
}

function install(name: string, { version, integrity, scripts }: Pinned, home: string): void {
  process.stderr.write(`Installing ${name}@${version}, once\n`);
  const draft = `${home}.${process.pid}`;
  try {
    mkdirSync(draft, { recursive: true });
    const manifest = {
      private: true,
      dependencies: { [name]: version },
      ...(scripts && { allowScripts: { [name]: true } }),
    };
    writeFileSync(join(draft, "package.json"), JSON.stringify(manifest));
    const flags = ["--before", PUBLISHED_BEFORE, "--no-audit", "--no-fund", "--loglevel=error"];
    const npm = (more: string[]) =>
      execFileSync("npm", ["install", "--prefix", draft, ...flags, ...more], {
        stdio: ["ignore", "ignore", "inherit"],
      });
    npm(["--ignore-scripts"]);
    const lock = readJson(join(draft, "package-lock.json")) as { packages: Record<string, { integrity?: string }> };
    const found = lock.packages[`node_modules/${name}`]?.integrity;
    if (found !== integrity) throw new Error(`${name}@${version} has the integrity ${found}, not ${integrity}`);
    if (scripts) execFileSync("npm", ["rebuild", "--prefix", draft, name], { stdio: ["ignore", "ignore", "inherit"] });
    if (!existsSync(home)) renameSync(draft, home);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
