import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { runCommand } from '#test-support/command-line.ts'
import { someForgeriesOf } from '#test-support/export-attacks.ts'
import { exportedAccount } from '#test-support/exported-account.ts'
import { temporaryFolder } from '#test-support/program.ts'
import { randomSeed } from '#test-support/random-seed.ts'
import { checkWithGo, whyNoGo } from '#test-support/stock-go/stock-go.ts'
import { cosigned, testLogKey, witnessedLog, witnessKey } from '#test-support/witnessed-log.ts'
import { receiptOf } from './event-receipt.ts'
import { checkFork, NoFork, proveFork } from './fork-proof.ts'
import { signingKeyOf } from './seal-signing.ts'
import { verifierKeyText } from './verifier-key.ts'
import { logKey } from './witness-cosignature.ts'

let firm: Awaited<ReturnType<typeof exportedAccount>>
beforeAll(async () => void (firm = await exportedAccount({ changes: 30 })))
afterAll(() => firm.close())

const isAdas = ({ stream }: StoredEvent) => stream === 'account-ada00000-a1'
/** The history with another balance in one event: Ada's nth, or one of another trader. */
function altered(whose: (event: StoredEvent) => boolean, n = 0): readonly StoredEvent[] {
  const index = firm.events.findIndex(
    (event, at) =>
      event.type === 'BalanceChanged' &&
      whose(event) &&
      firm.events.slice(0, at).filter((e) => e.type === 'BalanceChanged' && whose(e)).length === n,
  )
  return firm.events.map((event, at) =>
    at === index ? { ...event, data: event.data.replace('"to":"', '"to":"9') } : event,
  )
}
const key = () => firm.keys[1]
const logOf = (events: readonly StoredEvent[], size: number) => firm.logOf(events, key(), size)
const exportOf = (events: readonly StoredEvent[], size: number) => firm.fileOf('trader', events, logOf(events, size))
async function receipt(events: readonly StoredEvent[], size: number, index: number): Promise<string> {
  const event = events[index]
  const text = event && (await receiptOf(event, logOf(events, size)))
  if (text === undefined) throw new Error('There is no such receipt')
  return text
}
const noteOf = async (events: readonly StoredEvent[], size: number) => (await logOf(events, size).newest())?.note ?? ''
const keysOf = () => [key().publicKey]
const provenBy = async (one: string, other: string) => checkFork(await proveFork(one, other, keysOf()))

describe('a fork', () => {
  it('is proven by two checkpoints of one size', async () => {
    const [one, other] = [await noteOf(firm.events, 30), await noteOf(altered(isAdas), 30)]
    expect(await provenBy(one, other)).toMatchObject({
      origin: 'portal.example/log',
      sizes: [30, 30],
      low: 0,
      high: 30,
    })
    // Cosignatures do not matter.
    expect(await provenBy(cosigned(one, witnessKey('w', 1), 5), other)).toMatchObject({ sizes: [30, 30] })
  })

  it('is proven by exports of different sizes, and names the entry', async () => {
    const index = firm.events.findIndex((event) => event.type === 'BalanceChanged' && isAdas(event))
    const fork = await provenBy(await exportOf(firm.events, 32), await exportOf(altered(isAdas), 45))
    expect(fork).toMatchObject({ sizes: [32, 45], low: index, high: index + 1 })
    const [one, other] = fork.entries ?? []
    expect([one === other, one?.split('"').slice(0, 8)]).toEqual([false, other?.split('"').slice(0, 8)])
  })

  it('is proven by exports of an account that the fork left alone', async () => {
    const others = altered((event) => !isAdas(event))
    const index = firm.events.findIndex((event) => event.type === 'BalanceChanged' && !isAdas(event))
    for (const [one, other] of [
      [32, 45],
      [45, 31],
      [40, 40],
    ] as const) {
      const { low, high } = await provenBy(await exportOf(firm.events, one), await exportOf(others, other))
      expect([low <= index, index < high]).toEqual([true, true])
    }
  })

  it('is proven by receipts, by a receipt and an export, and by a whole tree of 2^n entries', async () => {
    const others = altered((event) => !isAdas(event))
    const index = firm.events.findIndex((event) => event.type === 'BalanceChanged' && !isAdas(event))
    for (const [one, other] of [
      [await receipt(firm.events, 33, index), await receipt(others, 44, index)],
      [await receipt(firm.events, 33, 0), await receipt(others, 44, 40)],
      [await receipt(firm.events, 33, 3), await exportOf(others, 44)],
      [await noteOf(firm.events, 32), await receipt(others, 44, 5)],
    ] as const)
      expect((await provenBy(one, other)).origin).toBe('portal.example/log')
  })

  it.skipIf(whyNoGo)('is proven by parts that Go accepts', async () => {
    const fork: { first: string; second: string } = JSON.parse(
      await proveFork(await exportOf(firm.events, 32), await exportOf(altered(isAdas), 45)),
    )
    const vkey = verifierKeyText(logKey('portal.example/log', key().publicKey), 'log')
    expect(checkWithGo([fork.first, fork.second].map((text) => ({ key: vkey, receipt: text })))).toEqual(['', ''])
  })

  it('is never found in one history', async () => {
    const log = witnessedLog()
    const receiptIn = async (index: number, size: number) => {
      const { tree } = log
      if (!tree.leaves[index]) throw new Error('There is no such leaf')
      const { MerkleTree } = await import('#test-support/merkle-tree.ts')
      const path = new MerkleTree(tree.leaves.slice(0, size)).inclusion(index)
      const extra = Buffer.from(`event ${index}`).toString('base64')
      return [
        'c2sp.org/tlog-proof@v1',
        `extra ${extra}`,
        `index ${index}`,
        ...path.map((hash) => hash.toString('base64')),
        '',
        await log.note(size),
      ].join('\n')
    }
    const leafAndSize = fc.integer({ min: 1, max: 300 }).chain((size) => fc.tuple(fc.nat(size - 1), fc.constant(size)))
    await fc.assert(
      fc.asyncProperty(leafAndSize, leafAndSize, async ([i, n], [j, m]) => {
        await expect(proveFork(await receiptIn(i, n), await receiptIn(j, m), [testLogKey.publicKey])).rejects.toThrow(
          NoFork,
        )
      }),
      { seed: randomSeed(), numRuns: 100 },
    )
    for (const [one, other] of [
      [await exportOf(firm.events, 32), await exportOf(firm.events, 45)],
      [await exportOf(firm.events, 45), await receipt(firm.events, 33, 2)],
    ] as const)
      await expect(proveFork(one, other, keysOf())).rejects.toThrow(
        'They do not contradict each other, as far as they show',
      )
  })

  it('is not proven by checkpoints of two sizes, of two logs or by two keys', async () => {
    const forked = altered(isAdas)
    await expect(provenBy(await noteOf(firm.events, 31), await noteOf(forked, 45))).rejects.toThrow(
      'give exports or receipts',
    )
    await expect(provenBy(await noteOf(firm.events, 31), await noteOf(firm.events, 31))).rejects.toThrow(
      'They are of one history',
    )
    const stranger = signingKeyOf(new Uint8Array(32).fill(9))
    const byStranger = (await firm.logOf(forked, stranger, 31).newest())?.note ?? ''
    await expect(provenBy(await noteOf(firm.events, 31), byStranger)).rejects.toThrow(
      'They are not signed with the same key',
    )
    await expect(
      provenBy(await noteOf(firm.events, 31), await witnessedLog({ origin: 'other.example/log' }).note(31)),
    ).rejects.toThrow('two logs')
    await expect(proveFork(await noteOf(firm.events, 31), await noteOf(forked, 31))).rejects.toThrow(
      'name it with --log',
    )
    for (const text of ['', '{}', 'nothing\n', await noteOf(firm.events, 31).then((note) => note.slice(1))])
      await expect(provenBy(text, await noteOf(forked, 31))).rejects.toThrow(NoFork)
  })

  it('cannot be made up, whatever is changed in a file about one history', async () => {
    const honest = {
      format: 'proofdesk fork 1',
      publicKey: key().publicKey,
      first: await receipt(firm.events, 33, 5),
      second: await receipt(firm.events, 44, 5),
    }
    await expect(checkFork(JSON.stringify(honest))).rejects.toThrow('do not contradict each other')
    for (const { name, text } of someForgeriesOf(JSON.stringify(honest), 600))
      expect([name, await checkFork(text()).catch((error: unknown) => error instanceof NoFork)]).toEqual([name, true])
    // A proof of a fork stays one or is refused; nothing else comes of it.
    const real = await proveFork(await exportOf(firm.events, 32), await exportOf(altered(isAdas), 45))
    for (const { name, text } of someForgeriesOf(real, 300)) {
      const found = await checkFork(text()).catch((error: unknown) => error)
      if (!(found instanceof NoFork))
        expect([name, found]).toEqual([
          name,
          expect.objectContaining({ origin: 'portal.example/log', publicKey: key().publicKey }),
        ])
    }
  })
})

describe('the command', () => {
  it('writes one file, which is checked on its own', async () => {
    const folder = temporaryFolder()
    const path = (name: string) => join(folder, name)
    writeFileSync(path('a'), await exportOf(firm.events, 32))
    writeFileSync(path('b'), await exportOf(altered(isAdas), 45))
    writeFileSync(path('c'), await noteOf(firm.events, 45))
    const made = await runCommand(['prove-fork', path('a'), path('b'), '--out', path('fork')], {})
    expect([made.code, made.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Fork proven: one key of portal\.example\/log signed two histories, of 32 and of 45 entries\. They differ at entry \d+, /,
      ),
    ])
    expect(made.stdout).toContain('One step is left to you: ask whose key it is')
    const vkey = verifierKeyText(logKey('portal.example/log', key().publicKey), 'log')
    const checked = await runCommand(['prove-fork', '--check', path('fork'), '--log', vkey], {})
    expect([checked.code, checked.stdout]).toEqual([0, expect.stringMatching(/It is the key that you named\.\n$/)])
    const other = verifierKeyText(logKey('portal.example/log', firm.keys[0].publicKey), 'log')
    expect(await runCommand(['prove-fork', '--check', path('fork'), '--log', other], {})).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^No fork is proven\. Another key/),
    })
    expect(await runCommand(['prove-fork', path('a'), path('c'), '--out', path('none')], {})).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^No fork is proven\. /),
    })
    expect(await runCommand(['prove-fork', path('a')], {})).toMatchObject({
      code: 1,
      stderr: 'Name two files, and with --out the file to write\n',
    })
  })
})
