/**
 * Lists the licenses of all packages, and exits with 1 when one of them allows no use in this project. npm's bill of
 * materials is the source: `npm sbom`.
 */
import { execFileSync } from "node:child_process";

interface Component {
  name: string;
  version: string;
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
}

/** Licenses that ask for no more than a notice, which the build writes to THIRD-PARTY-NOTICES.txt. */
const ALLOWED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "Unlicense"];
/** Packages with another license, or whose manifest misspells it, and why they may be used. */
const EXCEPTIONS: Record<string, string> = {
  argparse: "PSF-2.0; used by the command line of markdown-it, and not in the package",
  "axe-core": "MPL-2.0; used by tests, and not in the package",
  "htmx.org": "0BSD, misspelled as BSD-0-Clause",
};

const bill = execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx"], {
  encoding: "utf8",
  maxBuffer: 64 * 1024 ** 2,
});
const { components } = JSON.parse(bill) as { components: Component[] };

/** `(MIT OR WTFPL)`: one of them is enough. */
function alternatives({ licenses = [] }: Component): string[] {
  return licenses.flatMap(({ license, expression = license?.id ?? license?.name ?? "" }) =>
    expression.replaceAll(/[()]/g, "").split(" OR "),
  );
}

const counts = new Map<string, number>();
const refused: string[] = [];
for (const component of components) {
  const found = alternatives(component);
  const label = EXCEPTIONS[component.name] ?? (found.join(" OR ") || "none");
  counts.set(label, (counts.get(label) ?? 0) + 1);
  if (EXCEPTIONS[component.name] !== undefined || found.some((one) => ALLOWED.includes(one))) continue;
  refused.push(`${component.name} ${component.version}: ${label}`);
}
for (const [label, count] of [...counts].sort(([, a], [, b]) => b - a)) console.log(String(count).padStart(4), label);
if (components.length === 0) refused.push("npm sbom lists no packages");
if (refused.length > 0) {
  console.error(`Not allowed:\n${refused.join("\n")}`);
  process.exitCode = 1;
}
