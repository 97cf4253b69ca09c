/** What a heading holds on a screen in two lines at most. */
const MOST = 80;

/** What to call an item: its task up to the first full stop, or to the last comma that a heading has room for. */
export function headingOf(task: string): string {
  const [sentence = ""] = task.trim().split(/[.;:](?=\s|$)/);
  if (sentence.length <= MOST) return sentence;
  const room = sentence.slice(0, MOST);
  const comma = room.lastIndexOf(", ");
  return `${room.slice(0, comma > 0 ? comma : room.lastIndexOf(" "))}…`;
}
