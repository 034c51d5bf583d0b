import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type AllStreamResolvedEvent,
  type AppendExpectedRevision,
  BACKWARDS,
  binaryEvent,
  END,
  type EventData,
  EventStoreDBClient,
  type Filter,
  jsonEvent,
  type Position,
  START,
  streamNameFilter,
} from '@eventstore/db-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type EventStoreDouble, startDouble } from './double.ts'
import type { EventLog } from './log.ts'

/**
 * The double answers as a real EventStoreDB 24.10.4 did. recording.txt holds that server's answers to the calls that
 * our event store makes, one line a case: `group/…/case :: answer`. Each test makes the calls of a group again.
 *
 * An event is named by its stream and revision. `orders#3` is the position {X,X} after it, `orders#3/0` is {X,0}.
 */
const recorded = readFileSync(new URL('recording.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

type Check = (name: string, answer: () => unknown) => Promise<void>

/** Runs the cases of a group against a double of its own. A case that fails answers with its error. */
function itAnswersLike(
  groups: readonly string[],
  run: (check: Check, client: EventStoreDBClient, double: EventStoreDouble) => Promise<void>,
): void {
  it(groups.join(' and '), async () => {
    const double = await startDouble()
    const client = EventStoreDBClient.connectionString(double.url)
    onTestFinished(async () => {
      await client.dispose()
      await double.close()
    })
    const lines: string[] = []
    const check: Check = async (name, answer) => {
      const said = await Promise.resolve().then(answer).catch(describeError)
      lines.push(`${name} :: ${String(said)}`)
    }
    await run(check, client, double)
    expect(lines).toEqual(recorded.filter((line) => groups.some((group) => line.startsWith(`${group}/`))))
  })
}

// Some answers are durations, which a busy machine makes longer: such a group runs again.
describe('the double answers like the recorded server', { retry: 2, timeout: 120_000 }, () => {
  itAnswersLike(['fresh', 'append'], async (check, client, double) => {
    await check('fresh/$all of a new server holds system events only, and at least one', async () => {
      const streams = (await readAll(client)).map(({ streamId }) => streamId)
      return `system only ${yes(streams.every((stream) => stream.startsWith('$')))}, at least one ${yes(streams.length > 0)}`
    })
    const put = async (stream: string, expectedRevision: AppendExpectedRevision, events: EventData[]) => {
      const { success, nextExpectedRevision, position } = await client.appendToStream(stream, events, {
        expectedRevision,
      })
      return `${success ? 'ok' : 'refused'} next ${nextExpectedRevision}n at ${positionName(double.log, position)}`
    }
    const numbers = async (stream: string) =>
      list((await readStream(client, stream)).map(({ revision, data }) => `${revision}:${numberOf(data)}`))
    const revisions = async (stream: string) =>
      list((await readStream(client, stream)).map(({ revision }) => String(revision)))
    const name = (what: string) => `append/batch/${what}`
    await check(name('no_stream, new stream, 3 events'), () => put('batch-main', 'no_stream', events(3)))
    await check(name('exact revision'), () => put('batch-main', 2n, events(1)))
    await put('batch-main', 3n, events(1))
    await check(name('2000 events at once'), () => put('batch-bulk', 'no_stream', events(2000)))
    await check(name('wrong: revision too low'), () => put('batch-main', 0n, events(1)))
    await check(name('wrong: revision too high'), () => put('batch-main', 9n, events(1)))
    await check(name('wrong: no_stream on an existing stream'), () => put('batch-main', 'no_stream', events(1)))
    await check(name('wrong: exact revision on a missing stream'), () => put('batch-missing', 0n, events(1)))
    await check(
      name('wrong: nothing of all that was written'),
      async () => `${await revisions('batch-main')} ${await revisions('batch-missing').catch(describeError)}`,
    )

    /** Appends three events, then the same ones or what `change` makes of them. */
    const again = async (
      what: string,
      stream: string,
      revision: AppendExpectedRevision,
      change = (three: EventData[]) => three,
      meanwhile: EventData[] = [],
    ): Promise<void> =>
      check(name(`retry: ${what}`), async () => {
        const three = events(3)
        await put(stream, 'no_stream', three)
        if (meanwhile.length > 0) await put(stream, 2n, meanwhile)
        return `${await put(stream, revision, change(three)).catch(describeError)}, holds ${await numbers(stream)}`
      })
    await again('no_stream', 'batch-retry-1', 'no_stream')
    await again('with the current revision they are written again', 'batch-retry-4', 2n)
    await again('the last two with the revision they had', 'batch-retry-5', 0n, (three) => three.slice(1))
    await again('the first two, no_stream', 'batch-retry-7', 'no_stream', (three) => three.slice(0, 2))
    await again('with a new one behind, no_stream', 'batch-retry-8', 'no_stream', (three) => [...three, event(9)])
    await again('in another order, no_stream', 'batch-retry-10', 'no_stream', ([one, ...others]) => [
      ...others.slice(0, 1),
      ...(one ? [one] : []),
      ...others.slice(1),
    ])
    await again('with other data, no_stream', 'batch-retry-11', 'no_stream', (three) =>
      three.map(({ id }) => event(9, id)),
    )
    await again('after later appends, no_stream', 'batch-retry-12', 'no_stream', undefined, events(2))
    await check(name('retry: the same ids on another stream are new events'), async () => {
      const three = events(3)
      await put('batch-here', 'no_stream', three)
      return put('batch-there', 'no_stream', three)
    })
    await check(name('one id twice in one append'), async () => {
      const twin = event()
      return `${await put('batch-twins', 'no_stream', [twin, twin])}, holds ${await revisions('batch-twins')}`
    })
    const race = async (stream: string, expectedRevision: AppendExpectedRevision) =>
      tally(
        await Promise.all(
          events(50).map((one) =>
            client.appendToStream(stream, one, { expectedRevision }).then(() => 'accepted', describeError),
          ),
        ),
      )
    await put('batch-race', 'no_stream', events(1))
    await check(name('50 racing with one revision'), () => race('batch-race', 0n))
    await check(name('50 racing with no_stream'), () => race('batch-race2', 'no_stream'))
  })

  itAnswersLike(['read'], async (check, client, double) => {
    await client.appendToStream('read-a', events(4))
    await client.appendToStream('read-b', events(2))
    const forwards = async (stream: string, options = {}) =>
      list((await readStream(client, stream, options)).map(({ revision }) => String(revision)))
    const backwards = async (fromPosition: Position | typeof END, maxCount: number) =>
      list((await collect(client.readAll({ direction: BACKWARDS, fromPosition, maxCount }))).map(eventName))
    const a2 = positionOf(double.log, 'read-a', 2)
    await check('read/stream forwards', () => forwards('read-a'))
    await check('read/stream forwards from 2 is inclusive', () => forwards('read-a', { fromRevision: 2n }))
    await check('read/stream forwards from beyond its end', () => forwards('read-a', { fromRevision: 99n }))
    await check('read/stream forwards, at most 2', () => forwards('read-a', { maxCount: 2 }))
    await check('read/missing stream forwards', () => forwards('read-missing'))
    await check('read/$all backwards from an event is exclusive', () => backwards(a2, 2))
    await check('read/$all backwards from the end', () => backwards(END, 3))
    await check('read/$all backwards from between two events', () => backwards(beyond(a2, 1n), 2))
    await check('read/$all backwards from beyond the end', () => backwards(beyond(a2), 2))
    await check('read/an event comes back as written', async () => {
      const one = jsonEvent({
        type: 'Wörld',
        data: { text: 'ünï\u0000\n', half: 1.5, none: null, list: [] },
        metadata: { $correlationId: 'c', n: 1 },
      })
      await client.appendToStream('read-trip', one)
      const [read] = await readStream(client, 'read-trip')
      const isEqual =
        JSON.stringify([read?.id, read?.type, read?.data, read?.metadata]) ===
        JSON.stringify([one.id, one.type, one.data, one.metadata])
      const isNow = Math.abs(Number(read?.created) - Date.now()) < 60_000
      return `equal ${yes(isEqual)}, isJson ${String(read?.isJson)}, created is a Date of now ${yes(isNow)}, position ${positionName(double.log, read?.position)}`
    })
    await check('read/an event without metadata, and a binary one', async () => {
      await client.appendToStream('read-kinds', [event(1), binaryEvent({ type: 'Raw', data: Buffer.from('{"n":') })])
      const [plain, binary] = await readStream(client, 'read-kinds')
      return `metadata ${String(plain?.metadata)}, isJson ${String(binary?.isJson)}, data ${Buffer.from(binary?.isJson === false ? binary.data : []).toString()}`
    })
  })

  itAnswersLike(['deleted', 'metadata'], async (check, client, double) => {
    const put = async (stream: string, expectedRevision: AppendExpectedRevision, proposed: EventData[]) => {
      const { nextExpectedRevision, position } = await client.appendToStream(stream, proposed, { expectedRevision })
      return `ok next ${nextExpectedRevision}n at ${positionName(double.log, position)}`
    }
    const revisions = async (stream: string) =>
      list((await readStream(client, stream)).map(({ revision }) => String(revision)))
    const kept = async (stream: string) => {
      const all = (await readAll(client)).reverse().filter(({ streamId }) => streamId === stream)
      return list(all.map(({ streamId, revision }) => `${streamId}#${revision}`))
    }
    const soft = (what: string) => `deleted/soft/${what}`
    await put('del', 'no_stream', events(2))
    await check(soft('right revision'), () => client.deleteStream('del', { expectedRevision: 1n }).then(() => 'ok'))
    await check(soft('reading'), () => revisions('del'))
    await check(soft('appending, no_stream'), () => put('del', 'no_stream', events(1)))
    await check(soft('reading after the append, at the latest 5 s later'), () => revisions('del'))
    await check(soft('appending with the revision before the deletion'), async () => {
      await put('del-exact', 'no_stream', events(2))
      await client.deleteStream('del-exact')
      return put('del-exact', 1n, events(1))
    })
    await check(soft('$all keeps everything'), () => kept('del'))

    const gone = (what: string) => `deleted/tombstone/${what}`
    await put('tomb', 'no_stream', events(1))
    await check(gone('done'), () => client.tombstoneStream('tomb').then(() => 'ok'))
    await check(gone('reading'), () => revisions('tomb'))
    await check(gone('batch append, any'), () => put('tomb', 'any', events(1)))
    await check(gone('batch append, no_stream'), () => put('tomb', 'no_stream', events(1)))
    await check(gone('deleting again'), () => client.deleteStream('tomb'))
    await check(gone('the last event of $all'), async () => {
      const [last] = await readAll(client)
      return `${last?.type} ${last?.streamId}#${last?.revision}`
    })

    const meta = (what: string) => `metadata/maxCount 2 is ${what}`
    await put('meta', 'no_stream', events(4))
    await check(meta('honoured by reading the stream'), async () => {
      await client.setStreamMetadata('meta', { maxCount: 2 })
      return `${JSON.stringify((await client.getStreamMetadata('meta')).metadata)} ${await revisions('meta')}`
    })
    await check(meta('not honoured by $all'), () => kept('meta'))
    await check(meta('not honoured by a subscription to $all'), async () => {
      const { unsubscribe, until, count, names } = watch(client, START, streamNameFilter({ prefixes: ['meta'] }))
      await until(() => count('caughtUp') > 0)
      unsubscribe()
      return list(names(double.log).filter((name) => name.startsWith('meta#')))
    })
  })

  itAnswersLike(['subscribe'], async (check, client, double) => {
    await client.appendToStream('sub-a', events(3))
    await client.appendToStream('sub-b', events(2))
    const a1 = positionOf(double.log, 'sub-a', 1)
    for (const other of ['sub-live-no', 'sub-silent-no']) await client.appendToStream(other, event())
    const said = async (fromPosition: Position | typeof START | typeof END, prefixes: string[], append?: string) => {
      const subscription = watch(client, fromPosition, streamNameFilter({ prefixes }))
      await subscription.silence()
      if (append !== undefined) await client.appendToStream(append, event())
      await subscription.silence()
      return list(subscription.names(double.log).filter((name) => !name.startsWith('checkpoint')))
    }
    const name = (what: string) => `subscribe/$all, stream prefix/${what}`
    await check(name('from an event is exclusive'), () => said(a1, ['sub-']))
    await check(name('from {X,0} is inclusive: the event at X is delivered'), () =>
      said({ commit: a1.commit, prepare: 0n }, ['sub-']),
    )
    await check(name('from the end, then one append'), () => said(END, ['sub-'], 'sub-live-st'))
    await check(name('from between two events'), () => said(beyond(a1, 1n), ['sub-']))
    await check(name('from beyond the end: silence, also about a new event'), () =>
      said(beyond(a1), ['sub-'], 'sub-silent-st'),
    )
    await check(name('from the start, two prefixes, case matters'), () => said(START, ['sub-a', 'sub-b', 'SUB-']))
    await check('subscribe/unsubscribing says end and close', async () => {
      const { unsubscribe, silence, names } = watch(client, END)
      await silence()
      unsubscribe()
      await silence()
      return list(names(double.log))
    })
    await check('subscribe/60 subscriptions of one client each get a new event', async () => {
      const watchers = Array.from({ length: 60 }, () => watch(client, END))
      for (const { until, count } of watchers) await until(() => count('caughtUp') > 0)
      await client.appendToStream('sub-sixty', event())
      for (const { until, count } of watchers) await until(() => count('event') > 0)
      for (const { unsubscribe } of watchers) unsubscribe()
      return tally(watchers.map(({ count }) => String(count('event'))))
    })
  })

  itAnswersLike(['checkpoint', 'exact'], async (check, client, double) => {
    await client.appendToStream('cp-mark', event())
    for (let n = 0; n < 4; n++) await client.appendToStream('cp-other', events(50))
    await client.appendToStream('cp-match', event())
    for (let n = 0; n < 4; n++) await client.appendToStream('cp-other', events(50))
    const mark = positionOf(double.log, 'cp-mark', 0)
    const catchUp = async (filter: Filter, fromPosition: Position | typeof START = mark) => {
      const { unsubscribe, seen, until, count } = watch(client, fromPosition, filter)
      await until(() => count('caughtUp') > 0)
      const items = [...seen]
      unsubscribe()
      return items
    }
    const few = (more = {}) => streamNameFilter({ prefixes: ['cp-match'], ...more })
    const every = (more = {}) => streamNameFilter({ prefixes: ['cp-'], ...more })
    const settings = {
      'interval 1': { checkpointInterval: 1 },
      'interval 5': { checkpointInterval: 5 },
      'window 100': { checkpointInterval: 1, maxSearchWindow: 100 },
    }
    for (const [kind, filter] of [
      ['few match', few],
      ['all match', every],
    ] as const)
      for (const [setting, options] of Object.entries(settings)) {
        const seen = await catchUp(filter(options))
        await check(`exact/checkpoints while catching up, ${kind}, ${setting}`, async () =>
          list(
            itemNames(
              double.log,
              kind === 'few match'
                ? seen
                : seen.filter((item) => item.kind === 'checkpoint' || item.kind === 'caughtUp'),
            ),
          ),
        )
        await check(`checkpoint/catching up, ${kind}, ${setting}/resuming from every checkpoint as given`, async () => {
          const idsOf = (items: readonly Item[]) => items.flatMap((item) => (item.kind === 'event' ? [item.id] : []))
          let [lost, repeated] = [0, 0]
          for (const [index, item] of seen.entries()) {
            if (item.kind !== 'checkpoint') continue
            const delivered = new Set(idsOf(seen.slice(0, index)))
            const resumed = new Set(idsOf(await catchUp(filter(options), item.position)))
            lost += idsOf(seen).filter((id) => !delivered.has(id) && !resumed.has(id)).length
            repeated += [...resumed].filter((id) => delivered.has(id)).length
          }
          return `loses ${lost}, repeats ${repeated}`
        })
      }
    await check('checkpoint/from the start, few match/the first is {0,0}', async () => {
      const first = (await catchUp(few({ checkpointInterval: 1 }), START)).find(({ kind }) => kind === 'checkpoint')
      return positionName(double.log, first?.position)
    })
    await check('checkpoint/an event delivered last, then caughtUp/a checkpoint at it comes before', async () => {
      await client.appendToStream('cp-match', event())
      return list(
        itemNames(double.log, await catchUp(few({ checkpointInterval: 100 }))).filter(
          (name) => name !== 'confirmation',
        ),
      )
    })
    let runs = 0
    const live = async (prefix: string, count: number, more: object) => {
      const stream = `${prefix}-live-${++runs}`
      const subscription = watch(client, END, few(more))
      await subscription.until(() => subscription.count('caughtUp') > 0)
      for (const one of events(count)) await client.appendToStream(stream, one)
      await subscription.silence()
      return list(subscription.names(double.log).filter((name) => name.startsWith('checkpoint'))).replaceAll(stream, '')
    }
    await check('checkpoint/live/interval 1, 70 others: at the 32nd and the 64th', () =>
      live('cp-other', 70, { checkpointInterval: 1 }),
    )
    await check('checkpoint/live/interval 2, 70 others: at the 64th', () =>
      live('cp-other', 70, { checkpointInterval: 2 }),
    )
    await check('checkpoint/live/window 50, 70 others: at the 50th', () =>
      live('cp-other', 70, { checkpointInterval: 1, maxSearchWindow: 50 }),
    )
    await check('checkpoint/live/interval 1, 40 that match: at the 32nd too', () =>
      live('cp-match', 40, { checkpointInterval: 1 }),
    )
  })

  itAnswersLike(['load'], async (check, client) => {
    await check('load/stream prefix: caughtUp comes again and again while much is written', async () => {
      const { seen, until, count } = watch(client, END, streamNameFilter({ prefixes: ['load-busy'] }))
      await until(() => count('caughtUp') > 0)
      for (let n = 0; n < 20; n++) await client.appendToStream('load-busy', events(1000))
      await until(() => count('event') >= 20_000)
      const isInOrder = seen
        .filter(({ kind }) => kind === 'event')
        .every(({ revision }, index) => revision === BigInt(index))
      const fellBehind = count('fellBehind')
      return `${count('event')} delivered, in order ${yes(isInOrder)}, fellBehind ${fellBehind}, caughtUp at least twice ${yes(count('caughtUp') > 1)}`
    })
  })

  for (const how of ['kill', 'stop'] as const)
    itAnswersLike([how], async (check, client, double) => {
      const name = (what: string) => `${how}/${what}`
      const batches = { no_stream: events(2), exact: events(2) }
      await client.appendToStream('exact', event())
      const append = async (stream: keyof typeof batches) => {
        const expectedRevision = stream === 'exact' ? 0n : 'no_stream'
        const { nextExpectedRevision } = await client.appendToStream(stream, batches[stream], { expectedRevision })
        return `ok next ${nextExpectedRevision}n, holds ${list((await readStream(client, stream)).map(({ revision }) => String(revision)))}`
      }
      await append('no_stream')
      await append('exact')
      const busy = watch(client, END, streamNameFilter({ prefixes: ['work-'] }))
      const idle = watch(client, END, streamNameFilter({ prefixes: ['never-'] }))
      for (const { until, count } of [busy, idle]) await until(() => count('caughtUp') > 0)
      const acknowledged = new Set<string>()
      const failures: unknown[] = []
      let isWorking = true
      const writers = Array.from({ length: 32 }, async (_, n) => {
        while (isWorking) {
          const one = event(n)
          await client.appendToStream(`work-${n % 7}`, one).then(
            () => acknowledged.add(one.id),
            (error: unknown) => {
              failures.push(error instanceof Error && 'code' in error ? error.code : error)
              return delay(50)
            },
          )
        }
      })
      await busy.until(() => acknowledged.size >= 500)
      const goneAt = performance.now()
      await double[how]()
      await check(name('a subscription that delivers'), () => busy.ending(goneAt))
      await check(name('an idle subscription'), () => idle.ending(goneAt))
      // The client answers differently once it has tried to connect again.
      await busy.until(() => failures.length >= 320)
      isWorking = false
      await check(name('32 writers, before and after: all settle'), () => withinTime(20_000, Promise.all(writers)))
      if (how === 'kill')
        await check(name('32 writers: every failure has code 14'), () => yes(failures.every((code) => code === 14)))
      await check(name('batch append while it is down'), () => timed(client.appendToStream('x', event())))
      await check(name('reading while it is down'), () => timed(readStream(client, 'exact')))
      await check(name('subscribing while it is down'), () => watch(client, START).ending(performance.now()))
      const delivered = busy.count('event')
      await double.restart()
      const backAt = performance.now()
      await expect
        .poll(
          () =>
            client.appendToStream('again', event()).then(
              () => true,
              () => false,
            ),
          { timeout: 60_000 },
        )
        .toBe(true)
      await check(name('back: the same client appends again'), () => duration(performance.now() - backAt))
      await client.appendToStream('work-0', event())
      await check(
        name('back: the old subscription gets nothing more'),
        async () => (await busy.silence(), yes(busy.count('event') === delivered)),
      )
      await check(name('back: acknowledged appends'), async () => {
        const ids = new Set((await readAll(client)).map(({ id }) => id))
        return `lost ${[...acknowledged].filter((id) => !ids.has(id)).length}`
      })
      await check(name('back: the same ids again, no_stream'), () => append('no_stream'))
      await check(name('back: the same ids again, exact'), () => append('exact'))
    })

  itAnswersLike(['wiped'], async (check, client, double) => {
    await client.appendToStream('old', events(50))
    const last = async () =>
      (await collect(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 })))[0]?.position
    const checkpoint = (await last()) ?? { commit: 0n, prepare: 0n }
    double.kill()
    await double.restart({ wiped: true })
    await expect
      .poll(
        () =>
          client.appendToStream('new', event()).then(
            () => true,
            () => false,
          ),
        { timeout: 60_000 },
      )
      .toBe(true)
    await check('wiped/the end of the log lies below the old checkpoint', async () =>
      yes(((await last())?.commit ?? 0n) < checkpoint.commit),
    )
    await check(
      'wiped/subscribing from the old checkpoint, stream prefix: silence, also about a new event',
      async () => {
        const { until, count, silence, names } = watch(client, checkpoint, streamNameFilter({ prefixes: ['new'] }))
        await until(() => count('caughtUp') > 0)
        await client.appendToStream('new', event())
        await silence()
        return list(names(double.log))
      },
    )
    await check('wiped/reading backwards from the old checkpoint', () =>
      collect(client.readAll({ direction: BACKWARDS, fromPosition: checkpoint })),
    )
    await check('wiped/appending with the revision the stream had', () =>
      client.appendToStream('old', event(), { expectedRevision: 49n }),
    )
  })

  itAnswersLike(['freeze'], async (check, client, double) => {
    await client.appendToStream('warm', event())
    const { until, count, ending } = watch(client, END, streamNameFilter({ prefixes: ['frozen-'] }))
    await until(() => count('caughtUp') > 0)
    double.relay.freeze()
    const frozenAt = performance.now()
    const [plain, limited] = [event(), event()]
    const answers = {
      'batch append': timed(client.appendToStream('frozen-batch', plain, { expectedRevision: 'no_stream' })),
      'batch append with a deadline of 2 s': timed(
        client.appendToStream('frozen-limited', limited, { expectedRevision: 'no_stream', deadline: 2000 }),
      ),
      'reading with a deadline of 2 s': timed(readStream(client, 'warm', { deadline: 2000 })),
      'a subscription': ending(frozenAt),
    }
    for (const [what, answer] of Object.entries(answers)) await check(`freeze/${what}`, () => answer)
    double.relay.thaw()
    const thawedAt = performance.now()
    await expect
      .poll(
        () =>
          client.appendToStream('warm', event()).then(
            () => true,
            () => false,
          ),
        { timeout: 60_000 },
      )
      .toBe(true)
    await check('freeze/thawed: the same client appends again', () => duration(performance.now() - thawedAt))
  })

  itAnswersLike(['size'], async (check, client) => {
    const sizes = {
      'one event of 1048574 bytes, its type one letter': [1_048_574],
      'one event of 1048575 bytes, its type one letter': [1_048_575],
      '10 events of 100000 bytes': Array<number>(10).fill(100_000),
      '11 events of 100000 bytes': Array<number>(11).fill(100_000),
      'one event of 4 MiB': [4 << 20],
      'a small one afterwards': [1],
    }
    for (const [what, sizeList] of Object.entries(sizes))
      await check(`size/batch/${what}`, async () => {
        const blobs = sizeList.map((size) => binaryEvent({ type: 'B', data: Buffer.alloc(size) }))
        return `ok next ${(await client.appendToStream('size-batch', blobs)).nextExpectedRevision}n`
      })
  })

  itAnswersLike(['hundred'], async (check, client, double) => {
    const other = EventStoreDBClient.connectionString(double.url)
    await client.appendToStream('warm', event())
    const watchers = Array.from({ length: 120 }, () => watch(client, END))
    const countOf = (kind: Item['kind']) => watchers.filter(({ count }) => count(kind) > 0).length
    await watchers[0]?.until(() => countOf('confirmation') >= 99)
    await delay(1500)
    await check('hundred/of 120 subscriptions of one client are confirmed', () => countOf('confirmation'))
    await check(
      'hundred/a batch append of that client',
      async () => `ok next ${(await client.appendToStream('x', event())).nextExpectedRevision}n at once`,
    )
    const reads = [client, other].map((one) => withinTime(3000, readStream(one, 'warm')))
    await check('hundred/a read of that client within 3 s', () => reads[0])
    await check(
      'hundred/a read of another client of this process within 3 s: they share the connection',
      () => reads[1],
    )
    await check(
      'hundred/events delivered of one append',
      () => watchers.filter(({ count }) => count('event') > 0).length,
    )
    for (const { unsubscribe } of watchers.slice(0, 30)) unsubscribe()
    await watchers[0]?.until(() => countOf('confirmation') >= 120)
    await check('hundred/confirmed after 30 of them ended', () => countOf('confirmation'))
    await check('hundred/errors', () => countOf('error'))
  })
})

const kinds = ['confirmation', 'caughtUp', 'fellBehind', 'end', 'close'] as const

interface Item {
  readonly kind: (typeof kinds)[number] | 'event' | 'checkpoint' | 'error'
  readonly at: number
  readonly id?: string
  /** The event, its position or the error in words. */
  readonly name?: string
  readonly revision?: bigint
  readonly position?: Position
}

/** Subscribes to the whole log and collects everything the subscription says, in order. */
function watch(client: EventStoreDBClient, fromPosition: Position | typeof START | typeof END, filter?: Filter) {
  const seen: Item[] = []
  const add = (kind: Item['kind'], more: Partial<Item> = {}): void =>
    void seen.push({ kind, at: performance.now(), ...more })
  const watched = filter && {
    ...filter,
    checkpointReached: async (_: unknown, position: Position) => add('checkpoint', { position }),
  }
  const subscription = client.subscribeToAll({ fromPosition, ...(watched ? { filter: watched } : {}) })
  for (const kind of kinds) subscription.on(kind, () => add(kind))
  subscription.on('error', (error) => add('error', { name: describeError(error) }))
  subscription.on('data', ({ event: read }: AllStreamResolvedEvent) => {
    if (read) add('event', { id: read.id, name: eventName(read), revision: read.revision })
  })
  const until = (condition: () => boolean) => expect.poll(condition, { timeout: 60_000, interval: 10 }).toBe(true)
  return {
    /** The client may never settle this: nothing waits for it. */
    unsubscribe: () => void subscription.unsubscribe().catch(() => {}),
    seen,
    until,
    count: (kind: Item['kind']) => seen.filter((item) => item.kind === kind).length,
    names: (log: EventLog) => itemNames(log, seen),
    /** Waits until the subscription has said something and then nothing for a while. */
    async silence() {
      const since = performance.now()
      await until(() => seen.length > 0 && performance.now() - Math.max(since, seen.at(-1)?.at ?? 0) > 400)
    },
    /** How and when it ended. */
    async ending(since: number) {
      await until(() => seen.some(({ kind }) => kind === 'error'))
      const ends = seen.filter(({ kind }) => kind === 'error' || kind === 'end' || kind === 'close')
      return `${list(ends.map(({ kind, name }) => name ?? kind))} ${duration((ends[0]?.at ?? 0) - since)}`
    },
  }
}

function itemNames(log: EventLog, items: readonly Item[]): string[] {
  return items.map(({ kind, name, position }) =>
    position ? `checkpoint(${positionName(log, position)})` : (name ?? kind),
  )
}

/** Names the event at a position, and keeps {X,X} and {X,0} apart. */
function positionName(log: EventLog, position: Position | undefined): string {
  if (!position) return 'no position'
  if (position.commit === 0n && position.prepare === 0n) return '{0,0}'
  const found = log.events[log.countBefore(Number(position.commit))]
  const name = found && BigInt(found.position) === position.commit ? `${found.stream}#${found.revision}` : 'no event'
  return position.prepare === position.commit ? name : `${name}/0`
}

function positionOf(log: EventLog, stream: string, revision: number): Position {
  const commit = BigInt(log.stream(stream)?.[revision]?.position ?? -1)
  return { commit, prepare: commit }
}

interface Named {
  readonly streamId: string
  readonly revision: bigint
}

function eventName({ streamId, revision }: Named): string {
  return streamId.startsWith('$') ? 'system' : `${streamId}#${revision}`
}

async function collect(reading: AsyncIterable<AllStreamResolvedEvent>) {
  const read = []
  for await (const { event: one } of reading) if (one) read.push(one)
  return read
}

async function readAll(client: EventStoreDBClient) {
  return collect(client.readAll({ direction: BACKWARDS, fromPosition: END }))
}

async function readStream(
  client: EventStoreDBClient,
  stream: string,
  options: Parameters<EventStoreDBClient['readStream']>[1] = {},
) {
  const read = []
  for await (const { event: one } of client.readStream(stream, options)) if (one) read.push(one)
  return read
}

const beyond = ({ commit, prepare }: Position, bytes = 1_000_000n): Position => ({
  commit: commit + bytes,
  prepare: prepare + bytes,
})
const event = (n = 0, id: string = randomUUID()): EventData => jsonEvent({ id, type: 'Tested', data: { n } })
const events = (count: number): EventData[] => Array.from({ length: count }, (_, n) => event(n))
const numberOf = (data: unknown) => (typeof data === 'object' && data !== null && 'n' in data ? String(data.n) : '')
const yes = (condition: boolean) => (condition ? 'yes' : 'NO')
const list = (names: readonly string[]) => `[${names.join(' ')}]`
const tally = (words: readonly string[]) =>
  [...new Set(words)]
    .toSorted()
    .map((word) => `${words.filter((other) => other === word).length} × ${word}`)
    .join(', ')

/**
 * Class, gRPC code (absent when the answer was no gRPC error) and what the error carries; messages differ between
 * servers.
 */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const details = new Map<string, unknown>(Object.entries(error))
  const words = [
    details.has('type') ? [] : ['no type'],
    details.get('code') === undefined ? [] : [`code ${String(details.get('code'))}`],
    details.has('expectedVersion')
      ? [`expected ${version(details.get('expectedVersion'))}`, `actual ${version(details.get('actualVersion'))}`]
      : [],
    details.get('maxAppendSize') === undefined ? [] : [`max ${String(details.get('maxAppendSize'))}`],
    details.get('streamName') === undefined ? [] : [`stream ${String(details.get('streamName'))}`],
  ]
  return `${error.constructor.name}(${words.flat().join(', ')})`
}
const version = (value: unknown) => (typeof value === 'bigint' ? `${value}n` : String(value))

/** Durations in the steps that matter to a caller: a ping comes within 10 s, its answer within 10 s. */
const duration = (ms: number) =>
  ms < 1900 ? 'at once' : ms < 8000 ? 'after about 2 s' : ms < 16_000 ? 'after about 10 s' : 'after about 20 s'

async function timed(work: Promise<unknown>): Promise<string> {
  const startedAt = performance.now()
  const said = await work.then(() => 'ok', describeError)
  return `${said} ${duration(performance.now() - startedAt)}`
}

async function withinTime(ms: number, work: Promise<unknown>): Promise<string> {
  const settled = work.then(
    () => 'yes',
    () => 'yes',
  )
  return Promise.race([settled, delay(ms, 'NO')])
}
