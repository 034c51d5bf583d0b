import { z } from 'zod'
import { startEventStore } from '#test-support/servers/event-store.ts'
import { type LoadRequest, load } from './clients.ts'
import { byTurns, type Figure, p95, percentiles, rates, type Settings, type Subject, whole } from './figures.ts'
import { largeFirm } from './histories.ts'
import { openQueries, startFloor, startPortal } from './programs.ts'

const TRADERS = 60
const ROUNDS = 3
const REQUESTS = 200
/** The goal of a page of 100,000 users: p95 in ms. */
const LIST_MS = 50

/** How fast lists and searches of a large firm are, and how many small reads a second the portal answers. */
export const reads: Subject = {
  name: 'reads',
  about: 'reads over HTTP: lists of all users one by one, small reads over 32 connections',

  async measure(settings: Settings): Promise<readonly Figure[]> {
    return [...(await smallReads(settings)), ...(await lists(settings))]
  },
}

async function smallReads({ say }: Settings): Promise<Figure[]> {
  const double = await startEventStore()
  const portals = { embedded: await portal({}), eventstoredb: await portal({ EVENTSTORE_URL: double.url }) }
  const constants = await startFloor({ kind: 'constants', answers: portals.embedded.answers })
  const sides = ['embedded', 'eventstoredb', 'constants'] as const
  const figures: Figure[] = []
  for (const [kind, what, least] of [
    ['account', 'own account', 0.6],
    ['page', 'a page of 25 users', 0.4],
  ] as const) {
    const seen = await byTurns(ROUNDS, sides, async (side) => {
      const { url, requests } = side === 'constants' ? { ...portals.embedded, ...constants } : portals[side]
      const { perSecond, p99 } = await load(url, requests[kind])
      say(`${what}, ${side}: ${whole(perSecond)}/s, p99 ${p99.toFixed(0)} ms`)
      return perSecond
    })
    const log = `${what} with the log on EventStoreDB (double), to the embedded log`
    figures.push(
      rates(`${what}, to express returning a constant`, least, seen, 'embedded', 'constants'),
      rates(log, 0.9, seen, 'eventstoredb', 'embedded'),
    )
  }
  for (const { stop } of [constants, portals.embedded, portals.eventstoredb]) await stop()
  await double.close()
  return figures
}

async function portal(environment: Readonly<Record<string, string>>) {
  const { url, stop, admin, traders } = await startPortal(TRADERS, environment)
  const get = (path: string, cookie: string): LoadRequest => ({ method: 'GET', path, headers: { cookie } })
  const requests = {
    account: traders.map(({ cookie }) => get('/api/user/account', cookie)),
    page: [get('/api/admin/users?limit=25', admin)],
  }
  const answers: Record<string, unknown> = {}
  for (const [request] of Object.values(requests)) {
    if (!request) continue
    const answer = await fetch(new URL(request.path, url), { headers: request.headers })
    answers[request.path.replace(/\?.*/, '')] = await answer.json()
  }
  return { url, stop, requests, answers }
}

async function lists(settings: Settings): Promise<Figure[]> {
  const { dataDir, result: people } = await largeFirm(settings)
  const { read, times, stop } = await openQueries(dataDir)
  const rare = people.map(({ email }) => email.split('@')[0] ?? '')
  const surname = people[0]?.fullName.split(' ').at(-1) ?? ''
  /** Parameters by what they do; '{rare}' is a text that few users have, another one each time. */
  const queries = {
    newest: '',
    'sorted by name': 'sort=fullName',
    'sorted by balance': 'sort=-balance',
    'with a status': 'status=under-review',
    'the banned': 'status=banned',
    'a common status by name': 'status=active&sort=fullName',
    'a rare status by name': 'status=breached&sort=fullName',
    'three filters by balance': 'status=active&banned=false&payoutEnabled=true&sort=-balance',
    'search for a rare text': 'search={rare}',
    'a rare text by name': 'search={rare}&sort=fullName',
    [`search for a surname (${surname})`]: `search=${surname}`,
    'search for three letters (ann)': 'search=ann',
    'search for two letters (jo)': 'search=jo',
    'a surname and a status': `search=${surname}&status=under-review`,
    'three letters and a rare status': 'search=ann&status=breached',
    'three letters sorted by balance': 'search=ann&sort=-balance',
    'what most addresses contain (com)': 'search=com',
    'com, a rare status by balance': 'search=com&status=breached&sort=-balance',
    'a long part of many addresses (@example.com)': 'search=@example.com',
    '@example.com, a rare status by balance': 'search=@example.com&status=breached&sort=-balance',
  }
  const figures: Figure[] = []
  for (const [what, parameters] of Object.entries(queries)) {
    const path = (n: number) => `/api/admin/users?limit=25&${parameters.replace('{rare}', rare[n % rare.length] ?? '')}`
    const found = await read(z.array(z.unknown()), 'GET', path(0))
    const seen = await times(REQUESTS, path)
    figures.push(p95(what, LIST_MS, seen, `${percentiles(seen, 0.5, 0.99)}, ${found.length} shown`))
    settings.say(`${what}: ${percentiles(seen, 0.5, 0.95)}`)
  }
  await stop()
  return figures
}
