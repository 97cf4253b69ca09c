import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { TextDecoder } from "node:util";
import { Parser } from "csv-parse";
import { UsageError } from "../../../lib/operator-error.ts";

/** A CSV file that was scanned once. */
export interface CsvFile {
  path: string;
  bytes: number;
  encoding: "utf-8" | "utf-16le" | "utf-16be";
  /** Length of the byte-order mark. */
  mark: number;
  /** SHA-256 of the whole content, in hexadecimal. */
  hash: string;
}

export interface CsvRow {
  /** The line of the file on which the row begins, from 1. */
  line: number;
  /** Of a row that cannot be read: only the text of its first line. */
  cells: string[];
  /** Why the row cannot be read. */
  fault?: string;
  /** Where the row ends, in bytes of UTF-8 after the mark. */
  end: number;
  /** Whether a line feed ends it: the file's last row may lack one. */
  ended: boolean;
}

/** A row longer than this is a quote that was never closed. */
const MAX_ROW_BYTES = 256 * 1024;
const UNREADABLE = "row can't be read. Close the quotes of each cell, and double each quote inside";

const MARKS = [
  { encoding: "utf-8", mark: Buffer.from([0xef, 0xbb, 0xbf]) },
  { encoding: "utf-16le", mark: Buffer.from([0xff, 0xfe]) },
  { encoding: "utf-16be", mark: Buffer.from([0xfe, 0xff]) },
] as const;

/**
 * Reads the file through: what it is written in, whether it is sound, and its hash.
 *
 * @throws UsageError where it is not there or not text in UTF-8 or UTF-16
 */
export async function inspectCsv(path: string): Promise<CsvFile> {
  const hash = createHash("sha256");
  let bytes = 0;
  let found: (typeof MARKS)[number] | undefined;
  let decoder: TextDecoder | undefined;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      if (decoder === undefined) {
        found = MARKS.find(({ mark }) => chunk.subarray(0, mark.length).equals(mark));
        decoder = new TextDecoder(found?.encoding, { fatal: true });
      }
      hash.update(chunk);
      decoder.decode(chunk, { stream: true });
      bytes += chunk.length;
    }
    decoder?.decode();
  } catch (error) {
    throw explain(error, path, found?.encoding);
  }
  return { path, bytes, encoding: found?.encoding ?? "utf-8", mark: found?.mark.length ?? 0, hash: hash.digest("hex") };
}

function explain(error: unknown, path: string, encoding = "utf-8"): unknown {
  const { code } = error as { code?: string };
  if (code === "ENOENT") return new UsageError(`The file ${path} does not exist. Check the path.`);
  if (code === "EISDIR") return new UsageError(`${path} is a folder. Choose a CSV file.`);
  if (code === "EACCES") return new UsageError(`${path} can't be read by this user. Change its permissions.`);
  if (code !== "ERR_ENCODING_INVALID_ENCODED_DATA") return error;
  return new UsageError(`${path} is not valid ${encoding.toUpperCase()}. Save it as CSV in UTF-8 and import that.`);
}

/**
 * The rows of a file, in order, without empty lines. A row with broken quotes is reported as an error on its first
 * line, and reading continues on the next line: one open quote does not swallow the rest of the file.
 */
export async function* readCsv(
  file: CsvFile,
  delimiter: string,
  onRead: (bytes: number) => void = () => undefined,
): AsyncGenerator<CsvRow> {
  const reader = new RowReader(delimiter);
  for await (const chunk of utf8Of(file, onRead)) yield* reader.read(chunk, false);
  yield* reader.read(Buffer.alloc(0), true);
}

/** The rows of a text, in the same way. Other work gets its turn between the pieces of a long text. */
export async function* readCsvText(text: string, delimiter: string): AsyncGenerator<CsvRow> {
  const reader = new RowReader(delimiter);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield* reader.read(bytes.subarray(at, at + PIECE_BYTES), false);
    await nextTurn();
  }
  yield* reader.read(Buffer.alloc(0), true);
}

const PIECE_BYTES = 8 * 1024;

async function* utf8Of(file: CsvFile, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  const decoder = file.encoding === "utf-8" ? undefined : new TextDecoder(file.encoding, { fatal: true });
  let read = file.mark;
  for await (const chunk of createReadStream(file.path, { start: file.mark }) as AsyncIterable<Buffer>) {
    yield decoder === undefined ? chunk : Buffer.from(decoder.decode(chunk, { stream: true }));
    read += chunk.length;
    onRead(read);
  }
}

/** Feeds csv-parse, holding what it has not made a row of, so that after a fault it can begin again one line below. */
class RowReader {
  readonly #delimiter: string;
  #parser: Parser;
  #held: Buffer = Buffer.alloc(0);
  /** Where #held begins, counted from where the parser began. */
  #heldFrom = 0;
  #parsed: { cells: string[]; end: number }[] = [];
  #broken = false;
  #line = 1;
  #position = 0;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
    this.#parser = this.#begin();
  }

  async *read(chunk: Buffer, last: boolean): AsyncGenerator<CsvRow> {
    let fresh = chunk;
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    for (;;) {
      if (!this.#broken) this.#broken = await this.#feed(fresh, last);
      for (const { cells, end } of this.#parsed.splice(0)) yield { cells, ...this.#consume(end - this.#heldFrom) };
      if (!this.#broken) return;
      const cut = firstLineEnd(this.#held, last);
      if (cut === undefined) {
        this.#held = this.#held.subarray(0, MAX_ROW_BYTES);
        return;
      }
      const text = this.#held.toString("utf8", 0, cut).trim();
      yield { cells: [text], fault: UNREADABLE, ...this.#consume(cut) };
      this.#parser = this.#begin();
      this.#heldFrom = 0;
      this.#broken = false;
      fresh = this.#held;
    }
  }

  /** Lets go of the bytes of one row, and counts its lines. */
  #consume(length: number): Pick<CsvRow, "line" | "end" | "ended"> {
    const bytes = this.#held.subarray(0, length);
    const content = blankBytes(bytes);
    const line = this.#line + countLines(bytes.subarray(0, content));
    this.#line = line + countLines(bytes.subarray(content));
    this.#held = this.#held.subarray(length);
    this.#heldFrom += length;
    this.#position += length;
    return { line, end: this.#position, ended: bytes.at(-1) === LF };
  }

  /** True where csv-parse met a row that it cannot read. */
  async #feed(bytes: Buffer, last: boolean): Promise<boolean> {
    const parser = this.#parser;
    const fault = await new Promise<unknown>((resolve) => parser.write(bytes, resolve));
    if (fault || !last) return Boolean(fault);
    return Boolean(await new Promise<unknown>((resolve) => parser.end(resolve as () => void)));
  }

  #begin(): Parser {
    const parser = new Parser({
      delimiter: this.#delimiter,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: MAX_ROW_BYTES,
      // Taken here rather than from the stream: a stream that fails drops the rows it had ready.
      on_record: (cells: string[], { bytes }) => {
        this.#parsed.push({ cells, end: bytes });
        return null;
      },
    });
    expectAnyLength(parser);
    return parser.on("error", () => undefined).resume();
  }
}

/**
 * csv-parse makes an error of each row that is longer or shorter than the first, and then does not report it. That takes
 * several times as long as reading the row.
 */
function expectAnyLength(parser: Parser): void {
  const { state } = parser as unknown as { state: { record: string[] } };
  Object.defineProperty(state, "expectedRecordLength", { get: () => state.record.length, set: () => undefined });
}

const LF = 10;
const CR = 13;

function blankBytes(bytes: Buffer): number {
  let length = 0;
  while (bytes[length] === LF || bytes[length] === CR) length++;
  return length;
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === LF || (bytes[i] === CR && bytes[i + 1] !== LF)) lines++;
  }
  return lines;
}

/** Where the first line that is not empty ends; undefined where more of it may come. */
function firstLineEnd(bytes: Buffer, last: boolean): number | undefined {
  for (let i = blankBytes(bytes); i < bytes.length; i++) {
    if (bytes[i] === LF || (bytes[i] === CR && bytes[i + 1] !== undefined && bytes[i + 1] !== LF)) return i + 1;
  }
  return last ? bytes.length : undefined;
}
