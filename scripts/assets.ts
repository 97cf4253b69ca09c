/** What the program reads beside its sources, each at the same place in a build. */
export const ASSETS = [
  "src/store/postgres/migrations",
  "src/store/sqlite/migrations",
  "src/store/sqlite/check.js",
  "src/console/ui/static",
  "src/http/health-thread.js",
  "src/cli/demo/demo.yaml",
  "catalog",
  "docs/agent-instructions.md",
];
