import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { BadConfiguration, type Config, readConfig } from '../config.ts'
import { type Running, start } from '../server.ts'
import { allProjections } from '../projections/index.ts'
import { createReadModels } from '../event-sourcing/projections/read-models.ts'
import { DEMO_PASSWORD, generateFirm, demoKeyList } from './make.ts'

/** Starts the portal on the data folder of a made-up firm, which is made at the first start and kept from then on. */

const DEFAULT_FOLDER = './demo-data'
/** Says that a folder is a demo's own, and who is in it. */
const NOTE = 'demo.json'
const TRADERS = 250
const SEED = 20_260_401
/** How long the first start may take to fold its history, in ms. */
const TIMEOUT_MS = 120_000

const note = z.object({ madeAt: z.iso.datetime(), traders: z.array(z.object({ email: z.string(), see: z.string() })) })

export interface Demo extends Running {
  /** Whether it was made by this start. */
  readonly created: boolean
  /** Who can sign in, in words. */
  readonly signIns: string
}

export interface DemoStart {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly say: (text: string) => void
  readonly traders?: number
  readonly until?: number
}

/** @throws {BadConfiguration} for a folder that holds something else. */
export async function startDemo({ variables, say, traders = TRADERS, until = Date.now() }: DemoStart): Promise<Demo> {
  // The keys are known to everybody: unless it is asked for, nobody else on the network can reach it.
  const config = readConfig({
    ...variables,
    DATA_DIR: variables['DATA_DIR'] || DEFAULT_FOLDER,
    HOST: variables['HOST'] || '127.0.0.1',
    LOG_LEVEL: variables['LOG_LEVEL'] || 'warn',
  })
  const made = !isDemoFolder(config)
  if (made) {
    say(`Making a firm of ${traders} traders with six months of history in ${config.dataDir} …`)
    await generateIfMissing(config, traders, until)
  }
  const { traders: shown } = note.parse(JSON.parse(readFileSync(join(config.dataDir, NOTE), 'utf8')))
  const running = await start(config)
  const { readModelStore, eventStore } = running.parts
  if (!(await createReadModels(readModelStore, { waitTimeout: TIMEOUT_MS }).waitFor(allProjections, await eventStore.end())))
    say('The views are still catching up.')
  return { ...running, created: made, signIns: signInsOf(shown) }
}

/** @throws {BadConfiguration} when there is something, but no demo. */
function isDemoFolder({ dataDir }: Config): boolean {
  if (!existsSync(dataDir) || readdirSync(dataDir).length === 0) return false
  if (existsSync(join(dataDir, NOTE))) return true
  throw new BadConfiguration(`DATA_DIR: ${dataDir} holds data that is no demo's, and is left alone; choose a folder that is empty or not there`)
}

/** Makes it beside its place and moves it there in one step: whatever happens meanwhile, no half of a firm is left in its name. */
async function generateIfMissing(config: Config, traders: number, until: number): Promise<void> {
  const { dataDir } = config
  const beside = `${dataDir}.making-${process.pid}`
  mkdirSync(dirname(dataDir), { recursive: true })
  try {
    const shown = await generateFirm({ config: { ...config, dataDir: beside }, traders, seed: SEED, until })
    writeFileSync(join(beside, NOTE), `${JSON.stringify({ madeAt: new Date(until).toISOString(), traders: shown }, null, 2)}\n`)
    // An empty folder of this name gives way to it.
    renameSync(beside, dataDir)
  } finally {
    rmSync(beside, { recursive: true, force: true })
  }
}

function signInsOf(traders: readonly { readonly email: string; readonly see: string }[]): string {
  const width = Math.max(...traders.map(({ email }) => email.length))
  return [
    `Traders (password for all: ${DEMO_PASSWORD})`,
    ...traders.map(({ email, see }) => `  ${email.padEnd(width)}  ${see}`),
    'Access keys (Admin Login)',
    ...demoKeyList.map(({ accessKey, role, label }) => `  ${accessKey.padEnd(width)}  ${role}: ${label}`),
  ].join('\n')
}
