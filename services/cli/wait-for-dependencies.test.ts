import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createDependencyWait } from './wait-for-dependencies.ts'

const waiting = () => createDependencyWait({ isServer: () => true }, pino({ level: 'silent' }))

it('ends at a stop, also while a server that took the request never answers', async () => {
  const stopping = new AbortController()
  const ready = waiting().retryUntilAvailable(() => new Promise<object>(() => {}), stopping.signal)
  stopping.abort()
  expect(await ready).toBeUndefined()
})

it('lets an attempt end that answers soon after the stop', async () => {
  const stopping = new AbortController()
  const answer = { isReady: true }
  const attempt = async () => {
    stopping.abort()
    await Promise.resolve()
    return answer
  }
  expect(await waiting().retryUntilAvailable(attempt, stopping.signal)).toBe(answer)
})
