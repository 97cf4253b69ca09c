/** A proxy in front of the server. It notes what a client did. */
import http from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "../../src/http/server.ts";
import { urlOf } from "../../src/http/server-url-file.ts";

const LOOPBACK = "127.0.0.1";

/** What a client did on the MCP endpoint. */
export interface Seen {
  /** Methods that were answered with a result. */
  methods: Set<string>;
  /** Methods that were refused, with the status or the error. */
  refused: Set<string>;
  /** Versions of the protocol that were agreed on. */
  versions: Set<string>;
}

export interface Watcher {
  /** The address that clients use. */
  url: string;
  /** Passes requests on to this address. The server must know the watcher's address before it starts. */
  forward(to: string): void;
  /** Begins to note anew. */
  watch(): Seen;
  close(): void;
}

export async function startWatcher(): Promise<Watcher> {
  let target = "";
  let seen = nothing();
  const server = http.createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  async function pass(request: http.IncomingMessage, response: http.ServerResponse) {
    const noted = seen;
    const { method, headers, url = "/" } = request;
    const body = await text(request);
    const onward = http.request(target + url, { method, headers }, (answer) => {
      const { statusCode = 502 } = answer;
      response.writeHead(statusCode, answer.headers);
      answer.pipe(response);
      text(answer).then(
        (said) => note(noted, url, { headers, body, status: statusCode, said }),
        () => {},
      );
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    onward.end(body);
  }
  const port = await listen(server, 0, LOOPBACK);
  return {
    url: urlOf(LOOPBACK, port),
    forward(to) {
      target = to;
    },
    watch() {
      seen = nothing();
      return seen;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const nothing = (): Seen => ({ methods: new Set(), refused: new Set(), versions: new Set() });

interface Exchange {
  headers: http.IncomingHttpHeaders;
  body: string;
  status: number;
  said: string;
}

function note(seen: Seen, url: string, { headers, body, status, said }: Exchange): void {
  if (!url.endsWith("/mcp") || !body.startsWith("{")) return;
  const { method = "" } = JSON.parse(body) as { method?: string };
  const version = headers["mcp-protocol-version"] ?? /"protocolVersion":"([\d-]+)"/.exec(said)?.[1];
  if (typeof version === "string" && status < 400) seen.versions.add(version);
  // Answers are JSON, or one event with JSON in it.
  if (status >= 400) seen.refused.add(`${method}: ${status}`);
  else if (/"error":\s*\{"code"/.test(said)) seen.refused.add(`${method}: error`);
  else seen.methods.add(method);
}
