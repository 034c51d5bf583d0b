import { describe, it } from 'vitest'
import { savedViewId } from '#services/framework/ids.ts'
import { givenEvents } from '#test-support/given-when-then.ts'
import {
  removeView,
  renameView,
  type SavedView,
  savedViewDecider,
  type SavedViewEvent,
  type SavedViews,
  saveView,
} from './saved-view.ts'

const given = givenEvents(savedViewDecider)
const id = (number: number) => savedViewId.parse(`v${number}`)
const owed: Omit<SavedView, 'id'> = { list: 'payouts', name: 'Owed', query: 'payment=open&sort=-amount' }
const saved = (number: number, change: Partial<typeof owed> = {}): SavedViewEvent => ({
  type: 'ViewSaved',
  data: { view: id(number), ...owed, ...change },
})
const removed: SavedViewEvent = { type: 'ViewRemoved', data: { view: id(1), name: 'Owed' } }
const save =
  (change: Partial<typeof owed> = {}) =>
  (views: SavedViews) =>
    saveView(views, { ...owed, ...change })
const taken = ['invalid', 'You have a view with this name already', 'name'] as const

describe('a view', () => {
  it('keeps filters and order under a name, and its number is used once', () => {
    given()
      .when(save())
      .then([saved(1)])
    given(saved(1), removed)
      .when(save())
      .then([saved(2)])
  })

  it('has a name of its own among those of its list', () => {
    given(saved(1))
      .when(save({ name: 'OWED' }))
      .thenRefused(...taken)
    given(saved(1))
      .when(save({ list: 'users' }))
      .then([saved(2, { list: 'users' })])
  })

  it('keeps no words that were searched for: a trader may be deleted', () => {
    given()
      .when(save({ query: 'status=approved&search=Ada+Lovelace' }))
      .thenRefused('invalid', 'A view keeps no words that were searched for', 'query')
  })

  it('is one of at most 20 of a list', () => {
    const full = Array.from({ length: 20 }, (_, index) => saved(index + 1, { name: `View ${index}` }))
    given(...full)
      .when(save())
      .thenRefused('conflict', 'You have 20 views of this list. Please delete one first.')
    given(...full)
      .when(save({ list: 'users' }))
      .then([saved(21, { list: 'users' })])
  })

  it('is renamed, also in its letter case, but not to the name of another', () => {
    const renamed = (to: string): SavedViewEvent => ({
      type: 'ViewRenamed',
      data: { view: id(1), from: 'Owed', to },
    })
    const rename = (to: string) => (views: SavedViews) => renameView(views, id(1), to)
    given(saved(1))
      .when(rename('owed'))
      .then([renamed('owed')])
    given(saved(1)).when(rename('Owed')).thenNothing()
    given(saved(1), renamed('Unpaid'))
      .when(save())
      .then([saved(2)])
    given(saved(1), saved(2, { name: 'Mine' }))
      .when(rename('mine'))
      .thenRefused(...taken)
  })

  it('is deleted once', () => {
    const remove = (views: SavedViews) => removeView(views, id(1))
    given(saved(1)).when(remove).then([removed])
    for (const views of [given(), given(saved(1), removed)]) {
      views.when(remove).thenRefused('not-found', 'There is no such view')
      views.when((state) => renameView(state, id(1), 'Other')).thenRefused('not-found', 'There is no such view')
    }
  })
})
