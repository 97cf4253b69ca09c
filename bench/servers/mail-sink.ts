/** An SMTP server that accepts every message and stores none: mail-sink.js */
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { moment, serve } from "./serve.ts";

let received = { count: 0, first: 0, last: 0 };

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["AUTH", "STARTTLS"],
  onData(stream, _session, done) {
    stream.resume();
    stream.on("end", () => {
      received.last = moment();
      received.first ||= received.last;
      received.count += 1;
      done();
    });
  },
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

serve({
  port: (server.server.address() as AddressInfo).port,
  close: () => new Promise((resolve) => server.close(resolve)),
  answers: {
    received() {
      const answer = received;
      received = { count: 0, first: 0, last: 0 };
      return answer;
    },
  },
});
