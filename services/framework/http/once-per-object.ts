/** A stored document is the same object until it changes: then what was made of it is still right. */
export function oncePerObject<Key extends object, Result>(work: (key: Key) => Result): (key: Key) => Result {
  const known = new WeakMap<Key, Result>()
  return (key) => {
    const existing = known.get(key)
    if (existing !== undefined) return existing
    const result = work(key)
    known.set(key, result)
    return result
  }
}
