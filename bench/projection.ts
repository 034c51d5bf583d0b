import { join } from 'node:path'
import { z } from 'zod'
import { scratchFolder, startChild, runChild } from './children.ts'
import { atLeast, below, type Figure, type Settings, type Subject } from './figures.ts'
import { LIVE_BATCH, projectionOutcome } from './projection-run.ts'
import { profileText, readProfile } from './profile.ts'
import { inTurn, median, ratio, whole } from './statistics.ts'

const events = Number(process.env['BENCH_EVENTS'] ?? 100_000)
/** What is there before the live batches come, and those. */
const before = Math.min(events, 80_000)
const liveEvents = 20_000
const MOST_MEMORY = 400

/** How fast the log becomes views, against libsql writing the same documents. */
export const projection: Subject = {
  name: 'projection',
  about: `${whole(events)} events into all views, against libsql writing the same documents in the same batches`,

  async measure({ profile, say }: Settings): Promise<readonly Figure[]> {
    const rounds = events > 300_000 ? 2 : 3
    const folder = scratchFolder('projection')
    const rebuilding = join(folder, 'rebuild')
    const run = { events, liveEvents }

    say(`writing a log of ${whole(events)} events and its first views`)
    await runChild('projection', { ...run, dataDir: rebuilding, what: 'prepare' }, projectionOutcome)
    const recordings = { rebuild: join(folder, 'rebuild.jsonl'), live: join(folder, 'live.jsonl') }
    say('recording what a rebuild and live batches write')
    await runChild('projection', { ...run, dataDir: rebuilding, what: 'rebuild', recordTo: recordings.rebuild }, projectionOutcome)
    const live = { ...run, events: before, what: 'live' }
    await runChild('projection', { ...live, dataDir: scratchFolder('live'), recordTo: recordings.live }, projectionOutcome)

    const memory: number[] = []
    const sides = {
      rebuild: async () => {
        const { peakMemory, ...times } = await runChild('projection', { ...run, dataDir: rebuilding, what: 'rebuild' }, projectionOutcome)
        memory.push(peakMemory)
        return times
      },
      'rebuild floor': async () => floor(recordings.rebuild, false),
      'sharp rebuild floor': async () => floor(recordings.rebuild, true),
      live: async () => runChild('projection', { ...live, dataDir: scratchFolder('live') }, projectionOutcome),
      'live floor': async () => floor(recordings.live, false),
      'sharp live floor': async () => floor(recordings.live, true),
    }
    const names = ['rebuild', 'rebuild floor', 'sharp rebuild floor', 'live', 'live floor', 'sharp live floor'] as const
    const took = await inTurn(rounds, names, async (name, round) => {
      const { ms, cpu } = await sides[name]()
      say(`round ${round + 1}, ${name}: ${whole(ms)} ms, of a processor ${whole(cpu)} ms`)
      return { ms, cpu }
    })
    const times = (name: (typeof names)[number]) => (took.get(name) ?? []).map(({ ms }) => ms)
    const cpu = (name: (typeof names)[number]) => (took.get(name) ?? []).map((times) => times.cpu)
    const perSecond = (name: (typeof names)[number], many: number) => `${whole((many * 1000) / median(times(name)))} events/s`

    if (profile) {
      for (const [what, input] of [
        ['rebuild', { ...run, dataDir: rebuilding, what: 'rebuild' }],
        ['live', { ...live, dataDir: scratchFolder('live') }],
      ] as const) {
        const child = startChild('projection', input, { profile })
        const { timed } = await child.said(projectionOutcome)
        const path = await child.stop()
        if (path !== undefined) say(profileText(`projection, ${what}`, readProfile(path, [timed])))
      }
    }

    // Of speeds, not of times: more is better.
    const against = (name: 'rebuild' | 'live', floorName: (typeof names)[number], of = times) => ratio(of(floorName), of(name))
    const rebuilt = against('rebuild', 'rebuild floor')
    const lived = against('live', 'live floor')
    return [
      { what: 'rebuild of all views, to libsql upserting its rows', value: rebuilt.text, target: atLeast(rebuilt.median, 0.6) },
      { what: `live batches of ${LIVE_BATCH} events, to the same`, value: lived.text, target: atLeast(lived.median, 0.6) },
      {
        what: '  the same in processor time',
        value: `rebuild ${against('rebuild', 'rebuild floor', cpu).text}, live ${against('live', 'live floor', cpu).text}`,
      },
      {
        what: '  to libsql updating only the columns that change',
        value: `rebuild ${against('rebuild', 'sharp rebuild floor').text}, live ${against('live', 'sharp live floor').text}`,
      },
      {
        what: '  the same in processor time',
        value: `rebuild ${against('rebuild', 'sharp rebuild floor', cpu).text}, live ${against('live', 'sharp live floor', cpu).text}`,
      },
      { what: 'peak memory of the rebuilding process', value: `${whole(Math.max(...memory))} MB`, target: below(Math.max(...memory), MOST_MEMORY, ' MB') },
      {
        what: '  rebuild',
        value: `${perSecond('rebuild', events)}, floors ${perSecond('rebuild floor', events)} and ${perSecond('sharp rebuild floor', events)}`,
      },
      {
        what: '  live',
        value: `${perSecond('live', liveEvents)}, floors ${perSecond('live floor', liveEvents)} and ${perSecond('sharp live floor', liveEvents)}`,
      },
    ]
  },
}

async function floor(recording: string, sharp: boolean): Promise<{ ms: number; cpu: number }> {
  return runChild('projection-floor', { recording, sharp }, z.object({ ms: z.number(), cpu: z.number() }))
}
