import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { type Browser, browser } from '#test-support/http-client.ts'
import { freePort } from '#test-support/servers/ports.ts'

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The compose project of a rehearsal begins with this name. */
const PROJECT = `proofdesk-rehearsal-${process.pid}`

/** Everything comes from one address, and the proof of a change is not waited for longer than seconds. */
const faster = { REGISTRATIONS_PER_HOUR: '0', TRADER_CHANGES_PER_HOUR: '0', SEAL_SECONDS: '10' }
const override = {
  services: {
    ...Object.fromEntries(['command', 'query', 'worker'].map((service) => [service, { environment: faster }])),
    // It keeps 500 mails unless told otherwise, and a load sends more.
    mailpit: { environment: { MP_MAX_MESSAGES: '0' } },
  },
}

/** Runs a program. @throws {Error} with what it printed when it fails. */
export async function run(
  file: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    // Engines before 23 have BuildKit, but do not use it by themselves.
    const env = { ...process.env, DOCKER_BUILDKIT: '1', ...environment }
    return (await promisify(execFile)(file, words, { env, maxBuffer: 2 ** 28 })).stdout
  } catch (error) {
    const { stdout, stderr } = z.looseObject({ stdout: z.string(), stderr: z.string() }).parse(error)
    throw new Error(`${file} ${words.join(' ')}:\n${stderr.slice(-2_000)}${stdout.slice(-2_000)}`, { cause: error })
  }
}

export const docker = (...words: readonly string[]): Promise<string> => run('docker', words)

/** Runs in a container: prints the parts that are not ready. */
const PRINT_MISSING = `fetch('http://127.0.0.1:9464/readyz').then((answer) => answer.json()).then(
  ({ status, parts }) => console.log(status, ...Object.keys(parts).filter((name) => !parts[name].ready)),
  ({ message }) => console.log(message))`

const state = z.object({
  Running: z.boolean(),
  StartedAt: z.string(),
  FinishedAt: z.string(),
  ExitCode: z.int(),
  Health: z.object({ Status: z.string() }).optional(),
})
const mailList = z.object({
  messages: z.array(z.object({ To: z.array(z.object({ Address: z.string() })), Subject: z.string() })),
})

export type Installation = Awaited<ReturnType<typeof createInstallation>>

/** The installation of infra/deploy as a compose project with its own files, secrets and ports. */
export async function createInstallation(folder: string, name: string, firstImage: string) {
  const deploy = join(folder, name)
  await cp(join(ROOT, 'infra/deploy'), deploy, {
    recursive: true,
    filter: (path) => !path.endsWith('/deploy/secrets'),
  })
  await writeFile(join(deploy, 'rehearsal.json'), JSON.stringify(override))
  const [port, mailPort, prometheusPort] = [await freePort(), await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const project = `${PROJECT}-${name}`
  let image = firstImage

  const compose = (...words: readonly string[]): Promise<string> =>
    run(
      'docker',
      ['compose', '-p', project, '-f', join(deploy, 'compose.yaml'), '-f', join(deploy, 'rehearsal.json'), ...words],
      {
        PROOFDESK_IMAGE: image,
        PUBLIC_URL: url,
        PORT: String(port),
        MAILPIT_PORT: String(mailPort),
        PROMETHEUS_PORT: String(prometheusPort),
      },
    )
  const containers = async (service: string): Promise<string[]> =>
    (await compose('ps', '-aq', service)).split('\n').filter((id) => id !== '')
  const stateOf = async (container: string) =>
    state.parse(JSON.parse(await docker('inspect', '-f', '{{json .State}}', container)))

  return {
    deploy,
    url,
    prometheus: `http://127.0.0.1:${prometheusPort}`,
    compose,
    containers,
    stateOf,
    /** Kills a container, and removes it. Returns between which moments its process ended. */
    async kill(container: string): Promise<{ readonly from: number; readonly to: number }> {
      const from = Date.now()
      await docker('kill', container)
      const { FinishedAt } = await stateOf(container)
      await docker('rm', '-f', container)
      return { from, to: Date.parse(FinishedAt) }
    },
    /** Stops a container. Returns the ms between its signal and its end, as the engine saw them. */
    async stop(container: string): Promise<number> {
      const seconds = () => String(Date.now() / 1_000)
      const from = seconds()
      await docker('stop', '-t', '30', container)
      const filter = ['--since', from, '--until', seconds(), '--filter', `container=${container}`]
      const events = await docker('events', ...filter, '--format', '{{.Action}} {{.TimeNano}}')
      const at = (action: string) => Number(new RegExp(`^${action} (\\d+)`, 'm').exec(events)?.[1]) / 1e6
      return Math.round(at('die') - at('kill'))
    },
    setImage(next: string): void {
      image = next
    },
    browser: () => browser(url),
    secret: async (file: string) => (await readFile(join(deploy, 'secrets', file), 'utf8')).trim(),
    /** Writes a secret as make-secrets.sh does. */
    writeSecret: (file: string, text: string) => writeFile(join(deploy, 'secrets', file), `${text}\n`),
    makeSecrets: () => run(join(deploy, 'make-secrets.sh'), []),
    /** A browser of the administrator whose key the secrets hold. */
    async admin(): Promise<Browser> {
      const admin = browser(url)
      const { status, text } = await admin.post('/api/admin/login', {
        accessKey: await this.secret('admin_access_key'),
      })
      if (status !== 200) throw new Error(`The admin key is refused: ${status} ${text}`)
      return admin
    },
    /** A command of the command line, as the page for operators runs it. `options` are those of `docker compose run`. */
    cli: (words: readonly string[], options: readonly string[] = []) =>
      compose('run', '--rm', '-T', '--no-deps', ...options, 'worker', ...words),
    /** All mails that arrived: 'address subject'. */
    async mails(): Promise<string[]> {
      const response = await fetch(`http://127.0.0.1:${mailPort}/api/v1/messages?limit=1000000`)
      const { messages } = mailList.parse(await response.json())
      return messages.map(({ To, Subject }) => `${To[0]?.Address} ${Subject}`)
    },
    /** How long each container of a service took from its start until it was ready, in ms. */
    async readyAfter(service: string): Promise<number[]> {
      const waits = []
      for (const container of await containers(service)) {
        const { StartedAt } = await stateOf(container)
        const log = await docker('logs', '--since', StartedAt, container)
        const at = /"time":(\d+),"msg":"Proofdesk \(\w+\) is ready/.exec(log)?.[1]
        waits.push(at === undefined ? Number.POSITIVE_INFINITY : Number(at) - Date.parse(StartedAt))
      }
      return waits
    },
    /** What each container of these services misses, as it says on its metrics port. */
    async missing(services: readonly string[]): Promise<string> {
      const missed = []
      for (const service of services)
        for (const [n, container] of (await containers(service)).entries()) {
          const answer = await docker('exec', container, 'node', '-e', PRINT_MISSING).catch(() => 'does not run')
          missed.push(`${service} ${n + 1}: ${answer.trim()}`)
        }
      return missed.join(', ')
    },
    /** Removes containers, networks and volumes. */
    remove: () => compose('--profile', 'watch', 'down', '--volumes', '--remove-orphans', '--timeout', '5'),
  }
}

/** What is left of all projects of this rehearsal: containers, volumes and networks. */
export async function leftovers(): Promise<string[]> {
  const filter = ['--filter', `name=${PROJECT}`]
  const lists = await Promise.all([
    docker('ps', '-aq', ...filter),
    docker('volume', 'ls', '-q', ...filter),
    docker('network', 'ls', '-q', ...filter),
  ])
  return lists.flatMap((list) => list.split('\n').filter((line) => line !== ''))
}
