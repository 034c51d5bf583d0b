import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import express, { type Express } from 'express'
import Libsql from 'libsql'
import { z } from 'zod'
import { portOf } from '../test-support/servers/ports.ts'
import { AccountChanges, PayoutRequest } from '../services/api/index.ts'
import { inputOf, say, scratchFolder } from './children.ts'

/** The least that a service like ours could do: take a request in, check it, put one row durably on the disk, answer. */

const { grouped } = inputOf(z.object({ grouped: z.boolean() }))

const database = new Libsql(join(scratchFolder('floor'), 'events.sqlite'))
database.exec('PRAGMA journal_mode = WAL')
database.exec('PRAGMA synchronous = FULL')
database.exec(`
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream   TEXT NOT NULL,
    revision INTEGER NOT NULL,
    id       TEXT NOT NULL,
    type     TEXT NOT NULL,
    data     TEXT NOT NULL,
    metadata TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
`)
const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)')

/** As long as the metadata that our events carry. */
const metadata = JSON.stringify({
  version: 1,
  at: Date.now(),
  actor: { kind: 'trader', id: 'abcdefghijklmnopqrstuvwx' },
  requestId: randomUUID(),
  causationId: randomUUID(),
  correlationId: randomUUID(),
  previous: '0'.repeat(64),
})

const STREAMS = 100
let position = 0

type Event = readonly [position: number, stream: string, revision: number, id: string, type: string, data: string, metadata: string]

const eventOf = (type: string, body: unknown): Event => {
  position += 1
  return [position, `account-${position % STREAMS}`, Math.floor(position / STREAMS), randomUUID(), type, JSON.stringify(body), metadata]
}

/** One transaction, one wait for the disk, an event. */
const append = async (event: Event): Promise<void> => void insert.run(event)

let waiting: { readonly event: Event; readonly done: () => void }[] = []

/** What comes within one turn of the event loop shares a transaction, as in our event store. */
const appendInGroup = (event: Event): Promise<void> =>
  new Promise((done) => {
    if (waiting.length === 0) setImmediate(commit)
    waiting.push({ event, done })
  })

const commit = (): void => {
  const group = waiting
  waiting = []
  database.exec('BEGIN IMMEDIATE')
  for (const { event } of group) insert.run(event)
  database.exec('COMMIT')
  for (const { done } of group) done()
}

const record = grouped ? appendInGroup : append

function register(app: Express): void {
  app.post('/api/user/payouts', async (request, response) => {
    const body = PayoutRequest.parse(request.body)
    await record(eventOf('PayoutRequested', body))
    response.status(201).json({ ...body, id: randomUUID(), status: 'pending', adminNotes: null, createdAt: new Date().toISOString(), decidedAt: null })
  })
  app.patch('/api/admin/user/:id/account', async (request, response) => {
    await record(eventOf('BalanceChanged', AccountChanges.parse(request.body)))
    response.json({})
  })
}

const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.use(express.json())
register(app)
const server = app.listen(0, '127.0.0.1', () => {
  say({ url: `http://127.0.0.1:${portOf(server)}` })
})
