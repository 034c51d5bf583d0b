import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { seal } from '#test-support/small-firm.ts'
import { storedEvents } from '#test-support/stores.ts'
import { checkWithGo, type GoCase, whyNoGo } from '#test-support/stock-go/stock-go.ts'
import { SealingKeys } from '../seal-api.ts'
import { changeAccount } from '#services/trading/stream/account.ts'
import { accountIdOf, userId } from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { limits } from '#services/framework/http/limits.ts'
import { leafText } from '#services/proof/signed-texts.ts'
import { tilePath, tilesOf } from '#services/proof/published-tree.ts'
import { sealedEventOf } from '#services/proof/stored-event-bytes.ts'
import { isCheckpointSigned, parseCheckpoint } from '#services/proof/tree-checkpoint.ts'
import { verifierKeyText } from '#services/proof/verifier-key.ts'
import { logKey } from '#services/proof/witness-cosignature.ts'

/** A portal whose log has more than one full tile, two checkpoints, and an entry after them. */

let portal: Portal
let ada: Trader
let bob: Trader
let publicKey: string
let firstNote: string
let note: string
let events: StoredEvent[]

const changeBalance = async (trader: Trader, times: number) => {
  const id = accountIdOf(userId.parse(trader.id), 1)
  for (let n = 0; n < times; n++)
    await portal.running.parts.repositories
      .of(accountStreams)
      .decide(id, systemContext('test', 'r1'), ({ account }) =>
        changeAccount(account, { balance: toCents(account.balance + 100) }),
      )
}
const readText = async (path: string) => (await portal.browser().get(path)).text
const eventsOf = (trader: Trader) =>
  events.filter(({ stream }) => stream === streamName(accountStreams, accountIdOf(userId.parse(trader.id), 1)))

beforeAll(async () => {
  portal = await openPortal()
  ada = await portal.trader()
  bob = await portal.trader()
  expect((await portal.browser().get('/log/checkpoint')).status).toBe(404)
  await changeBalance(ada, 20)
  await portal.mailed()
  await seal(portal.running.parts)
  firstNote = await readText('/log/checkpoint')
  await changeBalance(bob, 280)
  await seal(portal.running.parts)
  note = await readText('/log/checkpoint')
  await changeBalance(ada, 1)
  events = await storedEvents(portal.running.parts)
  publicKey =
    SealingKeys.parse(await (await fetch(new URL('/.well-known/proofdesk-key.json', portal.url))).json()).keys[0]
      ?.publicKey ?? ''
}, 60_000)
afterAll(() => portal.stop())

describe('the tree over the log', () => {
  it('has a signed checkpoint that anyone may read and caches keep only briefly', async () => {
    const answer = await fetch(new URL('/log/checkpoint', portal.url))
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'public, max-age=5',
    ])
    const checkpoint = parseCheckpoint(note)
    expect(checkpoint.origin).toMatch(/^(localhost|127\.0\.0\.1):\d+\/log$/)
    expect(checkpoint.size).toBeGreaterThan(300)
    expect(await isCheckpointSigned(checkpoint, publicKey)).toBe(true)
  })

  it('has its tiles, for good, and no others', async () => {
    const { size } = parseCheckpoint(note)
    for (const tile of tilesOf(0, size)) {
      const answer = await fetch(new URL(`/log/${tilePath(tile)}`, portal.url))
      expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
        200,
        'application/octet-stream',
        'public, max-age=31536000, immutable',
      ])
      expect((await answer.arrayBuffer()).byteLength).toBe(tile.width * 32)
    }
    for (const path of [
      'tile/0/999',
      'tile/entries/000',
      'tile/0/000.p/256',
      'tile/0/..%2F..%2Fids%2F000',
      'tile/../ids/000',
      'ids/000',
      'checkpoints/000000000300',
    ])
      expect([path, (await fetch(new URL(`/log/${path}`, portal.url))).status]).toEqual([path, 404])
  })
})

describe('a receipt', () => {
  it('is for the trader whom the event is about, and for auditors', async () => {
    const [event] = eventsOf(ada)
    const own = await ada.get(`/api/user/history/${event?.position}/receipt`)
    expect([own.status, own.headers.get('content-disposition')]).toEqual([
      200,
      `attachment; filename="${ada.id}-${event?.position}.tlog-proof"`,
    ])
    const auditor = await portal.auditor()
    expect((await auditor.get(`/api/audit/accounts/${ada.id}/events/${event?.position}/receipt`)).text).toBe(own.text)
    expect((await bob.get(`/api/user/history/${event?.position}/receipt`)).status).toBe(404)
    expect((await auditor.get(`/api/audit/accounts/${bob.id}/events/${event?.position}/receipt`)).status).toBe(404)
    expect((await auditor.get(`/api/audit/accounts/nobody/events/1/receipt`)).status).toBe(404)
    expect((await ada.get('/api/user/history/first/receipt')).status).toBe(400)
    expect((await portal.browser().get(`/api/user/history/${event?.position}/receipt`)).status).toBe(401)
  })

  it('is limited for each person, also for numbers that are not theirs', async () => {
    const carol = await portal.trader()
    const { attempts } = limits.attempts.receiptTrader
    const ask = () => carol.get('/api/user/history/999999/receipt')
    for (let n = 0; n < attempts; n += 50)
      await Promise.all(Array.from({ length: 50 }, async () => expect((await ask()).status).toBe(404)))
    expect((await ask()).status).toBe(429)
    expect((await bob.get('/api/user/history/999999/receipt')).status).toBe(404)
  })

  it('is not there before the event is sealed', async () => {
    const newest = eventsOf(ada).at(-1)
    const answer = await ada.get(`/api/user/history/${newest?.position}/receipt`)
    expect([answer.status, answer.text]).toEqual([
      404,
      '{"message":"This entry has no receipt yet: new entries are sealed within a few minutes"}',
    ])
  })
})

describe.skipIf(whyNoGo)(`stock Go${whyNoGo ? ` (skipped: ${whyNoGo})` : ''}`, () => {
  let folder: string
  let key: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'proofdesk-go-'))
    key = verifierKeyText(logKey(parseCheckpoint(note).origin, publicKey), 'log')
    for (const tile of tilesOf(0, parseCheckpoint(note).size)) {
      const path = join(folder, tilePath(tile))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, Buffer.from(await (await fetch(new URL(`/log/${tilePath(tile)}`, portal.url))).arrayBuffer()))
    }
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const entryOf = (index: number) => {
    const event = events[index]
    if (!event) throw new Error(`There is no event ${index}`)
    return leafText(sealedEventOf(event))
  }
  const base64 = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('base64'))
  const inclusion = async (index: number): Promise<GoCase> => {
    const { size } = parseCheckpoint(note)
    return {
      key,
      note,
      index,
      entry: entryOf(index),
      path: base64(await portal.running.parts.transparencyLog.pathOf(index, size)),
    }
  }
  const consistency = async (): Promise<GoCase> => {
    const [first, second] = [parseCheckpoint(firstNote).size, parseCheckpoint(note).size]
    return {
      key,
      note,
      before: firstNote,
      consistency: base64(await portal.running.parts.transparencyLog.consistencyOf(first, second)),
    }
  }
  const receipts = async () => {
    const sealed = eventsOf(ada).slice(0, -1)
    return Promise.all(
      sealed.map(async ({ position }) => (await ada.get(`/api/user/history/${position}/receipt`)).text),
    )
  }
  /** The text with one character changed, for each of its characters but line ends. */
  const changed = (text: string) =>
    Array.from(text, (character, at) =>
      character === '\n' ? [] : [text.slice(0, at) + (character === 'A' ? 'Q' : 'A') + text.slice(at + 1)],
    ).flat()

  it('accepts checkpoints, inclusion, consistency, tiles and receipts', async () => {
    const { size } = parseCheckpoint(note)
    const indexes = [0, 1, 17, 255, 256, 257, size - 1]
    const cases: GoCase[] = [
      { key, note: firstNote },
      { key, note },
      await consistency(),
      ...(await Promise.all(indexes.map(inclusion))),
      ...indexes.map((index) => ({ key, note, index, entry: entryOf(index), tiles: folder })),
      ...(await receipts()).map((receipt) => ({ key, receipt })),
    ]
    expect(cases.length).toBeGreaterThan(30)
    expect(checkWithGo(cases)).toEqual(cases.map(() => ''))
  }, 120_000)

  it('refuses edited ones', async () => {
    const [proof, whole, receipt] = [await inclusion(17), await consistency(), (await receipts())[3] ?? '']
    const lists = (list: readonly string[] = []) => [
      list.slice(1),
      list.slice(0, -1),
      list.toReversed(),
      [...list, ...list.slice(0, 1)],
      ...list.map((_, n) => list.toSpliced(n, 1, base64([Buffer.alloc(32)])[0] ?? '')),
    ]
    const lines = receipt.split('\n')
    const cases: GoCase[] = [
      ...changed(note).map((edited) => ({ key, note: edited })),
      { key, note: note.replace(/^.*\n\d+/, (head) => `${head}0`) },
      { key: key.replace(/.{4}$/, 'AAA='), note },
      { ...proof, entry: entryOf(18) },
      { ...proof, index: 18 },
      { ...proof, note: firstNote },
      ...lists(proof.path).map((path) => ({ ...proof, path })),
      ...lists(whole.consistency).map((edited) => ({ ...whole, consistency: edited })),
      { ...whole, note: firstNote, before: note },
      ...changed(receipt).map((edited) => ({ key, receipt: edited })),
      ...lines.slice(0, -1).map((_, n) => ({ key, receipt: lines.toSpliced(n, 1).join('\n') })),
    ]
    const results = checkWithGo(cases)
    expect(cases.filter((_, n) => results[n] === '')).toEqual([])
    const tile = join(folder, tilePath({ level: 0, index: 0, width: 256 }))
    const bytes = readFileSync(tile)
    writeFileSync(
      tile,
      bytes.map((byte, at) => (at === 17 * 32 ? byte ^ 1 : byte)),
    )
    const withTiles = [17, 18, 255].map((index) => ({ key, note, index, entry: entryOf(index), tiles: folder }))
    expect(checkWithGo(withTiles)).not.toContain('')
    writeFileSync(tile, bytes)
  }, 120_000)
})
