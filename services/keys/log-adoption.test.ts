import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toPosition } from '../../infra/event-store/event-store.ts'
import { createTestLog } from '../../test-support/sample-events.ts'
import { ADOPTION_KEY_ID, createLogAdoption } from './log-adoption.ts'

const secrets = { wrappingKey: new Uint8Array(32).fill(1) }

let log: ReturnType<typeof createTestLog>
beforeEach(() => void (log = createTestLog()))
afterEach(() => log.close())

describe('the adoption of a log', () => {
  it('happens once: the first position counts, for every process', async () => {
    const [one, other] = [createLogAdoption(log.keyStore, secrets), createLogAdoption(log.keyStore, secrets)]
    expect(await one.position()).toBeUndefined()
    expect(await one.adopt(toPosition('42'))).toBe('42')
    expect(await other.adopt(toPosition('99'))).toBe('42')
    expect([await one.position(), await other.position(), await createLogAdoption(log.keyStore, secrets).position()]).toEqual(['42', '42', '42'])
  })

  it('is noticed by other processes within a second', async () => {
    let now = 0
    const other = createLogAdoption(log.keyStore, secrets, () => now)
    expect(await other.position()).toBeUndefined()
    await createLogAdoption(log.keyStore, secrets).adopt(toPosition('42'))
    now = 999
    expect(await other.position()).toBeUndefined()
    now = 1_000
    expect(await other.position()).toBe('42')
  })

  it('cannot be recorded or changed without the key', async () => {
    await createLogAdoption(log.keyStore, { wrappingKey: new Uint8Array(32) }).adopt(toPosition('42'))
    await expect(createLogAdoption(log.keyStore, secrets).position()).rejects.toThrow()
    await log.keyStore.destroy(ADOPTION_KEY_ID)
    await expect(createLogAdoption(log.keyStore, secrets).position()).rejects.toThrow('must never happen')
  })
})
