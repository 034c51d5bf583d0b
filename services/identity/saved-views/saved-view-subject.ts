import { change, type EventDescriptions } from '#services/framework/event-description.ts'
import { subject } from '#services/framework/subject.ts'
import { savedViewRoutes } from './saved-view-api.ts'
import { type SavedViewEvent, savedViewEvents, savedViewStreams } from './saved-view.ts'

const savedViewDescriptions = {
  ViewSaved: {
    title: 'View of a list saved',
    category: 'savedViews',
    changes: ({ data }) => [
      change('savedView.list', null, data.list),
      change('savedView.name', null, data.name),
      change('savedView.query', null, data.query),
    ],
  },
  ViewRenamed: {
    title: 'View of a list renamed',
    category: 'savedViews',
    changes: ({ data }) => [change('savedView.name', data.from, data.to)],
  },
  ViewRemoved: {
    title: 'View of a list deleted',
    category: 'savedViews',
    changes: ({ data }) => [change('savedView.name', data.name, null)],
  },
} as const satisfies EventDescriptions<SavedViewEvent>

/** Saved views: the half that runs anywhere. */
export const savedViewSubject = subject({
  title: 'Saved views',
  about: 'Filters of lists that members of staff keep for themselves',
  events: savedViewEvents,
  aggregates: [savedViewStreams],
  descriptions: savedViewDescriptions,
  shown: {
    savedView: {
      fields: {
        list: { label: 'List', kind: 'text' },
        name: { label: 'Name', kind: 'text' },
        query: { label: 'Filters and order', kind: 'text' },
      },
    },
  },
  categories: { savedViews: { label: 'Saved views', group: 'firm', staffOnly: true, isDecision: false } },
  routes: savedViewRoutes,
})
