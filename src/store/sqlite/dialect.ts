import type { Dialect } from "../sql/dialect.ts";

/** What SQLite says in its own way. */
export const SQLITE: Dialect = {
  indexedBy: (index) => `INDEXED BY ${index}`,
  unindexed: (column) => `+${column}`,
  joinInOrder: "CROSS JOIN",
  noCase: (text) => `${text} COLLATE NOCASE`,
  noCaseValue: (text) => text,
  greatest: (a, b) => `max(${a}, ${b})`,
  sum: (numbers) => `sum(${numbers})`,
  // strftime takes twice as long.
  isoTime: (milliseconds) => `replace(datetime(${milliseconds} / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z'`,
  profileTail(url) {
    const marked = `replace(${url}, '#', char(63))`;
    return `substr(${marked}, instr(${marked} || char(63), char(63)))`;
  },
  added: "rowid",
  rowId: "rowid",
  oldestRows: (table, id, time, limit) =>
    `SELECT id FROM (SELECT ${id} AS id, ${time} AS at FROM ${table} ORDER BY ${id} LIMIT ${limit}) AS oldest
     WHERE at < @before`,
  elements: (array, alias) => `json_each(${array})${alias === undefined ? "" : ` AS ${alias}`}`,
  numbers: (array) => `json_each(${array})`,
  objects: (array, fields) =>
    `(SELECT ${Object.keys(fields)
      .map((name) => `value ->> '${name}' AS ${name}`)
      .join(", ")} FROM json_each(${array})) AS rows`,
  entries: (object) => `json_each(${object})`,
  // A bound number is a REAL, which no JSON path takes.
  numberAt: (array, index) => `json_extract(${array}, '$[' || CAST(${index} AS INTEGER) || ']')`,
  fieldAt: (array, index, field) => `json_extract(${array}, '$[' || CAST(${index} AS INTEGER) || '].${field}')`,
  jsonObject: (fields) =>
    `json_object(${Object.entries(fields)
      .map(([name, value]) => `'${name}', ${value}`)
      .join(", ")})`,
  json: (text) => `json(${text})`,
  sendable: (text) => `CAST(${text} AS BLOB)`,
  jsonArray: (text) => `'[' || coalesce(group_concat(${text}), '') || ']'`,
  keyIdOf: (sealed) => `substr(${sealed}, 4, instr(substr(${sealed}, 4), '.') - 1)`,
  contactsByWords: `contact_words CROSS JOIN contacts c ON c.seq = contact_words.rowid
    WHERE contact_words MATCH @words AND c.workspace_id = @workspaceId AND c.archived_at IS NULL
    ORDER BY contact_words.rowid DESC`,
  byWords: (mark, words) => words.map((word) => `"${mark}${word}"*`).join(" AND "),
  // Inserted by its own job, each contact would become a segment of its own.
  indexesWordsLater: true,
  // There is one writer.
  claiming: () => "",
  holding: "",
  isDuplicate: (error, column) => {
    const { code, message } = error as { code?: string; message?: string };
    return code === "SQLITE_CONSTRAINT_UNIQUE" && message?.includes(column) === true;
  },
};
