import { setTimeout as delay } from 'node:timers/promises'
import type { Express } from 'express'
import { routes, type SystemPart } from '../api/index.ts'
import type { Gate } from './access-control.ts'
import { serve } from './serve-route.ts'
import type { Parts } from '../composition-root.ts'
import { allViews } from '../projections/index.ts'
import { personOf } from '../domain/streams.ts'
import { projectionState } from '../event-sourcing/projections/projection-status.ts'

/** What does not answer within so many ms is not there: whoever asks wants to know soon. */
const PATIENCE = 4_000

/** GET /healthz and /readyz, the same for every service, also while it waits for what it needs to begin. */
export function registerHealth(app: Express, gate: Gate, parts: Parts, isWorking: () => boolean): void {
  const options = { gate, secureCookies: false }
  serve(app, routes.health, options, async () => ({ body: { status: 'ok' } }))

  serve(app, routes.readiness, options, async () => {
    const [states, views, mail] = await Promise.all([partStates(parts), viewStates(parts), mailState(parts)])
    const stores = Object.fromEntries(states.map(({ name, ready }) => [name, { ready }] as const))
    const all = { ...stores, views, mail, ...(isWorking() ? {} : { start: { ready: false } }) }
    const ready = Object.values(all).every((part) => part.ready)
    return { status: ready ? 200 : 503, body: { status: ready ? 'ok' : 'unavailable', parts: all } }
  })
}

/** Whether each store and transport that the portal leans on is there. */
export function partStates(parts: Parts): Promise<SystemPart[]> {
  const stores = {
    'event store': parts.eventStore,
    'view store': parts.viewStore,
    'key store': parts.keyStore,
    'session store': parts.sessionStore,
    'mail queue': parts.mailQueue,
    'mail transport': parts.mailTransport,
    'file store': parts.fileStore,
  }
  return Promise.all(Object.entries(stores).map(async ([name, store]) => ({ name, ready: await succeeds(() => store.ready()) })))
}

/** Each view with its lag; views that lag or set an event aside are no reason to take a service out of use. */
async function viewStates({ eventStore, viewStore }: Parts): Promise<{ ready: boolean; views?: unknown; setAside?: unknown }> {
  try {
    const { views, setAside } = await soon(projectionState(eventStore, viewStore, allViews))
    return {
      ready: true,
      views: views.map(({ view, position, end, caughtUp, catchingUp, building, poison }) => {
        return { view, position, end, caughtUp, catchingUp, building, poison: poison.length }
      }),
      setAside: setAside.map(({ id, type, error, stream }) => ({ id, type, error: withoutPerson(error, stream) })),
    }
  } catch {
    return { ready: false }
  }
}

/** Anybody may ask: whom an event is about is told to administrators only. */
function withoutPerson(error: string, stream: string): string {
  const person = personOf(stream)
  return person === undefined ? error : error.replaceAll(person, '…')
}

async function mailState({ mailQueue }: Parts): Promise<{ ready: boolean; waiting?: number; sent?: number; failed?: number }> {
  try {
    return { ready: true, ...(await soon(mailQueue.counts())) }
  } catch {
    return { ready: false }
  }
}

async function succeeds(work: () => Promise<void>): Promise<boolean> {
  try {
    await soon(work())
    return true
  } catch {
    return false
  }
}

async function soon<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const over = new AbortController()
  const late = delay(PATIENCE, undefined, { signal: over.signal }).then(() => {
    throw new Error('There was no answer')
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    late.catch(() => {})
    over.abort()
  }
}
