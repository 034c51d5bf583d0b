import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '#test-support/command-line.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { storesFor } from '#test-support/portal-stores.ts'
import { promptly } from '#test-support/promptly.ts'
import { afterSuite } from '#test-support/program.ts'
import { seal } from '#test-support/small-firm.ts'
import { checkWithGo, whyNoGo } from '#test-support/stock-go/stock-go.ts'
import { openTimestampAuthority, type TimestampAuthority } from '#test-support/timestamp-authority.ts'
import { until } from '#test-support/until.ts'
import { portOf } from '#test-support/servers/ports.ts'
import { openTestWitness, type TestWitness, witnessKey } from '#test-support/witnessed-log.ts'
import { accountExport } from '#services/proof/export-format.ts'
import { ownNote, parseCheckpoint } from '#services/proof/tree-checkpoint.ts'
import { parseVerifierKey, verifierKeyText } from '#services/proof/verifier-key.ts'
import { cosignedAt } from '#services/proof/witness-cosignature.ts'

/** A portal with two witnesses, one that never answers, and a time-stamping authority. */

const onEnd = afterSuite()
const origin = { LOG_ORIGIN: 'portal.example/log' }
let folder: string
let portal: Portal
let trader: Trader
let witnesses: TestWitness[]
let authority: TimestampAuthority
let vkey: string

const policyPath = (name: string) => join(folder, name)
const hanging = createServer(() => {})
const silent = witnessKey('silent.example/w3', 3)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proofdesk-attested-'))
  const dataDir = join(folder, 'portal')
  // The first run makes the key of the log, which the witnesses have to know.
  const first = await openPortal({ dataDir, environment: origin })
  await first.trader()
  await seal(first.running.parts)
  await first.stop()
  const listed = await runCommand(['seal-key', 'list', '--verifier-keys'], {
    DATA_DIR: dataDir,
    ...origin,
    ...(await storesFor(dataDir)),
  })
  vkey = listed.stdout.trim()
  authority = await openTimestampAuthority()
  const logs = [parseVerifierKey(vkey, 'log')]
  witnesses = await Promise.all(
    ['w1', 'w2'].map((name) =>
      openTestWitness({ folder: join(folder, name), logs, name: `witness.example/${name}`, onEnd }),
    ),
  )
  hanging.listen(0, '127.0.0.1')
  await once(hanging, 'listening')
  const lines = [
    `log ${vkey}`,
    ...witnesses.map(({ policyLine }) => policyLine),
    `witness w3 ${verifierKeyText(silent, 'witness')} http://127.0.0.1:${portOf(hanging)}`,
  ].join('\n')
  await writeFile(policyPath('two'), `${lines}\ngroup two 2 w1 w2 w3\nquorum two\n`)
  await writeFile(policyPath('three'), `${lines}\ngroup three all w1 w2 w3\nquorum three\n`)
  portal = await openPortal({
    dataDir,
    environment: { ...origin, SEAL_SECONDS: '1', WITNESS_POLICY: policyPath('two'), TSA_URL: authority.url },
  })
  trader = await portal.trader()
})
afterAll(async () => {
  await portal.stop()
  await authority.close()
  hanging.closeAllConnections()
  hanging.close()
  await rm(folder, { recursive: true })
})

/** Records something. Returns the published checkpoint, once it covers that and both witnesses have cosigned it. */
async function attested(city: string): Promise<string> {
  const { eventStore, transparencyLog } = portal.running.parts
  expect((await trader.patch('/api/user/profile', { city })).status).toBe(200)
  const position = await eventStore.end()
  return until(async () => {
    const note = await (await fetch(new URL('/log/checkpoint', portal.url))).text()
    const checkpoint = note.startsWith(origin.LOG_ORIGIN) ? parseCheckpoint(note) : undefined
    if (!checkpoint || witnesses.some(({ key }) => cosignedAt(checkpoint, key) === undefined)) return undefined
    const [index] = await transparencyLog.indexesOf([{ position }], checkpoint.size).catch(() => [])
    return index === undefined ? undefined : note
  }, 'a checkpoint with its cosignatures')
}

async function exportFile(name: string): Promise<string> {
  const { text } = await trader.get('/api/user/history/proof')
  await writeFile(join(folder, name), text)
  return join(folder, name)
}

const verify = (...options: readonly string[]) => runCommand(['verify', ...options], {})

describe('a checkpoint', () => {
  it('is cosigned by the witnesses that answer, again and again, while another one hangs', async () => {
    let before = 0
    for (let round = 0; round < 3; round++) {
      const note = await attested(`Town ${round}`)
      const { size, signatures } = parseCheckpoint(note)
      expect(size).toBeGreaterThan(before)
      expect(signatures.map(({ name }) => name)).toEqual([
        'portal.example/log',
        'witness.example/w1',
        'witness.example/w2',
      ])
      before = size
    }
    expect(witnesses.map(({ inconsistent }) => inconsistent)).toEqual([[], []])
  })

  it.skipIf(whyNoGo)('and the receipts under it are accepted by Go', async () => {
    const note = await attested('Goteborg')
    const [{ number = 0 } = {}] = (await portal.events())
      .filter(({ personId }) => personId === trader.id)
      .map(({ position }) => ({ number: Number(position) }))
    const receipt = (await trader.get(`/api/user/history/${number}/receipt`)).text
    const keys = witnesses.map(({ key }) => verifierKeyText(key, 'witness'))
    const results = checkWithGo([
      ...keys.map((witness) => ({ key: vkey, witness, note })),
      ...keys.map((witness) => ({ key: vkey, witness, receipt })),
      { key: vkey, witness: verifierKeyText(silent, 'witness'), note },
    ])
    expect(results).toEqual(['', '', '', '', 'the witness did not cosign it'])
  })
})

describe('an export', () => {
  it('says how many witnesses saw it, and fails when they are not enough', async () => {
    await attested('Paris')
    const file = await exportFile('seen.json')
    const seen = await verify(file, '--policy', policyPath('two'))
    expect([seen.code, seen.stdout.split('\n').slice(0, 3)]).toEqual([
      0,
      [
        expect.stringMatching(/^Genuine: /),
        'Signed for portal.example/log, with the key that you trust.',
        expect.stringMatching(/^Seen by 2 of 3 witnesses before \d+ \w{3} 2\d{3}, \d\d:\d\d:\d\d UTC\.$/),
      ],
    ])
    const missing = await verify(file, '--policy', policyPath('three'))
    expect([missing.code, missing.stdout]).toEqual([
      1,
      expect.stringMatching(/^Not witnessed as the policy asks\. Seen by 2 of 3 witnesses before [^\n]+ UTC\.\n$/),
    ])
    expect(JSON.parse((await verify(file, '--policy', policyPath('two'), '--json')).stdout)).toMatchObject({
      outcome: 'genuine',
      witnesses: { seen: 2, of: 3, isQuorum: true },
    })
    // Without a policy it is read as before.
    expect((await verify(file)).code).toBe(0)
    await writeFile(policyPath('other'), `log ${vkey.replace('portal', 'p0rtal')}\nquorum none\n`)
    const invalid = await verify(file, '--policy', policyPath('other'))
    expect([invalid.code, invalid.stderr]).toEqual([
      1,
      expect.stringMatching(/^--policy: .* can't be used: Line 1 is invalid: /),
    ])
  })

  it('has a time stamp that openssl accepts, as soon as the authority gives one', async () => {
    const { transparencyLog } = portal.running.parts
    await until(async () => (await transparencyLog.newest())?.timestamp !== undefined, 'a time stamp')
    const file = await exportFile('stamped.json')
    const { checkpoint, checkpointTimestamp = '' } = accountExport.parse(JSON.parse(await readFile(file, 'utf8')))
    expect(authority.check(Buffer.from(checkpointTimestamp, 'base64'), ownNote(checkpoint ?? ''))).toBe(
      'Verification: OK',
    )
    expect((await verify(file)).stdout).toMatch(/^Time-stamped on \d+ \w{3} 2\d{3}, \S+ UTC\. /m)

    authority.answerWith(Buffer.from('out of order'))
    await attested('Nowhere')
    const without = accountExport.parse(JSON.parse((await trader.get('/api/user/history/proof')).text))
    expect([without.checkpointTimestamp, parseCheckpoint(without.checkpoint ?? '').signatures.length]).toEqual([
      undefined,
      3,
    ])
    authority.answerWith(undefined)
    await until(async () => (await transparencyLog.newest())?.timestamp !== undefined, 'the next time stamp')
  })
})

it('stops at once, although a witness hangs', async () => {
  const dataDir = join(folder, 'portal')
  await promptly(portal.stop(), 4_000)
  portal = await openPortal({ dataDir, environment: origin })
  // Without a policy there is only the signature of the log.
  const note = await (await fetch(new URL('/log/checkpoint', portal.url))).text()
  expect(parseCheckpoint(note).signatures).toHaveLength(1)
})
