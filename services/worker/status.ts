import { comparePositions, type EventStore, type Position, start } from '../../infra/event-store/event-store.ts'
import type { PoisonEvent, ViewStore } from '../../infra/view-store/view-store.ts'
import { readGenerations } from '../views/generations.ts'
import type { View } from '../views/view.ts'

/** How a view stands to the log. Positions are places, not counts: their difference is no number of events. */
export interface ViewStatus {
  readonly view: string
  /** The collection that queries read. */
  readonly collection: string
  readonly position: Position
  /** Where the log ends. */
  readonly end: Position
  readonly caughtUp: boolean
  /** The collection that will take its place. */
  readonly building: { readonly collection: string; readonly position: Position } | null
  /** Events that could not be folded into what is served; each holds up its stream until the view is rebuilt. */
  readonly poison: readonly PoisonEvent[]
}

/** Where every view stands, for health, metrics and `proofdesk status`. */
export async function projectionStatus(eventStore: EventStore, viewStore: ViewStore, views: readonly View[]): Promise<ViewStatus[]> {
  const end = await eventStore.end()
  const readers = await viewStore.readers()
  const positionOf = (collection: string) => readers.get(collection)?.position ?? start
  return Promise.all(
    views.map(async (view) => {
      const { serving, building } = await readGenerations(viewStore, view)
      const position = positionOf(serving)
      return {
        view: view.name,
        collection: serving,
        position,
        end,
        caughtUp: comparePositions(position, end) >= 0,
        building: building === undefined ? null : { collection: building, position: positionOf(building) },
        poison: await viewStore.poison(serving),
      }
    }),
  )
}
