import { randomBytes } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { formatTable } from '#services/cli/tables.ts'
import { Certificate } from '#services/trading/certificates/certificate-api.ts'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import type { Browser } from '#test-support/http-client.ts'
import { after, pdf, read, uploadCertificate } from '#test-support/http-calls.ts'
import { until } from '#test-support/until.ts'
import { createInstallation, docker, type Installation, leftovers, ROOT, run } from './installation.ts'
import { type Kill, wasInHands } from './in-hands.ts'
import { compare, type Load, registration, startLoad } from './load.ts'

/**
 * `npm run rehearse`: everything that docs/operate.md says of the compose file, done once with containers. It prints
 * what it saw and leaves nothing behind.
 *
 * Base images are those of the variables in infra/deploy/compose.yaml (NODE_IMAGE, CADDY_IMAGE and so on), else the
 * public ones. REHEARSE_FROM is the commit to upgrade from, HEAD~1 unless set; REHEARSE_KILLS how often each service is
 * killed, 20 unless set; REHEARSE_KILLED which services, all unless set.
 */

const OURS = ['command', 'query', 'worker'] as const
const SERVERS = ['redis', 'mongodb', 'eventstore', 's3', 's3-seals', 'mailpit', 'proxy'] as const
/** What is killed: all services unless REHEARSE_KILLED names some. */
const KILLED = process.env['REHEARSE_KILLED']?.split(',') ?? [...OURS, ...SERVERS]
const FROM = process.env['REHEARSE_FROM'] ?? 'HEAD~1'
const KILLS = Number(process.env['REHEARSE_KILLS'] ?? 20)
const [IMAGE, EARLIER] = [`proofdesk-rehearsal:${process.pid}`, `proofdesk-rehearsal:${process.pid}-earlier`]
/** The goals: a service is ready, and ends, within this time in ms; and the size of its image in MB. */
const [READY_WITHIN, STOP_WITHIN, LARGEST_IMAGE] = [2_000, 1_000, 285]
const LARGEST_CERTIFICATE = 13_000_000

/** A trader who went through the first steps, and what must be found again in every later one. */
interface Known {
  readonly browser: Browser
  readonly id: string
  readonly email: string
  readonly certificate: string
  readonly file: Buffer
}

interface Line {
  readonly step: string
  readonly took: string
  readonly seen: string
}

function check(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new Error(what)
}

const identity = z.looseObject({ id: z.string() })

async function rehearse(folder: string, lines: Line[]): Promise<void> {
  let first: Installation | undefined
  let second: Installation | undefined
  let isInterrupted = false
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, () => {
      isInterrupted = true
      process.stderr.write('Interrupted: what was made is removed after this step\n')
    })
  const step = async (name: string, work: () => Promise<string>): Promise<void> => {
    const begun = Date.now()
    process.stderr.write(`${name} …\n`)
    const note = (seen: string): void => {
      lines.push({ step: name, took: `${((Date.now() - begun) / 1_000).toFixed(1)} s`, seen })
      process.stderr.write(`${seen}\n`)
    }
    try {
      note(await work())
    } catch (error) {
      note(`FAILED: ${error instanceof Error ? error.message : String(error)}`)
      throw error
    }
    if (isInterrupted) throw new Error('Interrupted')
  }
  try {
    await step('build the images', async () => {
      const earlier = join(folder, 'earlier')
      await mkdir(earlier)
      await run('bash', ['-c', `git -C "${ROOT}" archive ${FROM} | tar -x -C "${earlier}"`])
      await buildImage(earlier, EARLIER)
      await buildImage(ROOT, IMAGE)
      const size = Number(await docker('image', 'inspect', '-f', '{{.Size}}', IMAGE)) / 1e6
      check(size <= LARGEST_IMAGE, `The image has ${size.toFixed(0)} MB`)
      return `${size.toFixed(0)} MB`
    })

    const installation = (first = await createInstallation(folder, 'first', EARLIER))
    await step('first hour: secrets, up', async () => {
      await installation.makeSecrets()
      await installation.compose('up', '-d', '--no-build')
      await isReady(installation)
      return `all ${(await installation.compose('ps', '-q')).trim().split('\n').length} containers run, /readyz answers 200`
    })

    let known: Known | undefined
    await step('sign-up, payout, certificate, mail', async () => {
      known = await createKnown(installation)
      return `4 mails arrived; a certificate of ${LARGEST_CERTIFICATE / 1e6} MB is refused with 413`
    })
    if (!known) return
    const trader = known

    await step(`upgrade from ${FROM} under load`, async () => {
      const load = startLoad(installation)
      await load.continues()
      installation.setImage(IMAGE)
      for (const service of ['query', 'command', 'worker']) {
        // Two new ones beside the old, then without those.
        const old = await installation.containers(service)
        await installation.compose(
          'up',
          '-d',
          '--no-build',
          '--no-deps',
          '--no-recreate',
          '--scale',
          `${service}=4`,
          service,
        )
        await isReady(installation)
        await docker('stop', ...old)
        await docker('rm', ...old)
        await load.continues()
      }
      await load.stop()
      const said = await settled(installation, load)
      await isStill(installation, trader)
      return `${said}; ${failuresOf(load)}`
    })

    await step('ready and stopped in time', async () => {
      const said = []
      for (const service of OURS) {
        const stops = await stopAtAnyMoment(installation, service)
        await isReady(installation)
        // Of the replica that was stopped: it started alone.
        const [wait] = await installation.readyAfter(service)
        said.push(`${service}: ready after ${wait} ms, stopped in ${stops.join(', ')} ms`)
      }
      return `${said.join('; ')} (goals: ${READY_WITHIN} and ${STOP_WITHIN} ms on a machine that does nothing else)`
    })

    await step('proof verified outside', async () => {
      const outside = join(folder, 'outside')
      await mkdir(outside)
      const said = await until(async () => {
        const { bytes, status } = await trader.browser.get('/api/user/history/proof')
        check(status === 200, `The proof is answered with ${status}`)
        await writeFile(join(outside, 'proof.json'), bytes)
        return docker(
          'run',
          '--rm',
          '--network',
          'none',
          '-v',
          `${outside}:/proof:ro`,
          IMAGE,
          'verify',
          '/proof/proof.json',
        ).catch(() => undefined)
      }, 'the history to be sealed')
      return said.split('\n')[0] ?? ''
    })

    await step('rotate secrets', async () => {
      await rotateSecrets(installation, folder)
      await isStill(installation, trader)
      return 'master key, key of the seals, passwords of Redis, MongoDB and both S3; the trader is still signed in'
    })

    await step('watched by Prometheus', async () => {
      await installation.compose('up', '-d', '--no-build', '--no-deps', 'prometheus')
      const ask = async (path: string): Promise<string> =>
        (await fetch(`${installation.prometheus}/api/v1/${path}`, { signal: AbortSignal.timeout(5_000) })).text()
      const targets = await until(
        async () => {
          const up = (await ask('targets').catch(() => '')).split('"health":"up"').length - 1
          return up === 6 && up
        },
        '6 targets to be up',
        120_000,
      )
      const rules = (await ask('rules')).split('"type":"alerting"').length - 1
      const firing = (await ask('alerts')).split('"state":"firing"').length - 1
      await installation.compose('rm', '-sf', 'prometheus')
      check(rules > 0 && firing === 0, `${rules} rules, ${firing} alerts`)
      return `${targets} targets, ${rules} rules, none fires`
    })

    await step('down and up', async () => {
      await installation.compose('down')
      await installation.compose('up', '-d', '--no-build')
      await isReady(installation)
      await isStill(installation, trader)
      return 'the trader is still signed in; payout, certificate and mails are there'
    })

    const backup = join(folder, 'backup')
    await step('backup under load', async () => {
      await mkdir(backup)
      // The containers run as another user.
      await chmod(backup, 0o777)
      const load = startLoad(installation)
      await load.continues()
      const said = await installation.cli(['backup', '/backup'], ['-v', `${backup}:/backup`])
      await load.stop()
      await settled(installation, load)
      check(said.includes('Verified: every event is the same'), said)
      return said.split('\n')[0] ?? ''
    })

    await step('erasure', async () => {
      const admin = await installation.admin()
      const gone = await signUp(installation, 'gone@example.com')
      const deleted = await admin.delete(`/api/admin/user/${gone.id}`)
      check(deleted.status === 200, `The deletion is answered with ${deleted.status}`)
      const { status } = await installation
        .browser()
        .post('/api/login', { email: 'gone@example.com', password: registration.password })
      check(status === 401, `A sign-in of the erased is answered with ${status}`)
      const { text } = await admin.get('/api/admin/users?search=gone@example.com', after(deleted))
      check(!text.includes(gone.id), 'The erased user is found by the address')
      return 'no sign-in, found by nobody; the log still verifies'
    })

    await step('restore into a second project', async () => {
      const other = (second = await createInstallation(folder, 'second', IMAGE))
      await other.makeSecrets()
      await other.writeSecret('master_key', await installation.secret('master_key'))
      const restored = join(folder, 'restored')
      await mkdir(restored)
      await chmod(restored, 0o777)
      await other.compose('up', '-d', '--no-build', '--wait', 'eventstore', 'mongodb', 's3', 's3-seals')
      const mounts = ['-e', 'DATA_DIR=/restored', '-v', `${restored}:/restored`]
      const said = await other.cli(
        ['restore', '/backup', '--reason', 'A rehearsal'],
        [...mounts, '-v', `${backup}:/backup:ro`],
      )
      await other.compose('up', '-d', '--no-build', '--wait', 'redis')
      const moved = await other.cli(['migrate', '--to', 'services'], mounts)
      check(moved.includes('Migrated'), moved)
      await other.compose('up', '-d', '--no-build')
      await isReady(other)
      await isStill(other, { ...trader, browser: await signIn(other, trader.email) })
      await other.cli(['audit', 'verify'])
      return said.split('\n')[0] ?? ''
    })
    await second?.remove()
    second = undefined

    for (const service of KILLED)
      await step(`kill ${service} ${KILLS} times under load`, async () => {
        const load = startLoad(installation)
        await load.continues()
        const kills: Kill[] = []
        let longest = 0
        const goesOn = async (): Promise<void> => {
          const from = Date.now()
          await orSayWhatIsMissing(installation, load.continues())
          longest = Math.max(longest, Date.now() - from)
        }
        for (let kill = 0; kill < KILLS; kill++) {
          const containers = await installation.containers(service)
          kills.push({ service, ...(await installation.kill(containers[kill % containers.length] ?? '')) })
          // A replica keeps the portal alive: the load says so before the container is back.
          if (containers.length > 1) await goesOn()
          await installation.compose('up', '-d', '--no-build', '--no-deps', '--no-recreate', service)
          await goesOn()
        }
        await load.stop()
        await isReady(installation)
        const said = await settled(installation, load)
        const others = load.failures.filter((request) => request.status === 502 && !wasInHands(request, kills))
        check(
          service === 'proxy' || others.length === 0,
          `${others.length} requests that no killed replica had got 502: ${JSON.stringify({ kills, others })}`,
        )
        return `${said}; changes went on within ${(longest / 1_000).toFixed(1)} s; ${failuresOf(load)}`
      })

    await step('verify the log', async () => {
      await isStill(installation, { ...trader, browser: await signIn(installation, trader.email) })
      return (await installation.cli(['audit', 'verify'])).split('\n')[0] ?? ''
    })
  } finally {
    if (lines.at(-1)?.seen.startsWith('FAILED'))
      for (const [n, installation] of [first, second].entries()) {
        const log = join(tmpdir(), `proofdesk-rehearsal-${process.pid}-${n + 1}.log`)
        const said = installation && (await installation.compose('logs', '--no-color', '--timestamps').catch(String))
        if (said === undefined) continue
        await writeFile(log, said)
        process.stderr.write(`What the containers said is in ${log}\n`)
      }
    await step('leave nothing behind', async () => {
      for (const installation of [first, second]) await installation?.remove()
      await docker('image', 'rm', '-f', IMAGE, EARLIER).catch(() => {})
      const left = await leftovers()
      check(left.length === 0, `${left.join(', ')} are left`)
      return 'no container, volume, network or image'
    })
  }
}

async function buildImage(folder: string, image: string): Promise<void> {
  const base = process.env['NODE_IMAGE']
  const argument = base === undefined ? [] : ['--build-arg', `NODE_IMAGE=${base}`]
  await docker('build', '-q', '-f', join(folder, 'infra/deploy/Dockerfile'), '-t', image, ...argument, folder)
}

/** Waits until every container of the three services is ready. */
async function isReady(installation: Installation): Promise<void> {
  const ready = until(
    async () => {
      // Each look starts a dozen programs, which take the processor from the services that start.
      await delay(1_000)
      const waits = await Promise.all(OURS.map((service) => installation.readyAfter(service).catch(() => [Number.NaN])))
      const answer = await fetch(`${installation.url}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
      return answer?.status === 200 && waits.flat().every(Number.isFinite)
    },
    'all services to be ready',
    180_000,
  )
  await orSayWhatIsMissing(installation, ready)
}

/** @throws {Error} with what each container misses when the wait is in vain. */
async function orSayWhatIsMissing(installation: Installation, waiting: Promise<unknown>): Promise<void> {
  await waiting.catch(async (error: unknown) => {
    throw new Error(`${String(error)}; ${await installation.missing(OURS)}`, { cause: error })
  })
}

async function signUp(
  installation: Installation,
  email: string,
): Promise<{ readonly browser: Browser; readonly id: string }> {
  const browser = installation.browser()
  const { status, body, text } = await browser.post('/api/register', { ...registration, email })
  check(status === 200 || status === 201, `A registration is answered with ${status}: ${text}`)
  return { browser, id: identity.parse(body).id }
}

async function signIn(installation: Installation, email: string): Promise<Browser> {
  const browser = installation.browser()
  const { status } = await browser.post('/api/login', { email, password: registration.password })
  check(status === 200, `A sign-in is answered with ${status}`)
  return browser
}

/** A trader with an approved payout and a certificate, and the mails about them. */
async function createKnown(installation: Installation): Promise<Known> {
  const email = 'ada@example.com'
  const { browser, id } = await signUp(installation, email)
  const admin = await installation.admin()
  const account = { balance: '10500.00', profitLoss: '500.00', status: 'active', payoutEnabled: true }
  check((await admin.patch(`/api/admin/user/${id}/account`, account)).status === 200, 'The account cannot be changed')
  const payout = { amount: '250.00', paymentMethod: 'paypal', paymentDetails: email }
  const requested = await browser.post('/api/user/payouts', payout)
  const verdict = { status: 'approved', adminNotes: 'Paid on Friday' }
  const decided = await admin.patch(`/api/admin/payouts/${read(Payout, requested).id}`, verdict)
  check(decided.status === 200, `The verdict is answered with ${decided.status}`)
  const file = pdf(200_000)
  const certificate = read(Certificate, await uploadCertificate(admin, { userId: id, file })).fileUrl
  const { status } = await uploadCertificate(admin, { userId: id, file: pdf(LARGEST_CERTIFICATE) })
  check(status === 413, `A large certificate is answered with ${status}`)
  await until(async () => (await installation.mails()).filter((mail) => mail.startsWith(email)).length >= 4, '4 mails')
  const known = { browser, id, email, certificate, file }
  await isStill(installation, known)
  return known
}

/** The trader's session, payout, certificate and mails are there. */
async function isStill(installation: Installation, { browser, id, certificate, file }: Known): Promise<void> {
  const { status, body } = await browser.get('/api/user')
  check(status === 200 && identity.parse(body).id === id, `The trader's session is answered with ${status}`)
  const payouts = read(Payout.array(), await browser.get('/api/user/payouts'))
  check(payouts.length === 1 && payouts[0]?.status === 'approved', 'The approved payout is missing')
  const download = await browser.get(certificate)
  check(download.status === 200 && download.bytes.equals(file), `The certificate is answered with ${download.status}`)
  // Seals that had to wait are made soon.
  const isOk = async () => (await installation.browser().get('/readyz')).text === '{"status":"ok"}'
  await until(isOk, 'the portal to be well', 120_000)
}

/** Stops a container of a service at several moments after its start. Returns how long each took, in ms. */
async function stopAtAnyMoment(installation: Installation, service: string): Promise<number[]> {
  const [container = ''] = await installation.containers(service)
  const waits = []
  for (const moment of [0, 100, 300, 600, 1_000, 1_500, 3_000]) {
    await docker('restart', '-t', '0', container)
    await delay(moment)
    waits.push(await installation.stop(container))
    const { ExitCode } = await installation.stateOf(container)
    check(ExitCode !== 137, `${service} had to be killed ${moment} ms after its start`)
  }
  await docker('start', container)
  return waits
}

/** Waits until nothing is under way, then compares what was acknowledged with what is there. */
async function settled(installation: Installation, load: Load): Promise<string> {
  const { lost, lostMails, twice } = await compare(installation, load)
  check(lost.length === 0, `Lost: ${JSON.stringify(lost.slice(0, 5))} and so on, ${lost.length} in all`)
  check(lostMails.length === 0, `Mails lost: ${lostMails.slice(0, 5).join(', ')} and so on, ${lostMails.length} in all`)
  return `${load.acknowledged.length} sign-ups acknowledged, none lost, nor their mails (${twice.length} came twice)`
}

function failuresOf({ failures, answers }: Load): string {
  const counts = new Map<string, number>()
  for (const { call, status, says } of failures) {
    const failure = `${call} ${status === 0 ? 'cut' : status}${says && ` (${says})`}`
    counts.set(failure, (counts.get(failure) ?? 0) + 1)
  }
  const said = [...counts].map(([failure, count]) => `${count} × ${failure}`).join(', ')
  return `${answers()} requests, ${said === '' ? 'none failed' : said}`
}

/** What docs/operate.md says about each secret, in its order. */
async function rotateSecrets(installation: Installation, folder: string): Promise<void> {
  const newKey = join(folder, 'new_master_key')
  await writeFile(newKey, randomBytes(32).toString('base64'), { mode: 0o644 })
  await installation.cli(
    ['master-key', 'rotate'],
    ['-v', `${newKey}:/run/new_master_key:ro`, '-e', 'NEW_MASTER_KEY_FILE=/run/new_master_key'],
  )
  await installation.writeSecret('master_key', await readFile(newKey, 'utf8'))
  await installation.cli(['seal-key', 'rotate'])
  const password = () => randomBytes(24).toString('base64url')
  const [redis, mongodb, files, seals] = [password(), password(), password(), password()]
  const root = await installation.secret('mongodb_root_password')
  const shell = `db.getSiblingDB('proofdesk').updateUser('proofdesk', { pwd: '${mongodb}' })`
  const mongosh = ['mongosh', '--quiet', '-u', 'root', '-p', root, '--authenticationDatabase', 'admin', '--eval', shell]
  await installation.compose('exec', '-T', 'mongodb', ...mongosh)
  await installation.writeSecret('mongodb_password', mongodb)
  await installation.writeSecret('redis_password', redis)
  await installation.writeSecret('s3_secret', files)
  await installation.writeSecret('seals_secret', seals)
  // make-secrets.sh writes what is missing: the addresses with the new passwords.
  for (const address of ['mongodb_url', 'redis_url', 's3_url', 'seals_url'])
    await rm(join(installation.deploy, 'secrets', address))
  await installation.makeSecrets()
  const changed = ['redis', 's3', 's3-seals', ...OURS]
  await installation.compose('up', '-d', '--no-build', '--no-deps', '--force-recreate', ...changed)
  await isReady(installation)
}

/** In one line why containers cannot be run here; undefined if they can. */
function whyNoEngine(): string | undefined {
  try {
    execFileSync('docker', ['version', '--format', '{{.Server.Version}}'], { stdio: ['ignore', 'ignore', 'pipe'] })
    execFileSync('docker', ['compose', 'version'], { stdio: ['ignore', 'ignore', 'pipe'] })
    return undefined
  } catch (error) {
    return `The rehearsal needs Docker with Compose: ${error instanceof Error ? (error.message.split('\n')[1] ?? error.message) : String(error)}`
  }
}

const missing = whyNoEngine()
if (missing !== undefined) {
  process.stderr.write(`${missing}\n`)
  process.exit(2)
}
// A connection that Docker closes at once can leave a request without an end, and then nothing keeps Node running.
const running = setInterval(() => {}, 60_000)
const lines: Line[] = []
const folder = await mkdtemp(join(tmpdir(), 'proofdesk-rehearsal-'))
try {
  await rehearse(folder, lines)
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
} finally {
  clearInterval(running)
  // Some files belong to the user of the containers.
  await rm(folder, { recursive: true, force: true }).catch((error: unknown) =>
    process.stderr.write(`${String(error)}\n`),
  )
  process.stdout.write(`${formatTable(lines.map((line) => ({ ...line })))}\n`)
}
