import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { BadConfiguration, type Config, readConfig } from '#services/process/config.ts'
import { type Running, start } from '#services/cli/server.ts'
import { allProjections } from '#services/portal/modules.ts'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { DEMO_PASSWORD, demoKeys, generateFirm } from './demo-firm.ts'

/** Starts the portal on the data folder of a made-up firm. The first start generates it. */

const DEFAULT_FOLDER = './demo-data'
/** The file that marks a demo's folder and lists its featured traders. */
const NOTE = 'demo.json'
const TRADERS = 250
const SEED = 20_260_401
/** How long the first start may take to project the history, in ms. */
const TIMEOUT_MS = 120_000

const note = z.object({ madeAt: z.iso.datetime(), traders: z.array(z.object({ email: z.string(), see: z.string() })) })

export interface Demo extends Running {
  /** Whether this start generated it. */
  readonly created: boolean
  /** Where to open it. Its host is a name, since browsers make no passkeys for an address. */
  readonly url: string
  /** Who can sign in, as text for a terminal. */
  readonly signIns: string
}

interface DemoStart {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly say: (text: string) => void
  readonly traders?: number
  readonly until?: number
}

/** @throws {BadConfiguration} for a folder that holds something else. */
export async function startDemo({ variables, say, traders = TRADERS, until = Date.now() }: DemoStart): Promise<Demo> {
  // The keys are public, so by default only this machine can reach the demo.
  const config = readConfig({
    ...variables,
    DATA_DIR: variables['DATA_DIR'] || DEFAULT_FOLDER,
    HOST: variables['HOST'] || '127.0.0.1',
    PUBLIC_URL:
      variables['PUBLIC_URL'] || (variables['HOST'] ? undefined : `http://localhost:${variables['PORT'] || 3000}`),
    LOG_LEVEL: variables['LOG_LEVEL'] || 'warn',
  })
  const created = !isDemoFolder(config)
  if (created) {
    say(`Generating a firm of ${traders} traders with six months of history in ${config.dataDir} …`)
    await generateIfMissing(config, traders, until)
  }
  const { traders: featured } = note.parse(JSON.parse(readFileSync(join(config.dataDir, NOTE), 'utf8')))
  const running = await start(config)
  const { readModelStore, eventStore } = running.parts
  if (
    !(await createReadModels(readModelStore, { waitTimeout: TIMEOUT_MS }).waitFor(
      allProjections,
      await eventStore.end(),
    ))
  )
    say('The read models are still catching up.')
  return { ...running, created, url: config.publicUrl?.origin ?? running.address, signIns: signInsOf(featured) }
}

/** @throws {BadConfiguration} when the folder holds other data. */
function isDemoFolder({ dataDir }: Config): boolean {
  if (!existsSync(dataDir) || readdirSync(dataDir).length === 0) return false
  if (existsSync(join(dataDir, NOTE))) return true
  throw new BadConfiguration(
    `DATA_DIR: ${dataDir} holds data of something else and is left alone; choose an empty or a new folder`,
  )
}

/**
 * Generates the firm in a folder of its own and renames that, so that an interrupted start leaves no half of a firm.
 */
async function generateIfMissing(config: Config, traders: number, until: number): Promise<void> {
  const { dataDir } = config
  const unfinished = `${dataDir}.making-${process.pid}`
  mkdirSync(dirname(dataDir), { recursive: true })
  try {
    const featured = await generateFirm({ config: { ...config, dataDir: unfinished }, traders, seed: SEED, until })
    writeFileSync(
      join(unfinished, NOTE),
      `${JSON.stringify({ madeAt: new Date(until).toISOString(), traders: featured }, null, 2)}\n`,
    )
    // This replaces an empty folder of the same name.
    renameSync(unfinished, dataDir)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

function signInsOf(traders: readonly { readonly email: string; readonly see: string }[]): string {
  const width = Math.max(...traders.map(({ email }) => email.length))
  return [
    `Traders (password for all: ${DEMO_PASSWORD})`,
    ...traders.map(({ email, see }) => `  ${email.padEnd(width)}  ${see}`),
    'Access keys (Admin Login)',
    ...demoKeys.map(({ accessKey, role, label }) => `  ${accessKey.padEnd(width)}  ${role}: ${label}`),
  ].join('\n')
}
