import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { DEMO_PASSWORD, demoKeyList } from '../services/demo/make.ts'
import { browser } from '../test-support/http-client.ts'
import { type Program, scratchFolder, startProgram } from './children.ts'
import { sessionOf } from './people.ts'

/** The made-up firm of `npm run demo`, with one of its traders and an administrator signed in. */
export interface Demo {
  readonly program: Program
  /** The `cookie` header of each. */
  readonly trader: string
  readonly admin: string
}

const note = z.object({ traders: z.array(z.object({ email: z.string() })).min(1) })

export async function startDemo(): Promise<Demo> {
  const dataDir = join(scratchFolder('demo'), 'firm')
  const program = await startProgram({ dataDir, adminKey: 'unused-in-the-demo', command: 'demo' })
  const { traders } = note.parse(JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')))
  return {
    program,
    trader: await signIn(program.url, '/api/login', { email: traders[0]?.email, password: DEMO_PASSWORD }),
    admin: await signIn(program.url, '/api/admin/login', { accessKey: demoKeyList[0]?.accessKey }),
  }
}

async function signIn(url: string, path: string, credentials: object): Promise<string> {
  const person = browser(url)
  const { status, text } = await person.post(path, credentials)
  if (status !== 200) throw new Error(`Nobody could sign in: ${text}`)
  return sessionOf(person.cookies)
}
