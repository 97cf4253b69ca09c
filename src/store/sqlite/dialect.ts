import type { Dialect } from "../sql/dialect.ts";

/** What SQLite says in its own way. */
export const SQLITE: Dialect = {
  indexedBy: (index) => `INDEXED BY ${index}`,
  unindexed: (column) => `+${column}`,
  joinInOrder: "CROSS JOIN",
  noCase: (text) => `${text} COLLATE NOCASE`,
  greatest: (a, b) => `max(${a}, ${b})`,
  isoTime: (milliseconds) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${milliseconds} / 1000.0, 'unixepoch')`,
  rowId: "rowid",
  elements: (array, alias) => `json_each(${array})${alias === undefined ? "" : ` AS ${alias}`}`,
  entries: (object) => `json_each(${object})`,
  // A bound number is a REAL, which no JSON path takes.
  numberAt: (array, index) => `json_extract(${array}, '$[' || CAST(${index} AS INTEGER) || ']')`,
  fieldAt: (array, index, field) => `json_extract(${array}, '$[' || CAST(${index} AS INTEGER) || '].${field}')`,
  jsonObject: (fields) =>
    `json_object(${Object.entries(fields)
      .map(([name, value]) => `'${name}', ${value}`)
      .join(", ")})`,
  json: (text) => `json(${text})`,
  jsonArray: (text) => `'[' || coalesce(group_concat(${text}), '') || ']'`,
  isDuplicate: (error, column) => {
    const { code, message } = error as { code?: string; message?: string };
    return code === "SQLITE_CONSTRAINT_UNIQUE" && message?.includes(column) === true;
  },
};
