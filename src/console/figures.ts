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

/** @param currency of ISO 4217; what is no currency throws a RangeError */
export function money(value: number, currency: string): string {
  let format = currencies.get(currency);
  if (format === undefined) {
    format = new Intl.NumberFormat("en", { style: "currency", currency, maximumFractionDigits: 2 });
    currencies.set(currency, format);
  }
  return format.format(value);
}
