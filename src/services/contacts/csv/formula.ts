/** A cell that begins so is a formula to a spreadsheet, which runs it when the file is opened. */
const FORMULA = /^[=+\-@\t\r\n|%]|^\s+[=+\-@|%]/;
const ESCAPED = /^'(?=[=+\-@\t\r\n|%]|\s+[=+\-@|%])/;

/** A cell as spreadsheets show it, and never run it: an apostrophe marks a text. */
export function escapeFormula(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

/** The text of a cell that was escaped, by us or by another program. */
export function unescapeFormula(cell: string): string {
  return cell.replace(ESCAPED, "");
}
