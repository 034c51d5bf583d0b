import { createServer } from 'node:http'
import { type Readiness, statusCodeOf } from '#services/framework/api/health-schemas.ts'
import type { Meters } from './meters.ts'

interface Page {
  readonly status: number
  readonly type: string
  readonly text: string
}

export type MetricsServer = Awaited<ReturnType<typeof startMetricsServer>>

/**
 * Serves /metrics, and /readyz with all details, on a separate port, which the portal's visitors never reach.
 *
 * @throws a system error when the port is taken.
 */
export async function startMetricsServer(
  { port, host }: { readonly port: number; readonly host: string },
  { registry }: Meters,
  { observe, readiness }: { readonly observe: () => Promise<void>; readonly readiness: () => Promise<Readiness> },
) {
  const pages: Readonly<Record<string, () => Promise<Page>>> = {
    '/metrics': async () => {
      await observe()
      return { status: 200, type: registry.contentType, text: await registry.metrics() }
    },
    '/readyz': async () => {
      const body = await readiness()
      return { status: statusCodeOf(body), type: 'application/json', text: JSON.stringify(body) }
    },
  }
  const server = createServer((request, response) => {
    const page = request.method === 'GET' || request.method === 'HEAD' ? pages[request.url ?? ''] : undefined
    if (!page) return void response.writeHead(404).end()
    page().then(
      ({ status, type, text }) => response.writeHead(status, { 'content-type': type }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  return {
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
