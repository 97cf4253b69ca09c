import { openPostgresStore } from "../../src/store/postgres/index.ts";
import { abandonDatabase, makeDatabase } from "../support/engine-under-test.ts";
import { temporaryFolder } from "../support/server.ts";
import { storeConforms } from "./conformance.ts";

storeConforms("PostgreSQL", async (t) => {
  const folder = temporaryFolder(t);
  const store = await openPostgresStore({ url: await makeDatabase(folder) });
  t.after(async () => {
    await store.close();
    abandonDatabase(folder);
  });
  return store;
});
