import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Server } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'
import { allRoutes, openApiPath } from '../contract/index.ts'
import { openPortal } from '../testing/portal.ts'

const portal = await openPortal()
afterAll(() => portal.stop())

const Document = z.object({ openapi: z.string(), paths: z.record(z.string(), z.record(z.string(), z.unknown())) })

const described = async () => {
  const { body } = await portal.browser().get('/api/openapi.json')
  return Object.entries(Document.parse(body).paths).flatMap(([path, calls]) => Object.keys(calls).map((method) => `${method} ${path}`))
}

/** What express keeps of a layer: a route, or something else that has none. */
const Layers = z.array(z.object({ route: z.object({ path: z.string(), methods: z.record(z.string(), z.boolean()) }).optional() }))

/** The calls that the running express app would answer: its own router is asked, behind the server that got a request. */
async function registered(): Promise<string[]> {
  const servers = new Set<Server>()
  const hear = (message: unknown) => {
    const { server } = z.object({ server: z.instanceof(Server) }).parse(message)
    servers.add(server)
  }
  subscribe('http.server.request.start', hear)
  await portal.browser().get('/healthz')
  unsubscribe('http.server.request.start', hear)
  // The server has other listeners too: the app is the one with a router.
  const [router] = [...servers]
    .flatMap((server) => server.listeners('request'))
    .flatMap((listener): unknown[] => [Reflect.get(listener, 'router')])
    .filter((found) => found !== undefined)
  const stack: unknown = typeof router === 'function' && Reflect.get(router, 'stack')
  return Layers.parse(stack).flatMap(({ route }) =>
    route ? Object.keys(route.methods).map((method) => `${method} ${openApiPath(route.path)}`) : [],
  )
}

it('serves the OpenAPI document to everybody', async () => {
  const answer = await portal.browser().get('/api/openapi.json')
  expect(answer).toMatchObject({ status: 200, body: { openapi: expect.stringMatching(/^3\.1\./), info: { title: 'Proofdesk' } } })
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
})

it('describes every call that is registered, and registers every call that is described', async () => {
  const [calls, pages] = [await registered(), ['get /', 'get /*path', 'get /assets/*path']]
  expect(calls.length).toBeGreaterThan(25)
  expect(calls).toEqual(expect.arrayContaining(pages))
  const api = calls.filter((call) => !pages.includes(call))
  expect(new Set(api).size, 'nothing is registered twice').toBe(api.length)
  expect(api.sort()).toEqual((await described()).sort())
})

it('answers every call that is described with something else than 404 for an unknown call', async () => {
  for (const { method, path } of allRoutes) {
    const { text } = await portal.browser().send(method.toUpperCase(), path.replace(/:\w+/, 'nobody'), undefined)
    expect(text.slice(0, 40), `${method} ${path}`).not.toContain('There is no')
  }
})

it('answers 404 in JSON for every other call below /api, whatever the method', async () => {
  const unknown = [['GET', '/api/nothing'], ['GET', '/api'], ['POST', '/api/user/account'], ['DELETE', '/api/user'], ['PUT', '/api/login']] as const
  for (const [method, path] of unknown)
    expect(await portal.browser().send(method, path, undefined).catch(String), `${method} ${path}`).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining(method) },
    })
})
