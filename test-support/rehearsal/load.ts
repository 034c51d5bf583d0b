import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { Answer } from '#test-support/http-client.ts'
import { until } from '#test-support/until.ts'
import type { Installation } from './installation.ts'

/** Clients at the same time. */
const CLIENTS = 4
/** A client's pause after an answer that is none, in ms. */
const PAUSE_MS = 100

/** What the portal acknowledged: a trader who signed up and then moved to this city. */
interface Acknowledged {
  readonly email: string
  city: string | undefined
}

interface Failure {
  readonly call: 'GET' | 'POST' | 'PATCH'
  /** 0 for a broken connection. */
  readonly status: number
  /** What the answer says; a proxy says nothing. */
  readonly says: string
  readonly sentAt: number
  readonly endedAt: number
}

const refusal = z.looseObject({ message: z.string() })

/** So many loads have begun: no two use the same address. */
let loads = 0

export type Load = ReturnType<typeof startLoad>

/** Clients that sign up, change their profile and read it, until they are stopped. They note what was acknowledged. */
export function startLoad(installation: Installation) {
  const acknowledged: Acknowledged[] = []
  const failures: Failure[] = []
  let answers = 0
  let running = true
  loads += 1
  const load = loads

  const client = async (number: number): Promise<void> => {
    for (let turn = 0; running; turn++) {
      const trader = installation.browser()
      /** Whether the call was answered with success. */
      const succeeds = async (call: Failure['call'], send: () => Promise<Answer>): Promise<boolean> => {
        const sentAt = Date.now()
        const { status, says } = await send().then(
          (answer) => ({ status: answer.status, says: refusal.safeParse(answer.body).data?.message ?? '' }),
          (error: unknown) => {
            // fetch throws a TypeError when a connection breaks; anything else is an answer that breaks the API.
            if (error instanceof TypeError) return { status: 0, says: '' }
            throw error
          },
        )
        answers += 1
        if (status < 300 && status > 0) return true
        failures.push({ call, status, says, sentAt, endedAt: Date.now() })
        await delay(PAUSE_MS)
        return false
      }
      const email = `load-${load}-${number}-${turn}@example.com`
      if (!(await succeeds('POST', () => trader.post('/api/register', { ...registration, email })))) continue
      const change: Acknowledged = { email, city: undefined }
      acknowledged.push(change)
      const city = `City ${number} ${turn}`
      if (await succeeds('PATCH', () => trader.patch('/api/user/profile', { city }))) change.city = city
      await succeeds('GET', () => trader.get('/api/user'))
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
  // Whoever stops the load gets the error.
  clients.catch(() => {})

  return {
    acknowledged,
    failures,
    answers: () => answers,
    /** Waits until changes are acknowledged again. */
    async continues(): Promise<void> {
      const before = acknowledged.length
      await until(async () => acknowledged.length > before + CLIENTS, 'changes to be acknowledged again', 120_000)
    },
    async stop(): Promise<void> {
      running = false
      await clients
    },
  }
}

/** The body of a registration without the address. */
export const registration = {
  fullName: 'Ada Lovelace',
  password: 'correct horse',
  privacyPolicyAgreed: true,
  country: 'uk',
  city: 'London',
  street: 'St James Square',
  houseNumber: '12',
}

/** What the portal acknowledged and does not have, and mails that never came or came twice. */
export async function compare(installation: Installation, { acknowledged }: Load) {
  const admin = await installation.admin()
  // A read model may lag, and then a list is older than the change.
  const missing = async (): Promise<Acknowledged[]> => {
    const { text } = await admin.get('/api/admin/users.csv')
    const lines = new Map(
      text.split('\n').flatMap((line) => (/load-[^,"]+/.exec(line) ?? []).map((email) => [email, line])),
    )
    const isKept = ({ email, city }: Acknowledged) =>
      lines.has(email) && (city === undefined || (lines.get(email) ?? '').includes(`,${city},`))
    return acknowledged.filter((change) => !isKept(change))
  }
  const lost = await until(
    async () => {
      const none = await missing()
      if (none.length === 0) return none
      // Exports are limited.
      await delay(1_000)
      return undefined
    },
    'all changes to be shown',
    120_000,
  ).catch(missing)
  const wanted = acknowledged.map(({ email }) => `${email} Confirm your email for Proofdesk`)
  const counted = async (): Promise<Map<string, number>> => {
    const counts = new Map<string, number>()
    for (const mail of await installation.mails()) counts.set(mail, (counts.get(mail) ?? 0) + 1)
    return counts
  }
  const arrived = await until(
    async () => {
      const counts = await counted()
      return wanted.every((mail) => counts.has(mail)) && counts
    },
    'all mails to arrive',
    120_000,
  ).catch(counted)
  return {
    lost,
    lostMails: wanted.filter((mail) => !arrived.has(mail)),
    twice: wanted.filter((mail) => (arrived.get(mail) ?? 0) > 1),
  }
}
