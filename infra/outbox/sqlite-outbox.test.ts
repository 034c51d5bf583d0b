import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { openSqlite } from '#infra/sqlite/sqlite.ts'
import { newFolder } from '#test-support/store-suite.ts'
import { checkpoint, deferred, outboxConformance, URGENT_KIND } from './outbox.conformance.ts'
import type { Outbox } from './outbox.ts'
import { openSqliteOutbox } from './sqlite-outbox.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mail-queue-'))
})
afterAll(() => rm(folder, { recursive: true }))

outboxConformance('mail queue in SQLite', () =>
  newFolder((place) => openSqliteOutbox(join(place, 'outbox.db'), { urgentKinds: [URGENT_KIND] })),
)

describe('outbox in SQLite, itself', () => {
  const opened: Outbox[] = []
  const open = (name: string) => {
    const queue = openSqliteOutbox(join(folder, name))
    opened.push(queue)
    return queue
  }
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((queue) => queue.close()))
  })

  it('sends a killed job again, and none that was recorded as sent', async () => {
    const path = join(folder, 'killed.db')
    const queue = open('killed.db')
    await queue.enqueue(['a', 'b', 'c', 'd'].map(job), checkpoint('1'))

    expect(await killAt('c', path)).toEqual(['a', 'b', 'c'])
    expect(await queue.counts()).toEqual({ waiting: 2, sent: 2, failed: 0 })
    expect(await killAt('c', path)).toEqual(['c'])

    expect(await sendAll(queue)).toEqual(['c', 'd'])
    await queue.enqueue(['a', 'b', 'c', 'd', 'e'].map(job), checkpoint('2'))
    expect(await sendAll(queue)).toEqual(['e'])
  })

  it('wakes at once for a job queued in its own process', async () => {
    const queue = open('wakes.db')
    const abort = new AbortController()
    const ids = ['a', 'b', 'c', 'd']
    const sent = new Map(ids.map((id) => [id, deferred()]))
    // The clock is stopped, so that polling finds nothing.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    try {
      const ended = queue.work(async ({ id }) => sent.get(id)?.resolve(), { signal: abort.signal })
      for (const id of ids) {
        await queue.enqueue([job(id)], checkpoint(id))
        await sent.get(id)?.promise
      }
      abort.abort()
      await ended
    } finally {
      vi.useRealTimers()
    }
    expect(await queue.counts()).toEqual({ waiting: 0, sent: 4, failed: 0 })
  })

  it('finds jobs queued by another process', async () => {
    const [here, there] = [open('shared.db'), open('shared.db')]
    const abort = new AbortController()
    const sent: string[] = []
    const ended = here.work(async ({ id }) => void sent.push(id), { signal: abort.signal })
    await there.enqueue([job('a')], checkpoint('1'))
    await vi.waitFor(() => expect(sent).toEqual(['a']), { timeout: 60_000 })
    abort.abort()
    await ended
  })

  it('does not repeat a mail because the file was locked afterwards', async () => {
    const queue = open('locked.db')
    await queue.enqueue([job('a')], checkpoint('1'))
    const other = openSqlite(join(folder, 'locked.db'), { part: 'test', durability: 'full' })
    const abort = new AbortController()
    const send = vi.fn(async () => {
      other.exec('BEGIN IMMEDIATE')
      // It runs only after recording has failed once: waiting for a lock blocks this process.
      setTimeout(() => other.exec('ROLLBACK'), 0)
    })
    const ended = queue.work(send, { signal: abort.signal })
    await vi.waitFor(async () => expect(await queue.counts()).toEqual({ waiting: 0, sent: 1, failed: 0 }), {
      timeout: 60_000,
    })
    abort.abort()
    await ended
    other.close()
    expect(send).toHaveBeenCalledTimes(1)
  })

  it('stores neither jobs nor checkpoint when one job is invalid', async () => {
    const queue = open('whole.db')
    await queue.enqueue([job('a')], checkpoint('1'))
    // SQLite refuses a fraction in an INTEGER column.
    await expect(queue.enqueue([job('b'), { ...job('c'), revision: 0.5 }], checkpoint('2'))).rejects.toThrow()
    expect(await queue.checkpoint()).toBe('1')
    expect(await queue.counts()).toEqual({ waiting: 1, sent: 0, failed: 0 })
  })

  it('is unavailable when closed, or when its file is no database', async () => {
    const queue = open('closed.db')
    await queue.close()
    await expect(queue.ready()).rejects.toThrow(Unavailable)
    await expect(queue.enqueue([], checkpoint('1'))).rejects.toThrow(Unavailable)
    await writeFile(join(folder, 'text.db'), 'This is no database. '.repeat(100))
    expect(() => openSqliteOutbox(join(folder, 'text.db'))).toThrow(Unavailable)
  })
})

const job = (id: string) => ({ id, kind: 'PasswordResetRequested', stream: 'user-a', revision: 0 })

/** Kills a child process while it sends the given job. Returns the jobs that it started. */
async function killAt(id: string, path: string): Promise<string[]> {
  const program = fileURLToPath(new URL('./killed-worker.child.ts', import.meta.url))
  const log = `${path}.${id}.log`
  await rm(log, { force: true })
  const child = spawn(process.execPath, ['--import', 'tsx', program, path, log, id], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === `sending ${id}`) child.kill('SIGKILL')
  }
  return (await readFile(log, 'utf8')).trimEnd().split('\n')
}

/** Works until nothing waits. Returns the sent jobs. */
async function sendAll(queue: Outbox): Promise<string[]> {
  const abort = new AbortController()
  const sent: string[] = []
  const ended = queue.work(async ({ id }) => void sent.push(id), { signal: abort.signal, atOnce: 1 })
  await vi.waitFor(async () => expect((await queue.counts()).waiting).toBe(0), { timeout: 60_000 })
  abort.abort()
  await ended
  return sent
}
