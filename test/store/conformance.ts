import type { TestContext } from "node:test";
import { describe } from "node:test";
import type { Store } from "../../src/store/store.ts";
import { contactsConform } from "./conformance/contacts.ts";
import { pagesConform } from "./conformance/pages.ts";
import { recordsConform } from "./conformance/records.ts";
import { writesConform } from "./conformance/writes.ts";

/** Opens an empty store, which is closed and gone after the test. */
export type OpenStore = (t: Pick<TestContext, "after">) => Promise<Store>;

/** What every engine behind the store's interfaces must do. A second engine is done when this passes. */
export function storeConforms(engine: string, open: OpenStore): void {
  describe(`the ${engine} store`, () => {
    contactsConform(open);
    pagesConform(open);
    recordsConform(open);
    writesConform(open);
  });
}
