import type { Express } from 'express'
import { routes, type SystemPart } from './contract/index.ts'
import type { Gate } from './http/access.ts'
import { serve } from './http/serve.ts'
import type { Parts } from './parts.ts'
import { allViews } from './views/index.ts'
import { personOf } from './journal/streams.ts'
import { projectionStatus, setAsideEvents } from './views/status.ts'

/** GET /healthz and /readyz, the same for every service. */
export function registerHealth(app: Express, gate: Gate, parts: Parts): void {
  const options = { gate, secureCookies: false }
  serve(app, routes.health, options, async () => ({ body: { status: 'ok' } }))

  serve(app, routes.readiness, options, async () => {
    const states = (await partStates(parts)).map(({ name, ready }) => [name, { ready }] as const)
    const views = await viewStates(parts)
    const mail = await mailState(parts)
    const all = { ...Object.fromEntries(states), views, mail }
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
    const statuses = await projectionStatus(eventStore, viewStore, allViews)
    const setAside = await setAsideEvents(viewStore, allViews)
    return {
      ready: true,
      views: statuses.map(({ view, position, end, caughtUp, catchingUp, building, poison }) => {
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
    return { ready: true, ...(await mailQueue.counts()) }
  } catch {
    return { ready: false }
  }
}

async function succeeds(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch {
    return false
  }
}
