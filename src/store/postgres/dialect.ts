import type { Dialect } from "../sql/dialect.ts";

/** The code of a unique index that was violated. */
const UNIQUE_VIOLATION = "23505";

/** What PostgreSQL says in its own way. */
export const POSTGRES: Dialect = {
  // The planner knows how many rows there are.
  indexedBy: () => "",
  unindexed: (column) => column,
  joinInOrder: "JOIN",
  noCase: (text) => `lower(${text})`,
  noCaseValue: (text) => `lower(${text} COLLATE "C")`,
  greatest: (a, b) => `greatest(${a}, ${b})`,
  // A sum that overflows is an error here, so a small part of each is summed up.
  sum: (numbers) => `rostrum_scaled_up(sum(${numbers} * (2::float8 ^ -64)))`,
  isoTime: (milliseconds) =>
    `to_char(to_timestamp(${milliseconds} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  profileTail: (url) => `replace(coalesce(substring(${url} from '[' || chr(63) || '#].*'), ''), '#', chr(63))`,
  added: "rostrum_added",
  rowId: "ctid",
  oldestRows: (table, id, time, limit) =>
    // Rows without an id of their own move when they are updated, and take the place of deleted ones.
    id === "ctid"
      ? `SELECT ctid FROM ${table} WHERE ${time} < @before LIMIT ${limit}`
      : `SELECT id FROM (SELECT id, ${time} AS at FROM ${table} ORDER BY id LIMIT ${limit}) AS oldest WHERE at < @before`,
  // As an array, because the planner takes a function's answer for a hundred rows, and then reads whole tables.
  elements: (array, alias = "elements") =>
    `unnest(ARRAY(SELECT json_array_elements_text(${array}::json))) AS ${alias}(value)`,
  numbers: (array) =>
    `unnest(ARRAY(SELECT value::bigint FROM json_array_elements_text(${array}::json) AS n(value))) AS numbers(value)`,
  objects: (array, fields) =>
    `json_to_recordset(${array}::json) AS rows(${Object.entries(fields)
      .map(([name, type]) => `${name} ${type}`)
      .join(", ")})`,
  entries: (object) => `json_each_text(${object}::json) AS entries(key, value)`,
  numberAt: (array, index) => `(${array}::json ->> (${index})::int)::bigint`,
  fieldAt: (array, index, field) => `(${array}::json -> (${index})::int ->> '${field}')`,
  // A row becomes an object without blanks, as JSON.stringify writes it.
  jsonObject: (fields) =>
    `(SELECT row_to_json(object)::text FROM (SELECT ${Object.entries(fields)
      .map(([name, value]) => `${value} AS "${name}"`)
      .join(", ")}) AS object)`,
  json: (text) => `${text}::json`,
  sendable: (text) => text,
  jsonArray: (text) => `'[' || coalesce(string_agg(${text}, ','), '') || ']'`,
  keyIdOf: (sealed) => `split_part(${sealed}, '.', 2)`,
  // The workspace is compared as an expression, so that no other index is chosen.
  contactsByWords: `contacts c
    WHERE rostrum_words(c.workspace_id, c.first_name, c.last_name, c.company, c.email) @@ @words::tsquery
      AND c.workspace_id || '' = @workspaceId AND c.archived_at IS NULL`,
  byWords: (mark, words) => words.map((word) => `'${mark}${word}':*`).join(" & "),
  indexesWordsLater: false,
  claiming: (alias) => `FOR UPDATE OF ${alias} SKIP LOCKED`,
  holding: "FOR NO KEY UPDATE",
  isDuplicate: (error, column) => {
    const { code, table, detail } = error as { code?: string; table?: string; detail?: string };
    const [of, name = ""] = column.split(".");
    return code === UNIQUE_VIOLATION && table === of && detail?.includes(name) === true;
  },
};
