import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toPosition } from '#infra/event-store/event-store.ts'
import { decodeEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { definitionOf } from '#services/event-sourcing/event-registry.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { isEventOf } from '#services/event-sourcing/aggregate-type.ts'
import { accountStateDecider, accountStreamEvents, accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { decideAgain } from '#services/trading/stream/decide-again.ts'
import type { Running } from '#services/cli/server.ts'
import { beginnings, forgeriesOf, type ForgeryTrial, type Recorded, tryForgery } from '#test-support/decided-again.ts'
import { sampled } from '#test-support/random-seed.ts'
import { readSample, sampleFile } from '#test-support/recorded-event-samples.ts'
import { sampleKey } from '#test-support/sample-events.ts'
import { releasedData, releases, startReleased } from '#test-support/released-data.ts'
import { decodeEvents, storedEvents } from '#test-support/stores.ts'

/**
 * Each event of the accounts of a released log is decided again: all are what their decisions give. Whatever is changed
 * in one of them is told, but for what its command says freely.
 */

/** The recorded sample of a type of event. */
function sampleOf(type: string): Recorded {
  const { id, data, metadata } = readSample(sampleFile(type, definitionOf(eventRegistry, type).version))
  const place = { stream: 'account-ada00000-a1', revision: 0, position: toPosition('1') }
  const event = decodeEvent(eventRegistry, { id, type, data, metadata, ...place }, sampleKey)
  if (!isEventOf(accountStreams, event)) throw new Error(`${type} is no event of an account`)
  return event
}

describe('an event of an account that the firm records with all its keys where no decision gives it', () => {
  it.each(Object.keys(accountStreamEvents))('is told: %s', (type) => {
    const event = sampleOf(type)
    // Nothing happens to an account before it is opened. It is opened once, and has no claim of a login that lapses.
    const { initial, evolve } = accountStateDecider
    const opened = evolve(initial, sampleOf('AccountOpened'))
    const state =
      event.type === 'LoginClaimLapsed'
        ? { ...opened, account: { ...opened.account, loginClaim: event.data.loginClaim } }
        : event.type === 'AccountOpened'
          ? opened
          : initial
    expect(decideAgain(state, [event], 0).events).toBe(0)
  })
})

describe.each([...releases()])('the decisions on accounts in the log %s', (release) => {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-decided-'))
  let running: Running
  let streams: readonly (readonly Recorded[])[]

  beforeAll(async () => {
    releasedData(release).copyTo(folder)
    running = await startReleased(folder)
    const events = await decodeEvents(running.parts, await storedEvents(running.parts))
    const own = events.filter((event) => isEventOf(accountStreams, event))
    const names = new Set(own.map(({ stream }) => stream))
    streams = Array.from(names, (name) => own.filter(({ stream }) => stream === name))
  })
  afterAll(async () => {
    await running.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('give all that was recorded', () => {
    expect(streams.length).toBeGreaterThan(10)
    expect(streams.flatMap((events) => beginnings(events).fault ?? [])).toEqual([])
  })

  it('do not give anything that is changed in an event, but for what its command says freely', () => {
    const trial: ForgeryTrial = { told: 0, untold: new Set() }
    for (const forgery of sampled(streams.flatMap(forgeriesOf), 4_000)) tryForgery(trial, forgery)
    expect(trial.told).toBeGreaterThan(200)
    expect([...trial.untold]).toEqual([])
  })
})
