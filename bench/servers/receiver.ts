/**
 * Endpoints that answer every POST with 204, each at its own port, and record what arrived when: receiver.js
 * <endpoints>
 */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { moment, serve } from "./serve.ts";

const endpoints = Number(process.argv[2]);
let received = { count: 0, first: 0, last: 0 };

const servers = Array.from({ length: endpoints }, () =>
  http.createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      received.last = moment();
      received.first ||= received.last;
      received.count += 1;
      response.writeHead(204).end();
    });
  }),
);
const ports = await Promise.all(
  servers.map(
    (server) =>
      new Promise<number>((resolve) => {
        server.keepAliveTimeout = 65_000;
        server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
      }),
  ),
);

serve({
  port: ports[0] as number,
  ports,
  close: () => undefined,
  answers: {
    received() {
      const answer = received;
      received = { count: 0, first: 0, last: 0 };
      return answer;
    },
  },
});
