/**
 * The values of these keys: from a cache, and those that it lacks loaded together. Keys without a value are left out.
 */
export async function readThrough<Key, Value>(
  cache: { get(key: Key): Value | undefined },
  keys: Iterable<Key>,
  load: (missing: readonly Key[]) => Promise<Iterable<readonly [Key, Value]>>,
): Promise<Map<Key, Value>> {
  const found = new Map<Key, Value>()
  const missing: Key[] = []
  for (const key of new Set(keys)) {
    const cached = cache.get(key)
    if (cached === undefined) missing.push(key)
    else found.set(key, cached)
  }
  if (missing.length > 0) for (const [key, value] of await load(missing)) found.set(key, value)
  return found
}
