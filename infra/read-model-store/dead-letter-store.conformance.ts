import { expect, it } from 'vitest'
import { toPosition } from '../event-store/event-store.ts'
import type { StoreUnderTest } from './store-under-test.conformance.ts'

/** What every dead-letter store promises. */
export function deadLetterStoreConformance(underTest: () => StoreUnderTest): void {
  it('keeps one dead letter for each event until it is deleted', async () => {
    const { store, another, mark } = underTest()
    const { deadLetters } = store
    const letter = { consumer: mark, stream: 'account-1', revision: 3, position: toPosition('10'), type: 'BalanceChanged', error: 'odd' }
    const earlier = { ...letter, stream: 'account-2', position: toPosition('9') }
    const elsewhere = { ...letter, consumer: `${mark}-other` }
    for (const each of [letter, earlier, elsewhere, { ...letter, error: 'odder' }]) await deadLetters.add(each)
    expect(await deadLetters.list(mark)).toEqual([earlier, { ...letter, error: 'odder' }])
    const all = await (await another()).deadLetters.list()
    expect(all.filter(({ consumer }) => consumer.startsWith(mark))).toHaveLength(3)
    await deadLetters.delete(mark, { stream: 'account-1', revision: 2 })
    await deadLetters.delete(mark, earlier)
    expect(await deadLetters.list(mark)).toEqual([{ ...letter, error: 'odder' }])
    await deadLetters.add(earlier)
    await deadLetters.delete(mark)
    expect(await deadLetters.list(mark)).toEqual([])
    expect(await deadLetters.list(elsewhere.consumer)).toEqual([elsewhere])
    await deadLetters.delete(elsewhere.consumer)
  })
}
