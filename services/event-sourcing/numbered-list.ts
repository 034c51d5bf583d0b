import { List } from 'immutable'

/**
 * An account's things with ids such as '<userId>-p17', kept in the order of their numbers. It is immutable, and read
 * like a map. (A map by id would hash each id of each event: that was a third of the time it takes to replay an
 * account.)
 */
export class NumberedList<Id extends string, Item extends { readonly id: Id }> {
  /** Number n is at index n - 1; an unused number is a hole. */
  private readonly items: List<Item | undefined>

  constructor(items: List<Item | undefined> = List()) {
    this.items = items
  }

  /** The highest number in use. */
  get highest(): number {
    return this.items.size
  }

  get(id: Id): Item | undefined {
    const item = this.items.get(numberOfId(id) - 1)
    return item?.id === id ? item : undefined
  }

  has(id: Id): boolean {
    return this.get(id) !== undefined
  }

  /** A copy with this item; it replaces the one with the same number. @throws {TypeError} when its id has no number. */
  with(item: Item): NumberedList<Id, Item> {
    const number = numberOfId(item.id)
    if (!(number >= 1)) throw new TypeError(`${item.id} has no number`)
    return new NumberedList(this.items.set(number - 1, item))
  }

  /** In the order of their numbers. */
  *values(): IterableIterator<Item> {
    for (const item of this.items) if (item) yield item
  }
}

function numberOfId(id: string): number {
  return Number(id.slice(id.lastIndexOf('-') + 2))
}
