import { setTimeout as delay } from 'node:timers/promises'
import type { Express } from 'express'
import { routes, type SystemPart } from '../api/index.ts'
import type { AccessControl } from './access-control.ts'
import { serve } from './serve-route.ts'
import type { Dependencies } from '../composition-root.ts'
import { allProjections } from '../projections/index.ts'
import { personIdOf } from '../domain/streams.ts'
import { readProjectionsState } from '../event-sourcing/projections/projection-status.ts'

/** What does not answer within so many ms is not there: whoever asks wants to know soon. */
const PROBE_TIMEOUT_MS = 4_000

/** GET /healthz and /readyz, the same for every service, also while it waits for what it needs to begin. */
export function registerHealth(app: Express, accessControl: AccessControl, parts: Dependencies, isWorking: () => boolean): void {
  const options = { accessControl, secureCookies: false }
  serve(app, routes.health, options, async () => ({ body: { status: 'ok' } }))

  serve(app, routes.readiness, options, async () => {
    const [states, views, mail] = await Promise.all([componentStates(parts), projectionStates(parts), outboxState(parts)])
    const stores = Object.fromEntries(states.map(({ name, ready }) => [name, { ready }] as const))
    const all = { ...stores, views, mail, ...(isWorking() ? {} : { start: { ready: false } }) }
    const ready = Object.values(all).every((part) => part.ready)
    return { status: ready ? 200 : 503, body: { status: ready ? 'ok' : 'unavailable', parts: all } }
  })
}

/** Whether each store and transport that the portal leans on is there. */
export function componentStates(parts: Dependencies): Promise<SystemPart[]> {
  const stores = {
    'event store': parts.eventStore,
    'view store': parts.readModelStore,
    'key store': parts.keyStore,
    'session store': parts.sessionStore,
    'mail queue': parts.outbox,
    'mail transport': parts.mailTransport,
    'file store': parts.fileStore,
  }
  return Promise.all(Object.entries(stores).map(async ([name, store]) => ({ name, ready: await respondsTo(() => store.ready()) })))
}

/** Each view with its lag; views that lag or set an event aside are no reason to take a service out of use. */
async function projectionStates({ eventStore, readModelStore }: Dependencies): Promise<{ ready: boolean; views?: unknown; setAside?: unknown }> {
  try {
    const { projections, deadLetters } = await withTimeout(readProjectionsState(eventStore, readModelStore, allProjections))
    return {
      ready: true,
      views: projections.map(({ view, position, end, caughtUp, catchingUp, building, poison }) => {
        return { view, position, end, caughtUp, catchingUp, building, poison: poison.length }
      }),
      setAside: deadLetters.map(({ id, type, error, stream }) => ({ id, type, error: withoutPerson(error, stream) })),
    }
  } catch {
    return { ready: false }
  }
}

/** Anybody may ask: whom an event is about is told to administrators only. */
function withoutPerson(error: string, stream: string): string {
  const person = personIdOf(stream)
  return person === undefined ? error : error.replaceAll(person, '…')
}

async function outboxState({ outbox }: Dependencies): Promise<{ ready: boolean; waiting?: number; sent?: number; failed?: number }> {
  try {
    return { ready: true, ...(await withTimeout(outbox.counts())) }
  } catch {
    return { ready: false }
  }
}

async function respondsTo(work: () => Promise<void>): Promise<boolean> {
  try {
    await withTimeout(work())
    return true
  } catch {
    return false
  }
}

async function withTimeout<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const over = new AbortController()
  const late = delay(PROBE_TIMEOUT_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error('There was no answer')
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    late.catch(() => {})
    over.abort()
  }
}
