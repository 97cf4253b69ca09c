import { generateKeyPairSync, sign } from "node:crypto";
import { isIP } from "node:net";

export interface Certificate {
  cert: string;
  key: string;
}

const DAY = 86_400_000;
const ECDSA_SHA256 = tlv(0x30, oid("2a8648ce3d040302"));
const COMMON_NAME = oid("550403");
const ALTERNATIVE_NAME = oid("551d11");

/**
 * A self-signed certificate for names and addresses (RFC 5280), created here so that the repository contains no key.
 */
export function certificateFor(names: string[], { expires = Date.now() + DAY } = {}): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = tlv(0x30, tlv(0x31, tlv(0x30, COMMON_NAME, tlv(0x0c, Buffer.from("rostrum test")))));
  const alternatives = names.map((one) => (isIP(one) === 4 ? tlv(0x87, ipv4(one)) : tlv(0x82, Buffer.from(one))));
  const extension = tlv(0x30, ALTERNATIVE_NAME, tlv(0x04, tlv(0x30, ...alternatives)));
  const content = tlv(
    0x30,
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([1])),
    ECDSA_SHA256,
    name,
    tlv(0x30, time(expires - 2 * DAY), time(expires)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa3, tlv(0x30, extension)),
  );
  const signature = sign("sha256", content, privateKey);
  const der = tlv(0x30, content, ECDSA_SHA256, tlv(0x03, Buffer.from([0]), signature));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

function tlv(tag: number, ...parts: Buffer[]): Buffer {
  const { length } = Buffer.concat(parts);
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), ...parts]);
}

function oid(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, "hex"));
}

function ipv4(text: string): Buffer {
  return Buffer.from(text.split(".").map(Number));
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\.\d+|\D/g, "");
  return tlv(0x18, Buffer.from(`${digits}Z`));
}
