/** How long a form remembers that it was sent, how many forms of one person are remembered, and of how many people. */
const REMEMBERED_MS = 600_000;
const MOST = 50;
const MOST_PEOPLE = 5_000;

interface Sent<T> {
  at: number;
  answer: Promise<T>;
}

/**
 * A form does its work once: the second click of a double click waits for the first one's answer, and gets it. Kept in
 * this process alone, since an answer may hold a key that is shown once. A refusal is not kept once it is told: what
 * stood in the way may be gone, and the form may be sent again. Nobody makes another's forms forgotten.
 */
export function createIdempotentForms<T extends { status: number }>(now: () => number) {
  const people = new Map<string, Map<string, Sent<T>>>();
  return (person: string, token: string, work: () => Promise<T>): Promise<T> => {
    const known = people.get(person) ?? new Map<string, Sent<T>>();
    // Whoever sent something last stands last.
    people.delete(person);
    people.set(person, known);
    for (const [name, sent] of people) {
      if (people.size <= MOST_PEOPLE && [...sent.values()].some(({ at }) => now() - at < REMEMBERED_MS)) break;
      if (name !== person) people.delete(name);
    }
    for (const [name, { at }] of known) {
      if (known.size < MOST && now() - at < REMEMBERED_MS) break;
      known.delete(name);
    }
    const before = known.get(token);
    if (before !== undefined) return before.answer;
    const answer = work();
    const forget = () => {
      if (known.get(token)?.answer === answer) known.delete(token);
    };
    answer.then(({ status }) => status >= 400 && forget(), forget);
    known.set(token, { at: now(), answer });
    return answer;
  };
}
