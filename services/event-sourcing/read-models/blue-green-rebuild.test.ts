import { describe, expect, it } from 'vitest'
import type { ProjectionState } from '#infra/read-model-store/read-model-store.ts'
import {
  beginRebuild,
  collectionOf,
  forgetRetired,
  initialState,
  isCollection,
  needsRebuild,
  rebuildRequest,
  type StateChange,
  switchOver,
  versionOf,
} from './blue-green-rebuild.ts'

const users = { name: 'users', version: 4 }
const pace = { collection: 'users_m4_2', at: 1, perSecond: 2 }

const begin = (state: ProjectionState) => beginRebuild(state, users)
type Transition = StateChange | ((state: ProjectionState) => StateChange)
const after = (state: ProjectionState, change: Transition) => ({
  ...state,
  ...(typeof change === 'function' ? change(state) : change),
})
/** The state after some changes, and then one more. */
const given = (...changes: Transition[]) => ({
  when: (change: Transition) => expect(after(changes.reduce<ProjectionState>(after, initialState(users)), change)),
})

describe('a rebuild', () => {
  it('begins beside what is served, and fulfils the request', () =>
    given(rebuildRequest).when(begin).toMatchObject({
      serving: 'users_m4',
      building: 'users_m4_2',
      generation: 2,
      rebuildRequested: false,
      retired: [],
    }))

  it('switches over to the new collection and retires the old one', () =>
    given(begin, { pace })
      .when(switchOver)
      .toMatchObject({ serving: 'users_m4_2', building: null, retired: ['users_m4'], pace: null }))

  it('changes nothing on a switch when none is under way', () =>
    given().when(switchOver).toMatchObject(initialState(users)))

  it('retires a collection that will not be finished', () =>
    given(begin)
      .when((state) => beginRebuild(state, { name: 'users', version: 5 }))
      .toMatchObject({ building: 'users_m5_3', retired: ['users_m4_2'], generation: 3 }))

  it('never uses a name twice', () =>
    given(begin, switchOver)
      .when(begin)
      .toMatchObject({ serving: 'users_m4_2', building: 'users_m4_3', retired: ['users_m4'] }))

  it('forgets a retired collection once it is dropped', () =>
    given(begin, switchOver, begin, switchOver)
      .when((state) => forgetRetired(state, 'users_m4'))
      .toMatchObject({ serving: 'users_m4_3', retired: ['users_m4_2'] }))
})

describe('whether a rebuild has to begin', () => {
  const state = initialState(users)
  it.each([
    ['not in the initial state', state, users, false],
    ['on request', { ...state, ...rebuildRequest }, users, true],
    [
      'not on request while one is under way',
      { ...state, ...beginRebuild(state, users), ...rebuildRequest },
      users,
      false,
    ],
    ['for a raised version', state, { name: 'users', version: 5 }, true],
    ['for a reverted version', { ...state, serving: 'users_m5_2' }, users, true],
    [
      'not again while the raised version is being built',
      { ...state, building: 'users_m5_2' },
      { name: 'users', version: 5 },
      false,
    ],
    [
      'at once when the version under way is outdated',
      { ...state, building: 'users_m5_2' },
      { name: 'users', version: 6 },
      true,
    ],
  ])('%s', (_, state, projection, expected) => expect(needsRebuild(state, projection)).toBe(expected))
})

it('names collections by version and generation', () => {
  expect([1, 2].map((generation) => collectionOf({ name: 'admin-keys', version: 3 }, generation))).toEqual([
    'admin_keys_m3',
    'admin_keys_m3_2',
  ])
  expect(['users_m4', 'users_m12_3'].map(versionOf)).toEqual([4, 12])
  expect(['users_m4_2', 'policies and mail', 'sealer'].map(isCollection)).toEqual([true, false, false])
})
