import {
  type AuthInfo,
  type JSONRPCMessage,
  type JSONRPCRequest,
  PerRequestHTTPServerTransport,
  type Server,
} from "@modelcontextprotocol/server";

type Classification = ConstructorParameters<typeof PerRequestHTTPServerTransport>[0]["classification"];

/**
 * The connection of a server that answers one request after another. To make and connect a server for each, as the
 * SDK's entries do, costs more than the tool call itself. Inside, each request has an id of its own: clients use the
 * same ones.
 */
export class LastingConnection extends PerRequestHTTPServerTransport {
  readonly #waiting = new Map<number, (answer: JSONRPCMessage) => void>();
  readonly #extra: { classification?: Classification };
  #last = 0;
  /** The message that the server is given right now. */
  #given: { refused: boolean } | undefined;

  private constructor(classification: Classification) {
    super({ classification });
    this.#extra = classification.era === "modern" ? { classification } : {};
  }

  /** Of a protocol revision from 2026-07-28 on, or of all before it. */
  static async open(server: Server, revision: string | undefined): Promise<LastingConnection> {
    const connection = new LastingConnection(revision === undefined ? { era: "legacy" } : { era: "modern", revision });
    server.onerror = () => {
      if (connection.#given !== undefined) connection.#given.refused = true;
    };
    await server.connect(connection);
    return connection;
  }

  /** Undefined where the server does not take the message for a request. */
  async ask(request: JSONRPCRequest, authInfo: AuthInfo): Promise<JSONRPCMessage | undefined> {
    const id = ++this.#last;
    const answer = await new Promise<JSONRPCMessage | undefined>((resolve) => {
      this.#waiting.set(id, resolve);
      const given = { refused: false };
      this.#given = given;
      this.onmessage?.({ ...request, id }, { ...this.#extra, authInfo });
      this.#given = undefined;
      if (!given.refused) return;
      this.#waiting.delete(id);
      resolve(undefined);
    });
    return answer && ({ ...answer, id: request.id } as JSONRPCMessage);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    if (this.#given?.refused) return;
    const id = "id" in message ? Number(message.id) : Number.NaN;
    this.#waiting.get(id)?.(message);
    this.#waiting.delete(id);
  }
}
