import { once } from 'node:events'
import express from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { portOf } from '../../test-support/servers/ports.ts'
import { until } from '../../test-support/until.ts'
import { userId } from '../domain/ids.ts'
import { limits } from '../http/limits.ts'
import { createPageData } from './page-data.ts'
import type { CarryAnswer } from './query-dependencies.ts'

/** What a page costs; web/e2e/page-data.test.ts tests what it holds. */

const someone = userId.parse('trader0001')
const session = { idHash: 'hash', kind: 'trader', subject: someone, createdAt: 0, lastSeenAt: 0, suspension: null } as const

/** A server that answers with the data of the first page, or 'none'. */
async function serverWith(carry: CarryAnswer): Promise<string> {
  const dataOf = createPageData({ traderOf: async () => ({ kind: 'trader', userId: someone, session }), adminOf: async () => undefined }, carry)
  const app = express()
  app.get('/', async (request, response) => void response.send((await dataOf(request, response, { path: '/', session: 'trader' })) ?? 'none'))
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${portOf(server)}/`
}

it('keeps no page waiting for a read that does not end, and begins only so many', async () => {
  let [begun, answered] = [0, 0]
  let end = () => {}
  const ended = new Promise<undefined>((resolve) => (end = () => resolve(undefined)))
  const url = await serverWith(({ path }) => {
    if (path === '/api/user') begun += 1
    return ended
  })
  const page = async () => {
    const text = await (await fetch(url)).text()
    answered += 1
    return text
  }
  const pages = Array.from({ length: limits.pageData.most + 5 }, page)
  await until(async () => answered === pages.length, 'all pages')
  expect(new Set(await Promise.all(pages))).toEqual(new Set(['none']))
  expect(begun).toBe(limits.pageData.most)
  end()
  await until(async () => (await page()) === 'none' && begun > limits.pageData.most, 'further reads')
})

it('leaves out what fails', async () => {
  const url = await serverWith(async ({ path }) => {
    if (path !== '/api/user') throw new Error('Out of order')
    return { path, position: null, body: { id: '<1>' } }
  })
  const data = '[{"path":"/api/user","position":null,"body":{"id":"\\u003c1\\u003e"}}]'
  // Later than its limit on a busy machine.
  await until(async () => (await (await fetch(url)).text()) === `<script type="application/json" id="page-data">${data}</script>`, 'the data')
})
