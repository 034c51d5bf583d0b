import { z } from 'zod'
import { startEventStore } from '#test-support/servers/event-store.ts'
import { type LoadRequest, load, timeReads } from './clients.ts'
import {
  atLeast,
  below,
  byTurns,
  type Figure,
  median,
  percentiles,
  ratio,
  type Settings,
  type Subject,
  whole,
} from './figures.ts'
import { quantile } from '#test-support/quantile.ts'
import { largeFirm } from './histories.ts'
import { signInAdmin, startFloor, startPortal, startProgram } from './programs.ts'

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
  const urls = { embedded: portals.embedded.url, eventstoredb: portals.eventstoredb.url, constants: constants.url }
  const sides = ['embedded', 'eventstoredb', 'constants'] as const
  const figures: Figure[] = []
  for (const [kind, what, least] of [
    ['account', 'own account', 0.6],
    ['page', 'a page of 25 users', 0.4],
  ] as const) {
    const seen = await byTurns(ROUNDS, sides, async (side) => {
      const requests = (side === 'eventstoredb' ? portals.eventstoredb : portals.embedded).requests[kind]
      const { perSecond, p99 } = await load(urls[side], requests)
      say(`${what}, ${side}: ${whole(perSecond)}/s, p99 ${p99.toFixed(0)} ms`)
      return perSecond
    })
    const rates = `${whole(median(seen('embedded')))} and ${whole(median(seen('constants')))} a second`
    figures.push(
      atLeast(`${what}, to express returning a constant`, least, ratio(seen('embedded'), seen('constants')), rates),
      atLeast(
        `${what} with the log on EventStoreDB (double), to the embedded log`,
        0.9,
        ratio(seen('eventstoredb'), seen('embedded')),
      ),
    )
  }
  for (const { stop } of [constants, portals.embedded, portals.eventstoredb]) await stop()
  await double.close()
  return figures
}

async function portal(environment: Readonly<Record<string, string>>) {
  const { url, stop, admin, traders } = await startPortal(TRADERS, environment)
  const requests = {
    account: traders.map(({ cookie }): LoadRequest => ({
      method: 'GET',
      path: '/api/user/account',
      headers: { cookie },
    })),
    page: [{ method: 'GET', path: '/api/admin/users?limit=25', headers: { cookie: admin } }] satisfies LoadRequest[],
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
  const { say } = settings
  const {
    dataDir,
    result: [sample, ...others],
  } = await largeFirm(settings)
  const { url, stop } = await startProgram({ service: 'query', dataDir })
  const command = await startProgram({ service: 'command', dataDir })
  const cookie = await signInAdmin(command.url)
  await command.stop()
  const rare = [sample, ...others].flatMap((profile) => (profile ? [profile.email.split('@')[0] ?? ''] : []))
  const surname = sample?.fullName.split(' ').at(-1) ?? ''
  /** Queries by what they do. */
  const queries: readonly (readonly [what: string, (n: number) => string])[] = [
    ['newest', () => ''],
    ['sorted by name', () => '&sort=fullName'],
    ['sorted by balance', () => '&sort=-balance'],
    ['with a status', () => '&status=under-review'],
    ['the banned', () => '&status=banned'],
    ['a common status by name', () => '&status=active&sort=fullName'],
    ['a rare status by name', () => '&status=breached&sort=fullName'],
    ['three filters by balance', () => '&status=active&banned=false&payoutEnabled=true&sort=-balance'],
    ['search for a rare text', (n) => `&search=${rare[n % rare.length]}`],
    ['a rare text by name', (n) => `&search=${rare[n % rare.length]}&sort=fullName`],
    [`search for a surname (${surname})`, () => `&search=${surname}`],
    ['search for three letters (ann)', () => '&search=ann'],
    ['search for two letters (jo)', () => '&search=jo'],
    ['a surname and a status', () => `&search=${surname}&status=under-review`],
    ['three letters and a rare status', () => '&search=ann&status=breached'],
    ['three letters sorted by balance', () => '&search=ann&sort=-balance'],
    ['what most addresses contain (com)', () => '&search=com'],
    ['com, a rare status by balance', () => '&search=com&status=breached&sort=-balance'],
    ['a long part of many addresses (@example.com)', () => '&search=@example.com'],
    ['@example.com, a rare status by balance', () => '&search=@example.com&status=breached&sort=-balance'],
  ]
  const figures: Figure[] = []
  for (const [what, parameters] of queries) {
    const path = (n: number) => `/api/admin/users?limit=25${parameters(n)}`
    const answer = await fetch(new URL(path(0), url), { headers: { cookie } })
    const found = z.array(z.unknown()).parse(await answer.json()).length
    const times = await timeReads(url, cookie, REQUESTS, path)
    figures.push(below(what, LIST_MS, quantile(times, 0.95), 'ms', `${percentiles(times, 0.5, 0.99)}, ${found} shown`))
    say(`${what}: ${percentiles(times, 0.5, 0.95)}`)
  }
  await stop()
  return figures
}
