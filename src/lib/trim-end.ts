/**
 * The text without these characters at its end. A pattern like `/\.+$/` takes the square of the length: it starts again
 * at each of them.
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
