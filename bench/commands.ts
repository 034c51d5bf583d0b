import { z } from 'zod'
import { startChild, type Program, scratchFolder, startProgram } from './children.ts'
import { atLeast, type Figure, type Settings, type Subject } from './figures.ts'
import { type LoadRequest, type Outcome, runLoad } from './load.ts'
import { ADMIN_KEY, signInAdmin, type SignedIn, signUpTraders } from './people.ts'
import { profileText, readProfile } from './profile.ts'
import { inTurn, median, ratio, whole } from './statistics.ts'
import { untilCaughtUp } from './worker-rest.ts'

export const CONNECTIONS = 32
const TRADERS = 100
const ROUNDS = 5
const SECONDS = 4

/** A server under load. */
export interface Side {
  readonly url: string
  readonly requests: readonly LoadRequest[]
  /** Waits until what the last load left to do in the background is done. */
  rest(): Promise<void>
  /** Ends it and answers the profile of the process that takes commands, if one was asked for. */
  stop(): Promise<string | undefined>
}

const names = ['all in one', 'command alone', 'floor', 'grouping floor'] as const

/** How many changes a second, against express, zod and one durable libsql append. */
export const commands: Subject = {
  name: 'commands',
  about: `changes over HTTP, half payout requests, half account changes, ${CONNECTIONS} connections`,

  async measure({ profile, say }: Settings): Promise<readonly Figure[]> {
    say('signing traders up')
    const sides = {
      'all in one': await allInOne(profile),
      'command alone': await commandAlone(profile),
      floor: await floor(false, profile),
      'grouping floor': await floor(true, profile),
    }
    let outcomes: ReadonlyMap<string, readonly Outcome[]> = new Map()
    const profiles = new Map<string, string | undefined>()
    try {
      outcomes = await inTurn(ROUNDS, names, async (name, round) => {
        const { url, requests, rest } = sides[name]
        const outcome = await runLoad({ url, requests: [...requests], connections: CONNECTIONS, ms: SECONDS * 1_000 })
        say(`round ${round + 1}, ${name}: ${whole(outcome.perSecond)}/s`)
        await rest()
        return outcome
      })
    } finally {
      for (const name of names) profiles.set(name, await sides[name].stop())
    }
    for (const [name, path] of profiles) {
      if (path === undefined) continue
      const stretches = outcomes.get(name)?.map(({ stretch }) => stretch)
      say(profileText(`commands, ${name}`, readProfile(path, stretches)))
    }

    const perSecond = (name: (typeof names)[number]) => (outcomes.get(name) ?? []).map((outcome) => outcome.perSecond)
    const latency = (name: (typeof names)[number], which: 'p50' | 'p99') => median((outcomes.get(name) ?? []).map((outcome) => outcome[which])).toFixed(1)
    const against = (name: 'all in one' | 'command alone', other: 'floor' | 'grouping floor') => ratio(perSecond(name), perSecond(other))
    const whole1 = against('all in one', 'floor')
    const alone = against('command alone', 'floor')
    return [
      { what: 'all in one process, to the floor', value: whole1.text, target: atLeast(whole1.median, 0.6) },
      { what: 'command service, the worker beside it, to the floor', value: alone.text, target: atLeast(alone.median, 0.6) },
      { what: 'all in one, to a floor that groups commits as we do', value: against('all in one', 'grouping floor').text },
      { what: 'command service, to that floor', value: against('command alone', 'grouping floor').text },
      ...names.map((name) => ({
        what: `  ${name}`,
        value: `${whole(median(perSecond(name)))}/s, p50 ${latency(name, 'p50')} ms, p99 ${latency(name, 'p99')} ms`,
      })),
    ]
  },
}

async function allInOne(profile: boolean): Promise<Side> {
  const program = await startProgram({ dataDir: scratchFolder('all-in-one'), adminKey: ADMIN_KEY, profile })
  return { ...(await prepared(program)), stop: () => program.stop() }
}

async function commandAlone(profile: boolean): Promise<Side> {
  const dataDir = scratchFolder('apart')
  const command = await startProgram({ service: 'command', dataDir, adminKey: ADMIN_KEY, profile })
  const worker = await startProgram({ service: 'worker', dataDir, adminKey: ADMIN_KEY })
  return {
    ...(await prepared(command)),
    async stop() {
      await worker.stop()
      return command.stop()
    },
  }
}

async function floor(grouped: boolean, profile: boolean): Promise<Side> {
  const child = startChild('floor', { grouped }, { profile })
  const { url } = await child.said(z.object({ url: z.string() }))
  // The same requests; whom they are about makes no difference here.
  const nobody = 'x'.repeat(24)
  const cookie = `proofdesk-session=${'x'.repeat(43)}`
  const requests = requestsOf(
    Array.from({ length: TRADERS }, () => ({ id: nobody, cookie })),
    cookie,
  )
  return { url, requests, rest: async () => {}, stop: () => child.stop() }
}

/** Signs traders up and says what is asked for them. */
export async function prepared({ url }: Program): Promise<Omit<Side, 'stop'>> {
  const admin = await signInAdmin(url)
  const traders = await signUpTraders(url, TRADERS, admin)
  await untilCaughtUp(url)
  return { url, requests: requestsOf(traders, admin), rest: () => untilCaughtUp(url) }
}

/** For each trader a payout request and a change of the account, each of which is one event. */
function requestsOf(traders: readonly SignedIn[], admin: string): LoadRequest[] {
  const json = { 'content-type': 'application/json' }
  const payouts = traders.map(({ cookie }): LoadRequest => ({
    method: 'POST',
    path: '/api/user/payouts',
    headers: { ...json, cookie, 'idempotency-key': 'bench-{n}' },
    body: JSON.stringify({ amount: '250.00', paymentMethod: 'bank', paymentDetails: 'IBAN DE89 3704 0044 0532 0130 00' }),
  }))
  const changes = traders.map(({ id }): LoadRequest => ({
    method: 'PATCH',
    path: `/api/admin/user/${id}/account`,
    headers: { ...json, cookie: admin },
    body: JSON.stringify({ balance: '{n}.50' }),
  }))
  return traders.flatMap((_, n) => [payouts[n] ?? [], changes[(n + traders.length / 2) % traders.length] ?? []].flat())
}
