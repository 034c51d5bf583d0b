import { type Decimal, volumeText } from './values/decimal.ts'

/** The fees of MetaTrader 5: they stand in the deals alone, which do not name their position (statements.md). */

export interface Position {
  readonly id: string
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  readonly volume: Decimal
  readonly opened: number
  readonly closed: number
}

export interface Fill {
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  readonly direction: 'in' | 'out'
  readonly order: string
  readonly volume: Decimal
  readonly at: number
  readonly fee: Decimal
}

/** For each deal the index of the position that its fee belongs to. */
export function positionsOfFees(
  positions: readonly Position[],
  fills: readonly Fill[],
): readonly (number | 'none' | 'several')[] {
  if (fills.length === 0) return []
  const groups = new Map<string, Group>()
  for (const [index, position] of positions.entries()) {
    const key = JSON.stringify([position.symbol, position.side])
    const group: Group = groups.get(key) ?? {
      openings: [],
      closes: [],
      byId: new Map(),
      opening: new Map(),
      closing: new Map(),
    }
    groups.set(key, group)
    group.openings.push([position.opened, index])
    group.closes.push([position.closed, index])
    group.byId.set(position.id, index)
    addTo(group.opening, secondKey(position.opened, position.volume), index)
    addTo(group.closing, secondKey(position.closed, position.volume), index)
  }
  const open = new Map([...groups].map(([key, { openings, closes }]) => [key, openAt(openings, closes)]))
  return fills.map((fill) => {
    const isIn = fill.direction === 'in'
    const key = JSON.stringify([fill.symbol, isIn === (fill.side === 'buy') ? 'buy' : 'sell'])
    const [group, openThen] = [groups.get(key), open.get(key)]
    const { count, only } = openThen?.(fill.at) ?? { count: 0, only: null }
    if (!group || count < 2) return only ?? 'none'
    const isOpen = (index: number) => {
      const position = positions[index]
      return position !== undefined && position.opened <= fill.at && position.closed >= fill.at
    }
    const ordered = isIn ? group.byId.get(fill.order) : undefined
    if (ordered !== undefined && isOpen(ordered)) return ordered
    const [first, ...others] = (isIn ? group.opening : group.closing).get(secondKey(fill.at, fill.volume)) ?? []
    return first !== undefined && others.length === 0 ? first : 'several'
  })
}

type Moment = readonly [at: number, index: number]
/** The positions of one symbol and side. */
interface Group {
  readonly openings: Moment[]
  readonly closes: Moment[]
  readonly byId: Map<string, number>
  readonly opening: Map<string, number[]>
  readonly closing: Map<string, number[]>
}

function secondKey(at: number, volume: Decimal): string {
  return `${Math.floor(at / 1000)} ${volumeText(volume)}`
}

function addTo(map: Map<string, number[]>, key: string, index: number): void {
  const found = map.get(key)
  if (found) found.push(index)
  else map.set(key, [index])
}

/**
 * How many positions are open at a time, and which, if there is one. Of those opened by then the ones closed before are
 * subtracted: their number, and the sum of their indexes.
 */
function openAt(openings: readonly Moment[], closes: readonly Moment[]) {
  const [opened, closed] = [sumsOf(openings), sumsOf(closes)]
  return (at: number): { readonly count: number; readonly only: number | null } => {
    const [before, after] = [opened(at + 1), closed(at)]
    const count = before.count - after.count
    return { count, only: count === 1 ? before.sum - after.sum : null }
  }
}

/** Counts the moments before a time, and adds their indexes up. */
function sumsOf(moments: readonly Moment[]) {
  const sorted = moments.toSorted(([one], [other]) => one - other)
  const sums = [0]
  for (const [, index] of sorted) sums.push((sums.at(-1) ?? 0) + index)
  return (time: number): { readonly count: number; readonly sum: number } => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sorted[middle]?.[0] ?? 0) < time) low = middle + 1
      else high = middle
    }
    return { count: low, sum: sums[low] ?? 0 }
  }
}
