import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { type AppendedEvent, defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type SavedViewId, savedViewId } from '#services/framework/ids.ts'
import { MOST_VIEWS, type ViewedList, viewedLists } from './saved-view-vocabulary.ts'

/**
 * Filters and order of a list that a member of staff keeps under a name, for themself. The stream is named after the
 * member. What was searched for is not kept: it may be a trader's name, which a deletion of the trader would not reach.
 */

const list = z.enum(viewedLists)

export const savedViewEvents = defineEvents({
  /** `query` is that of the page's address, without a question mark: 'status=approved&sort=-amount'. */
  ViewSaved: { view: savedViewId, list, name: z.string(), query: z.string() },
  ViewRenamed: { view: savedViewId, from: z.string(), to: z.string() },
  ViewRemoved: { view: savedViewId, name: z.string() },
})

export type SavedViewEvent = EventOf<typeof savedViewEvents>

export interface SavedView {
  readonly id: SavedViewId
  readonly list: ViewedList
  readonly name: string
  readonly query: string
}

export interface SavedViews {
  /** In the order that they were saved in. */
  readonly views: readonly SavedView[]
  /** How many were ever saved: they are numbered. */
  readonly count: number
}

export const savedViewDecider: Decider<SavedViews, SavedViewEvent> = {
  initial: { views: [], count: 0 },
  evolve({ views, count }: SavedViews, { type, data }: AppendedEvent<SavedViewEvent>): SavedViews {
    switch (type) {
      case 'ViewSaved': {
        const { view: id, ...saved } = data
        return { views: [...views, { id, ...saved }], count: count + 1 }
      }
      case 'ViewRenamed':
        return { views: views.map((view) => (view.id === data.view ? { ...view, name: data.to } : view)), count }
      case 'ViewRemoved':
        return { views: views.filter(({ id }) => id !== data.view), count }
    }
  },
}

/** @throws {Refused} invalid, for a name in use or a query with a search; conflict, where there are too many. */
export function saveView({ views, count }: SavedViews, saved: Omit<SavedView, 'id'>): SavedViewEvent[] {
  const others = views.filter(({ list: of }) => of === saved.list)
  if (new URLSearchParams(saved.query).has('search'))
    throw new Refused('invalid', 'A view keeps no words that were searched for', 'query')
  assertFree(others, saved.name)
  if (others.length >= MOST_VIEWS)
    throw new Refused('conflict', `You have ${MOST_VIEWS} views of this list. Please delete one first.`)
  return [{ type: 'ViewSaved', data: { view: savedViewId.parse(`v${count + 1}`), ...saved } }]
}

/** @throws {Refused} not-found; invalid, for a name in use. */
export function renameView({ views }: SavedViews, id: SavedViewId, name: string): SavedViewEvent[] {
  const view = viewOf(views, id)
  if (view.name === name) return []
  assertFree(
    views.filter((other) => other.list === view.list && other.id !== id),
    name,
  )
  return [{ type: 'ViewRenamed', data: { view: id, from: view.name, to: name } }]
}

/** @throws {Refused} not-found */
export function removeView({ views }: SavedViews, id: SavedViewId): SavedViewEvent[] {
  return [{ type: 'ViewRemoved', data: { view: id, name: viewOf(views, id).name } }]
}

function viewOf(views: readonly SavedView[], id: SavedViewId): SavedView {
  const view = views.find((each) => each.id === id)
  if (!view) throw new Refused('not-found', 'There is no such view')
  return view
}

function assertFree(others: readonly SavedView[], name: string): void {
  if (others.some((other) => other.name.toLowerCase() === name.toLowerCase()))
    throw new Refused('invalid', 'You have a view with this name already', 'name')
}

export const savedViewStreams = aggregate('views', savedViewDecider, savedViewEvents, null)
