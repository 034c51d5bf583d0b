import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { z } from 'zod'
import { readConfig } from '#services/process/config.ts'
import { allProjections } from '#services/portal/modules.ts'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { type Running, start } from '#services/cli/server.ts'
import { demoKeys } from '../demo/demo-firm.ts'
import { type Browser, browser } from './http-client.ts'

/**
 * Data folders that releases wrote, in `fixtures/<version>/`, with an export of an account and what the release
 * answered. Each opens for ever; `record-released-data.ts` makes one. `<version>-decisions` is a log of what later
 * versions decide otherwise; `record-decided-data.ts` makes it.
 */

const FOLDER = join(import.meta.dirname, 'fixtures')

/** Addresses with what they answered. */
const answers = z.record(z.string(), z.unknown())
const recorded = z.object({
  /** Of a member of staff; without it that of the demo. */
  accessKey: z.string().optional(),
  /** To staff. */
  staff: answers,
  /** To traders, by their email. */
  traders: z.record(z.string(), answers),
})
export type RecordedAnswers = z.infer<typeof recorded>

const files = { data: 'data.tar.br', export: 'export.json.br', answers: 'answers.json.br' } as const

/** Of a data folder, in bytes. */
const MOST = 200_000_000

/** The data that is kept, by the names of its folders. */
export function releases(): readonly string[] {
  return existsSync(FOLDER) ? readdirSync(FOLDER).toSorted() : []
}

export function releasedData(release: string) {
  const path = (file: keyof typeof files) => join(FOLDER, release, files[file])
  const read = (file: keyof typeof files) => brotliDecompressSync(readFileSync(path(file)))
  const text = (file: keyof typeof files) => read(file).toString('utf8')
  const keep = (file: keyof typeof files, content: string | Buffer) =>
    writeFileSync(path(file), brotliCompressSync(content))
  return {
    export: () => text('export'),
    answers: (): RecordedAnswers => recorded.parse(JSON.parse(text('answers'))),
    /** Copies the data folder into this one. */
    copyTo: (dataDir: string): void => void execFileSync('tar', ['-xf', '-', '-C', dataDir], { input: read('data') }),
    keep(dataDir: string, exported: string, said: RecordedAnswers): void {
      keep('data', execFileSync('tar', ['-cf', '-', '-C', dataDir, '.'], { maxBuffer: MOST }))
      keep('export', exported)
      keep('answers', JSON.stringify(said))
    },
  }
}

/** How long the read models may take to be built anew, in ms. */
const TIMEOUT_MS = 120_000

/** Starts the portal on such a folder, with all that was recorded visible. */
export async function startReleased(dataDir: string): Promise<Running> {
  const variables = { DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent', SEAL_SECONDS: '1' }
  const running = await start(readConfig(variables))
  const { readModelStore, eventStore } = running.parts
  await createReadModels(readModelStore, { waitTimeout: TIMEOUT_MS }).waitFor(allProjections, await eventStore.end())
  return running
}

export async function staffOf(
  { address }: Pick<Running, 'address'>,
  accessKey: string = demoKeys[0].accessKey,
): Promise<Browser> {
  const staff = browser(address)
  const { status } = await staff.post('/api/admin/login', { accessKey })
  if (status !== 200) throw new Error(`The access key is refused with ${status}`)
  return staff
}

/** What this caller is answered now, at each address. */
export async function answersTo(caller: Browser, addresses: readonly string[]): Promise<Record<string, unknown>> {
  const said = addresses.map(async (address) => [address, (await caller.get(address)).body] as const)
  return Object.fromEntries(await Promise.all(said))
}
