import { openStoreOf } from "../support/engine-under-test.ts";
import { temporaryFolder } from "../support/server.ts";
import { storeConforms } from "./conformance.ts";

storeConforms("PostgreSQL", async (t) => {
  const store = await openStoreOf(temporaryFolder(t));
  t.after(() => store.close());
  return store;
});
