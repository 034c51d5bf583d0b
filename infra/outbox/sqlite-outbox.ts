import { EventEmitter, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import type { Checkpoint } from '#infra/event-store/event-store.ts'
import { Unavailable } from '#infra/failures.ts'
import { openSqlite } from '#infra/sqlite/sqlite.ts'
import { createRunningWork } from '#infra/async.ts'
import {
  type FailedMail,
  type MailJob,
  type Outbox,
  type OutboxOptions,
  type MailWorkOptions,
  PermanentMailFailure,
  type RetryingMail,
} from './outbox.ts'
import { ATTEMPTS, retryDelay, FIRST_DELAY, failureReasonOf, LONGEST_DELAY } from './outbox-retries.ts'
import { createSendingGate, MOST_AT_ONCE } from './sending-gate.ts'

/**
 * Jobs keep their rows for good, so no id is queued twice. There is no state for "being sent": a job whose worker was
 * killed still waits and is sent again. `error` of a waiting one is that of its last try. `sent` is a counter, because counting rows would become slower over time.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS jobs (
    number   INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    kind     TEXT NOT NULL,
    stream   TEXT NOT NULL,
    revision INTEGER NOT NULL,
    state    TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'failed')),
    attempts INTEGER NOT NULL DEFAULT 0,
    due      INTEGER NOT NULL,
    failedAt INTEGER,
    error    TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS waiting ON jobs (due, number) WHERE state = 'waiting';
  CREATE INDEX IF NOT EXISTS failed ON jobs (failedAt, number) WHERE state = 'failed';
  CREATE TABLE IF NOT EXISTS progress (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    checkpoint TEXT,
    sent       INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  INSERT INTO progress (one) VALUES (1) ON CONFLICT DO NOTHING;
`

/** How often a worker looks for jobs of other processes, and retries while the file is unavailable, in ms. */
const POLL_INTERVAL_MS = 1_000

/**
 * An outbox in a SQLite file, for one worker at a time: two workers lose nothing, but may send a job twice.
 *
 * @throws {Unavailable} when the file can't be opened.
 */
export function openSqliteOutbox(path: string, { urgentKinds = [] }: OutboxOptions = {}): Outbox {
  const database = openSqlite(path, { part: 'mail queue', schema: SCHEMA, durability: 'full' })
  const insert = database.statement(
    'INSERT INTO jobs (id, kind, stream, revision, due) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  )
  const setCheckpoint = database.statement('UPDATE progress SET checkpoint = ?')
  const getProgress = database.statement('SELECT checkpoint, sent FROM progress')
  /** The jobs that are due, also where the clock was set back, without those in hand; the urgent ones first. */
  const dueNow = database.statement(
    `SELECT id, kind, stream, revision, attempts FROM jobs
     WHERE state = 'waiting' AND (due <= ? OR due > ?) AND id NOT IN (SELECT value FROM json_each(?))
     ORDER BY kind IN (SELECT value FROM json_each(?)) DESC, due, number LIMIT ?`,
  )
  const firstLater = database.statement("SELECT min(due) AS due FROM jobs WHERE state = 'waiting' AND due > ?")
  const nextRetries = database.statement(
    `SELECT id, kind, stream, revision, attempts, coalesce(error, '') AS error, due AS dueAt FROM jobs
     WHERE state = 'waiting' AND attempts > 0 ORDER BY due, number LIMIT ?`,
  )
  const markSent = database.statement("UPDATE jobs SET state = 'sent', error = NULL WHERE id = ? AND state <> 'sent'")
  const countSent = database.statement('UPDATE progress SET sent = sent + 1')
  const postpone = database.statement(
    "UPDATE jobs SET attempts = ?, due = ?, error = ? WHERE id = ? AND state = 'waiting'",
  )
  const markFailed = database.statement(
    "UPDATE jobs SET state = 'failed', attempts = ?, failedAt = ?, error = ? WHERE id = ? AND state = 'waiting'",
  )
  const allFailed = database.statement(
    "SELECT id, kind, stream, revision, attempts, error FROM jobs WHERE state = 'failed' ORDER BY failedAt, number",
  )
  const resetFailed = database.statement(
    "UPDATE jobs SET state = 'waiting', attempts = 0, due = ?, error = NULL WHERE id = ? AND state = 'failed'",
  )
  const countWaiting = database.statement("SELECT count(*) AS jobs FROM jobs WHERE state = 'waiting'")
  const countFailed = database.statement("SELECT count(*) AS jobs FROM jobs WHERE state = 'failed'")

  /** Tells that a job was queued, or that one has ended. */
  const changed = new EventEmitter().setMaxListeners(0)
  const closing = new AbortController()
  const working = createRunningWork()

  /** Waits until a job is queued in this process or has ended, the time is up, or `signal` aborts. */
  const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
    const waited = new AbortController()
    const timer = setTimeout(() => waited.abort(), ms)
    await once(changed, 'job', { signal: AbortSignal.any([signal, waited.signal]) }).catch(() => {})
    clearTimeout(timer)
  }

  /** Stores an outcome, with retries while the file is unavailable: otherwise a sent mail would be sent again. */
  const recordWithRetries = async (record: () => void, signal: AbortSignal): Promise<void> => {
    for (;;) {
      try {
        return record()
      } catch (error) {
        if (!(error instanceof Unavailable) || signal.aborted) throw error
        await pause(POLL_INTERVAL_MS, signal)
      }
    }
  }

  const recordSent = (id: string) =>
    database.transaction(() => {
      if (markSent.run(id) === 1) countSent.run()
    })

  const recordFailure = (job: MailJob, attempts: number, reason: unknown, options: MailWorkOptions) => {
    const tries = attempts + 1
    const error = failureReasonOf(reason)
    const final = reason instanceof PermanentMailFailure || tries >= (options.attempts ?? ATTEMPTS)
    const dueAt = final ? undefined : Date.now() + retryDelay(tries, options.firstDelay ?? FIRST_DELAY, Math.random())
    if (dueAt === undefined) markFailed.run(tries, Date.now(), error, job.id)
    else postpone.run(tries, dueAt, error, job.id)
    options.onFailure?.(job, { error, attempts: tries, dueAt })
  }

  /** So many due jobs that are not in hand. */
  const dueJobs = (inHand: ReadonlyMap<string, unknown>, most: number): WaitingJob[] => {
    const now = Date.now()
    return dueNow
      .all(now, now + LONGEST_DELAY, JSON.stringify([...inHand.keys()]), JSON.stringify(urgentKinds), most)
      .map((row) => waitingJob.parse(row))
  }

  /** How long to wait for the next job that becomes due, or that another process queues. */
  const untilNext = (): number => {
    const now = Date.now()
    const { due } = later.parse(firstLater.get(now))
    return due === null ? POLL_INTERVAL_MS : Math.min(due - now, POLL_INTERVAL_MS)
  }

  const attempt = async (
    { attempts, ...job }: WaitingJob,
    send: Send,
    options: MailWorkOptions,
    signal: AbortSignal,
  ): Promise<void> => {
    let record = () => recordSent(job.id)
    try {
      await send(job)
    } catch (error) {
      record = () => recordFailure(job, attempts, error, options)
    }
    await recordWithRetries(record, signal)
  }

  const work = async (send: Send, options: MailWorkOptions): Promise<void> => {
    const signal = AbortSignal.any([options.signal, closing.signal])
    const pass = createSendingGate(options, signal)
    const inHand = new Map<string, Promise<void>>()
    const errors: unknown[] = []
    /** Whether more may be due than was taken in hand. */
    let hasMore = false

    const begin = (job: WaitingJob) => {
      const ended = pass(urgentKinds.includes(job.kind), () => attempt(job, send, options, signal))
        .catch((error: unknown) => void errors.push(error))
        .finally(() => {
          inHand.delete(job.id)
          if (errors.length > 0 || !hasMore || inHand.size <= MOST_AT_ONCE / 2) changed.emit('job')
        })
      inHand.set(
        job.id,
        ended.then(() => {}),
      )
    }

    while (!signal.aborted && errors.length === 0) {
      try {
        const room = MOST_AT_ONCE - inHand.size
        const jobs = dueJobs(inHand, room)
        hasMore = jobs.length === room
        for (const job of jobs) begin(job)
        // No await between `dueJobs` and `pause`: a job queued in between would not end the pause.
        await pause(untilNext(), signal)
      } catch (error) {
        if (!(error instanceof Unavailable) || signal.aborted) throw error
        await pause(POLL_INTERVAL_MS, signal)
      }
      // A `send` that resolves at once must not starve timers and requests.
      await setImmediate()
    }
    await Promise.all(inHand.values())
    if (errors.length > 0) throw errors[0]
  }

  return {
    async enqueue(jobs, checkpoint) {
      const save = (): boolean => {
        const now = Date.now()
        const rows = jobs.map(({ id, kind, stream, revision }) => insert.run(id, kind, stream, revision, now))
        setCheckpoint.run(checkpoint)
        return rows.includes(1)
      }
      // Events without mails need not wait for the disk.
      const added = database.transaction(save, jobs.length > 0 ? 'full' : 'normal')
      if (added) changed.emit('job')
    },

    async checkpoint() {
      return progress.parse(getProgress.get()).checkpoint ?? undefined
    },

    work: (send, options) => working.track(work(send, options)),

    async retrying(limit) {
      return nextRetries.all(limit).map((row) => retryingMail.parse(row))
    },

    async failed() {
      return allFailed.all().map((row) => failedMail.parse(row))
    },

    async retry(id) {
      const found = resetFailed.run(Date.now(), id) === 1
      if (found) changed.emit('job')
      return found
    },

    async counts() {
      const { sent } = progress.parse(getProgress.get())
      return { waiting: count.parse(countWaiting.get()).jobs, sent, failed: count.parse(countFailed.get()).jobs }
    },

    async ready() {
      // The write lock also detects a file that became read-only.
      database.transaction(() => getProgress.get())
    },

    async close() {
      closing.abort()
      await working.settled()
      database.close()
    },
  }
}

type Send = (job: MailJob) => Promise<void>

const waitingJob = z.object({
  id: z.string(),
  kind: z.string(),
  stream: z.string(),
  revision: z.int(),
  attempts: z.int(),
})
type WaitingJob = z.infer<typeof waitingJob>
const later = z.object({ due: z.int().nullable() })
const failedMail: z.ZodType<FailedMail> = waitingJob.extend({ error: z.string() })
const retryingMail: z.ZodType<RetryingMail> = waitingJob.extend({ error: z.string(), dueAt: z.int() })

const progress = z.object({
  checkpoint: z.custom<Checkpoint>((value) => typeof value === 'string').nullable(),
  sent: z.int(),
})
const count = z.object({ jobs: z.int() })
