import { type Config, readConfig } from '#services/process/config.ts'
import { type Running, type Service, services, start, type StartOptions } from '#services/cli/server.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { startProxy } from './proxy.ts'

/** The running services of a portal and their common address. */
export interface RunningServices extends Pick<Running, 'address' | 'parts' | 'stop'> {
  /** The parts of each process. */
  readonly each: readonly Dependencies[]
}

/** Whether these tests run two separate processes for each service. */
export const runsSeparately = ((): boolean => {
  const given = process.env['PROOFDESK_TEST_SERVICES'] ?? ''
  if (!['', 'together', 'apart'].includes(given))
    throw new Error(`PROOFDESK_TEST_SERVICES: ${given} is neither together nor apart`)
  return given === 'apart'
})()

/**
 * Starts these services as one; or, when they run separately, two of each with parts of their own, so that they share
 * only the stores, behind a proxy that sends each request to the next one.
 */
export async function startServices(
  variables: Readonly<Record<string, string>>,
  wanted: readonly Service[] = services,
  options?: StartOptions,
): Promise<RunningServices> {
  if (!runsSeparately) {
    const running = await start(readConfig(variables), wanted, options)
    return { ...running, each: [running.parts] }
  }
  let behind = { command: [''], query: [''] }
  const proxy = await startProxy(() => behind)
  // Passkeys need a host name.
  const address = variables['HOST'] === 'localhost' ? proxy.url.replace('127.0.0.1', 'localhost') : proxy.url
  const config: Config = readConfig({
    PUBLIC_URL: address,
    ...variables,
    TRUSTED_PROXIES: String(Number(variables['TRUSTED_PROXIES'] ?? 0) + 1),
  })
  const started = await Promise.all(
    wanted
      .flatMap((service) => [service, service])
      .map(async (service) => ({ service, running: await start(config, [service], options) })),
  )
  const all = started.map(({ running }) => running)
  const addressesOf = (service: Service): string[] =>
    started.flatMap((one) => (one.service === service ? [one.running.address] : []))
  // Without a service of one kind, the running ones refuse its requests.
  const or = (addresses: string[]) => (addresses.length > 0 ? addresses : all.map(({ address }) => address))
  behind = { command: or(addressesOf('command')), query: or(addressesOf('query')) }
  const [first] = all
  if (!first) throw new Error('There is no service to start')
  return {
    address,
    parts: first.parts,
    each: all.map(({ parts }) => parts),
    async stop() {
      await proxy.close()
      await Promise.all(all.map((running) => running.stop()))
    },
  }
}
