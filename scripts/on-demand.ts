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
  /** The version of a peer that the package needs, where the newest doesn't do. */
  peers?: Record<string, string>;
}

const PACKAGES = {
  "@ai-sdk/mcp": {
    version: "2.0.99",
    integrity: "sha512-9yDWp5WABLMRNKYuLrLIXGtJpIkjwXAdJyYUSu5XpD0cqtuM11LGqk3gb5XGiShco3RT/79W8CkqXskegTtWKw==",
  },
  "@anthropic-ai/claude-code": {
    version: "2.1.330",
    integrity: "sha512-KQMl6kixLMGHRCDUhkUPebuBhw13MpxlH3+17QzHQx40FNVd1z3uFKUSqQXB5zF9vLQGcpoC/8wWe5R35lsWvQ==",
    scripts: true,
  },
  "@continuedev/cli": {
    version: "1.5.47",
    integrity: "sha512-gtpewV3RoIOD9dyTtKIBi1SY0VOHRu3Ehe7C/mmnswm+j34MPyrcQhQaWj/m+jdfGO4fNIKdrgGIlLso1ULDFw==",
  },
  "@github/copilot": {
    version: "1.0.102",
    integrity: "sha512-mv6cTWMhMILxg5ZDgqJ6UsnpPuySCPWOPbZVaO8lL0dpmjY3VD9ZhJr6DFcG7fhUXZv6OmvLdcRCa5MJ6hBI+Q==",
  },
  "@google/gemini-cli": {
    version: "0.61.0",
    integrity: "sha512-dbQ9A0qBtFJNi6XBkHvfZ6Azpn6PNgH/P8h2MZ67RLlX8hSAVjup39CRWqdRxZv7YXIuhrFaytr8y0jKnkoxnQ==",
  },
  "@hey-api/openapi-ts": {
    version: "0.99.0",
    integrity: "sha512-SePU/5oEWWkvUBYmvzdYRctseoLuskyhs4ET0RvLIcmzc8yLQoA2R+KtBIQ8bPsoSUB0m4E5SmBnl6aGSA0szQ==",
    peers: { typescript: "5.9.3" },
  },
  "@modelcontextprotocol/conformance": {
    version: "0.2.0-alpha.12",
    integrity: "sha512-eXtZFgmtZiU5SsvXty+RGXGnyIqEVm3GLU/HZmg1wMjtKOocPZZgD9HQKd30oJhio5UB0wFJmsc6r8u48Q+EYA==",
  },
  "@modelcontextprotocol/inspector": {
    version: "2.12.0",
    integrity: "sha512-ppfN5+HnVWo6dY7jz5RMFUFTfEYPnFUjN3XN2w6PI6nmB/AFFXPGPfLBRvCeSx+qIH6kpi7Nsz5HYRp49loHpA==",
    scripts: true,
  },
  "@openai/codex": {
    version: "0.169.0",
    integrity: "sha512-KhzYlkKPxoNssR8CEm45IjqnFWn7UtlF4CiD3tOJPea51xBs7MaHy0UQG9GSbCqk6Lrjn5QdJDV0QD1/FgWlGw==",
  },
  "@qwen-code/qwen-code": {
    version: "0.24.4",
    integrity: "sha512-pmexy/Nj+BKd3Un1ogqGQE8V4GJn5B6N9PQOrU1GH+lMR29kn6Bgf6YdbZa8hNIoTmAKT1LTPK+P8TibZRPPVg==",
  },
  "@redocly/cli": {
    version: "2.77.0",
    integrity: "sha512-XUa4hURDWLPG9WukIXo+UBqa9VpeTndmLI5PHu9QDkwtwH990Jsgz9nl2m1pZjsWrKFPP7avn6etRxxDbuD2Bg==",
  },
  cspell: {
    version: "9.8.0",
    integrity: "sha512-qL0VErMSn8BDxaPxcV+9uenffgjPS+5Jfz+m4rCsvYjzLwr7AaaJBWWSV2UiAe/4cturae8n8qzxiGnbbazkRw==",
  },
  dclint: {
    version: "3.1.0",
    integrity: "sha512-afTGdzRFUXK4yCpIiEW/LOR+9TOMEDhNldDp56VCWzn7JDmD451PcUi640GGlMHgbHKJ10rDBm4PtpcBbjqlXw==",
  },
  "dockerfile-utils": {
    version: "0.16.3",
    integrity: "sha512-BslaqRR6PzCnhu+toDbkVAjq0B0CEgrCltk+enJ/xwCmvAHB1QqpO9QhXVIzMg/iSuD4tzS0Ex9n4Ik5ffI7pA==",
  },
  "gpt-tokenizer": {
    version: "4.0.0",
    integrity: "sha512-YAWIyzvuVUHEfW7tFfFAxH8qQb+Q3RU9nYOTy7skMNX5qzU6Q8jxTHZLyO56ug1vYvCR7wndzpd3jwD86/mhjQ==",
  },
  "kubernetes-models": {
    version: "5.1.0",
    integrity: "sha512-ym4Kiyr8BzGIWj4f853ytVYES1B8C1BdONRP5zodItPD1o//OEKuTwC5nFV3ZJtFGeMqOFbIYkpunSVXSlHS8g==",
  },
  "mcp-remote": {
    version: "0.15.1",
    integrity: "sha512-znJhxnoQZTDx9AieHZrRYs8YqWKpyH1SKyFEFnMTMDUPpx6r9dSc/L4lKf18DdWMQqKpbwWbfIZfyiVg2RSXzg==",
  },
  node: {
    version: "24.21.0",
    integrity: "sha512-GquwdXTr1CyRzrHsP+GVYnKj/yxIX7kUpyGMKu30fKJa9Hqtp9GP/Zu4BXY3gLIQVc/H5eWdMQmBgMBx5veCbw==",
    scripts: true,
  },
  "openapi-fetch": {
    version: "0.17.0",
    integrity: "sha512-PsbZR1wAPcG91eEthKhN+Zn92FMHxv+/faECIwjXdxfTODGSGegYv0sc1Olz+HYPvKOuoXfp+0pA2XVt2cI0Ig==",
  },
  "openapi-typescript": {
    version: "7.13.0",
    integrity: "sha512-EFP392gcqXS7ntPvbhBzbF8TyBA+baIYEm791Hy5YkjDYKTnk/Tn5OQeKm5BIZvJihpp8Zzr4hzx0Irde1LNGQ==",
  },
  "opencode-ai": {
    version: "1.18.33",
    integrity: "sha512-58P1ffLRXiAY4QeoABqUjqf6DEzm1ihpovvn9Ad+oOLbLiwK/rf88wruT9IATJ7AtNjmi8iA7pC8tN4o5y799Q==",
    scripts: true,
  },
  orval: {
    version: "8.38.0",
    integrity: "sha512-dsYh4smzI1PeRB2GY26xpL4j3Ss5h/ORI9gG8ueD3MtnoHY5KKLVMBc5UGi1tL+AEZLOLtG9JksUPwgWSdOv2g==",
  },
  "oxc-parser": {
    version: "0.154.0",
    integrity: "sha512-Gr/6fkjZwi937c4Tsz8y0iO4U0FLPkZI6JSVucLAIvQyqh379px7RS8ORIc0HOORbFjXZ6zyqWLl53qxhSeofw==",
  },
  recheck: {
    version: "4.5.0",
    integrity: "sha512-kPnbOV6Zfx9a25AZ++28fI1q78L/UVRQmmuazwVRPfiiqpMs+WbOU69Shx820XgfKWfak0JH75PUvZMFtRGSsw==",
  },
} satisfies Record<string, Pinned>;

/** Dependencies of these packages are resolved to what was published by this day, so every install gets the same. */
const PUBLISHED_BEFORE = "2026-11-21";

/** npm runs scripts in the repository's folder, compiled ones too. A linked node_modules would be another folder to npm. */
const CACHE = join(realpathSync(join(process.cwd(), "node_modules")), ".cache/rostrum");

export type PackageName = keyof typeof PACKAGES;

export function versionOf(name: PackageName): string {
  return PACKAGES[name].version;
}

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

function install(name: string, { version, integrity, scripts, peers }: Pinned, home: string): void {
  process.stderr.write(`Installing ${name}@${version}, once\n`);
  const draft = `${home}.${process.pid}`;
  try {
    mkdirSync(draft, { recursive: true });
    const manifest = {
      private: true,
      dependencies: { [name]: version, ...peers },
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
