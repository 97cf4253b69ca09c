import { getTableColumns, type Table } from "drizzle-orm";
import { acceptedOutputKinds } from "../../src/domain/checklist/item.ts";
import { shippedCatalog } from "../../src/services/checklist/catalog-file.ts";

/** Columns that identify rows, and so are not values of what is sent. */
const KEYS = ["id", "seq", "workspace_id", "account_id", "contact_id"];

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The columns of a table, as named in the database. */
export function columnsOf(table: Table): { name: string; dataType: string }[] {
  return Object.values(getTableColumns(table)).map(({ name, dataType }) => ({ name: snake(name), dataType }));
}

/** The columns with values. */
export function valuesOf(table: Table): { name: string; dataType: string }[] {
  return columnsOf(table).filter(({ name }) => !KEYS.includes(name));
}

const takes = (kind: "document" | "social_post") =>
  shippedCatalog().items.find((item) => acceptedOutputKinds(item).includes(kind))?.id ?? "";

/** Items of the shipped catalog that accept a document and a post. */
export const [DOCUMENT_ITEM, POST_ITEM] = [takes("document"), takes("social_post")];
