import { Client } from 'undici'
import { quantile } from '../test-support/quantile.ts'
import { inputOf, say } from './children.ts'
import { load, type LoadRequest } from './load.ts'

/** Keeps a server busy over a number of connections, each with one request under way. */

const { url, connections, warmUp, ms, requests, firstNumber } = inputOf(load)

const urls = [url].flat()
let number = firstNumber
let next = 0
const took: number[] = []

/** Each part of a template is cut once, at its '{n}'. */
const templates = requests.map(({ method, path, headers, body }) => {
  const fixed = Object.entries(headers).filter(([, value]) => !value.includes('{n}'))
  const numbered = Object.entries(headers).filter(([, value]) => value.includes('{n}'))
  return (): Pick<LoadRequest, 'method' | 'path' | 'headers'> & { body: string | null } => {
    const n = String(number++)
    const filled = Object.fromEntries([...fixed, ...numbered.map(([name, value]) => [name, value.replace('{n}', n)] as const)])
    return { method, path, headers: filled, body: body?.replace('{n}', n) ?? null }
  }
})

const began = performance.now()
const countFrom = began + warmUp
const end = countFrom + ms

const work = async (): Promise<void> => {
  const clients = urls.map((each) => new Client(each, { pipelining: 1 }))
  try {
    while (performance.now() < end) {
      const turn = next++
      const [template, client] = [templates[turn % templates.length], clients[turn % clients.length]]
      if (!template || !client) throw new RangeError('There is nothing to ask for')
      const wanted = template()
      const sent = performance.now()
      const { statusCode, body } = await client.request(wanted)
      const text = await body.text()
      if (statusCode < 200 || statusCode > 299) throw new Error(`${wanted.method} ${wanted.path} was answered ${statusCode}: ${text}`)
      const now = performance.now()
      if (sent >= countFrom && now <= end) took.push(now - sent)
    }
  } finally {
    await Promise.all(clients.map((client) => client.close()))
  }
}

await Promise.all(Array.from({ length: connections }, work))
say({ perSecond: (took.length * 1000) / ms, p50: quantile(took, 0.5), p99: quantile(took, 0.99) })
