import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openSqliteEventStore } from '../../infra/event-store/sqlite-event-store.ts'
import { runCommand } from '../../test-support/command-line.ts'
import { buildProgram, startProgram, temporaryFolder } from '../../test-support/program.ts'
import { storedEvents, withDependencies } from '../../test-support/stores.ts'
import { embeddedPaths } from '../composition-root.ts'
import { forgeryOf } from '../event-sourcing/codec/event-authentication.ts'

beforeAll(buildProgram, 600_000)

const fixtures = fileURLToPath(new URL('../../test-support/fixtures/e747b87', import.meta.url))
const { stopped } = z
  .object({ stopped: z.object({ secrets: z.object({ masterKey: z.string(), firstAdminKey: z.string() }) }) })
  .parse(JSON.parse(readFileSync(join(fixtures, 'secrets.json'), 'utf8')))

/** A data folder as version e747b87 left it, and the variables that open it. */
async function oldFolder() {
  const folder = temporaryFolder()
  await promisify(execFile)('tar', ['-xzf', join(fixtures, 'stopped.tar.gz'), '-C', folder])
  const { masterKey: MASTER_KEY, firstAdminKey: ADMIN_ACCESS_KEY } = stopped.secrets
  return { DATA_DIR: join(folder, 'stopped'), MASTER_KEY, ADMIN_ACCESS_KEY }
}

/** Appends an event past the portal, and answers its position. */
async function insert({ DATA_DIR }: { readonly DATA_DIR: string }, metadata: string): Promise<string> {
  const store = openSqliteEventStore(embeddedPaths.events(DATA_DIR))
  const event = { id: crypto.randomUUID(), type: 'AdminKeyIssued', data: '{"label":"Mallory","role":"admin","keyHash":"beef"}', metadata }
  const { position } = await store.append(`admin-${crypto.randomUUID().replaceAll('-', '')}`, 'none', [event])
  await store.close()
  return position
}

const statusSchema = z.object({ adoptedUpTo: z.string().nullable() })

describe('proofdesk log adopt', () => {
  it('accepts the events of an earlier version, once, and none without a MAC afterwards', async () => {
    const environment = await oldFolder()
    const portal = await startProgram({ dataDir: environment.DATA_DIR, environment })
    expect(portal.output()).toContain('npx proofdesk log adopt')
    await portal.stop()
    const adoptedUpTo = async () => statusSchema.parse(JSON.parse((await runCommand(['status', '--json'], environment)).stdout)).adoptedUpTo
    expect(await adoptedUpTo()).toBeNull()

    const before = await withDependencies(environment, storedEvents)
    const end = before.at(-1)?.position
    for (const _ of [1, 2])
      expect(await runCommand(['log', 'adopt'], environment)).toMatchObject({ code: 0, stdout: `The log is adopted up to event #${end}.\n`, stderr: '' })
    expect(await adoptedUpTo()).toBe(end)
    const after = await withDependencies(environment, storedEvents)
    expect(after.slice(before.length).map(({ type, data }) => [type, data])).toEqual([['LogAdopted', `{"position":"${end}"}`]])

    const metadata = before.find(({ type }) => type === 'AdminKeyIssued')?.metadata ?? ''
    const inserted = await insert(environment, metadata.replace(/"previous":.*\}$/, '"previous":null}'))
    const events = await withDependencies(environment, storedEvents)
    expect(events.filter((event) => forgeryOf(event) !== undefined).map(({ position }) => position)).toEqual([inserted])
    const { code, stdout } = await runCommand(['audit', 'verify'], environment)
    expect(code).toBe(1)
    expect(stdout).toContain(`Event ${inserted} (AdminKeyIssued`)
    expect(stdout).toContain('the portal did not append it')

    // A copy of the keys knows it too.
    const copy = join(temporaryFolder(), 'copy')
    expect((await runCommand(['migrate', '--to', copy], environment)).stdout).toContain('Events:')
    expect(statusSchema.parse(JSON.parse((await runCommand(['status', '--json'], { ...environment, DATA_DIR: copy })).stdout)).adoptedUpTo).toBe(end)

    // Rotating the master key changes nothing.
    const NEW_MASTER_KEY = randomBytes(32).toString('base64url')
    expect(await runCommand(['master-key', 'rotate'], { ...environment, NEW_MASTER_KEY })).toMatchObject({ code: 0 })
    const rotated = { ...environment, MASTER_KEY: NEW_MASTER_KEY }
    const last = await withDependencies(rotated, storedEvents)
    expect(last.filter((event) => forgeryOf(event) !== undefined).map(({ position }) => position)).toEqual([inserted])
    expect(last.at(-1)?.type).toBe('MasterKeyRotated')
  })

  it('refuses a log that is not as it was recorded', async () => {
    const environment = await oldFolder()
    const metadata = (await withDependencies(environment, storedEvents)).find(({ revision }) => revision > 0)?.metadata ?? ''
    const inserted = await insert(environment, metadata)
    const { code, stderr } = await runCommand(['log', 'adopt'], environment)
    expect(code).toBe(1)
    expect(stderr).toContain('The log is not adopted, because it is not as it was recorded (altered)')
    expect(stderr).toContain(`Event ${inserted} (AdminKeyIssued`)
    expect(statusSchema.parse(JSON.parse((await runCommand(['status', '--json'], environment)).stdout)).adoptedUpTo).toBeNull()
  })

  it('has nothing to do in a new installation', async () => {
    const environment = { DATA_DIR: temporaryFolder(), ADMIN_ACCESS_KEY: stopped.secrets.firstAdminKey }
    const portal = await startProgram({ dataDir: environment.DATA_DIR, environment })
    expect(portal.output()).not.toContain('log adopt')
    await portal.stop()
    expect(await runCommand(['log', 'adopt'], environment)).toMatchObject({
      code: 0,
      stdout: 'Every event of this log carries its code: there is nothing to adopt.\n',
    })
    const inserted = await insert(
      environment,
      '{"version":1,"at":1,"actor":{"kind":"system","label":"x"},"requestId":"r","causationId":"c","correlationId":"c","previous":null}',
    )
    expect((await runCommand(['audit', 'verify'], environment)).stdout).toContain(`Event ${inserted} (AdminKeyIssued`)
  })
})
