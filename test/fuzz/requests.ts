import fc from "fast-check";
import { framing, hostile } from "./hostile.ts";
import { inBytes, type Message, type Sent, type World } from "./message.ts";
import { type Documented, type Hook, Surfaces } from "./surfaces.ts";

/** Requests of every surface: valid ones, and ones changed until HTTP itself can't read them. */
export function requests(world: World, hook: Hook, documented: Documented): fc.Arbitrary<Sent> {
  const surfaces = new Surfaces(world, hook);
  const message = fc.oneof(
    { weight: 55, arbitrary: surfaces.rest(documented) },
    { weight: 20, arbitrary: surfaces.mcp() },
    { weight: 8, arbitrary: surfaces.memberApi() },
    { weight: 8, arbitrary: surfaces.screen() },
    { weight: 7, arbitrary: surfaces.outer() },
  );
  const bytes = (made: Message) => inBytes(`127.0.0.1:${world.port}`, made);
  return fc.oneof(
    { weight: 12, arbitrary: message.map(bytes) },
    { weight: 5, arbitrary: fc.tuple(message, hostile).map(([made, change]) => bytes(change(made))) },
    { weight: 3, arbitrary: fc.tuple(message.map(bytes), framing).map(([sent, change]) => change(sent)) },
  );
}
