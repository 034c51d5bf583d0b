import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import express from 'express'
import { z } from 'zod'
import { openSqliteEventStore } from '#infra/event-store/sqlite-event-store.ts'
import { AccountChanges } from '#services/trading/accounts/account-change-api.ts'
import { PayoutRequest } from '#services/payments/payouts/payout-api.ts'
import { portOf } from '#test-support/servers/ports.ts'

/**
 * The least that a service like ours could do, as a server of its own: see {@link floorOptions}. Prints its address.
 */

const floorOptions = z.discriminatedUnion('kind', [
  /**
   * express, zod and the embedded store's bare append. With `grouped` requests share a commit, else each has its own.
   */
  z.object({ kind: z.literal('embedded log'), path: z.string(), grouped: z.boolean() }),
  /** express, zod and the bare client's append. */
  z.object({ kind: z.literal('eventstoredb'), url: z.string() }),
  /** express returning constants. */
  z.object({ kind: z.literal('constants'), answers: z.record(z.string(), z.unknown()) }),
])

type Append = (stream: string, revision: number, type: string, body: unknown) => Promise<unknown>

const STREAMS = 100
/** As long as the metadata of our events. */
const metadata = {
  version: 1,
  at: Date.now(),
  actor: { kind: 'trader', id: 'abcdefghijklmnopqrstuvwx' },
  requestId: randomUUID(),
  causationId: randomUUID(),
  correlationId: randomUUID(),
  previous: '0'.repeat(64),
}

const options = floorOptions.parse(JSON.parse(process.argv[2] ?? 'null'))
const app =
  options.kind === 'constants'
    ? constants(options)
    : commands(options.kind === 'eventstoredb' ? appendWithClient(options.url) : appendToFile(options))
const server = createServer(app).listen(0, '127.0.0.1', () =>
  console.log(`It listens at http://127.0.0.1:${portOf(server)}`),
)

function constants({ answers }: Extract<z.infer<typeof floorOptions>, { kind: 'constants' }>) {
  const app = express()
  for (const [path, body] of Object.entries(answers)) app.get(path, (_request, response) => void response.json(body))
  return app
}

function commands(append: Append) {
  let appended = 0
  const record = (type: string, body: unknown) => {
    const n = appended++
    return append(`account-${n % STREAMS}`, Math.floor(n / STREAMS), type, body)
  }
  const app = express().use(express.json())
  app.post('/api/user/payouts', async (request, response) => {
    const body = PayoutRequest.parse(request.body)
    await record('PayoutRequested', body)
    response.status(201).json({
      ...body,
      id: randomUUID(),
      status: 'pending',
      adminNotes: null,
      createdAt: new Date().toISOString(),
      decidedAt: null,
    })
  })
  app.patch('/api/admin/user/:id/account', async (request, response) => {
    await record('BalanceChanged', AccountChanges.parse(request.body))
    response.json({})
  })
  return app
}

function appendToFile({ path, grouped }: { readonly path: string; readonly grouped: boolean }): Append {
  const store = openSqliteEventStore(path)
  let before: Promise<unknown> = Promise.resolve()
  return (stream, revision, type, body) => {
    const event = { id: randomUUID(), type, data: JSON.stringify(body), metadata: JSON.stringify(metadata) }
    const append = () => store.append(stream, revision === 0 ? 'none' : revision - 1, [event])
    return grouped ? append() : (before = before.then(append))
  }
}

function appendWithClient(url: string): Append {
  const client = EventStoreDBClient.connectionString(url)
  const streams = new Map<string, Promise<unknown>>()
  return (stream, revision, type, body) => {
    const event = jsonEvent({ type, data: JSON.parse(JSON.stringify(body)), metadata })
    const append = () =>
      client.appendToStream(stream, event, { expectedRevision: revision === 0 ? 'no_stream' : BigInt(revision - 1) })
    // Appends to one stream keep their order, as in our repositories.
    const appended = (streams.get(stream) ?? Promise.resolve()).then(append)
    streams.set(stream, appended)
    return appended
  }
}
