import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StoredEvent, toPosition } from '#infra/event-store/event-store.ts'
import { runCommand } from '#test-support/command-line.ts'
import { someForgeriesOf } from '#test-support/export-attacks.ts'
import { exportedAccount, signedFile } from '#test-support/exported-account.ts'
import { temporaryFolder } from '#test-support/program.ts'
import { checkWithGo, whyNoGo } from '#test-support/stock-go/stock-go.ts'
import { checkFraud, NoFraud, proveFraud } from './contradiction.ts'
import { receiptOf } from './event-receipt.ts'
import { accountExport } from './export-format.ts'
import { signingKeyOf } from './seal-signing.ts'
import { verifierKeyText } from './verifier-key.ts'
import { logKey } from './witness-cosignature.ts'

/** Attack A3: the firm, which has all keys, tells two stories. */

let firm: Awaited<ReturnType<typeof exportedAccount>>
beforeAll(async () => void (firm = await exportedAccount({ changes: 30 })))
afterAll(() => firm.close())

const ACCOUNT = 'account-ada00000-a1'
const key = () => firm.keys[1]
const sizeAt = (n: number) => firm.sizes.at(n) ?? 0
const exportOf = (events: readonly StoredEvent[], size: number, signer = key()) =>
  firm.fileOf('trader', events, firm.logOf(events, signer, size))
const receipt = async (events: readonly StoredEvent[], size: number, find: (event: StoredEvent) => boolean) => {
  const event = events.find(find)
  return (event && (await receiptOf(event, firm.logOf(events, key(), size)))) ?? ''
}

/** The history with another balance in one event of Ada's account. */
const altered = () => {
  const at = firm.events.findIndex(({ type, stream }) => type === 'BalanceChanged' && stream === ACCOUNT)
  return firm.events.map((event, n) => (n === at ? { ...event, data: event.data.replace('"to":"', '"to":"9') } : event))
}

/** The history in which the last covered entries of the account were another's. */
const shortened = (count = 1) => {
  const covered = firm.events.slice(0, firm.covered)
  const last = covered.filter(({ stream }) => stream === ACCOUNT).slice(-count)
  return covered.map((event) =>
    last.includes(event) ? { ...event, stream: 'account-bob00000-a9', revision: last.indexOf(event) } : event,
  )
}

describe('two files', () => {
  it('prove a fraud by two entries at one revision of a stream, under two checkpoints or one tree size', async () => {
    const changed = altered()
    for (const [one, other] of [
      [sizeAt(-1), sizeAt(-1)],
      [sizeAt(-2), sizeAt(-1)],
      [sizeAt(-1), sizeAt(-2)],
    ] as const) {
      const found = await checkFraud(await proveFraud(await exportOf(firm.events, one), await exportOf(changed, other)))
      expect(found).toMatchObject([
        { kind: 'entry', stream: ACCOUNT, keyId: expect.stringMatching(`^${key().id}[0-9a-f]{16}$`) },
        { kind: 'entry', stream: ACCOUNT, keyId: expect.stringMatching(`^${key().id}[0-9a-f]{16}$`) },
      ])
      expect(found[0].revision).toBe(found[1].revision)
      expect(found[0].leaf).not.toBe(found[1].leaf)
    }
  })

  it('prove it by two entries at one revision in one tree', async () => {
    // Approved for one reader, rejected for another, in one log that witnesses see.
    const approved = firm.events.findIndex(({ type }) => type === 'PayoutApproved')
    const event = firm.events[approved]
    const at = firm.covered - 1
    if (!event) throw new Error('There is no payout')
    const twin: StoredEvent = { ...event, id: '00000000-0000-4000-8000-000000000000', type: 'PayoutRejected' }
    const later = firm.events
      .slice(at)
      .map((each) => ({ ...each, position: toPosition(`${Number(each.position) + 1}`) }))
    const both = [
      ...firm.events.slice(0, at),
      { ...twin, position: firm.events[at]?.position ?? toPosition('1') },
      ...later,
    ]
    const size = firm.covered + 1
    const story = (wanted: string) =>
      receipt(
        both,
        size,
        ({ type, revision, stream }) => type === wanted && stream === ACCOUNT && revision === event.revision,
      )
    const honest = await exportOf(firm.events, sizeAt(-2))
    // A receipt names no key: an export of the same firm does.
    const found = await checkFraud(await proveFraud(honest, await story('PayoutRejected')))
    expect(found.map(({ says }) => / is (\w+),/.exec(says)?.[1])).toEqual(['PayoutApproved', 'PayoutRejected'])
  })

  it('prove it by an end before an entry that was recorded, in either order', async () => {
    const [whole, short] = [await exportOf(firm.events, sizeAt(-1)), await exportOf(shortened(), sizeAt(-1))]
    for (const files of [
      [whole, short],
      [short, whole],
    ] as const) {
      const found = await checkFraud(await proveFraud(...files))
      expect(found.some(({ kind }) => kind === 'end')).toBe(true)
    }
  })

  it('prove it by two ends, of one size or in the wrong order', async () => {
    const withoutEntries = async (events: readonly StoredEvent[], size: number) => {
      const log = firm.logOf(events, key(), size)
      const content = accountExport.parse(JSON.parse(await firm.fileOf('trader', events, log)))
      const own = content.events.filter(({ stream }) => stream !== ACCOUNT)
      const indexes = own.flatMap(({ index }) => index ?? [])
      const inclusion = (await log.inclusionOf([...indexes, size - 1], size)).map((hash) => hash.toString('base64'))
      return signedFile(JSON.parse(JSON.stringify({ ...content, events: own, inclusion })), key())
    }
    for (const size of [sizeAt(-1), sizeAt(-2)]) {
      const files = [await withoutEntries(firm.events, size), await withoutEntries(shortened(5), sizeAt(-1))] as const
      expect(await checkFraud(await proveFraud(...files))).toMatchObject([{ kind: 'end' }, { kind: 'end' }])
    }
    // A stream that only grew contradicts nothing.
    const earlier = await withoutEntries(firm.events, sizeAt(-2))
    await expect(proveFraud(earlier, await withoutEntries(firm.events, sizeAt(-1)))).rejects.toThrow(NoFraud)
  })

  it.skipIf(whyNoGo)('give receipts that Go accepts', async () => {
    const proof: { statements: { receipt: string }[] } = JSON.parse(
      await proveFraud(await exportOf(firm.events, sizeAt(-1)), await exportOf(altered(), sizeAt(-2))),
    )
    const vkey = verifierKeyText(logKey('portal.example/log', key().publicKey), 'log')
    expect(checkWithGo(proof.statements.map((each) => ({ key: vkey, receipt: each.receipt })))).toEqual(['', ''])
  })

  it('of one history prove nothing, whichever checkpoints they have', async () => {
    const files = await Promise.all(firm.sizes.slice(-4).map((size) => exportOf(firm.events, size)))
    for (const one of files)
      for (const other of files)
        await expect(proveFraud(one, other)).rejects.toThrow('They do not contradict each other')
    await expect(
      proveFraud(files[0] ?? '', await receipt(firm.events, sizeAt(-1), ({ stream }) => stream === ACCOUNT)),
    ).rejects.toThrow(NoFraud)
  })

  it('prove nothing when a stranger signed one of them', async () => {
    const stranger = signingKeyOf(new Uint8Array(32).fill(9))
    const content = accountExport.parse(JSON.parse(await exportOf(altered(), sizeAt(-1), stranger)))
    const keys = [{ id: stranger.id, publicKey: stranger.publicKey, endorsement: null }]
    const theirs = signedFile({ ...JSON.parse(JSON.stringify(content)), keys }, stranger)
    const ours = await exportOf(firm.events, sizeAt(-1))
    await expect(proveFraud(ours, theirs)).rejects.toThrow('They are signed with two keys')
    await expect(proveFraud(ours, theirs, [key().id])).rejects.toThrow('which you did not name')
    expect(
      await checkFraud(await proveFraud(ours, theirs, [key().id, stranger.id]), [key().id, stranger.id]),
    ).toHaveLength(2)
  })

  it.each(['', '{}', '[]', 'c2sp.org/tlog-proof@v1\n', '{"format":"proofdesk fraud 1","statements":[]}'])(
    'that are none of ours prove nothing: %j',
    async (text) => {
      await expect(proveFraud(text, await exportOf(firm.events, sizeAt(-1)))).rejects.toThrow(NoFraud)
      await expect(checkFraud(text)).rejects.toThrow(NoFraud)
    },
  )
})

/** What a file proves, whichever statement comes first. */
const inOneOrder = (found: unknown) =>
  Array.isArray(found) ? found.map((each) => JSON.stringify(each)).toSorted() : found

describe('a file that proves a fraud', () => {
  it('cannot be made up of one history, whatever is changed in it', async () => {
    const entry = ({ stream }: StoredEvent) => stream === ACCOUNT
    const statement = async (size: number) => ({
      publicKey: key().publicKey,
      receipt: await receipt(firm.events, size, entry),
      end: null,
    })
    const honest = {
      format: 'proofdesk fraud 1',
      statements: [await statement(sizeAt(-1)), await statement(sizeAt(-2))],
    }
    await expect(checkFraud(JSON.stringify(honest))).rejects.toThrow('do not contradict each other')
    for (const { name, text } of someForgeriesOf(JSON.stringify(honest), 600))
      expect([name, await checkFraud(text()).catch((error: unknown) => error instanceof NoFraud)]).toEqual([name, true])
    const real = await proveFraud(await exportOf(firm.events, sizeAt(-1)), await exportOf(shortened(), sizeAt(-1)))
    for (const { name, text } of someForgeriesOf(real, 300)) {
      const found = await checkFraud(text()).catch((error: unknown) => error)
      // In the other order, the two statements still contradict each other.
      if (!(found instanceof NoFraud))
        expect([name, inOneOrder(found)]).toEqual([name, inOneOrder(await checkFraud(real))])
    }
  })

  it('is written by the command, and checked on its own', async () => {
    const folder = temporaryFolder()
    const path = (name: string) => join(folder, name)
    writeFileSync(path('a'), await exportOf(firm.events, sizeAt(-2)))
    writeFileSync(path('b'), await exportOf(altered(), sizeAt(-1)))
    writeFileSync(path('c'), await exportOf(firm.events, sizeAt(-1)))
    const made = await runCommand(['verify', path('a'), path('b'), '--out', path('proof'), '--key', key().id], {})
    expect(made).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('FRAUD PROVEN: the firm signed two statements'),
    })
    expect(readFileSync(path('proof'), 'utf8')).not.toContain('Ada Lovelace')
    const checked = await runCommand(['verify', path('proof'), '--key', key().id], {})
    expect(checked).toMatchObject({ code: 1, stdout: expect.stringMatching(/the key that you trust\.\n$/) })
    expect(await runCommand(['verify', path('proof'), '--key', firm.keys[0].id], {})).toMatchObject({
      stdout: expect.stringMatching(/^No fraud is proven\. One is signed with key/),
    })
    const same = await runCommand(['verify', path('a'), path('c'), '--key', key().id], {})
    expect(same).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/No fraud is proven\. They do not contradict each other\.\n$/),
    })
  })
})
