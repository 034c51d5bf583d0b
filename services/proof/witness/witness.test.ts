import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCommand } from '#test-support/command-line.ts'
import { temporaryFolder } from '#test-support/program.ts'
import { seededRandom } from '#test-support/random-seed.ts'
import { checkWithGo, whyNoGo } from '#test-support/stock-go/stock-go.ts'
import { cosigned, openTestWitness, type TestWitness, witnessedLog, witnessKey } from '#test-support/witnessed-log.ts'
import { signingKeyOf } from '#services/proof/seal-signing.ts'
import { parseCheckpoint } from '#services/proof/tree-checkpoint.ts'
import { keyTypes, parseVerifierKey, verifierKeyText } from '#services/proof/verifier-key.ts'
import { cosignedAt, logKey } from '#services/proof/witness-cosignature.ts'

const log = witnessedLog()
const stranger = signingKeyOf(new Uint8Array(32).fill(8))

interface Answer {
  readonly status: number
  readonly type: string | null
  readonly text: string
}

async function post(url: string, body: string | Uint8Array<ArrayBuffer>): Promise<Answer> {
  const response = await fetch(`${url}/add-checkpoint`, { method: 'POST', body })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

async function newWitness(folder = temporaryFolder(), logs = [log.vkey]): Promise<TestWitness> {
  return openTestWitness({ folder, logs, now: () => Date.UTC(2026, 10, 22, 19, 30) })
}

const conflict = (size: number): Answer => ({ status: 409, type: 'text/x.tlog.size', text: `${size}\n` })

describe('a witness', () => {
  it('cosigns the first checkpoint of a log, and each that continues it', async () => {
    const { url, key } = await newWitness()
    let before = 0
    for (const size of [1, 64, 65, 65, 200, 300]) {
      const answer = await post(url, await log.request(before, size))
      expect([size, answer.status, answer.type]).toEqual([size, 200, 'text/plain; charset=utf-8'])
      expect(answer.text).toMatch(/^\u2014 witness\.example\/w1 [A-Za-z0-9+/]+={0,2}\n$/)
      expect(cosignedAt(parseCheckpoint((await log.note(size)) + answer.text), key)).toBe(
        Date.UTC(2026, 10, 22, 19, 30) / 1_000,
      )
      before = size
    }
  })

  it.skipIf(whyNoGo)('makes cosignatures that Go accepts', { timeout: 180_000 }, async () => {
    const { url, key } = await newWitness()
    const note = (await log.note(200)) + (await post(url, await log.request(0, 200))).text
    const witness = verifierKeyText(key, 'witness')
    const other = cosigned(await log.note(200), key, 1_700_000_000)
    const results = checkWithGo([
      { key: log.vkeyText, witness, note },
      { key: log.vkeyText, witness, note: other },
      { key: log.vkeyText, witness, note: await log.note(200) },
      // The time of one cosignature with the signature of another.
      {
        key: log.vkeyText,
        witness,
        note: note.replace(/[A-Za-z0-9+/]{12}={0,2}\n$/, (end) => `${end.startsWith('A') ? 'B' : 'A'}${end.slice(1)}`),
      },
      { key: log.vkeyText, witness, note: (await log.note(100)) + note.split('\n').slice(5).join('\n') },
    ])
    expect(results.map((reason) => reason === '')).toEqual([true, true, false, false, false])
  })

  it('has a key that stays, readable to its owner only', async () => {
    const folder = temporaryFolder()
    const first = await newWitness(folder)
    await first.close()
    expect(statSync(join(folder, 'witness.key')).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'witness.sqlite')).mode & 0o777).toBe(0o600)
    const both = await Promise.all([newWitness(folder), newWitness(folder)])
    expect(both.map(({ key }) => key.publicKey)).toEqual([first.key.publicKey, first.key.publicKey])
    // Two that start together in a new folder have one key as well.
    const together = temporaryFolder()
    const [one, other] = await Promise.all([newWitness(together), newWitness(together)])
    expect(one.key.publicKey).toBe(other.key.publicKey)
    writeFileSync(join(folder, 'witness.key'), readFileSync(join(folder, 'witness.key'), 'utf8').slice(0, -4))
    await expect(newWitness(folder)).rejects.toThrow('is not the key of a witness')
  })

  it('tells where it is when asked from elsewhere, and refuses a rollback', async () => {
    const { url } = await newWitness()
    expect(await post(url, await log.request(5, 64))).toEqual(conflict(0))
    expect((await post(url, await log.request(0, 200))).status).toBe(200)
    for (const [old, size] of [
      [0, 100],
      [0, 300],
      [100, 200],
      [100, 150],
      [250, 300],
    ] as const)
      expect([old, size, await post(url, await log.request(old, size))]).toEqual([old, size, conflict(200)])
    // The signed checkpoint is smaller than what the request calls old.
    expect((await post(url, await log.request(200, 100))).status).toBe(400)
  })

  it('refuses a fork, and says what it was shown', async () => {
    const { url, inconsistent } = await newWitness()
    const fork = witnessedLog({ fork: ', altered' })
    await post(url, await log.request(0, 200))
    for (const size of [200, 201, 300]) expect((await post(url, await fork.request(200, size))).status).toBe(422)
    // With the honest proof instead of its own.
    const [honest, forged] = [await log.request(200, 300), await fork.request(200, 300)]
    expect(
      (await post(url, honest.split('\n\n')[0] + '\n\n' + forged.split('\n\n').slice(1).join('\n\n'))).status,
    ).toBe(422)
    expect(inconsistent).toContain(parseCheckpoint(await fork.note(201)).body)
    expect((await post(url, await log.request(200, 300))).status).toBe(200)
  })

  it('refuses a wrong proof: changed, shortened, continued, reordered, or none', async () => {
    const { url } = await newWitness()
    await post(url, await log.request(0, 77))
    const [old = '', ...proof] = (await log.request(77, 300)).split('\n\n')[0]?.split('\n') ?? []
    const note = await log.note(300)
    const another = Buffer.alloc(32, 1).toString('base64')
    for (const edited of [
      [],
      proof.slice(1),
      proof.slice(0, -1),
      [...proof, another],
      proof.toReversed(),
      ...proof.map((_, n) => proof.with(n, another)),
    ])
      expect((await post(url, [old, ...edited, '', note].join('\n'))).status).toBe(422)
    // With no old tree there is nothing to prove.
    const fresh = await newWitness()
    expect((await post(fresh.url, ['old 0', another, '', note].join('\n'))).status).toBe(422)
    expect((await post(url, await log.request(77, 300))).status).toBe(200)
  })

  it('refuses checkpoints that no key of the log signed', async () => {
    const { url } = await newWitness()
    const forged = witnessedLog({ key: stranger })
    expect((await post(url, await forged.request(0, 200))).status).toBe(403)
    // The key's name and id, with a signature of another text.
    const [honest, longer] = [await log.request(0, 200), await log.request(0, 201)]
    const body = honest.slice(0, honest.indexOf('\u2014'))
    expect((await post(url, body + longer.slice(longer.indexOf('\u2014')))).status).toBe(403)
    // One right and one wrong signature of one key: the note is malformed.
    expect((await post(url, honest + longer.slice(longer.indexOf('\u2014')))).status).toBe(403)
    // Unsigned is not a checkpoint at all.
    expect((await post(url, body)).status).toBe(400)
    const elsewhere = witnessedLog({ origin: 'other.example/log' })
    expect((await post(url, await elsewhere.request(0, 200))).status).toBe(404)
    // Signatures of keys that it does not know do not matter.
    const known = await log.note(200)
    const others = known
      .split('\n\n')[1]
      ?.replace(/ [A-Za-z0-9+/]+={0,2}\n/, ` ${Buffer.alloc(2_420, 1).toString('base64')}\n`)
    const answer = await post(url, `old 0\n\n${known}${others}`)
    expect(answer.status).toBe(200)
    const kept = await (await fetch(`${url}/${hash('sha256', 'portal.example/log')}/checkpoint`)).text()
    expect(kept).toBe(known + answer.text)
  })

  it('accepts a log whose key was followed by another', async () => {
    const rotated = witnessedLog({ key: stranger })
    const { url } = await newWitness(temporaryFolder(), [log.vkey, logKey('portal.example/log', stranger.publicKey)])
    expect((await post(url, await log.request(0, 200))).status).toBe(200)
    expect((await post(url, await rotated.request(200, 300))).status).toBe(200)
  })

  it('accepts an empty tree only with its root, and lines after the root', async () => {
    const { url, key } = await newWitness()
    expect((await post(url, await log.request(0, 0))).status).toBe(200)
    const body = (await log.note(0)).replace(
      /\n[A-Za-z0-9+/]{43}=\n\n[^]*$/,
      `\n${Buffer.alloc(32).toString('base64')}\n`,
    )
    const { publicKey, sign } = signingKeyOf(new Uint8Array(32).fill(7))
    const line = (text: string) => {
      const id = Buffer.from(logKey('portal.example/log', publicKey).id, 'hex')
      return `\u2014 portal.example/log ${Buffer.concat([id, Buffer.from(sign(text), 'base64')]).toString('base64')}\n`
    }
    expect((await post(url, `old 0\n\n${body}\n${line(body)}`)).status).toBe(422)
    const extended = `${parseCheckpoint(await log.note(200)).body}an extension\n`
    const answer = await post(url, `old 0\n\n${extended}\n${line(extended)}`)
    expect(answer.status).toBe(200)
    const { signatures } = parseCheckpoint((await log.note(200)) + answer.text)
    expect(cosignedAt({ body: extended, signatures }, key)).toBeGreaterThan(0)
  })

  it('refuses what is not a request', async () => {
    const { url } = await newWitness()
    const request = await log.request(0, 200)
    for (const edited of [
      '',
      'old 0\n',
      request.replace('old 0', 'old 00'),
      request.replace('old 0', 'old -1'),
      request.replace('old 0', 'old  0'),
      request.replace('old 0', 'old 9999999999999999'),
      request.replace('old 0\n', 'old 0\n\n'),
      request.replaceAll('\n', '\r\n'),
      request.trimEnd(),
      `${request}\n`,
      request.replace('old 0\n', `old 0\n${`${Buffer.alloc(32).toString('base64')}\n`.repeat(64)}`),
      request.replace('old 0\n', `old 0\n${Buffer.alloc(31).toString('base64')}\n`),
      request.replace('\n200\n', '\n0200\n'),
    ])
      expect([edited, (await post(url, edited)).status]).toEqual([edited, 400])
    expect((await post(url, Buffer.from([0xff, 0xfe]))).status).toBe(400)
    expect((await post(url, 'x'.repeat(200_000))).status).toBe(413)
    expect((await fetch(`${url}/add-checkpoint`)).status).toBe(405)
    expect((await fetch(`${url}/other`)).status).toBe(404)
    expect((await fetch(`${url}/${'0'.repeat(64)}/checkpoint`)).status).toBe(404)
    // Half of a request, and a client that goes away.
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
      .on('error', () => {})
      .resume()
    socket.end('POST /add-checkpoint HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\nold 0\n')
    await once(socket, 'close')
    expect((await post(url, request)).status).toBe(200)
  })

  it('lets one of two concurrent requests win, also in two processes on one folder', async () => {
    const folder = temporaryFolder()
    const [one, other] = [await newWitness(folder), await newWitness(folder)]
    const fork = witnessedLog({ fork: ', altered' })
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, n) =>
        post((n % 2 ? one : other).url, await (n % 3 ? log : fork).request(0, 101 + n)),
      ),
    )
    const granted = answers.filter(({ status }) => status === 200)
    expect(granted).toHaveLength(1)
    const size = 101 + answers.findIndex(({ status }) => status === 200)
    for (const answer of answers) if (answer.status !== 200) expect(answer).toEqual(conflict(size))
  })
})

describe('the command', () => {
  const program = fileURLToPath(new URL('../../cli/cli.ts', import.meta.url))

  async function startCommand(folder: string) {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', program, 'witness', '--folder', folder, '--listen', '127.0.0.1:0', '--log', log.vkeyText],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const exited = once(child, 'exit')
    onTestFinished(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await exited
    })
    let output = ''
    const url = await new Promise<string>((ready, ended) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text
        const [, found] = /is ready at (http\S+)/.exec(output) ?? []
        if (found !== undefined) ready(found)
      })
      child.once('close', () => ended(new Error(`It ended: ${output}`)))
    })
    const [, vkey = ''] = /^Verifier key: (\S+)$/m.exec(output) ?? []
    const end = async (signal: NodeJS.Signals) => {
      child.kill(signal)
      await exited
      return child.exitCode
    }
    return { url, key: parseVerifierKey(vkey, 'witness'), end }
  }

  it('never takes back what it cosigned, however often it is killed', async () => {
    const folder = temporaryFolder()
    const random = seededRandom(14)
    let cosignedSize = 0
    let next = 1
    for (let round = 0; round < 2; round++) {
      const { url, end } = await startCommand(folder)
      // After a kill, the last request may have been cosigned without an answer.
      const { status, text } = await post(url, await log.request(300, 300))
      const known = status === 409 ? Number(text) : -1
      expect([cosignedSize, next - 1]).toContain(known)
      cosignedSize = known
      next = cosignedSize + 1
      const many = async () => {
        for (; next < 299; next++) {
          if ((await post(url, await log.request(cosignedSize, next))).status !== 200)
            throw new Error('It refused an honest request')
          cosignedSize = next
        }
      }
      const working = many().catch((error: unknown) => error)
      const target = cosignedSize + random.whole(5, 40)
      while (cosignedSize < target) await new Promise((later) => setImmediate(later))
      await end('SIGKILL')
      expect(String(await working)).toMatch(/fetch failed|terminated/)
      // What was being asked when it was killed.
      next += 1
    }
    const { url, key, end } = await startCommand(folder)
    const { text } = await post(url, await log.request(300, 300))
    expect(Number(text)).toBeGreaterThanOrEqual(cosignedSize)
    const fork = witnessedLog({ fork: ', altered', from: 0 })
    expect((await post(url, await fork.request(Number(text), 299))).status).toBe(422)
    const kept = await (await fetch(`${url}/${hash('sha256', 'portal.example/log')}/checkpoint`)).text()
    expect(cosignedAt(parseCheckpoint(kept), key)).toBeGreaterThan(0)
    expect(await end('SIGTERM')).toBe(0)
  })

  it('refuses bad options in one line', async () => {
    const key = witnessKey('witness.example/w1', 3)
    for (const [options, says] of [
      [['--log', 'portal.example/log'], '--log: This is not a verifier key: portal.example/log'],
      [
        ['--log', verifierKeyText(key, 'witness')],
        `--log: The verifier key of witness.example/w1 has type 4; the key of a log has type ${keyTypes.log}`,
      ],
      [['--log', log.vkeyText, '--listen', '8700'], '--listen: must be an address and a port, like 127.0.0.1:8700'],
      [['--log', log.vkeyText, '--name', 'a b'], '--name: must have no spaces and no +'],
    ] as const)
      expect(await runCommand(['witness', '--folder', temporaryFolder(), ...options], {})).toEqual({
        code: 1,
        stdout: '',
        stderr: `${says}\n`,
      })
  })
})
