import { List, Map as ImmutableMap } from 'immutable'
import type { ImportId, PayoutId } from '#services/framework/ids.ts'
import { contentOf, identityOf, type Observation, type Trade, withNewFacts } from '#services/rules/observation.ts'

/** The observations of an account that were recorded, with what they said before they were corrected. */
export interface KnownObservations {
  /** Number n is at index n - 1. */
  readonly list: List<KnownObservation>
  /** The numbers of those that are or were known under an identity. */
  readonly byIdentity: ImmutableMap<string, readonly number[]>
  readonly extent: Extent
  /** Ledger rows of statements that are no transfers, by their ids. */
  readonly ledgerRows: ImmutableMap<string, LedgerRow>
}

/** A row of a platform's ledger that says what the portal knows itself. */
export interface LedgerRow {
  readonly observation: Observation
  /** The payout that it is; null for the opening deposit. */
  readonly payout: PayoutId | null
}

export interface KnownObservation {
  readonly number: number
  /** Null once it was taken away. */
  readonly now: Observation | null
  /** Its contents before corrections: they stay known. */
  readonly before: readonly Observation[]
  /** Those that recorded it, or added facts to it. */
  readonly imports: readonly ImportId[]
}

/** What is known of a row that comes again. */
export interface KnownAgain {
  readonly known: KnownObservation
  /** The trade with the facts that the row adds; null where it says nothing new. */
  readonly to: Trade | null
}

/** The range of all balances and equities, how many there are, and the sum of all other movements. Cents. */
interface Extent {
  readonly lowest: number
  readonly highest: number
  readonly values: number
  readonly moved: number
}

/** All movements of an account together, in cents. Below it, all sums and products of the engine are exact. */
const MOST_MOVED = 4e13

export const noObservations: KnownObservations = {
  list: List(),
  byIdentity: ImmutableMap(),
  extent: { lowest: 0, highest: 0, values: 0, moved: 0 },
  ledgerRows: ImmutableMap(),
}

/** The observation of which this one is a repetition; `conflict` where its identity is known with other contents. */
export function lookUp(
  { list, byIdentity }: KnownObservations,
  observation: Observation,
): KnownAgain | 'conflict' | undefined {
  const numbers = byIdentity.get(identityKey(observation))
  if (!numbers) return undefined
  const content = contentOf(observation)
  const all = numbers.flatMap((number) => list.get(number - 1) ?? [])
  const same = all.find((one) => contentsOf(one).includes(content))
  if (same) return { known: same, to: null }
  return (observation.kind === 'trade' ? toldAgain(all, observation) : null) ?? 'conflict'
}

/** A trade that is told again with fewer facts, or with more; null where no telling of it agrees. */
function toldAgain(all: readonly KnownObservation[], told: Trade): KnownAgain | null {
  for (const known of all)
    for (const said of saidBy(known)) {
      if (said.kind !== 'trade') continue
      const { now } = known
      const to = withNewFacts(now?.kind === 'trade' ? now : said, said, told)
      // What was taken away stays away.
      if (to) return { known, to: now?.kind !== 'trade' || to === now ? null : to }
    }
  return null
}

function saidBy({ now, before }: KnownObservation): readonly Observation[] {
  return now ? [now, ...before] : before
}

function contentsOf(known: KnownObservation): string[] {
  return saidBy(known).map(contentOf)
}

/** Returns the key under which only one content may be known: a trade's id, a day's date, a state's instant. */
function identityKey(observation: Observation): string {
  const identity = identityOf(observation)
  if (identity) return `${observation.kind} ${identity.value}`
  const { ms, ns } = observation.at
  return observation.kind === 'state' ? `state ${ms}.${ns}` : contentOf(observation)
}

/** Whether another observation than this number says the same thing now: the same trade, day or instant. */
export function isTaken({ list, byIdentity }: KnownObservations, observation: Observation, number: number): boolean {
  const key = identityKey(observation)
  const others = byIdentity.get(key)?.filter((other) => other !== number) ?? []
  return others.some((other) => {
    const now = list.get(other - 1)?.now
    return now && identityKey(now) === key
  })
}

/** With observations that were recorded under the next numbers. */
export function withObservations(
  { list, byIdentity, extent, ledgerRows }: KnownObservations,
  observations: readonly Observation[],
  importId: ImportId | null,
): KnownObservations {
  const first = list.size + 1
  const imports = importId === null ? [] : [importId]
  const added = observations.map((now, index) => ({ number: first + index, now, before: [], imports }))
  return {
    list: list.concat(added),
    byIdentity: byIdentity.withMutations((map) => {
      for (const { number, now } of added) addIdentity(map, now, number)
    }),
    extent: observations.reduce(extentWith, extent),
    ledgerRows,
  }
}

/** With other content of an observation, or without it. */
export function withCorrection(
  known: KnownObservations,
  number: number,
  to: Observation | null,
  importId: ImportId | null = null,
): KnownObservations {
  const one = known.list.get(number - 1)
  if (!one) throw new RangeError(`There is no observation ${number}`)
  const before = one.now ? [...one.before, one.now] : one.before
  const imports = importId === null ? one.imports : [...one.imports, importId]
  return {
    ...known,
    list: known.list.set(number - 1, { ...one, now: to, before, imports }),
    byIdentity: to ? known.byIdentity.withMutations((map) => addIdentity(map, to, number)) : known.byIdentity,
    extent: to ? extentWith(known.extent, to) : known.extent,
  }
}

function addIdentity(map: ImmutableMap<string, readonly number[]>, observation: Observation, number: number): void {
  for (const key of new Set([identityKey(observation), idKey(observation)])) {
    const numbers = map.get(key) ?? []
    if (!numbers.includes(number)) map.set(key, [...numbers, number])
  }
}

/** Statements give each ledger row an id of its own; programs may not. */
function idKey(observation: Observation): string {
  const { kind } = observation
  return kind === 'transfer' && observation.id !== undefined ? `${kind} ${observation.id}` : identityKey(observation)
}

/** What is known under the id of a statement's row, or its date; undefined where nothing is. */
export function knownUnder({ list, byIdentity }: KnownObservations, observation: Observation) {
  const all = byIdentity.get(idKey(observation))?.flatMap((number) => list.get(number - 1) ?? []) ?? []
  const last = all.findLast(({ now }) => now !== null) ?? all.at(-1)
  if (!last) return undefined
  return { last, says: (row: Observation) => all.some((one) => contentsOf(one).includes(contentOf(row))) }
}

/** With rows of the platform's ledger that are no transfers. */
export function withLedgerRows(known: KnownObservations, rows: readonly LedgerRow[]): KnownObservations {
  const ledgerRows = known.ledgerRows.withMutations((map) => {
    for (const row of rows)
      if (row.observation.kind === 'transfer' && row.observation.id !== undefined) map.set(row.observation.id, row)
  })
  return { ...known, ledgerRows }
}

/** Whether the engine's sums stay exact with one more observation. */
export function fits({ extent }: KnownObservations, observation: Observation): boolean {
  const { lowest, highest, values, moved } = extentWith(extent, observation)
  return 2 * values * (highest - lowest) + moved <= MOST_MOVED
}

function extentWith(extent: Extent, observation: Observation): Extent {
  const { lowest, highest, values, moved } = extent
  switch (observation.kind) {
    case 'trade':
      return { ...extent, moved: moved + Math.abs(observation.profit) }
    case 'transfer':
      return { ...extent, moved: moved + Math.abs(observation.amount) }
    case 'state':
    case 'day': {
      const { balance, equity } = observation
      return {
        lowest: values === 0 ? Math.min(balance, equity) : Math.min(lowest, balance, equity),
        highest: values === 0 ? Math.max(balance, equity) : Math.max(highest, balance, equity),
        values: values + 1,
        moved,
      }
    }
    case 'payout':
    case 'clock':
      return extent
  }
}
