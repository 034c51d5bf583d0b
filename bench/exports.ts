import { z } from 'zod'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { verifyExport } from '#services/oversight/audit/export-verification.ts'
import { noticeStreams } from '#services/oversight/notices/notice.ts'
import { createSealer } from '#services/proof/sealer.ts'
import { ADMIN_KEY } from '#test-support/program.ts'
import { withDependencies } from '#test-support/stores.ts'
import { below, type Figure, median, percentiles, type Settings, type Subject, whole } from './figures.ts'
import { prepared, writeBusyFirm } from './histories.ts'
import { projectAll, signInAdmin, startProgram } from './programs.ts'

/** Checkpoints of a year, one every five minutes, and the entries of an account that is exported. */
const SEALS = Number(process.env['BENCH_SEALS'] ?? 105_120)
const ENTRIES = 2_300

export const exports: Subject = {
  name: 'exports',
  about: `the history of ${whole(ENTRIES)} entries with its proof, under ${whole(SEALS)} checkpoints`,
  measure,
}

/** The export of an account under a year of checkpoints, first after a start and then again, and its verification. */
async function measure({ say }: Settings): Promise<Figure[]> {
  const { dataDir, result: owner } = await prepared(`seals-${SEALS}`, z.string(), async (folder) => {
    say(`writing ${whole(SEALS)} checkpoints`)
    const [first] = await writeBusyFirm(folder, ENTRIES, ENTRIES)
    if (!first) throw new Error('Nobody joined')
    await withDependencies({ DATA_DIR: folder, ADMIN_ACCESS_KEY: ADMIN_KEY }, async (parts) => {
      const { repositories, readModelStore, logOrigin } = parts
      const sealer = createSealer({ ...parts, origin: logOrigin, checkpoints: readModelStore.checkpoints })
      for (let n = 0; n < SEALS; n++) {
        await repositories
          .of(noticeStreams)
          .decide('bench000', systemContext('bench', `seal ${n}`), () => [
            { type: 'NoticesSeen', data: { upTo: n + 1 } },
          ])
        await sealer.sealAll()
      }
    })
    say('projecting it')
    await projectAll(folder)
    return first
  })
  const { url, stop, readyAfter } = await startProgram({ dataDir, environment: { SEAL_SECONDS: '86400' } })
  const headers = { cookie: await signInAdmin(url) }
  const path = new URL(`/api/audit/accounts/${owner}/export`, url)
  const fetched = async (): Promise<readonly [string, number]> => {
    const began = performance.now()
    const text = await (await fetch(path, { headers })).text()
    return [text, performance.now() - began]
  }
  // Another request beside it, again and again.
  let [isOver, longest] = [false, 0]
  const beside = (async () => {
    while (!isOver) {
      const began = performance.now()
      await (await fetch(new URL('/healthz', url))).text()
      longest = Math.max(longest, performance.now() - began)
    }
  })()
  const [file, first] = await fetched()
  isOver = true
  await beside
  const times: number[] = []
  for (let n = 0; n < 12; n++) times.push((await fetched())[1])
  await stop()
  const checks: number[] = []
  for (let n = 0; n < 3; n++) {
    const began = performance.now()
    const { outcome } = await verifyExport(file)
    checks.push(performance.now() - began)
    if (outcome !== 'genuine') throw new Error('The export is not genuine')
  }
  const what = `an account of ${whole(ENTRIES)} entries under ${whole(SEALS)} checkpoints`
  return [
    { what: 'the start of the program', value: `${(readyAfter / 1_000).toFixed(1)} s` },
    below(`the first export of ${what} after a start`, 500, first, 'ms'),
    below('the longest that another request waits beside it', 50, longest, 'ms'),
    below('the same export later', 100, median(times), 'ms', percentiles(times, 0.5, 0.95)),
    below('its verification', 1_500, median(checks), 'ms'),
  ]
}
