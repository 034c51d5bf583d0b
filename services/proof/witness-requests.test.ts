import { createServer, type RequestListener } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '#test-support/program.ts'
import { until } from '#test-support/until.ts'
import { listen } from '#test-support/servers/ports.ts'
import { cosigned, openTestWitness, witnessedLog, type WitnessedLog, witnessKey } from '#test-support/witnessed-log.ts'
import { Unavailable } from '#infra/failures.ts'
import { createAttestationRequests } from './attestation-requests.ts'
import { createCheckpointAttestations } from './checkpoint-attestations.ts'
import { parseCheckpoint } from './tree-checkpoint.ts'
import { MerkleTree } from '#test-support/merkle-tree.ts'
import type { PolicyWitness } from './witness-policy.ts'
import { requestCosignature, WitnessRefusal } from './witness-requests.ts'

const log = witnessedLog()
const key = witnessKey('witness.example/w1', 3)
const { signal } = new AbortController()

/** Asks a witness about the checkpoint of a size. */
async function ask(
  witness: PolicyWitness,
  size: number,
  { old = 0, of = log }: { old?: number; of?: WitnessedLog } = {},
): Promise<string> {
  const consistencyOf = async (first: number, second: number) =>
    new MerkleTree(of.tree.leaves.slice(0, second)).consistency(first)
  return requestCosignature({ witness, note: await of.note(size), old, consistencyOf, signal })
}

/** A witness that answers as we like. */
async function witnessThat(answer: RequestListener): Promise<PolicyWitness> {
  const { url, close } = await listen(createServer(answer))
  onTestFinished(close)
  return { name: 'w1', key, url: new URL(`${url}/a/path/`) }
}

/** A real one. */
async function honest(): Promise<PolicyWitness> {
  const opened = await openTestWitness({ folder: temporaryFolder(), logs: [log.vkey] })
  return { name: 'w1', key: opened.key, url: new URL(opened.url) }
}

describe('a portal', () => {
  it('gets the cosignature of a witness, whatever it cosigned last', async () => {
    const witness = await honest()
    for (const [size, old] of [
      [100, 0],
      [200, 0],
      [250, 200],
      [250, 0],
      [300, 999],
    ] as const)
      expect(parseCheckpoint((await log.note(size)) + (await ask(witness, size, { old }))).signatures).toHaveLength(2)
  })

  it('is refused with a forked log, and with one that was set back', async () => {
    const witness = await honest()
    await ask(witness, 200)
    const fork = witnessedLog({ fork: ', altered' })
    await expect(ask(witness, 300, { of: fork })).rejects.toThrow(WitnessRefusal)
    await expect(ask(witness, 200, { of: fork })).rejects.toThrow(WitnessRefusal)
    await expect(ask(witness, 150)).rejects.toThrow(
      'Witness w1 has cosigned a tree of 200, and this log has only 150: it was set back',
    )
  })

  it.each<[string, RequestListener, string]>([
    ['nothing', (_, response) => response.end(), 'without its cosignature'],
    [
      "another's cosignature",
      async (_, response) => response.end(cosigned('', witnessKey('other', 4), 5)),
      'fetch failed',
    ],
    [
      'a cosignature of another checkpoint',
      async (_, response) => response.end((await noteOf(199)).slice(-120)),
      'without its cosignature',
    ],
    ['too much', (_, response) => response.end('x'.repeat(100_000)), 'is too large'],
    ['an error', (_, response) => response.writeHead(500).end('out of order'), 'Witness w1 answered 500: out of order'],
    [
      'another address',
      (_, response) => response.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end(),
      'fetch failed',
    ],
    ['no size', (_, response) => response.writeHead(409).end('5\n'), 'answered 409'],
    [
      'a size that is none',
      (_, response) => response.writeHead(409, { 'Content-Type': 'text/x.tlog.size' }).end('-5\n'),
      'answered 409',
    ],
    [
      'another size again and again',
      (_, response) => response.writeHead(409, { 'Content-Type': 'text/x.tlog.size' }).end('5\n'),
      'changed its size 3 times',
    ],
  ])('gets no cosignature from a witness that answers with %s', async (_, answer, says) => {
    const failing: RequestListener = (request, response) =>
      void Promise.resolve()
        .then(() => answer(request, response))
        .catch(() => response.destroy())
    await expect(ask(await witnessThat(failing), 200)).rejects.toThrow(says)
  })

  it('sends what tlog-witness says, below the submission prefix', async () => {
    const bodies: string[] = []
    const witness = await witnessThat((request, response) => {
      bodies.push(`${request.method} ${request.url}`)
      request.setEncoding('utf8').on('data', (text: string) => bodies.push(text))
      request.on('end', () => response.writeHead(404).end())
    })
    await expect(ask({ ...witness }, 200, { old: 100 })).rejects.toThrow('answered 404')
    expect(bodies).toEqual(['POST /a/path/add-checkpoint', await log.request(100, 200)])
  })
})

async function noteOf(size: number): Promise<string> {
  return cosigned(await log.note(size), key, 5)
}

describe('attestations', () => {
  const other = witnessKey('witness.example/w2', 4)
  const witnesses = [key, other].map((each, n): PolicyWitness => ({ name: `w${n}`, key: each, url: undefined }))
  const memory = () => {
    const stored = new Map<string, Buffer>()
    return {
      stored,
      files: {
        file: async (path: string) => stored.get(path),
        store: async (path: string, bytes: Uint8Array) => void stored.set(path, Buffer.from(bytes)),
      },
    }
  }
  const lineOf = async (size: number, by = key) =>
    cosigned(await log.note(size), by, 5)
      .split('\n')
      .slice(5)
      .join('\n')

  it('are of one checkpoint and of known witnesses, however they were stored', async () => {
    const { stored, files } = memory()
    const note = await log.note(200)
    const attestations = createCheckpointAttestations({ files, witnesses, checkToken: undefined })
    expect(await attestations.withCosignatures(note)).toBe(note)
    await Promise.all([
      attestations.addCosignature(note, await lineOf(200, other)),
      attestations.addCosignature(note, await lineOf(200)),
    ])
    const both = note + (await lineOf(200)) + (await lineOf(200, other))
    expect(await attestations.withCosignatures(note)).toBe(both)
    expect(await attestations.withCosignatures(both)).toBe(both)
    const path = 'cosignatures/000000000200'
    expect([...stored.keys()]).toEqual([path])
    for (const damaged of [
      '',
      'nonsense',
      await lineOf(201),
      await lineOf(200, witnessKey('stranger', 9)),
      (await lineOf(200)).replace(/.{8}\n/, 'AAAAAAA=\n'),
    ]) {
      stored.set(path, Buffer.from(`${damaged}\n${await lineOf(200, other)}`))
      expect([damaged, await attestations.withCosignatures(note)]).toEqual([damaged, note + (await lineOf(200, other))])
    }
    expect(
      await createCheckpointAttestations({ files, witnesses: [], checkToken: undefined }).withCosignatures(note),
    ).toBe(note)
  })

  it('are left out while their store is not available, or a token is not of the checkpoint', async () => {
    const away = {
      file: () => Promise.reject(new Unavailable('seals')),
      store: () => Promise.reject(new Unavailable('seals')),
    }
    const note = await log.note(200)
    const attestations = createCheckpointAttestations({ files: away, witnesses, checkToken: () => {} })
    expect([await attestations.withCosignatures(note), await attestations.timestampOf(note)]).toEqual([note, undefined])
    await expect(attestations.addCosignature(note, await lineOf(200))).rejects.toThrow(Unavailable)
    const { files } = memory()
    const refuse = () => {
      throw new Error('something else')
    }
    const refusing = createCheckpointAttestations({ files, witnesses, checkToken: refuse })
    await refusing.addTimestamp(note, Buffer.from('a token'))
    expect(await refusing.timestampOf(note)).toBeUndefined()
    expect(await createCheckpointAttestations({ files, witnesses, checkToken: () => {} }).timestampOf(note)).toEqual(
      Buffer.from('a token'),
    )
  })

  it('are asked for once, and a refusal is an error in the log', async () => {
    const witness = await honest()
    const { files } = memory()
    const attestations = createCheckpointAttestations({ files, witnesses: [witness], checkToken: undefined })
    const logged: string[] = []
    const entries = {
      warn: (_: object, text: string) => logged.push(`warn ${text}`),
      error: (_: object, text: string) => logged.push(`error ${text}`),
    }
    const answers: [string, boolean][] = []
    let current = { of: log, size: 100 }
    const transparencyLog = {
      newest: async () => {
        const note = await attestations.withCosignatures(await current.of.note(current.size))
        const heads = { size: current.size - 1, streams: 1, root: '', restorations: [], revision: 1 }
        return { note, size: current.size, root: Buffer.from(parseCheckpoint(note).root), heads }
      },
      consistencyOf: async (first: number, second: number) =>
        new MerkleTree(current.of.tree.leaves.slice(0, second)).consistency(first),
    }
    const requests = createAttestationRequests({
      transparencyLog,
      attestations,
      witnesses: [witness],
      timestamping: undefined,
      watch: { asked: (name, error) => answers.push([name, error === undefined]) },
      log: entries,
    })
    for (const size of [100, 100, 170, 300]) {
      current = { of: log, size }
      requests.begin(signal)
      requests.begin(signal)
      await requests.ended()
      await until(
        async () => parseCheckpoint((await transparencyLog.newest()).note).signatures.length === 2,
        'the cosignature',
      )
    }
    expect(logged).toEqual([])
    expect(answers).toEqual([...answers].map(() => [witness.name, true]))
    current = { of: witnessedLog({ fork: ', altered' }), size: 300 }
    requests.begin(signal)
    await requests.ended()
    expect(logged).toEqual(['error A witness refuses this log'])
    expect(answers.at(-1)).toEqual([witness.name, false])
  })
})
