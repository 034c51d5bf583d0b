import { EventEmitter, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import type { Checkpoint } from '#infra/event-store/event-store.ts'
import { Unavailable } from '#infra/failures.ts'
import { openSqlite } from '#infra/sqlite/sqlite.ts'
import { createRunningWork } from '#infra/async.ts'
import { type FailedMail, type MailJob, type Outbox, type MailWorkOptions, PermanentMailFailure } from './outbox.ts'
import { ATTEMPTS, retryDelay, FIRST_DELAY, failureReasonOf } from './outbox-retries.ts'

/**
 * Jobs keep their rows for good, so no id is queued twice. There is no state for "being sent": a job whose worker was
 * killed still waits and is sent again. `sent` is a counter, because counting rows would become slower over time.
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
export function openSqliteOutbox(path: string): Outbox {
  const database = openSqlite(path, { part: 'mail queue', schema: SCHEMA, durability: 'full' })
  const insert = database.statement(
    'INSERT INTO jobs (id, kind, stream, revision, due) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  )
  const setCheckpoint = database.statement('UPDATE progress SET checkpoint = ?')
  const getProgress = database.statement('SELECT checkpoint, sent FROM progress')
  const firstWaiting = database.statement(
    "SELECT id, kind, stream, revision, attempts, due FROM jobs WHERE state = 'waiting' ORDER BY due, number LIMIT 1",
  )
  const markSent = database.statement("UPDATE jobs SET state = 'sent', error = NULL WHERE id = ? AND state <> 'sent'")
  const countSent = database.statement('UPDATE progress SET sent = sent + 1')
  const postpone = database.statement("UPDATE jobs SET attempts = ?, due = ? WHERE id = ? AND state = 'waiting'")
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

  const queued = new EventEmitter().setMaxListeners(0)
  const closing = new AbortController()
  const working = createRunningWork()

  /** Waits until a job is queued in this process, the time is up, or `signal` aborts. */
  const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
    const waited = new AbortController()
    const timer = setTimeout(() => waited.abort(), ms)
    await once(queued, 'job', { signal: AbortSignal.any([signal, waited.signal]) }).catch(() => {})
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

  const recordFailure = ({ id, attempts }: WaitingJob, error: unknown, options: MailWorkOptions) => {
    const tries = attempts + 1
    const final = error instanceof PermanentMailFailure || tries >= (options.attempts ?? ATTEMPTS)
    if (final) markFailed.run(tries, Date.now(), failureReasonOf(error), id)
    else postpone.run(tries, Date.now() + retryDelay(tries, options.firstDelay ?? FIRST_DELAY, Math.random()), id)
  }

  /** The job to send now, or how long to wait until there may be one. */
  const next = (): WaitingJob | number => {
    const row = firstWaiting.get()
    if (!row) return POLL_INTERVAL_MS
    const job = waitingJob.parse(row)
    const early = job.due - Date.now()
    return early > 0 ? Math.min(early, POLL_INTERVAL_MS) : job
  }

  const attempt = async (job: WaitingJob, send: Send, options: MailWorkOptions, signal: AbortSignal): Promise<void> => {
    let record = () => recordSent(job.id)
    try {
      await send({ id: job.id, kind: job.kind, stream: job.stream, revision: job.revision })
    } catch (error) {
      record = () => recordFailure(job, error, options)
    }
    await recordWithRetries(record, signal)
  }

  const work = async (send: Send, options: MailWorkOptions): Promise<void> => {
    const signal = AbortSignal.any([options.signal, closing.signal])
    while (!signal.aborted) {
      try {
        const job = next()
        // No await between `next` and `pause`: a job queued in between would not end the pause.
        if (typeof job === 'number') await pause(job, signal)
        else await attempt(job, send, options, signal)
      } catch (error) {
        if (!(error instanceof Unavailable) || signal.aborted) throw error
        await pause(POLL_INTERVAL_MS, signal)
      }
      // A `send` that resolves at once must not starve timers and requests.
      await setImmediate()
    }
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
      if (added) queued.emit('job')
    },

    async checkpoint() {
      return progress.parse(getProgress.get()).checkpoint ?? undefined
    },

    work: (send, options) => working.track(work(send, options)),

    async failed() {
      return allFailed.all().map((row) => failedMail.parse(row))
    },

    async retry(id) {
      const found = resetFailed.run(Date.now(), id) === 1
      if (found) queued.emit('job')
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

const job = z.object({ id: z.string(), kind: z.string(), stream: z.string(), revision: z.int(), attempts: z.int() })
const waitingJob = job.extend({ due: z.int() })
type WaitingJob = z.infer<typeof waitingJob>
const failedMail: z.ZodType<FailedMail> = job.extend({ error: z.string() })

const progress = z.object({
  checkpoint: z.custom<Checkpoint>((value) => typeof value === 'string').nullable(),
  sent: z.int(),
})
const count = z.object({ jobs: z.int() })
