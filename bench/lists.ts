import { Client } from 'undici'
import { z } from 'zod'
import { quantile } from '../test-support/quantile.ts'
import { type Child, startChild } from './children.ts'
import { below, type Figure, type Settings, type Subject } from './figures.ts'
import { nameOf } from './names.ts'
import { ADMIN_KEY, signInAdmin } from './people.ts'
import { whole } from './statistics.ts'

const FEW = 10_000
const MANY = Number(process.env['BENCH_USERS'] ?? 200_000)
const ASKED = 400
const MOST = 2
/** The name of one of the few. */
const SOMEBODY = 4_321

const surname = nameOf(1).fullName.split(' ')[1] ?? ''

/** What an administrator may ask the list of users for. */
const asked: Readonly<Record<string, string>> = {
  'newest 50': '',
  'sorted by name': '&sort=fullName',
  'largest balance first': '&sort=-balance',
  'with a status': '&status=under-review',
  'the banned': '&status=banned',
  'search for a rare text': `&search=${nameOf(SOMEBODY).email.split('@')[0]}`,
  [`search for a surname (${surname})`]: `&search=${surname}`,
  'search for a common fragment (ann)': '&search=ann',
  'search for two letters (jo)': '&search=jo',
}

/** Whether a list grows slower as the firm grows. */
export const lists: Subject = {
  name: 'lists',
  about: `GET /api/admin/users?limit=50, ${whole(FEW)} against ${whole(MANY)} users`,

  async measure({ say }: Settings): Promise<readonly Figure[]> {
    const few = await open(FEW)
    say(`loading ${whole(MANY)} users`)
    const many = await open(MANY)
    const figures: Figure[] = []
    for (const [what, parameters] of Object.entries(asked)) {
      const path = `/api/admin/users?limit=50${parameters}`
      const took: Record<'few' | 'many', number[]> = { few: [], many: [] }
      let found = 0
      for (let n = 0; n < ASKED; n++) {
        took.few.push((await few.ask(path)).ms)
        const answer = await many.ask(path)
        took.many.push(answer.ms)
        found = answer.found
      }
      // The first tries warm both up.
      const p95 = { few: quantile(took.few.slice(20), 0.95), many: quantile(took.many.slice(20), 0.95) }
      const growth = p95.many / p95.few
      const p50 = { few: quantile(took.few, 0.5), many: quantile(took.many, 0.5) }
      const value = `${growth.toFixed(2)}  p95 ${p95.few.toFixed(2)} → ${p95.many.toFixed(2)} ms, p50 ${p50.few.toFixed(2)} → ${p50.many.toFixed(2)} ms, ${found} found`
      say(`${what}: ${value}`)
      figures.push({ what, value, target: below(growth, MOST) })
    }
    await Promise.all([few.child.stop(), many.child.stop()])
    return figures
  },
}

interface Users {
  readonly child: Child
  ask(path: string): Promise<{ readonly ms: number; readonly found: number }>
}

async function open(count: number): Promise<Users> {
  const child = startChild('lists', { count, adminKey: ADMIN_KEY })
  const { url } = await child.said(z.object({ url: z.string() }))
  const cookie = await signInAdmin(url)
  const client = new Client(url)
  return {
    child,
    async ask(path) {
      const began = performance.now()
      const { statusCode, body } = await client.request({ method: 'GET', path, headers: { cookie } })
      const text = await body.text()
      const ms = performance.now() - began
      if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${text}`)
      return { ms, found: z.array(z.unknown()).parse(JSON.parse(text)).length }
    },
  }
}
