import type { AggregateType } from '#services/event-sourcing/aggregate-type.ts'
import type { EventDefinitions, EventOf } from '#services/event-sourcing/event-definitions.ts'
import type { Route } from '#services/framework/api/route.ts'
import type { EventCategory, EventDescriptions } from './event-description.ts'
import type { ShownObject } from './shown-state.ts'

/**
 * A subject is what the firm talks about: payouts, certificates, staff. This half runs anywhere, in the verifier and in
 * browsers too; the server's half is a Module.
 */
export interface Subject<
  Events extends EventDefinitions = EventDefinitions,
  Descriptions = unknown,
  Routes extends RouteTable = RouteTable,
> {
  /** Its tag in the OpenAPI document. */
  readonly title: string
  readonly about: string
  readonly events: Events
  /** Its streams. A subject whose events lie in the stream of the account has none: see account-aggregate.ts. */
  readonly aggregates: readonly Pick<AggregateType<never, never>, 'category' | 'definitions' | 'person'>[]
  /** The meaning of each of its events to people. */
  readonly descriptions: Descriptions
  /**
   * The fields that changes of its events name, by the first part of their paths. A part of the account's state is one
   * of these, and stands in account-parts.ts as well.
   */
  readonly shown: Readonly<Record<string, ShownObject>>
  /** The categories that it adds to the filter of the audit, in the order that the filter offers them. */
  readonly categories: Readonly<Record<string, EventCategory>>
  readonly routes: Routes
}

export type RouteTable = Readonly<Record<string, Route>>

/** Every subject declares its title, what it is about and its routes. The rest may be left out where there is none. */
type Declared<Routes> = Pick<Subject, 'title' | 'about'> &
  Partial<Pick<Subject, 'aggregates' | 'shown' | 'categories'>> & { readonly routes: Routes }
type None = Readonly<Record<never, never>>

/** Declares a subject. Each of its events needs a description. */
export function subject<
  const Events extends EventDefinitions,
  const Descriptions extends EventDescriptions<EventOf<Events>>,
  const Routes extends RouteTable,
>(
  declared: Declared<Routes> & { readonly events: Events; readonly descriptions: Descriptions },
): Subject<Events, Descriptions, Routes>
/** Declares a subject without events of its own. */
export function subject<const Routes extends RouteTable>(declared: Declared<Routes>): Subject<None, None, Routes>
export function subject(declared: Declared<RouteTable> & Partial<Subject>): Subject {
  return { events: {}, aggregates: [], descriptions: {}, shown: {}, categories: {}, ...declared }
}

/** One table of several, each name once. @throws {Error} for a name that two of them have. */
export function merged<Value>(what: string, tables: readonly Readonly<Record<string, Value>>[]): Record<string, Value> {
  const result: Record<string, Value> = {}
  for (const table of tables)
    for (const [name, value] of Object.entries(table)) {
      // Traders and staff have the same second factors.
      if (Object.hasOwn(result, name) && result[name] !== value)
        throw new Error(`Two subjects declare the ${what} ${name}`)
      result[name] = value
    }
  return result
}
