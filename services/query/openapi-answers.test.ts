import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { IncomingMessage } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'
import { allRoutes } from '#services/portal/routes.ts'
import { openApiPath } from '#services/framework/api/route.ts'
import { openPortal } from '#test-support/portal.ts'

const portal = await openPortal()
afterAll(() => portal.stop())

const Document = z.object({ openapi: z.string(), paths: z.record(z.string(), z.record(z.string(), z.unknown())) })

const described = async () => {
  const { body } = await portal.browser().get('/api/openapi.json')
  return Object.entries(Document.parse(body).paths).flatMap(([path, calls]) =>
    Object.keys(calls).map((method) => `${method} ${path}`),
  )
}

/** A layer of an Express router: with a route, or middleware without one. */
const Layers = z.array(
  z.object({ route: z.object({ path: z.string(), methods: z.record(z.string(), z.boolean()) }).optional() }),
)

/** The calls of the running Express apps: of one app, or of each service's. */
async function registered(): Promise<string[][]> {
  const apps = new Set<unknown>()
  const requests: IncomingMessage[] = []
  const hear = (message: unknown) =>
    void requests.push(z.object({ request: z.instanceof(IncomingMessage) }).parse(message).request)
  subscribe('http.server.request.start', hear)
  await portal.browser().get('/healthz')
  await portal.browser().post('/api/nothing')
  unsubscribe('http.server.request.start', hear)
  // A request passes through each app that has it; a proxy in front has none.
  for (const request of requests) apps.add(Reflect.get(request, 'app'))
  apps.delete(undefined)
  return [...apps].map((app) => {
    const router: unknown = typeof app === 'function' && Reflect.get(app, 'router')
    const stack: unknown = typeof router === 'function' && Reflect.get(router, 'stack')
    return Layers.parse(stack).flatMap(({ route }) =>
      route ? Object.keys(route.methods).map((method) => `${method} ${openApiPath(route.path)}`) : [],
    )
  })
}

it('serves the OpenAPI document without a session', async () => {
  const answer = await portal.browser().get('/api/openapi.json')
  expect(answer).toMatchObject({
    status: 200,
    body: { openapi: expect.stringMatching(/^3\.1\./), info: { title: 'Proofdesk' } },
  })
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
})

it('describes exactly the registered calls', async () => {
  const [apps, pages] = [await registered(), ['get /', 'get /{path}', 'get /assets/{path}']]
  for (const app of apps) expect(new Set(app).size, 'nothing is registered twice').toBe(app.length)
  const calls = [...new Set(apps.flat())]
  expect(calls.length).toBeGreaterThan(25)
  expect(calls).toEqual(expect.arrayContaining(pages))
  const api = calls.filter((call) => !pages.includes(call))
  expect(api.sort()).toEqual((await described()).sort())
})

it('knows every described call', async () => {
  for (const { method, path } of allRoutes) {
    const { text } = await portal.browser().send(method.toUpperCase(), path.replace(/:\w+/, 'nobody'), undefined)
    expect(text.slice(0, 40), `${method} ${path}`).not.toContain('There is no')
  }
})

it('answers unknown paths below /api with 404, unknown methods with 405', async () => {
  const unknown = [
    ['GET', '/api/nothing', 404],
    ['GET', '/api', 404],
    ['POST', '/api/user/account', 405],
    ['DELETE', '/api/user', 405],
    ['PUT', '/api/login', 405],
  ] as const
  for (const [method, path, status] of unknown)
    expect(await portal.browser().send(method, path, undefined).catch(String), `${method} ${path}`).toMatchObject({
      status,
      body: { message: expect.stringContaining(method) },
    })
})
