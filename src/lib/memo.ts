/** A function of one object that computes its answer once for each, and keeps it for as long as the object is kept. */
export function oncePer<K extends object, V>(compute: (of: K) => V): (of: K) => V {
  const known = new WeakMap<K, { value: V }>();
  return (of) => {
    let found = known.get(of);
    if (found === undefined) {
      found = { value: compute(of) };
      known.set(of, found);
    }
    return found.value;
  };
}
