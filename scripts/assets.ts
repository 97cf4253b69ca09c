/** What the program reads beside its sources, each at the same place in a build. */
export const ASSETS = [
  "src/store/sqlite/migrations",
  "src/console/ui/static",
  "src/cli/demo/demo.yaml",
  "catalog",
  "docs/agent-instructions.md",
];

/**
 * What browsers load from dependencies: the name in the build's `assets/`, and the file that it comes from. Scalar's
 * fastify plugin is the smallest package that holds the renderer of the API reference.
 */
export const VENDORED = {
  "api-reference.js": "@scalar/fastify-api-reference/dist/js/standalone.js",
  "htmx.js": "htmx.org/dist/htmx.min.js",
};
