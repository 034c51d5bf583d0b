import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Libsql from 'libsql'
import { pino } from 'pino'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteEventStore } from '#infra/event-store/sqlite-event-store.ts'
import type { EventStore, StoredEvent } from '#infra/event-store/event-store.ts'
import { createDiskFileStore } from '#infra/file-store/disk-file-store.ts'
import { openSqliteKeyStore } from '#infra/key-store/sqlite-key-store.ts'
import { openSqliteReadModelStore } from '#infra/read-model-store/sqlite-read-model-store.ts'
import { openSqliteTreeStore } from '#infra/tree-store/sqlite-tree-store.ts'
import { collect } from '#test-support/sample-events.ts'
import { changeAccount, openAccount } from '#services/trading/stream/account.ts'
import { accountId, accountIdOf, ownerOf, userId } from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import { eventHash } from '#services/event-sourcing/codec/hash-chain.ts'
import { ForgedEvent, type RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { createRepositories } from '#services/event-sourcing/aggregate-repository.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { MissingEvents } from '#services/event-sourcing/missing-events.ts'
import { createPersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { deriveSecrets } from '#services/process/keys/derived-secrets.ts'
import { LostSeals, recordRestoration, sealEvents, type SealEvent, sealStreams } from './seal.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { accountExport } from './account-export.ts'
import { createCheckpointAttestations } from './checkpoint-attestations.ts'
import { verifyExport } from '#services/oversight/audit/export-verification.ts'
import { createTransparencyLog } from './transparency-log.ts'
import type { PublicKey } from './signed-texts.ts'
import { leafOfEvent } from './stored-event-bytes.ts'
import { GrowingMerkleTree } from './merkle-tree.ts'
import { emptyMap, type HeadMap, keyOf, rootOf, toBytes, withHead } from './head-map.ts'
import { createEventTree } from './event-tree.ts'
import { checkLogAtStart } from './log-start.ts'
import { createSealedSize, SEALED_SIZE_ID } from './sealed-size.ts'
import { committedRoot, createStreamHeads } from './stream-heads.ts'
import { createPublishedTree, tilePath, tilesOf } from './published-tree.ts'
import { AlteredLog, createSealer } from './sealer.ts'
import { checkpointBody, checkpointNote, parseCheckpoint } from './tree-checkpoint.ts'
import { type SigningKey, signingKey, signingKeyOf, signingKeys } from './seal-signing.ts'
import {
  type LogVerification,
  unverified,
  verificationState,
  type VerifyDependencies,
  verifyInSteps,
  verifyLog,
} from './log-verification.ts'

/** A log of three seals and an unsealed tail, and an attacker who can write to its file. */

const people = ['anna0001', 'bert0002', 'cleo0003'].map((id) => accountIdOf(userId.parse(id), 1))
const context = systemContext('test', 'r1')
const silent = pino({ level: 'silent' })

let folder: string
let key: PublicKey
/** The end of the log after each seal. */
let sealedAt: number[]

const open = () => {
  const eventStore = openSqliteEventStore(join(folder, 'events.sqlite'))
  const keyStore = openSqliteKeyStore(join(folder, 'keys.sqlite'))
  const readModelStore = openSqliteReadModelStore(join(folder, 'views.sqlite'))
  const secrets = deriveSecrets('a master key for tests of 32 characters')
  const keys = createPersonKeys(keyStore, secrets)
  const forgedRows: string[] = []
  const sealedSize = createSealedSize(keyStore, secrets, { onForgedRow: (id) => forgedRows.push(id) })
  const repositories = createRepositories(eventRegistry, eventStore, keys)
  const treeStore = openSqliteTreeStore(join(folder, 'tree.sqlite'))
  const files = createDiskFileStore(join(folder, 'seals'))
  const publishedTree = createPublishedTree(files)
  const tree = createEventTree(treeStore)
  const streamHeads = createStreamHeads(treeStore)
  const parts = { eventStore, repositories, publishedTree, sealedSize, tree, streamHeads, personKeys: keys }
  const sealer = createSealer({ ...parts, origin: 'portal.example/log', checkpoints: readModelStore.checkpoints })
  const close = async () => {
    for (const store of [eventStore, keyStore, readModelStore, treeStore]) await store.close()
  }
  return { ...parts, sealer, keys, keyStore, forgedRows, close }
}

/** Changes every account's balance this many times, in turn. */
async function changeBalances(changes: number): Promise<void> {
  const { repositories, close } = open()
  for (let n = 0; n < changes; n++)
    for (const id of people)
      await repositories
        .of(accountStreams)
        .decide(id, context, ({ account }) =>
          account.open ? changeAccount(account, { balance: toCents(account.balance + 100) }) : openAccount(account, id),
        )
  await close()
}

const withParts = async <Result>(work: (parts: ReturnType<typeof open>) => Promise<Result>): Promise<Result> => {
  const parts = open()
  try {
    return await work(parts)
  } finally {
    await parts.close()
  }
}

/** The result at once, which is also that of a verification that is interrupted after each step. */
const verify = (keys: readonly PublicKey[] = [key]): Promise<LogVerification> =>
  withParts(async (parts) => {
    const result = await verifyLog({ ...parts, keys })
    expect(await verifyInterrupted({ ...parts, keys, batchSize: 4 })).toEqual(result)
    return result
  })

async function verifyInterrupted(parts: VerifyDependencies): Promise<LogVerification> {
  let kept = JSON.stringify(unverified)
  for (;;)
    for await (const { state, result } of verifyInSteps(parts, verificationState.parse(JSON.parse(kept)))) {
      if (result) return result
      const before = kept
      kept = JSON.stringify(state)
      if (kept !== before) break
    }
}

/** Writes to the log's file, as an attacker would. */
function tamper(work: (database: Libsql.Database) => void): void {
  const database = new Libsql(join(folder, 'events.sqlite'))
  work(database)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

const published = (...path: string[]) => join(folder, 'seals', ...path)
const checkpointFile = (size: number) => published('checkpoints', String(size).padStart(12, '0'))

/** The log, made once: each test has a copy. */
let original: { readonly folder: string; readonly sealedAt: number[] } | undefined

beforeEach(async () => {
  original ??= await createOriginal()
  folder = await mkdtemp(join(tmpdir(), 'proofdesk-proof-'))
  cpSync(original.folder, folder, { recursive: true })
  sealedAt = [...original.sealedAt]
  key = await withParts(({ keys }) => signingKey(keys, 1, 1))
})

const createOriginal = async () => {
  folder = await mkdtemp(join(tmpdir(), 'proofdesk-proof-'))
  sealedAt = []
  for (const changes of [5, 4, 6]) {
    await changeBalances(changes)
    await withParts(async (parts) => {
      expect(await parts.sealer.sealAll()).toBe(1)
      sealedAt.push(Number(await parts.eventStore.end()))
    })
  }
  await changeBalances(2)
  return { folder, sealedAt }
}
afterEach(() => rmSync(folder, { recursive: true }))
afterAll(() => {
  if (original) rmSync(original.folder, { recursive: true })
})

/** Alters the file, and returns the expected finding. */
type Attack = (database: Libsql.Database) => { readonly kind: string; readonly number: number | null }

const column =
  (name: 'data' | 'metadata' | 'type' | 'id') =>
  (at: number): Attack =>
  (database) => {
    const value =
      name === 'id'
        ? "replace(id, substr(id, 1, 1), CASE substr(id, 1, 1) WHEN '0' THEN '1' ELSE '0' END)"
        : name === 'type'
          ? "'ProfitLossChanged'"
          : name === 'data'
            ? 'replace(data, \'"to":"\', \'"to":"9\')'
            : "replace(metadata, 'test', 'Test')"
    database.exec(`UPDATE events SET ${name} = ${value} WHERE position = ${at}`)
    return { kind: name === 'id' ? 'added' : 'altered', number: at }
  }

const attacks: readonly (readonly [string, Attack])[] = [
  ...[7, 20, 40].map((at) => [`the data of event ${at}`, column('data')(at)] as const),
  ...[7, 20, 40].map((at) => [`the metadata of event ${at}`, column('metadata')(at)] as const),
  ['the type of an event', column('type')(12)],
  ['the id of an event', column('id')(12)],
  [
    'an event dropped',
    (database) => (database.exec('DELETE FROM events WHERE position = 11'), { kind: 'missing', number: 11 }),
  ],
  [
    'an event dropped, and the positions after it closed up',
    (database) => {
      database.exec('DELETE FROM events WHERE position = 11')
      database.exec('UPDATE events SET position = position - 1 WHERE position > 11')
      return { kind: 'missing', number: 11 }
    },
  ],
  [
    'the last event of a range dropped',
    (database) => (database.exec('DELETE FROM events WHERE position = 15'), { kind: 'missing', number: 15 }),
  ],
  [
    'two events swapped in the log',
    (database) => {
      database.exec('UPDATE events SET position = -1 WHERE position = 8')
      database.exec('UPDATE events SET position = 8 WHERE position = 10')
      database.exec('UPDATE events SET position = 10 WHERE position = -1')
      return { kind: 'reordered', number: 8 }
    },
  ],
  [
    'two events of one stream swapped with all their bytes',
    (database) => {
      database.exec('CREATE TEMP TABLE one AS SELECT id, type, data, metadata FROM events WHERE position = 7')
      database.exec(
        'UPDATE events SET (id, type, data, metadata) = (SELECT id, type, data, metadata FROM events WHERE position = 10) WHERE position = 7',
      )
      database.exec(
        'UPDATE events SET (id, type, data, metadata) = (SELECT id, type, data, metadata FROM one) WHERE position = 10',
      )
      return { kind: 'reordered', number: 7 }
    },
  ],
  [
    'an event added between others',
    (database) => {
      database.exec('UPDATE events SET position = position + 1000 WHERE position >= 9')
      database.exec('UPDATE events SET position = position - 999 WHERE position >= 1009')
      database.exec(
        "INSERT INTO events SELECT 9, 'account-eve00004-a1', 0, '00000000-0000-4000-8000-000000000000', type, data, metadata FROM events WHERE position = 1",
      )
      return { kind: 'added', number: 9 }
    },
  ],
  [
    'the log truncated after a sealed event',
    (database) => (database.exec('DELETE FROM events WHERE position > 40'), { kind: 'missing', number: 41 }),
  ],
  [
    'the log truncated after the first seal',
    (database) => (database.exec('DELETE FROM events WHERE position > 16'), { kind: 'missing', number: 17 }),
  ],
  [
    'the log truncated before its last seal',
    (database) => (database.exec('DELETE FROM events WHERE position >= 52'), { kind: 'missing', number: null }),
  ],
]

describe('with seals', () => {
  describe('an unaltered log', () => {
    it('is verified to its end, with the number of unsealed events', async () => {
      const { facts, seals, unsealed, sealedUpTo, finding } = await verify()
      expect(finding).toBeNull()
      // The event of a seal comes after its range, under the next seal.
      expect([seals, unsealed, Number(sealedUpTo)]).toEqual([3, 7, (sealedAt[2] ?? 0) - 1])
      expect(facts).toBe(3 * 17 + 1 + 2 * 3)
    })

    it('is verified without published seals too', async () => {
      rmSync(join(folder, 'seals'), { recursive: true })
      expect((await verify()).finding).toBeNull()
    })

    it('is not sealed again without new events', async () => {
      await withParts(async ({ sealer }) =>
        expect([await sealer.sealAll(), await sealer.sealAll(), await sealer.sealAll()]).toEqual([1, 0, 0]),
      )
      expect(await verify()).toMatchObject({ seals: 4, unsealed: 1, finding: null })
    })
  })

  describe('an altered log', () => {
    it.each(attacks)('is detected, and the first event named: %s', async (_, attack) => {
      let expected: ReturnType<Attack> | undefined
      tamper((database) => (expected = attack(database)))
      const { finding } = await verify()
      expect(finding?.kind).toBe(expected?.kind)
      expect(finding?.number).toBe(expected?.number === null ? null : String(expected?.number))
    })

    it.each(attacks.slice(0, -3))('is detected without published seals too: %s', async (_, attack) => {
      tamper((database) => void attack(database))
      rmSync(join(folder, 'seals'), { recursive: true })
      expect((await verify()).finding).not.toBeNull()
    })

    it('is detected with any single byte of a sealed event changed', async () => {
      for (let at = 1; at <= 15; at += 2)
        for (const name of ['data', 'metadata', 'type', 'stream'] as const) {
          let before: unknown
          tamper((database) => {
            const row: unknown = database.prepare(`SELECT ${name} AS text FROM events WHERE position = ?`).get(at)
            before = row
            const text = typeof row === 'object' && row !== null && 'text' in row ? String(row.text) : ''
            const byte = (at * 7) % text.length
            const changed = text.slice(0, byte) + (text[byte] === 'x' ? 'y' : 'x') + text.slice(byte + 1)
            database.prepare(`UPDATE events SET ${name} = ? WHERE position = ?`).run(changed, at)
          })
          const { finding } = await verify()
          expect([finding?.kind, finding?.number], name).toEqual(['altered', String(at)])
          tamper((database) => {
            const text = typeof before === 'object' && before !== null && 'text' in before ? String(before.text) : ''
            database.prepare(`UPDATE events SET ${name} = ? WHERE position = ?`).run(text, at)
          })
        }
      expect((await verify()).finding).toBeNull()
    })

    it('is detected by the hash chain before it is sealed', async () => {
      tamper((database) =>
        database.exec(
          `UPDATE events SET data = replace(data, '"to":"', '"to":"9') WHERE position = ${(sealedAt[2] ?? 0) + 1}`,
        ),
      )
      expect((await verify()).finding).toMatchObject({ kind: 'altered', number: String((sealedAt[2] ?? 0) + 1) })
    })

    it('is detected by published seals when all is forged with the right key', async () => {
      await withParts(({ eventStore, keys }) => forge(eventStore, keys, 1))
      const { finding } = await verify()
      expect(finding).toMatchObject({ kind: 'seal' })
      expect(finding?.says).toBe('Checkpoint 1 in the log is not the published checkpoint of 17 events')
      // The log alone does not show it: this is what published seals are for.
      rmSync(join(folder, 'seals'), { recursive: true })
      expect((await verify()).finding).toBeNull()
    })

    it('is detected when it was forged with another key', async () => {
      await withParts(({ eventStore, keys }) => forge(eventStore, keys, 99))
      rmSync(join(folder, 'seals'), { recursive: true })
      const { finding } = await verify()
      expect(finding?.says).toMatch(/^Event \d+ introduces key \w+, which is not this installation's next key$/)
    })

    it('is not sealed when it was set back behind a published seal', async () => {
      tamper((database) => database.exec(`DELETE FROM events WHERE position >= ${sealedAt[2]}`))
      await changeBalances(1)
      await withParts(async ({ sealer }) => expect(sealer.sealAll()).rejects.toThrow(LostSeals))
      await withParts(async ({ sealer, eventStore }) => {
        const end = await eventStore.end()
        await sealer.sealAll().catch(() => {})
        expect(await eventStore.end()).toBe(end)
      })
    })
  })

  describe('a rotated sealing key', () => {
    /** Seals with the first key, the rotation, and one more seal with the second key. */
    const rotated = async () => {
      const { from, to } = await withParts((parts) => parts.sealer.rotateKey())
      await changeBalances(2)
      await withParts((parts) => parts.sealer.sealAll())
      const keys = await withParts((parts) => signingKeys(parts.keys))
      return { from, to, keys }
    }

    it('is signed by its predecessor, and seals its own introduction at once', async () => {
      const { from, to, keys } = await rotated()
      expect(keys.map(({ id }) => id)).toEqual([from, to])
      expect(await verify(keys)).toMatchObject({ finding: null, unsealed: 1 })
      const events = await withParts(async ({ repositories }) => {
        const all: RecordedEvent<SealEvent>[] = []
        for await (const event of repositories.of(sealStreams).readEvents('this')) all.push(event)
        return all
      })
      const made = events.flatMap((event) => (event.type === 'TreeCheckpointSigned' ? [event.data] : []))
      expect(made.map(({ keyId }) => keyId)).toEqual([from, from, from, from, to, to])
      const introduction = events.findLast(({ type }) => type === 'SealingKeyIntroduced')
      expect(Number(made.find(({ keyId }) => keyId === to)?.last)).toBe(Number(introduction?.position) + 1)
    })

    it('can be rotated repeatedly', async () => {
      for (let times = 0; times < 3; times++) await rotated()
      const keys = await withParts((parts) => signingKeys(parts.keys))
      expect(keys).toHaveLength(4)
      expect((await verify(keys)).finding).toBeNull()
    })

    it('is checked: a seal by a key not current then is detected', async () => {
      const { from, to, keys } = await rotated()
      const signers = await withParts((parts) => signingKeys(parts.keys))
      const resign = (number: number, keyId: string) =>
        withParts(async ({ eventStore }) => {
          const { position, data } = await sealEventOf(eventStore, number)
          const signer = signers.find(({ id }) => id === keyId)
          if (!signer) throw new Error('There is no such key')
          const checkpoint = sealEvents.TreeCheckpointSigned.schema.parse(JSON.parse(data))
          return {
            position,
            data: JSON.stringify({
              ...checkpoint,
              keyId,
              note: await signedNote(parseCheckpoint(checkpoint.note).body, signer),
            }),
          }
        })
      for (const [number, wrongKey, right] of [
        [6, from, to],
        [2, to, from],
      ] as const) {
        const { position, data } = await resign(number, wrongKey)
        let before: unknown
        cpSync(published(), `${published()}-kept`, { recursive: true })
        rmSync(published(), { recursive: true })
        tamper((database) => {
          before = database.prepare('SELECT data FROM events WHERE position = ?').get(position)
          database.prepare('UPDATE events SET data = ? WHERE position = ?').run(data, position)
        })
        expect((await verify(keys)).finding).toMatchObject({
          kind: 'seal',
          says: `Checkpoint ${number} is signed with key ${wrongKey}, which was not the current one then: that was ${right}`,
        })
        tamper((database) =>
          database.prepare('UPDATE events SET data = ? WHERE position = ?').run(dataIn(before), position),
        )
        renameSync(`${published()}-kept`, published())
        expect((await verify(keys)).finding).toBeNull()
      }
    })

    it('is checked: a key not signed by its predecessor is detected', async () => {
      const { to, keys } = await rotated()
      rmSync(join(folder, 'seals'), { recursive: true })
      const position = await withParts(async ({ repositories }) => {
        let last = 0
        for await (const event of repositories.of(sealStreams).readEvents('this'))
          if (event.type === 'SealingKeyIntroduced') last = Number(event.position)
        return last
      })
      tamper((database) =>
        database.exec(`UPDATE events SET data = json_set(data, '$.endorsement', 'AAAA') WHERE position = ${position}`),
      )
      expect((await verify(keys)).finding).toMatchObject({
        kind: 'seal',
        number: String(position),
        says: expect.stringMatching(new RegExp(`introduces key ${to}, but key \\w+ before it has not signed that`)),
      })
    })
  })
})

describe('with checkpoints', () => {
  const sizeOf = async (number: number) => {
    const { data } = await withParts(({ eventStore }) => sealEventOf(eventStore, number))
    return sealEvents.TreeCheckpointSigned.schema.parse(JSON.parse(data)).size
  }

  it('what is missing outside returns', async () => {
    const size = await sizeOf(3)
    rmSync(published('checkpoint'))
    await withParts(async ({ sealer, publishedTree }) => {
      await sealer.sealAll()
      const newest = parseCheckpoint((await publishedTree.checkpoint()) ?? '')
      expect(newest.size).toBeGreaterThan(size)
      for (const tile of tilesOf(0, newest.size))
        expect((await publishedTree.file(tilePath(tile)))?.length, tilePath(tile)).toBe(tile.width * 32)
      rmSync(checkpointFile(newest.size))
      expect(await sealer.sealAll()).toBe(0)
      expect(await publishedTree.checkpointOf(newest.size)).toBe(await publishedTree.checkpoint())
    })
    expect((await verify()).finding).toBeNull()
  })

  it('a tile that was changed or removed outside is detected', async () => {
    const [tile] = tilesOf(0, await sizeOf(3))
    if (!tile) throw new Error('Nothing is published')
    const path = published(tilePath(tile))
    const right = readFileSync(path)
    writeFileSync(path, Buffer.from(right).fill(7, 32, 64))
    expect((await verify()).finding).toMatchObject({
      kind: 'seal',
      says: expect.stringMatching(/^The published tiles/),
    })
    rmSync(path)
    expect((await verify()).finding?.says).toBe(`The published tile ${tilePath(tile)} is missing or cut off`)
    writeFileSync(path, right)
    expect((await verify()).finding).toBeNull()
  })

  it('a checkpoint is signed and published with a few readings of its newest part', async () => {
    await changeBalances(1)
    await withParts(async (parts) => {
      let readings = 0
      const eventStore: EventStore = {
        ...parts.eventStore,
        subscribe: (...following) => (readings++, parts.eventStore.subscribe(...following)),
      }
      const sealer = createSealer({
        ...parts,
        eventStore,
        origin: 'portal.example/log',
        checkpoints: { save: async () => {} },
      })
      expect([await sealer.sealAll(), readings]).toEqual([1, 3])
      expect(parseCheckpoint((await parts.publishedTree.checkpoint()) ?? '').size).toBeGreaterThan(0)
    })
    expect((await verify()).finding).toBeNull()
  })

  it('an older checkpoint in place of a newer one is detected, in the log and outside', async () => {
    const [first, newest] = [await sizeOf(1), await sizeOf(3)]
    const [old, right] = [readFileSync(checkpointFile(first)), readFileSync(checkpointFile(newest))]
    const says = async () => (await verify()).finding?.says
    writeFileSync(checkpointFile(newest), old)
    expect(await says()).toBe(`Checkpoint 3 in the log is not the published checkpoint of ${newest} events`)
    writeFileSync(checkpointFile(newest), right)
    writeFileSync(published('checkpoint'), old)
    expect(await says()).toBe(
      `The published checkpoint of ${first} events is not the newest: one of ${newest} was published`,
    )
    writeFileSync(published('checkpoint'), 'no note')
    expect(await says()).toBe("The published checkpoint can't be read")
    rmSync(published(), { recursive: true })
    const { data } = await withParts(({ eventStore }) => sealEventOf(eventStore, 1))
    tamper((database) =>
      database
        .prepare("UPDATE events SET data = ? WHERE type = 'TreeCheckpointSigned' AND position = ?")
        .run(data, sealedAt[2] ?? 0),
    )
    expect(await says()).toBe('Checkpoint 3 is missing or was replaced: checkpoint 1 is in its place')
  })

  it('altered tiles do not hide an altered event, nor name an unaltered one', async () => {
    const [tile] = tilesOf(0, await sizeOf(3))
    if (!tile) throw new Error('There is no tile')
    const file = published(...tilePath(tile).split('/'))
    const bytes = readFileSync(file)
    bytes.set(Buffer.alloc(32), 20 * 32)
    writeFileSync(file, bytes)
    expect((await verify()).finding?.says).toMatch(/^The published tiles do not lead to the published checkpoint/)
    tamper((database) => void column('data')(40)(database))
    expect((await verify()).finding).not.toBeNull()
  })

  it('nothing more is sealed over an altered log, and a damaged tree is made again', async () => {
    const tree = new Libsql(join(folder, 'tree.sqlite'))
    tree.exec('UPDATE blocks SET content = zeroblob(length(content)); PRAGMA wal_checkpoint(TRUNCATE)')
    tree.close()
    await withParts(async ({ sealer }) => expect(await sealer.sealAll()).toBe(1))
    expect((await verify()).finding).toBeNull()
    await changeBalances(1)
    tamper((database) => void column('data')(7)(database))
    rmSync(join(folder, 'tree.sqlite'))
    await withParts(async ({ sealer, eventStore }) => {
      const end = await eventStore.end()
      await expect(sealer.sealAll()).rejects.toThrow(AlteredLog)
      expect(await eventStore.end()).toBe(end)
    })
  })

  it.each([
    ['the last sealed event', 'DELETE FROM events WHERE position IN (50, 55, 58)'],
    ['several events before the last', 'DELETE FROM events WHERE position IN (44, 47)'],
    ['every event', "DELETE FROM events WHERE stream LIKE 'account-cleo0003%'"],
    [
      'the last sealed event, for another one',
      "UPDATE events SET id = '00000000-0000-4000-8000-000000000000' WHERE position = 50",
    ],
  ])('a stream that lost %s is not exported, with and without a restart', async (_, change) => {
    const running = open()
    expect(await verifyExport(await exportOf(running, people[2]))).toMatchObject({ outcome: 'genuine' })
    tamper((database) => database.exec(change))
    await expect(exportOf(running, people[2])).rejects.toThrow(MissingEvents)
    // The others are still proven by what this process remembers.
    expect(await verifyExport(await exportOf(running, people[1]))).toMatchObject({ outcome: 'genuine' })
    await running.close()
    await withParts(async (parts) => expect(exportOf(parts, people[2])).rejects.toThrow(MissingEvents))
  })

  it('a stream that lost its last sealed event is not sealed on, whatever follows', async () => {
    // The two after it are not sealed. Someone who knows nothing of the deletion appends the next event in its place.
    tamper((database) => database.exec('DELETE FROM events WHERE position IN (50, 55, 58)'))
    await changeBalances(1)
    await withParts(async ({ sealer, eventStore }) => {
      const end = await eventStore.end()
      await expect(sealer.sealAll()).rejects.toThrow(AlteredLog)
      expect(await eventStore.end()).toBe(end)
    })
    expect((await verify()).finding).toMatchObject({ kind: 'missing', number: '50' })
  })

  it.each([
    ['an event that no checkpoint covers yet is replaced', 'UPDATE events SET id = ? WHERE position = 58'],
    ['an event that no checkpoint covers yet is gone', 'DELETE FROM events WHERE position = 58 AND ? IS NOT NULL'],
  ])('the tree that is signed is that of the log: %s', async (_, change) => {
    // The stored tree has followed the log already.
    await withParts(({ tree, eventStore }) => tree.follow(eventStore, () => true))
    tamper((database) => database.prepare(change).run('00000000-0000-4000-8000-000000000000'))
    await withParts(async ({ sealer }) => expect(await sealer.sealAll()).toBe(1))
    expect((await verify()).finding).toBeNull()
  })

  it('damaged heads in the store are made again from the log', async () => {
    for (const damage of [
      'UPDATE blocks SET content = zeroblob(length(content)) WHERE key >= 16 * 1099511627776',
      'DELETE FROM blocks WHERE key >= 17 * 1099511627776',
      'DELETE FROM blocks WHERE key >= 16 * 1099511627776 AND key < 17 * 1099511627776',
    ]) {
      const stored = new Libsql(join(folder, 'tree.sqlite'))
      const count = stored.prepare('SELECT count(*) AS n FROM blocks WHERE key >= 16 * 1099511627776')
      expect(count.get()).toMatchObject({ n: 5 })
      stored.exec(`${damage}; PRAGMA wal_checkpoint(TRUNCATE)`)
      stored.close()
      await changeBalances(1)
      await withParts(async ({ sealer }) => expect(await sealer.sealAll()).toBe(1))
      expect((await verify()).finding).toBeNull()
    }
  })

  it('other ends of streams in the log are found, even where the firm signs them', async () => {
    await withParts(async ({ repositories }) => {
      const data = { size: 55, streams: 4, root: Buffer.alloc(32).toString('base64'), restorations: [] }
      await repositories.of(sealStreams).decide('this', context, () => [{ type: 'StreamHeadsCommitted', data }])
    })
    // A verification that another process continues does not know the ends of streams.
    const { finding } = await withParts((parts) => verifyLog({ ...parts, keys: [key] }))
    expect(finding).toMatchObject({
      kind: 'seal',
      number: '59',
      says: 'Event 59 commits to other ends of streams than the first 55 events have',
    })
  })

  it('the key can be rotated while a worker seals', async () => {
    const [worker, operator] = [open(), open()]
    for (let round = 0; round < 3; round++) {
      await changeBalances(1)
      // One of the two may lose a conflict; the next round completes its work.
      await Promise.allSettled([worker.sealer.sealAll(), operator.sealer.rotateKey()])
    }
    await operator.sealer.rotateKey()
    await changeBalances(1)
    expect(await worker.sealer.sealAll()).toBe(1)
    for (const parts of [worker, operator]) await parts.close()
    expect(await verify(await withParts(({ keys }) => signingKeys(keys)))).toMatchObject({ finding: null, unsealed: 1 })
  })

  it('events are proven in an export to a reader who trusts either key', async () => {
    const { from, to } = await withParts((parts) => parts.sealer.rotateKey())
    await changeBalances(2)
    await withParts((parts) => parts.sealer.sealAll())
    const file = await withParts(exportOf)
    for (const trusted of [[], [from], [to], [from, to]])
      expect(await verifyExport(file, trusted), trusted.join()).toMatchObject({
        outcome: 'genuine',
        keyId: expect.stringMatching(`^${to}`),
        proven: expect.any(Number),
      })
    const trustedByNobody = await verifyExport(file, ['0123456789abcdef'])
    expect(trustedByNobody).toMatchObject({ outcome: 'altered', says: expect.stringContaining(to) })
  })
})

/** The file of an account of the log, which has no user. */
async function exportOf(parts: ReturnType<typeof open>, account = people[0] ?? ''): Promise<string> {
  const attestations = createCheckpointAttestations({
    files: parts.publishedTree,
    witnesses: [],
    checkToken: undefined,
  })
  const transparencyLog = createTransparencyLog({ ...parts, attestations })
  const sealed = await transparencyLog.newest()
  const events: StoredEvent[] = []
  for await (const page of parts.eventStore.readStream(`account-${account}`)) events.push(...page)
  const exported = {
    account,
    sealed,
    streams: [`user-${ownerOf(accountId.parse(account))}`, `account-${account}`],
    events,
    withholdsMetadata: () => false,
    disclosuresOf: async () => [],
  }
  return (await collect(accountExport(exported, { ...parts, transparencyLog }))).join('')
}

/** What is done to the account with the last event of the third checkpoint, at 50; 55 and 58 are not sealed yet. */
const lossesOfStreams: readonly (readonly [string, string])[] = [
  ['the last sealed event dropped, with all after it', 'DELETE FROM events WHERE position IN (50, 55, 58)'],
  ['several events rewound', "DELETE FROM events WHERE stream LIKE 'account-cleo%' AND position > 40"],
  ['all but the first event rewound', "DELETE FROM events WHERE stream LIKE 'account-cleo%' AND revision > 0"],
  ['every event dropped', "DELETE FROM events WHERE stream LIKE 'account-cleo%'"],
  ['an event dropped in the middle', 'DELETE FROM events WHERE position = 41'],
  ['the last sealed event dropped, and later ones left', 'DELETE FROM events WHERE position = 50'],
  [
    'the last sealed event with another id',
    "UPDATE events SET id = '00000000-0000-4000-8000-000000000000' WHERE position = 50",
  ],
  [
    'the last sealed event with other data',
    `UPDATE events SET data = replace(data, '"to":"', '"to":"9') WHERE position = 50`,
  ],
  ['the last sealed event of another type', "UPDATE events SET type = 'ProfitLossChanged' WHERE position = 50"],
  [
    'the last sealed event at another time',
    `UPDATE events SET metadata = replace(metadata, '"at":1', '"at":2') WHERE position = 50`,
  ],
  [
    'the last two sealed events swapped',
    'UPDATE events SET revision = revision + 1000 WHERE position = 47; UPDATE events SET revision = revision - 1 WHERE position = 50; UPDATE events SET revision = revision - 999 WHERE position = 47',
  ],
  [
    'the last sealed event replaced by the one before',
    'UPDATE events SET (type, data, metadata) = (SELECT type, data, metadata FROM events WHERE position = 47) WHERE position = 50',
  ],
  [
    'the stream rewound, and others in its place',
    "DELETE FROM events WHERE position IN (55, 58); UPDATE events SET id = lower(hex(randomblob(4))) || '-0000-4000-8000-000000000000' WHERE position IN (47, 50)",
  ],
  [
    'the stream moved to another name',
    "UPDATE events SET stream = 'account-dora0004-a1' WHERE stream LIKE 'account-cleo%'",
  ],
]

describe.each(['with', 'without'])('a stream that was sealed, %s a restart', (restart) => {
  const loaded = async (parts: ReturnType<typeof open>) => {
    const { newest } = (await parts.repositories.of(sealStreams).load('this')).state
    if (newest) await parts.streamHeads.at(committedRoot(newest.heads), parts.eventStore)
    // A process that has not loaded the account yet.
    const options = { sealedHeads: parts.streamHeads }
    return createRepositories(eventRegistry, parts.eventStore, parts.keys, options).of(accountStreams)
  }

  it('is loaded as it is', async () => {
    await withParts(async (parts) => {
      const repository = await loaded(parts)
      for (const id of people) expect((await repository.load(id)).state.account.open).toBe(true)
    })
  })

  it('is loaded while it is being sealed further', async () => {
    await withParts(async (parts) => {
      await loaded(parts)
      const seals: number[] = []
      const eventStore: EventStore = {
        ...parts.eventStore,
        async *readStream(...asked) {
          for await (const page of parts.eventStore.readStream(...asked)) {
            seals.push(await parts.sealer.sealAll())
            yield page
          }
        },
      }
      const options = { sealedHeads: parts.streamHeads }
      const repository = createRepositories(eventRegistry, eventStore, parts.keys, options).of(accountStreams)
      expect((await repository.load(people[2] ?? '')).state.account.open).toBe(true)
      expect(seals).toEqual([1])
    })
  })

  it.each(lossesOfStreams)('is not loaded: %s', async (_, change) => {
    const before = open()
    await loaded(before)
    tamper((database) => database.exec(change))
    if (restart === 'with') await before.close()
    const parts = restart === 'with' ? open() : before
    try {
      const repository = await loaded(parts)
      const error = await repository.load(people[2] ?? '').catch((reason: unknown) => reason)
      expect(error instanceof MissingEvents || error instanceof ForgedEvent, String(error)).toBe(true)
      expect((await repository.load(people[1] ?? '')).state.account.open).toBe(true)
    } finally {
      await parts.close()
    }
  })
})

describe('a log at its start', () => {
  const check = () => withParts((parts) => checkLogAtStart({ ...parts, log: silent }))

  it('is as it was published', async () => {
    await check()
    await withParts(({ sealer }) => sealer.sealAll())
    await check()
  })

  const cuts = [
    ['without its last checkpoint', 'DELETE FROM events WHERE position >= 52'],
    ['without the end under its last checkpoint', 'DELETE FROM events WHERE position >= 45'],
    ['set back to its first checkpoint', 'DELETE FROM events WHERE position > 20'],
    ['without any seal', "DELETE FROM events WHERE stream = 'seals-this'"],
    ['empty', 'DELETE FROM events'],
  ] as const

  it.each(cuts)('does not start %s', async (_, change) => {
    tamper((database) => database.exec(change))
    await expect(check()).rejects.toThrow(MissingEvents)
  })

  it.each(cuts)('does not start %s, with nothing published: the key store knows', async (_, change) => {
    tamper((database) => database.exec(change))
    for (const path of ['seals', 'tree.sqlite']) rmSync(join(folder, path), { recursive: true })
    await expect(check()).rejects.toThrow('the key store knows of 51 sealed events')
    await withParts(async ({ sealer, eventStore }) => {
      const end = await eventStore.end()
      await expect(sealer.sealAll()).rejects.toThrow(LostSeals)
      expect(await eventStore.end()).toBe(end)
    })
  })

  it('starts again once its restoration is recorded, and is missed again when it is set back after that', async () => {
    tamper((database) => database.exec('DELETE FROM events WHERE position > 20'))
    for (const path of ['seals', 'tree.sqlite']) rmSync(join(folder, path), { recursive: true })
    await withParts(({ repositories }) =>
      repositories
        .of(sealStreams)
        .decide('this', context, (state) => recordRestoration(state, { note: null, from: 52 }, 'The disk broke')),
    )
    await check()
    await withParts(async ({ sealer }) => expect(await sealer.sealAll()).toBe(1))
    await check()
    expect((await verify()).finding).toBeNull()
    tamper((database) => database.exec('DELETE FROM events WHERE position > 21'))
    for (const path of ['seals', 'tree.sqlite']) rmSync(join(folder, path), { recursive: true })
    await expect(check()).rejects.toThrow('the key store knows of')
  })

  /** What is done to the row that says how much was sealed. */
  const rowAttacks: readonly (readonly [string, (keys: Libsql.Database) => void])[] = [
    ['is gone', (keys) => keys.exec(`DELETE FROM keys WHERE id = '${SEALED_SIZE_ID}'`)],
    [
      'is not one that the portal wrote',
      (keys) => keys.exec(`UPDATE keys SET wrapped = zeroblob(length(wrapped)) WHERE id = '${SEALED_SIZE_ID}'`),
    ],
    ['has another name', (keys) => keys.exec(`UPDATE keys SET id = 'sealed ' WHERE id = '${SEALED_SIZE_ID}'`)],
  ]
  const tamperKeys = (work: (keys: Libsql.Database) => void) => {
    const database = new Libsql(join(folder, 'keys.sqlite'))
    work(database)
    database.close()
  }
  /** One decision is removed, and the seals are cut back behind it: all else is kept. */
  const oneDecisionRemoved = [
    [
      'with the seals cut back behind it',
      `DELETE FROM events WHERE position = 22 OR (stream = 'seals-this' AND position > 22)`,
    ],
    ['with no seal left', `DELETE FROM events WHERE position = 22 OR stream = 'seals-this'`],
    ['or not', `DELETE FROM events WHERE position = 0`],
  ] as const

  describe.each(rowAttacks)('whose row of the key store %s', (_, attack) => {
    it.each(oneDecisionRemoved)(
      'does not start, and is not sealed again, one decision removed %s',
      async (_name, change) => {
        tamper((database) => database.exec(change))
        for (const path of ['seals', 'tree.sqlite']) rmSync(join(folder, path), { recursive: true })
        tamperKeys(attack)
        await expect(check()).rejects.toThrow("lacks the row 'sealed'")
        await withParts(async ({ sealer, eventStore, sealedSize }) => {
          const end = await eventStore.end()
          await expect(sealer.sealAll()).rejects.toThrow(LostSeals)
          expect(await eventStore.end()).toBe(end)
          // A row that the portal did not write stays, as evidence.
          expect(await sealedSize.read()).toBeUndefined()
        })
      },
    )
  })

  it('starts before anything was ever sealed, and after a seal that was interrupted', async () => {
    rmSync(folder, { recursive: true })
    await changeBalances(1)
    await check()
    await withParts(async ({ sealer, eventStore, sealedSize }) => {
      const append = eventStore.append.bind(eventStore)
      eventStore.append = async (stream, ...rest) => {
        if (stream === 'seals-this') throw new Error('The process dies')
        return append(stream, ...rest)
      }
      await expect(sealer.sealAll()).rejects.toThrow('The process dies')
      expect(await sealedSize.read()).toEqual({ size: 0, restorations: 0 })
    })
    await check()
    await withParts(async ({ sealer }) => expect(await sealer.sealAll()).toBe(1))
    await check()
  })

  it('does not start without its tree when a stream lost its end', async () => {
    tamper((database) => database.exec('DELETE FROM events WHERE position IN (50, 55, 58)'))
    rmSync(join(folder, 'tree.sqlite'))
    await expect(check()).rejects.toThrow(MissingEvents)
  })
})

/** The event of a seal or checkpoint. */
async function sealEventOf(eventStore: EventStore, number: number): Promise<StoredEvent> {
  for await (const page of eventStore.readStream('seals-this'))
    for (const event of page)
      if (event.type === 'TreeCheckpointSigned' && event.data.startsWith(`{"number":${number},`)) return event
  throw new Error(`There is no seal ${number}`)
}

const signedNote = (body: string, key: SigningKey) =>
  checkpointNote(body, key.publicKey, Buffer.from(key.sign(body), 'base64'))

function dataIn(row: unknown): string {
  return typeof row === 'object' && row !== null && 'data' in row ? String(row.data) : ''
}

/** An attacker with the file, and perhaps the key: changes the first balance, then recomputes every chain and seal. */
async function forge(eventStore: EventStore, keys: Parameters<typeof signingKey>[0], keyNumber: number): Promise<void> {
  const signer = keyNumber === 1 ? await signingKey(keys, 1, 1) : signingKeyOf(new Uint8Array(32).fill(keyNumber))
  const stopped = new AbortController()
  const heads = new Map<string, string>()
  const leaves: Buffer[] = []
  /** After each event. */
  const maps: HeadMap[] = [emptyMap]
  const forged: { readonly position: string; readonly data: string; readonly metadata: string }[] = []
  for await (const { events, caughtUp } of eventStore.subscribe(undefined, { signal: stopped.signal })) {
    for (const event of events) {
      const head = heads.get(event.stream)
      const metadata = event.metadata.replace(
        /"previous":(null|"[0-9a-f]+")\}$/,
        `"previous":${head ? `"${head}"` : 'null'}}`,
      )
      let data =
        event.position === '4'
          ? event.data.replace('1.00', '7.00')
          : event.data.replaceAll('0123456789abcdef', signer.id)
      if (event.type === 'SealingKeyIntroduced')
        data = JSON.stringify({ keyId: signer.id, publicKey: signer.publicKey, endorsement: null })
      if (event.type === 'StreamHeadsCommitted') {
        const old = sealEvents.StreamHeadsCommitted.schema.parse(JSON.parse(event.data))
        data = JSON.stringify({ ...old, root: rootOf(maps[old.size] ?? emptyMap).toString('base64') })
      }
      if (event.type === 'TreeCheckpointSigned') {
        const old = sealEvents.TreeCheckpointSigned.schema.parse(JSON.parse(event.data))
        const tree = new GrowingMerkleTree()
        for (const leaf of leaves.slice(0, old.size)) tree.append(leaf)
        const body = checkpointBody({ origin: parseCheckpoint(old.note).origin, size: old.size, root: tree.root() })
        data = JSON.stringify({ ...old, keyId: signer.id, note: await signedNote(body, signer) })
      }
      const whole = { ...event, data, metadata }
      heads.set(event.stream, eventHash(event.stream, event.revision, whole))
      const leaf = leafOfEvent(whole)
      leaves.push(leaf)
      const ended = { key: keyOf(event.stream), revision: event.revision, leaf: toBytes(leaf) }
      maps.push(withHead(maps.at(-1) ?? emptyMap, ended))
      forged.push(whole)
    }
    if (caughtUp) stopped.abort()
  }
  tamper((database) => {
    const update = database.prepare('UPDATE events SET data = ?, metadata = ? WHERE position = ?')
    for (const { data, metadata, position } of forged) update.run(data, metadata, Number(position))
  })
}
