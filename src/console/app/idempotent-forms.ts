const REMEMBERED_MS = 600_000;
const MAX_FORMS_PER_PERSON = 50;
const MAX_PEOPLE = 5_000;

interface SentForm<T> {
  at: number;
  answer: Promise<T>;
}

/**
 * Runs each form once. The second click of a double click gets the response of the first. Responses stay in memory,
 * because one may contain a key that is shown once. Errors are not kept, so that the form can be sent again. Each person
 * has a limit of their own. The returned function takes `keeps`: false for a form that runs again once it was answered.
 */
export function createIdempotentForms<T extends { status: number }>(now: () => number) {
  const people = new Map<string, Map<string, SentForm<T>>>();
  return (person: string, token: string, work: () => Promise<T>, keeps = true): Promise<T> => {
    const forms = people.get(person) ?? new Map<string, SentForm<T>>();
    // The map stays in the order of last use.
    people.delete(person);
    people.set(person, forms);
    for (const [name, sent] of people) {
      if (people.size <= MAX_PEOPLE && [...sent.values()].some(({ at }) => now() - at < REMEMBERED_MS)) break;
      if (name !== person) people.delete(name);
    }
    for (const [name, { at }] of forms) {
      if (forms.size < MAX_FORMS_PER_PERSON && now() - at < REMEMBERED_MS) break;
      forms.delete(name);
    }
    const earlier = forms.get(token);
    if (earlier !== undefined) return earlier.answer;
    const answer = work();
    const forget = () => {
      if (forms.get(token)?.answer === answer) forms.delete(token);
    };
    answer.then(({ status }) => (status >= 400 || !keeps) && forget(), forget);
    forms.set(token, { at: now(), answer });
    return answer;
  };
}
