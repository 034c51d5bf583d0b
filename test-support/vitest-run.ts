import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface TestRun {
  /** Its closing line, undefined if it did not finish. */
  readonly summary: string | undefined
  readonly succeeded: boolean
}

/** Runs tests of services and infra in a process of their own, and shows its output. */
export async function runTests(given: readonly string[], environment: Readonly<Record<string, string>>): Promise<TestRun> {
  const child = spawn('npx', ['vitest', 'run', '--project', 'services', ...given], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text)
    said = `${said}${text}`.slice(-2_000)
  })
  await once(child, 'close')
  const line = /^\d+ passed, \d+ failed.*$/m.exec(said)?.[0]
  return { summary: line, succeeded: child.exitCode === 0 && line !== undefined }
}
