import { describe, expect, it } from 'vitest'
import { HttpError } from '../../http/http-errors.ts'
import { limits } from '../../http/limits.ts'
import { createStreamSlots, type StreamClient } from './stream-slots.ts'

let clients = 0

/** A trader with a session and network of their own, unless overridden. */
function trader(client: Partial<StreamClient> = {}): StreamClient {
  clients += 1
  return { session: `s${clients}`, person: `p${clients}`, network: `n${clients}`, isStaff: false, ...client }
}

function refusalOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error instanceof HttpError ? [error.status, error.retryAfterSeconds] : error
  }
  return undefined
}

const times = (count: number, work: () => unknown) => void Array.from({ length: count }, work)

describe('live streams', () => {
  const { live } = limits

  it.each([
    ['session', live.perSession, trader({ session: 'one' })],
    ['trader', live.perTrader, trader({ person: 'one' })],
    ['network', live.perNetwork, trader({ network: 'one' })],
    ['access key', live.perAccessKey, trader({ person: 'key', isStaff: true })],
  ] as const)('of one %s are limited, and closing one frees a slot', (of, most, client) => {
    const slots = createStreamSlots()
    const another = () => ({
      ...trader(),
      ...(of === 'session' ? { session: client.session } : of === 'network' ? { network: client.network } : { person: client.person, isStaff: client.isStaff }),
    })
    const release = slots.take(another())
    times(most - 1, () => slots.take(another()))
    expect(refusalOf(() => slots.take(another()))).toEqual([429, 10])
    expect(refusalOf(() => slots.take(trader()))).toBeUndefined()
    release()
    expect(refusalOf(() => slots.take(another()))).toBeUndefined()
    expect(refusalOf(() => slots.take(another()))).toEqual([429, 10])
  })

  it('keep slots free for staff when traders use all of theirs', () => {
    const slots = createStreamSlots()
    times(live.most - live.reservedForStaff, () => slots.take(trader()))
    expect(refusalOf(() => slots.take(trader()))).toEqual([503, 10])
    times(live.reservedForStaff, () => slots.take(trader({ isStaff: true })))
    expect(refusalOf(() => slots.take(trader({ isStaff: true })))).toEqual([503, 10])
  })

  it('of staff are not limited by a crowded network', () => {
    const slots = createStreamSlots()
    times(live.perNetwork, () => slots.take(trader({ network: 'office' })))
    expect(refusalOf(() => slots.take(trader({ network: 'office' })))).toEqual([429, 10])
    expect(refusalOf(() => slots.take(trader({ network: 'office', isStaff: true })))).toBeUndefined()
  })
})
