import { List } from 'immutable'

/**
 * An account's things with ids such as '<userId>-p17', numbered from 1 and kept in that order. It is immutable, and read
 * like a map. (A map by id would hash each id of each event: that was a third of the time it takes to replay an account.)
 */
export class Numbered<Id extends string, Item extends { readonly id: Id }> {
  private readonly items: List<Item | undefined>

  constructor(items: List<Item | undefined> = List()) {
    this.items = items
  }

  /** The highest number in use. */
  get size(): number {
    return this.items.size
  }

  get(id: Id): Item | undefined {
    const item = this.items.get(indexOf(id))
    return item?.id === id ? item : undefined
  }

  has(id: Id): boolean {
    return this.get(id) !== undefined
  }

  /** A copy with this item, in the place of the one with its id if there is one. */
  with(item: Item): Numbered<Id, Item> {
    return new Numbered(this.items.set(indexOf(item.id), item))
  }

  *values(): IterableIterator<Item> {
    for (const item of this.items) if (item) yield item
  }
}

/** @throws {TypeError} for an id without a number. */
function indexOf(id: string): number {
  const number = Number(id.slice(id.lastIndexOf('-') + 2))
  if (!Number.isSafeInteger(number) || number < 1) throw new TypeError(`${id} has no number`)
  return number - 1
}
