import type { Request } from "express";
import { readBytes } from "../http/json-body.ts";
import { OAuthRefusal } from "./answer.ts";

export const MAX_OAUTH_BYTES = 16 * 1024;
const FORM = /^application\/x-www-form-urlencoded *(;|$)/i;

/** The parameters of a form, none of them twice: readers differ on which one holds. @throws OAuthRefusal, Problem */
export async function readParameters(request: Request): Promise<{ one(name: string): string }> {
  if (!FORM.test(request.headers["content-type"] ?? "")) {
    throw new OAuthRefusal("invalid_request", "Send a form, application/x-www-form-urlencoded.");
  }
  const form = new URLSearchParams((await readBytes(request, MAX_OAUTH_BYTES)).toString("utf8"));
  const names = [...form.keys()];
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    const error = twice === "resource" ? "invalid_target" : "invalid_request";
    throw new OAuthRefusal(error, `${JSON.stringify(twice)} is given twice.`);
  }
  return {
    one(name) {
      const value = form.get(name);
      if (!value)
        throw new OAuthRefusal(name === "resource" ? "invalid_target" : "invalid_request", `${name} is missing.`);
      return value;
    },
  };
}
