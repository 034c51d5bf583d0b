/**
 * The two collections that the domain takes from `immutable`, for the verify page: copied on each change, which is fast enough
 * for one account, and a hundredth in size. The build puts this in the place of `immutable` (vite.config.ts).
 */

class CopiedMap<Key, Value> {
  constructor(private readonly entries: ReadonlyMap<Key, Value>) {}

  get(key: Key): Value | undefined {
    return this.entries.get(key)
  }

  set(key: Key, value: Value): CopiedMap<Key, Value> {
    return new CopiedMap(new globalThis.Map(this.entries).set(key, value))
  }
}

class CopiedList<Item> {
  constructor(private readonly items: readonly (Item | undefined)[]) {}

  get size(): number {
    return this.items.length
  }

  get(index: number): Item | undefined {
    return this.items[index]
  }

  set(index: number, item: Item): CopiedList<Item> {
    const copy = [...this.items]
    copy[index] = item
    return new CopiedList(copy)
  }

  [Symbol.iterator](): Iterator<Item | undefined> {
    return this.items.values()
  }
}

export function Map<Key, Value>(): CopiedMap<Key, Value> {
  return new CopiedMap<Key, Value>(new globalThis.Map())
}

export function List<Item>(): CopiedList<Item> {
  return new CopiedList<Item>([])
}
