/** Figures as people read them: grouped by thousands, a currency by its sign. */
const plain = new Intl.NumberFormat("en");
const currencies = new Map<string, Intl.NumberFormat>();

export function amount(count: number): string {
  return plain.format(count);
}

/** "1 contact", "1,204 contacts". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${amount(count)} ${count === 1 ? one : many}`;
}

/** Beyond this, figures are more digits than anybody reads. */
const MOST = 1e15;

/** @param currency of ISO 4217; what is no currency throws a RangeError */
export function money(value: number, currency: string): string {
  return formatOf(currency, { notation: Math.abs(value) < MOST ? "standard" : "scientific" }).format(value);
}

/** Without the cents where there are none, for where there is little room. */
export function roundMoney(value: number, currency: string): string {
  if (!Number.isInteger(value) || Math.abs(value) >= MOST) return money(value, currency);
  return formatOf(currency, { notation: "standard", minimumFractionDigits: 0 }).format(value);
}

function formatOf(currency: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${currency} ${JSON.stringify(options)}`;
  const format =
    currencies.get(key) ??
    new Intl.NumberFormat("en", { style: "currency", currency, maximumFractionDigits: 2, ...options });
  currencies.set(key, format);
  return format;
}
