import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { toPosition } from '#infra/event-store/event-store.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { allProjections } from '#services/portal/modules.ts'
import { idOf, someWishes, type Wish } from '#test-support/projections/event-history.ts'
import {
  type Firm,
  openFirm,
  type RunningProjector,
  startProjector,
  untilCaughtUp,
} from '#test-support/projections/projection-harness.ts'
import { requestRebuild } from './blue-green-rebuild.ts'
import { compareInSteps, type ComparisonOptions, type Difference } from './read-model-comparison.ts'

const running: RunningProjector[] = []
const firms: Firm[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((projector) => projector.stop()))
  await Promise.all(firms.splice(0).map((firm) => firm.close()))
})

function open(...args: [options?: Parameters<typeof startProjector>[1]]): Firm {
  const firm = openFirm()
  firms.push(firm)
  running.push(startProjector(firm, ...args))
  return firm
}

/** @param onStep Called after each step. */
async function compare(
  firm: Firm,
  onStep: (step: number) => Promise<unknown> = async () => {},
  options: Partial<ComparisonOptions> = {},
) {
  const differences: Difference[] = []
  const steps = compareInSteps({
    ...{ registry: eventRegistry, eventStore: firm.eventStore, store: firm.store, personKeys: firm.keys },
    projections: allProjections,
    signal: new AbortController().signal,
    onDifference: (difference) => differences.push(difference),
    ...options,
  })
  for (let n = 0; ; n++) {
    const step = await steps.next()
    if (step.done) return { differences, behind: step.value }
    await onStep(n)
  }
}

const sound = { differences: [], behind: [] }

const joined = (who: number): Wish[] => [
  { what: 'register', who, which: who },
  { what: 'open', who, which: 0 },
  { what: 'change', who, which: who },
]

describe('a comparison of the read models with the log', () => {
  it('finds nothing while anything happens, in batches of any size', async () => {
    await fc.assert(
      fc.asyncProperty(someWishes, fc.integer({ min: 1, max: 5 }), async (wishes, batchSize) => {
        const firm = open({ batchSize })
        const left = [...wishes]
        const some = () => firm.record(left.splice(0, 5))
        await some()
        expect(await compare(firm, some)).toEqual(sound)
        while (left.length > 0) await some()
        await untilCaughtUp(firm)
        expect(await compare(firm)).toEqual(sound)
      }),
      { numRuns: 10 },
    )
  })

  it('finds nothing in a document that changes all the time', async () => {
    const firm = open()
    for (let who = 0; who < 3; who++) await firm.record(joined(who))
    let isOver = false
    let which = 0
    const busy = (async () => {
      while (!isOver) await firm.record([{ what: 'change', who: which % 3, which: which++ }])
    })()
    const rest = () => firm.store.checkpoints.saved(20)
    for (let round = 0; round < 3; round++) expect(await compare(firm, rest)).toEqual(sound)
    isOver = true
    await busy
    expect(which).toBeGreaterThan(20)
  })

  it('finds nothing while read models are rebuilt, and looks at the new ones the next time', async () => {
    const firm = open({ retireAfter: 0 })
    for (let who = 0; who < 5; who++) await firm.record(joined(who))
    await untilCaughtUp(firm)
    const rebuild = async () => {
      for (const projection of allProjections) await requestRebuild(firm.store.projections, projection)
      await untilCaughtUp(firm)
    }
    for (const at of [0, 1, 4]) expect(await compare(firm, async (step) => step === at && rebuild())).toEqual(sound)
    expect(await compare(firm)).toEqual(sound)
  })

  it('finds nothing while a person is erased: before, in the middle and after', async () => {
    for (const at of [0, 1, 2, 5]) {
      const firm = open()
      for (let who = 0; who < 4; who++) await firm.record([...joined(who), { what: 'profile', who, which: 1 }])
      await untilCaughtUp(firm)
      const erase = async () => {
        await firm.record([{ what: 'profile', who: 1, which: 3 }])
        await firm.record([{ what: 'delete', who: 1, which: 0 }])
        await firm.keys.destroy(idOf(1))
      }
      expect(await compare(firm, async (step) => step === at && erase())).toEqual(sound)
      expect(await compare(firm)).toEqual(sound)
    }
  })

  it('says which read models do not follow the log', async () => {
    const firm = open()
    await firm.record(joined(1))
    await untilCaughtUp(firm)
    await running.pop()?.stop()
    await firm.record(joined(2))
    const { behind, differences } = await compare(firm, undefined, { patience: 0 })
    expect([behind, differences]).toEqual([allProjections.map(({ name }) => name), []])
  })

  it('finds a tombstone of a document that the log does not know, and leaves out what a dead letter blocks', async () => {
    const firm = open()
    for (let who = 0; who < 3; who++) await firm.record(joined(who))
    await untilCaughtUp(firm)
    const serving = (await firm.store.projections.load(users.name))?.serving ?? ''
    const strange = { id: 'stranger', document: null, position: toPosition('5'), expected: null }
    await firm.store.documents.write(serving, [strange])
    const difference = { view: users.name, collection: serving, id: 'stranger' }
    expect(await compare(firm)).toEqual({ differences: [difference], behind: [] })
    const letter = { revision: 0, position: toPosition('1'), type: 'UserRegistered', error: 'not understood' }
    await firm.store.deadLetters.add({ consumer: serving, stream: `user-${idOf(1)}`, ...letter })
    const { differences } = await compare(firm)
    expect(differences.map(({ id }) => id).toSorted()).toEqual([idOf(1), 'stranger'].toSorted())
  })

  it('ends when its fold is closed in the middle, and begins again as another process does', async () => {
    const firm = open()
    for (let who = 0; who < 5; who++) await firm.record(joined(who))
    const stopped = compare(firm, async (step) => {
      if (step === 3) throw new Error('The process ends')
    })
    await expect(stopped).rejects.toThrow('The process ends')
    expect(await compare(firm)).toEqual(sound)
  })
})
