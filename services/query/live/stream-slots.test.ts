import { describe, expect, it } from 'vitest'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { limits } from '#services/framework/http/limits.ts'
import { assertSlotFree, type StreamClient } from './stream-slots.ts'

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

/** Streams that are opened one after the other, as long as none is refused. */
function openStreams(count: number, client: () => StreamClient, open: StreamClient[] = []): StreamClient[] {
  for (let n = 0; n < count; n++) {
    const next = client()
    assertSlotFree(next, open)
    open.push(next)
  }
  return open
}

describe('live streams', () => {
  const { live } = limits

  it.each([
    ['session', live.perSession, trader({ session: 'one' })],
    ['trader', live.perTrader, trader({ person: 'one' })],
    ['network', live.perNetwork, trader({ network: 'one' })],
    ['access key', live.perAccessKey, trader({ person: 'key', isStaff: true })],
  ] as const)('of one %s are limited, and closing one frees a slot', (of, most, client) => {
    const another = () => ({
      ...trader(),
      ...(of === 'session'
        ? { session: client.session }
        : of === 'network'
          ? { network: client.network }
          : { person: client.person, isStaff: client.isStaff }),
    })
    const open = openStreams(most, another)
    expect(refusalOf(() => assertSlotFree(another(), open))).toEqual([429, 10])
    expect(refusalOf(() => assertSlotFree(trader(), open))).toBeUndefined()
    open.shift()
    expect(refusalOf(() => openStreams(1, another, open))).toBeUndefined()
    expect(refusalOf(() => assertSlotFree(another(), open))).toEqual([429, 10])
  })

  it('keep slots free for staff when traders use all of theirs', () => {
    const open = Array.from({ length: live.most - live.reservedForStaff }, () => trader())
    expect(refusalOf(() => assertSlotFree(trader(), open.slice(1)))).toBeUndefined()
    expect(refusalOf(() => assertSlotFree(trader(), open))).toEqual([503, 10])
    openStreams(live.reservedForStaff, () => trader({ isStaff: true }), open)
    expect(refusalOf(() => assertSlotFree(trader({ isStaff: true }), open))).toEqual([503, 10])
  })

  it('of staff are not limited by a crowded network', () => {
    const open = openStreams(live.perNetwork, () => trader({ network: 'office' }))
    expect(refusalOf(() => assertSlotFree(trader({ network: 'office' }), open))).toEqual([429, 10])
    expect(refusalOf(() => assertSlotFree(trader({ network: 'office', isStaff: true }), open))).toBeUndefined()
  })
})
