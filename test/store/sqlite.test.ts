import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { temporaryFolder } from "../support/server.ts";
import { storeConforms } from "./conformance.ts";

storeConforms("SQLite", async (t) => {
  const store = await openSqliteStore(join(temporaryFolder(t), "rostrum.db"));
  t.after(() => store.close());
  return store;
});
