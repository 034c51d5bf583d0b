import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { openRedis } from '#infra/redis/redis-connection.ts'
import { promptly } from '#test-support/promptly.ts'
import { describeRedis, type RedisServer, startRedis } from '#test-support/servers/redis.ts'
import { openRelay } from '#test-support/servers/relay.ts'
import { openBullMqOutbox } from './bullmq-outbox.ts'
import { checkpoint, deferred, outboxConformance, URGENT_KIND } from './outbox.conformance.ts'
import { CheckpointMoved, type MailJob, type Outbox } from './outbox.ts'

/** A worker without a sign of life for this long counts as dead, in ms. */
const LOCK = 1_500
const TIMEOUT_MS = { timeout: 60_000, interval: 20 }

describeRedis('mails in a real Redis', (shared) => {
  outboxConformance('outbox in Redis, with BullMQ', async () => {
    const prefix = `test-${randomUUID()}`
    return { open: () => openBullMqOutbox(shared().redis, { prefix, urgentKinds: [URGENT_KIND] }) }
  })

  /** An outbox on its own server, or on one behind a relay. */
  const openOn = (url: string, prefix = `test-${randomUUID()}`, lock = LOCK): Outbox => {
    const connection = openRedis(url)
    const queue = openBullMqOutbox(connection, { prefix, lock })
    onTestFinished(async () => {
      await queue.close()
      await connection.close()
    })
    return queue
  }
  const ownServer = async (keepsData: boolean): Promise<RedisServer> => {
    const own = await startRedis({ keepsData })
    onTestFinished(() => own.close())
    return own
  }
  const working = (queue: Outbox, send: (job: MailJob) => Promise<void>) => {
    const abort = new AbortController()
    const ended = queue.work(send, { signal: abort.signal, firstDelay: 20 })
    onTestFinished(async () => {
      abort.abort()
      await ended
    })
  }
  const comesBack = (queue: Outbox) => vi.waitFor(() => queue.ready(), TIMEOUT_MS)

  it('keeps every key under its prefix, and only the id of a sent mail', async () => {
    const { redis } = shared()
    const prefix = `test-${randomUUID()}`
    const queue = openBullMqOutbox(redis, { prefix })
    onTestFinished(() => queue.close())
    const jobs = Array.from({ length: 20 }, () => job())
    await queue.enqueue(jobs, checkpoint('1'))
    working(queue, async () => {})
    await vi.waitFor(async () => expect((await queue.counts()).sent).toBe(20), TIMEOUT_MS)
    const keys = await redis.run('test', (client) => client.keys('*'))
    expect(keys.filter((key) => jobs.some(({ id }) => key.includes(id)) && !key.startsWith(`${prefix}:`))).toEqual([])
    expect(await redis.run('test', (client) => client.scard(`${prefix}:mail-ever-queued`))).toBe(20)
  })

  it('has no checkpoint after data loss, and refuses to continue', async () => {
    const own = await ownServer(false)
    const queue = openOn(own.url)
    const [first, second] = [job(), job()]
    await queue.enqueue([first], checkpoint('1'))
    await own.kill()
    await expect(queue.enqueue([second], checkpoint('2'))).rejects.toThrow(Unavailable)
    await own.start()
    await comesBack(queue)
    await expect(queue.enqueue([second], checkpoint('2'))).rejects.toThrow(CheckpointMoved)
    expect(await queue.counts()).toEqual({ waiting: 0, sent: 0, failed: 0 })
    expect(await queue.checkpoint()).toBeUndefined()
    await queue.enqueue([first, second], checkpoint('2'))
    expect(await queue.counts()).toEqual({ waiting: 2, sent: 0, failed: 0 })
  })

  it('refuses to continue after another consumer, or from an older state', async () => {
    const { server } = shared()
    const prefix = `test-${randomUUID()}`
    const [one, other] = [openOn(server.url, prefix), openOn(server.url, prefix)]
    await one.enqueue([], checkpoint('1'))
    await other.enqueue([], checkpoint('2'))
    const lost = job()
    await expect(one.enqueue([lost], checkpoint('3'))).rejects.toThrow(CheckpointMoved)
    expect(await one.checkpoint()).toBe('2')
    await one.enqueue([lost], checkpoint('3'))
    await expect(other.enqueue([], checkpoint('4'))).rejects.toThrow(CheckpointMoved)
  })

  it('sends each mail once when a durable server is killed', async () => {
    const own = await ownServer(true)
    // Longer than a restart takes, also of a container.
    const queue = openOn(own.url, undefined, 30_000)
    const jobs = [job(), job(), job()]
    await queue.enqueue(jobs, checkpoint('1'))
    const [begun, goOn] = [deferred(), deferred()]
    const sent: string[] = []
    working(queue, async ({ id }) => {
      sent.push(id)
      begun.resolve()
      await goOn.promise
    })
    await begun.promise
    await own.kill()
    goOn.resolve()
    await own.start()
    await vi.waitFor(async () => expect(await queue.counts()).toEqual({ waiting: 0, sent: 3, failed: 0 }), TIMEOUT_MS)
    expect(sent).toEqual(jobs.map(({ id }) => id))
    expect(await queue.checkpoint()).toBe('1')
  })

  it('recovers by itself from cut and frozen connections', async () => {
    const relay = await openRelay(() => shared().server.port)
    onTestFinished(() => relay.close())
    const queue = openOn(`redis://127.0.0.1:${relay.port}`)
    const sent = new Set<string>()
    working(queue, async ({ id }) => void sent.add(id))
    const jobs = Array.from({ length: 6 }, () => job())
    /** Loads the checkpoint and continues from there, as the subscription does. */
    const enqueueSurely = (count: number) =>
      vi.waitFor(async () => {
        await queue.checkpoint()
        await queue.enqueue(jobs.slice(0, count), checkpoint(String(count)))
      }, TIMEOUT_MS)
    await enqueueSurely(2)
    relay.cut()
    await enqueueSurely(3)
    relay.loseAnswers()
    const unknown = queue.enqueue(jobs.slice(0, 4), checkpoint('4')).catch((error: unknown) => error)
    expect(await unknown).toBeInstanceOf(Unavailable)
    relay.cut()
    await enqueueSurely(5)
    relay.freeze()
    await expect(queue.counts()).rejects.toThrow(Unavailable)
    relay.thaw()
    await enqueueSurely(6)
    await vi.waitFor(() => expect([...sent].toSorted()).toEqual(jobs.map(({ id }) => id).toSorted()), TIMEOUT_MS)
  })

  it('restarts a mail whose worker was killed, however often', async () => {
    const { server, redis } = shared()
    const prefix = `test-${randomUUID()}`
    const queue = openBullMqOutbox(redis, { prefix, lock: LOCK })
    onTestFinished(() => queue.close())
    const lost = job()
    await queue.enqueue([lost], checkpoint('1'))
    for (let kill = 0; kill < 2; kill++) expect(await beginAndKill(server.url, prefix)).toEqual([`sending ${lost.id}`])
    const sent: string[] = []
    working(queue, async ({ id }) => void sent.push(id))
    await vi.waitFor(() => expect(sent).toEqual([lost.id]), TIMEOUT_MS)
  })

  it('stops in time during an outage while it sends a mail', async () => {
    const own = await ownServer(true)
    const queue = openOn(own.url)
    await queue.enqueue([job()], checkpoint('1'))
    const [begun, goOn] = [deferred(), deferred()]
    const abort = new AbortController()
    const ended = queue.work(
      async () => {
        begun.resolve()
        await goOn.promise
      },
      { signal: abort.signal },
    )
    await begun.promise
    await own.kill()
    abort.abort()
    goOn.resolve()
    await promptly(ended, 10_000)
  })
})

const job = (): MailJob => ({ id: randomUUID(), kind: 'PasswordResetRequested', stream: 'user-a', revision: 0 })

/** Kills another process while it sends. Returns the job it was sending. */
async function beginAndKill(url: string, prefix: string): Promise<string[]> {
  const program = fileURLToPath(new URL('./killed-bullmq-worker.child.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', program, url, prefix, String(LOCK)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    child.kill('SIGKILL')
  }
  return lines
}
