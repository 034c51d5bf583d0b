import fc from 'fast-check'
import { expect } from 'vitest'
import type { StorePlace } from './store-suite.ts'

/** A call of a store with arguments that a property test draws. */
export interface StoreCall<Store> {
  readonly name: string
  readonly args: readonly unknown[]
  readonly run: (store: Store) => Promise<unknown>
}

/** Draws a call of the method with this name, and its arguments. */
export function call<Name extends string, Args extends unknown[]>(
  name: Name,
  ...args: { [Index in keyof Args]: fc.Arbitrary<Args[Index]> }
): fc.Arbitrary<StoreCall<Record<Name, (...args: Args) => Promise<unknown>>>> {
  return fc.tuple<Args>(...args).map((drawn) => ({ name, args: drawn, run: (store) => store[name](...drawn) }))
}

export interface ModelComparison<Model, Store extends Model> {
  /** Prepares a new, empty place for each run. */
  readonly prepare: () => Promise<StorePlace<Store>>
  /** A store as plain as can be: it says in code what the port promises. */
  readonly createModel: () => Model
  readonly calls: readonly fc.Arbitrary<StoreCall<Model>>[]
  /** All that a caller can see. */
  readonly observe: (store: Model) => Promise<unknown>
  readonly runs?: number
}

/**
 * Makes the same random calls to a model and to one of two stores on the same data. Each answers like the model, both
 * stores show what the model shows, and so does a store that is opened after them.
 */
export async function expectLikeModel<Model, Store extends Model & { close(): Promise<void> }>(
  comparison: ModelComparison<Model, Store>,
): Promise<void> {
  const { prepare, createModel, calls, observe, runs = 30 } = comparison
  const steps = fc.array(fc.tuple(fc.oneof(...calls), fc.boolean()), { maxLength: 24, size: 'max' })
  const run = async (drawn: readonly (readonly [StoreCall<Model>, boolean])[]): Promise<void> => {
    const place = await prepare()
    const [one, other] = [place.open(), place.open()]
    const stores = [one, other]
    try {
      const model = createModel()
      for (const [each, isOther] of drawn)
        expect(await outcomeOf(each.run(isOther ? other : one)), each.name).toEqual(await outcomeOf(each.run(model)))
      const expected = await observe(model)
      for (const store of stores) expect(await observe(store)).toEqual(expected)
      for (const store of stores.splice(0)) await store.close()
      const reopened = place.open()
      stores.push(reopened)
      expect(await observe(reopened)).toEqual(expected)
    } finally {
      for (const store of stores) await store.close()
      await place.remove?.()
    }
  }
  await fc.assert(fc.asyncProperty(steps, run), { numRuns: runs })
}

/** What a call returned, or the class of its error. */
async function outcomeOf(answer: Promise<unknown>): Promise<unknown> {
  return answer.catch((error: unknown) => (error instanceof Error ? error.constructor : error))
}
