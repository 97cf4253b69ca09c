/** @jsxRuntime automatic @jsxImportSource preact */

import { isEmail } from "../../domain/contacts/address.ts";
import { Address } from "./basics.tsx";
import { revealed } from "./labels.ts";

interface Props {
  /** Agents and imports write it. */
  text: string | null;
}

/** A URL as a link, if it is one of the web. Any other scheme could run something. */
export function UrlLink({ text }: Props) {
  const isWeb = text !== null && /^https?:\/\//i.test(text) && URL.canParse(text);
  return <Linked text={text} href={isWeb ? text : undefined} />;
}

export function EmailLink({ text }: Props) {
  const address = text !== null && isEmail(text) ? encodeURIComponent(text).replace(/%40(?!.*%40)/, "@") : undefined;
  return <Linked text={text} href={address && `mailto:${address}`} />;
}

/** Digits with the marks between them. */
const PHONE = /^\+?\d[\d ().-]{4,30}$/;

export function PhoneLink({ text }: Props) {
  const isPhone = text !== null && PHONE.test(text.trim());
  return <Linked text={text} href={isPhone ? `tel:${text.replaceAll(/[^\d+]/g, "")}` : undefined} />;
}

/** What hides characters is no link: it would lead to another place than people read. */
function Linked({ text, href }: Props & { href: string | undefined }) {
  if (text === null || text === "") return null;
  const shown = revealed(text);
  if (href === undefined || shown !== text) return <Address text={shown} />;
  return (
    <a href={href} rel="noopener noreferrer">
      <Address text={shown} />
    </a>
  );
}
