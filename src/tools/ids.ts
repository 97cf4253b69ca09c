import { z } from "zod";

/** The id of a record: a UUID of any version, in either letter case. */
export function recordId(of: string) {
  return z
    .guid({ error: ({ code }) => (code === "invalid_format" ? "is not a UUID" : undefined) })
    .toLowerCase()
    .meta({ format: "uuid", description: `The ${of}'s id, a UUID.` });
}
