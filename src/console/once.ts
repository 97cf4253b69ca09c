/** How long a form remembers that it was sent, and how many forms are remembered at a time. */
const REMEMBERED_MS = 600_000;
const MOST = 300;

/**
 * A form does its work once: the second click of a double click waits for the first one's answer, and gets it. Kept in
 * this process alone, since an answer may hold a key that is shown once. What broke on our side is not kept: the form
 * that was sent may be sent again.
 */
export function createOnce<T extends { status: number }>(now: () => number) {
  const known = new Map<string, { at: number; answer: Promise<T> }>();
  return (token: string, work: () => Promise<T>): Promise<T> => {
    for (const [name, { at }] of known) {
      if (known.size <= MOST && now() - at < REMEMBERED_MS) break;
      known.delete(name);
    }
    const before = known.get(token);
    if (before !== undefined) return before.answer;
    const answer = work();
    const forget = () => {
      if (known.get(token)?.answer === answer) known.delete(token);
    };
    answer.then(({ status }) => status >= 500 && forget(), forget);
    known.set(token, { at: now(), answer });
    return answer;
  };
}
