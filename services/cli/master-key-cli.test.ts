import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeFerretDb } from '#test-support/servers/ferretdb.ts'
import { addMasterKeyCommands } from './master-key-cli.ts'
import { BadConfiguration } from '#services/process/config.ts'
import { AdminPayout } from '#services/payments/payouts/payout-api.ts'
import { User } from '#services/identity/users/user-api.ts'
import { verified } from '#test-support/small-firm.ts'
import { withDependencies } from '#test-support/stores.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { installationStreams } from '#services/framework/streams/installation.ts'
import { AccessKeys } from '#services/identity/staff/server/access-keys.ts'
import { read } from '#test-support/http-calls.ts'
import { newEmail, openPortal, type Portal, registration, type Trader } from '#test-support/portal.ts'
import { runCommand } from '#test-support/command-line.ts'
import { temporaryFolder } from '#test-support/program.ts'
import { until } from '#test-support/until.ts'

type Variables = Readonly<Record<string, string>>

const [OLD, NEW] = ['the master key that it was made with, long enough', 'the master key that replaces it, long enough']
const WRONG = new BadConfiguration('MASTER_KEY: this is not the key of this installation')

/** Runs the command with these variables beside the running processes. Returns the printed lines. */
async function rotate(variables: Variables): Promise<string[]> {
  const lines: string[] = []
  const program = new Command()
  addMasterKeyCommands(program, {
    withDecisions: (work) => withDependencies(variables, work),
    print: (text) => lines.push(text),
  })
  await program.parseAsync(['master-key', 'rotate'], { from: 'user' })
  return lines
}

const opens = (variables: Variables) => withDependencies(variables, async () => {})
const keyFiles = (dataDir: string) =>
  readdirSync(dataDir)
    .filter((name) => name.startsWith('master.key'))
    .sort()
const keyIn = (dataDir: string) => readFileSync(join(dataDir, 'master.key'), 'utf8').trim()

/** The rotations of the master key that the log records, each with its actor. */
async function recordedRotations({ repositories }: Dependencies): Promise<string[]> {
  const rotations: string[] = []
  for await (const event of repositories.of(installationStreams).readEvents('this'))
    if (event.type === 'MasterKeyRotated')
      rotations.push(
        `${event.data.rotations} ${'label' in event.metadata.actor ? event.metadata.actor.label : 'a trader'}`,
      )
  return rotations
}

/** A trader with data, and the key of an auditor. */
interface Contents {
  readonly trader: Trader
  readonly auditorKey: string
}

async function fillPortal(portal: Portal): Promise<Contents> {
  const admin = await portal.admin()
  const trader = await portal.trader()
  await admin.patch(`/api/admin/user/${trader.id}/account`, {
    balance: '5000.00',
    status: 'active',
    payoutEnabled: true,
  })
  expect(
    (
      await trader.post('/api/user/payouts', {
        amount: '250.00',
        paymentMethod: 'bank',
        paymentDetails: 'IBAN of theirs',
      })
    ).status,
  ).toBe(201)
  const { parts } = portal.running
  const { accessKey } = await new AccessKeys(parts.repositories, parts.secrets).issue('Ernst & Co', 'auditor', 'a test')
  return { trader, auditorKey: accessKey }
}

/** Everything derived from secrets works as before: email claims, access keys, encrypted fields, seals. */
async function expectUnchanged(portal: Portal, { trader, auditorKey }: Contents): Promise<void> {
  const browser = portal.browser()
  const user = read(User, await browser.post('/api/login', { email: trader.email, password: trader.password }))
  expect(user).toMatchObject({ id: trader.id, fullName: registration.fullName })
  expect((await portal.browser().post('/api/register', { ...registration, email: trader.email })).status).toBe(409)
  expect((await portal.browser().post('/api/register', { ...registration, email: newEmail() })).status).toBe(201)
  expect((await portal.browser().post('/api/admin/login', { accessKey: auditorKey })).status).toBe(200)
  const admin = await portal.admin()
  const [payout] = await until(async () => {
    const payouts = read(AdminPayout.array(), await admin.get('/api/admin/payouts'))
    return payouts.length > 0 ? payouts : undefined
  }, 'the read models to show the payout')
  expect(payout).toMatchObject({ paymentDetails: 'IBAN of theirs', user: { email: trader.email } })
  expect(await verified(portal.running.parts)).toMatchObject({ finding: null })
}

describe('proofdesk master-key rotate, with the key in the data folder', () => {
  rotationTests(async () => {
    const dataDir = temporaryFolder()
    const DATA_DIR = dataDir
    return {
      dataDir,
      before: {},
      rotating: { DATA_DIR },
      after: {},
      wrong: () => ({ DATA_DIR, MASTER_KEY: OLD }),
      old: () => ({ DATA_DIR, MASTER_KEY: keyIn(dataDir) }),
    }
  })

  it('uses NEW_MASTER_KEY if it is set', async () => {
    const dataDir = temporaryFolder()
    await opens({ DATA_DIR: dataDir })
    await rotate({ DATA_DIR: dataDir, NEW_MASTER_KEY: NEW })
    expect(keyIn(dataDir)).toBe(NEW)
    expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600)
    await opens({ DATA_DIR: dataDir })
    await expect(rotate({ DATA_DIR: dataDir, NEW_MASTER_KEY: NEW })).rejects.toThrow(
      'NEW_MASTER_KEY: is the master key already',
    )
  })

  it('leaves one valid key after several concurrent rotations', async () => {
    const dataDir = temporaryFolder()
    await opens({ DATA_DIR: dataDir })
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => rotate({ DATA_DIR: dataDir })))
    const done = outcomes.filter(({ status }) => status === 'fulfilled').length
    expect(done).toBeGreaterThan(0)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({
          message: expect.stringContaining('Another process rotated the master key'),
        })
    expect((await withDependencies({ DATA_DIR: dataDir }, recordedRotations)).at(-1)).toBe(`${done} command line`)
    const current = keyIn(dataDir)
    await opens({ DATA_DIR: dataDir, MASTER_KEY: current })
    // Keys left behind by the others never bring back a rotated key.
    await rotate({ DATA_DIR: dataDir })
    await expect(opens({ DATA_DIR: dataDir, MASTER_KEY: current })).rejects.toThrow(WRONG)
    await opens({ DATA_DIR: dataDir, MASTER_KEY: keyIn(dataDir) })
  })

  it('is completed by the next start after a kill at any point', async () => {
    const moments = ['new key written', 'replaced', 'new key settled']
    await Promise.all(
      moments.map(async (moment) => {
        const dataDir = temporaryFolder()
        const before = await withDependencies({ DATA_DIR: dataDir }, async ({ secrets }) =>
          secrets.emailHash('ada@example.com'),
        )
        const old = keyIn(dataDir)
        await killedAt(moment, { DATA_DIR: dataDir })
        const isRotated = moment !== 'new key written'
        expect(keyFiles(dataDir), moment).toHaveLength(moment === 'new key settled' ? 1 : 2)

        // The next start opens it, and so does the next rotation.
        await withDependencies({ DATA_DIR: dataDir }, async (parts) => {
          expect(parts.secrets.emailHash('ada@example.com')).toBe(before)
          expect(await recordedRotations(parts), moment).toEqual(isRotated ? ['1 start'] : [])
        })
        expect(keyIn(dataDir) !== old, moment).toBe(isRotated)
        const current = keyIn(dataDir)
        if (isRotated) await rotate({ DATA_DIR: dataDir })
        else
          expect(await runCommand(['master-key', 'rotate'], { DATA_DIR: dataDir })).toMatchObject({
            code: 0,
            stderr: '',
          })
        expect(keyFiles(dataDir), moment).toEqual(['master.key'])
        for (const gone of [old, current])
          await expect(opens({ DATA_DIR: dataDir, MASTER_KEY: gone }), moment).rejects.toThrow(WRONG)
        await withDependencies({ DATA_DIR: dataDir }, async (parts) => {
          expect(parts.secrets.emailHash('ada@example.com')).toBe(before)
          expect((await recordedRotations(parts)).at(-1)).toBe(`${isRotated ? 2 : 1} command line`)
        })
      }),
    )
  })
})

describe('proofdesk master-key rotate, with the key in a variable', () => {
  it('refuses a rotation without a new key, and a wrong key', async () => {
    const DATA_DIR = temporaryFolder()
    const variables = { DATA_DIR, MASTER_KEY: OLD }
    await opens(variables)
    await expect(rotate(variables)).rejects.toThrow('NEW_MASTER_KEY: has to be set')
    await expect(rotate({ ...variables, NEW_MASTER_KEY: OLD })).rejects.toThrow(
      'NEW_MASTER_KEY: is the same as MASTER_KEY',
    )
    await expect(rotate({ DATA_DIR, MASTER_KEY: NEW, NEW_MASTER_KEY: `${NEW}!` })).rejects.toThrow(WRONG)
    await expect(rotate({ ...variables, NEW_MASTER_KEY: 'short' })).rejects.toThrow(
      'NEW_MASTER_KEY: must have at least 32 characters',
    )
    await expect(rotate({ ...variables, NEW_MASTER_KEY: 'a'.repeat(32) })).rejects.toThrow(
      'NEW_MASTER_KEY: is too easy to guess',
    )
    await opens(variables)
    expect(keyFiles(DATA_DIR)).toEqual([])
  })

  it('reports a finished rotation when repeated; a process with both keys always starts', async () => {
    const DATA_DIR = temporaryFolder()
    const both = { DATA_DIR, MASTER_KEY: OLD, NEW_MASTER_KEY: NEW }
    await opens(both)
    await killedAt('replaced', both)
    await opens(both)
    await expect(opens({ DATA_DIR, MASTER_KEY: OLD })).rejects.toThrow(WRONG)
    expect((await rotate(both))[0]).toMatch(/^The master key was rotated already/)
    await opens({ DATA_DIR, MASTER_KEY: NEW })
  })
})

describeFerretDb('proofdesk master-key rotate, with the keys in MongoDB', (shared) => {
  rotationTests(async () => {
    const dataDir = temporaryFolder()
    const variables = { DATA_DIR: dataDir, MONGODB_URL: shared().newUrl() }
    const [old, next] = [
      { ...variables, MASTER_KEY: OLD },
      { ...variables, MASTER_KEY: NEW },
    ]
    return {
      dataDir,
      before: old,
      rotating: { ...old, NEW_MASTER_KEY: NEW },
      after: next,
      wrong: () => ({ ...variables, MASTER_KEY: `${OLD}!` }),
      old: () => old,
    }
  })
})

interface RotationSetup {
  readonly dataDir: string
  /** The variables of the portal before and after, and of the command. */
  readonly before: Variables
  readonly rotating: Variables
  readonly after: Variables
  /** With a key that was never valid, and with the one that is valid now. */
  wrong(): Variables
  old(): Variables
}

/** The tests for every place of the keys. */
function rotationTests(open: () => Promise<RotationSetup>) {
  it('changes only the valid key while the portal runs', async () => {
    const { dataDir, before, rotating, after, wrong, old } = await open()
    let portal = await openPortal({ dataDir, environment: before })
    const contents = await fillPortal(portal)
    const previousKey = old()
    await expect(opens(wrong())).rejects.toThrow(WRONG)

    const lines = await rotate(rotating)
    expect(lines[0]).toBe('Master key rotated.')
    for (const key of [OLD, NEW, previousKey['MASTER_KEY'] ?? '', keyFiles(dataDir).length > 0 ? keyIn(dataDir) : NEW])
      expect(lines.join('\n')).not.toContain(key)
    expect(keyFiles(dataDir)).toEqual('MASTER_KEY' in before ? [] : ['master.key'])
    await until(
      async () => (await portal.browser().post('/api/register', { ...registration, email: newEmail() })).status === 201,
      'the portal to go on',
    )
    expect((await contents.trader.get('/api/user')).status).toBe(200)
    await expectUnchanged(portal, contents)
    await portal.running.stop()

    for (const refused of [previousKey, wrong()]) await expect(opens(refused)).rejects.toThrow(WRONG)
    portal = await openPortal({ dataDir, environment: after })
    await expectUnchanged(portal, contents)
    expect(await recordedRotations(portal.running.parts)).toEqual(['1 command line'])
    await portal.running.stop()
  })
}

/** Starts a rotation and kills it at this moment. */
async function killedAt(moment: string, variables: Variables): Promise<void> {
  const script = fileURLToPath(new URL('../../test-support/rotating.child.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', script, moment], {
    env: { PATH: process.env['PATH'] ?? '', ...variables },
    stdio: 'inherit',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await once(child, 'exit'), moment).toEqual([null, 'SIGKILL'])
}
