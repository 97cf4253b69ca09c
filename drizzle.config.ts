import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/store/sql/schema/index.ts",
  out: "./src/store/sqlite/migrations",
  casing: "snake_case",
});
