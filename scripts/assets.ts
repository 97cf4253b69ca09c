/** What the program reads beside its sources, each at the same place in a build. */
export const ASSETS = [
  "src/store/sqlite/migrations",
  "src/console/ui/static",
  "src/cli/demo/demo.yaml",
  "catalog",
  "docs/agent-instructions.md",
];

/** What browsers load from dependencies: the name in the build's `assets/`, and the module that it comes from. */
export const VENDORED = {
  "api-reference.js": "@scalar/api-reference/browser/standalone.js",
  "htmx.js": "htmx.org/dist/htmx.min.js",
};
