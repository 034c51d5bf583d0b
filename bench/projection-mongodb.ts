import { join } from 'node:path'
import { runChild, scratchFolder, startChild } from './children.ts'
import { atLeast, type Figure, type Settings, type Subject } from './figures.ts'
import { profileText, readProfile } from './profile.ts'
import { mongodbOutcome, type Stage } from './projection-mongodb-run.ts'
import { LIVE_BATCH } from './projection-run.ts'
import { startServers } from './servers.ts'
import { inTurn, median, ratio, whole } from './statistics.ts'

const events = Number(process.env['BENCH_EVENTS'] ?? 3_000)
const liveEvents = Math.ceil(events / 5)
const ROUNDS = 3
const LEAST = 0.7

const sides = ['projector', 'bulkWrite', 'bulkWrite by id alone'] as const
type Side = (typeof sides)[number]

/**
 * How fast the log becomes views in MongoDB's protocol, against its client writing the same documents.
 *
 * FerretDB finds a document quickly by its id alone, and reads the whole collection for any other condition, also for one
 * beside the id. MongoDB does not. So the target is held against a bulkWrite with the same guards; what the guards
 * cost on FerretDB is shown beside it.
 */
export const projectionMongodb: Subject = {
  name: 'projection-mongodb',
  about: `${whole(events)} events into all views on FerretDB, then ${whole(liveEvents)} in small batches, against the client's bulkWrite of the same documents in the same batches`,

  async measure({ profile, say }: Settings): Promise<readonly Figure[]> {
    const servers = await startServers('mongodb')
    let databases = 0
    const newUrl = () => `${servers.urls.mongodb}/bench_${(databases += 1)}`
    const recording = join(scratchFolder('recording'), 'writes.jsonl')
    say('recording what is written')
    await runChild('projection-mongodb', { url: newUrl(), events, liveEvents, recordTo: recording }, mongodbOutcome)

    const measured: Record<Side, () => Promise<Record<Stage, { ms: number }>>> = {
      projector: () => runChild('projection-mongodb', { url: newUrl(), events, liveEvents }, mongodbOutcome),
      bulkWrite: () => runChild('projection-mongodb-floor', { url: newUrl(), recording, guarded: true }, mongodbOutcome),
      'bulkWrite by id alone': () => runChild('projection-mongodb-floor', { url: newUrl(), recording, guarded: false }, mongodbOutcome),
    }
    const took = await inTurn(ROUNDS, sides, async (side, round) => {
      const { fill, live } = await measured[side]()
      say(`round ${round + 1}, ${side}: ${whole(fill.ms)} ms, small batches ${whole(live.ms)} ms`)
      return { fill: fill.ms, live: live.ms }
    })
    if (profile) {
      const child = startChild('projection-mongodb', { url: newUrl(), events, liveEvents }, { profile })
      const { fill, live } = await child.said(mongodbOutcome)
      const path = await child.stop()
      if (path !== undefined) {
        say(profileText('projection-mongodb, large batches', readProfile(path, [fill.timed])))
        say(profileText(`projection-mongodb, batches of ${LIVE_BATCH}`, readProfile(path, [live.timed])))
      }
    }
    await servers.stop()

    const times = (side: Side, stage: Stage) => (took.get(side) ?? []).map((ms) => ms[stage])
    // Of speeds, not of times: more is better.
    const against = (side: Side, stage: Stage) => ratio(times(side, stage), times('projector', stage))
    const perSecond = (side: Side, stage: Stage, many: number) => `${whole((many * 1_000) / median(times(side, stage)))} events/s`
    const stage = (what: string, name: Stage, many: number): Figure[] => [
      { what, value: against('bulkWrite', name).text, target: atLeast(against('bulkWrite', name).median, LEAST) },
      { what: '  to one that finds each by its id alone, without a guard', value: against('bulkWrite by id alone', name).text },
      { what: '  all three', value: sides.map((side) => `${side} ${perSecond(side, name, many)}`).join(', ') },
    ]
    return [
      ...stage('a log into empty views, to bulkWrite with the same guards', 'fill', events),
      ...stage(`live batches of ${LIVE_BATCH} events, to the same`, 'live', liveEvents),
    ]
  },
}
