/** How deeply a JSON value may nest. Nothing that the API takes comes near it. */
export const MAX_JSON_DEPTH = 64;
/** Of free-form values. SQLite reads up to 1,000 levels. */
export const MAX_FREE_DEPTH = 500;

/**
 * A value that the store has already written as JSON. SQLite builds the rows of hot reads several times faster than
 * mapping objects and stringifying them; surfaces that need the value itself parse it.
 */
export class JsonText<T> {
  /** As the store gave it. A Buffer holds UTF-8, which can be sent without being decoded and encoded again. */
  readonly written: string | Buffer;
  #value: T | undefined;

  constructor(written: string | Buffer) {
    this.written = written;
  }

  get text(): string {
    return this.written.toString();
  }

  /** The same value at each call. */
  parse(): T {
    this.#value ??= JSON.parse(this.text) as T;
    return this.#value;
  }
}
