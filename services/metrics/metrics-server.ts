import { createServer } from 'node:http'
import type { Meters } from './meters.ts'

export interface MetricsServer {
  close(): Promise<void>
}

/** Serves /metrics on a separate port, which the portal's visitors never reach. @throws a system error when the port is taken. */
export async function startMetricsServer(
  { port, host }: { readonly port: number; readonly host: string },
  { registry }: Meters,
  observe: () => Promise<void>,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const isMetrics = request.url === '/metrics' && (request.method === 'GET' || request.method === 'HEAD')
    if (!isMetrics) return void response.writeHead(404).end()
    observe()
      .then(() => registry.metrics())
      .then(
        (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
