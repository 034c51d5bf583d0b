import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The tests that use a portal over HTTP. */
export const httpTests: readonly string[] = ['services/command', 'services/query', 'services/http']

/** Tests to run in a process of their own. */
export interface TestRun {
  readonly name: string
  readonly files: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/** Runs tests of services and infra, with these arguments of vitest, and ends with one line about each run. The exit code says whether all passed. */
export async function runTests(runs: readonly TestRun[], given: readonly string[]): Promise<void> {
  const closing: string[] = []
  for (const { name, files, environment } of runs) {
    process.stdout.write(`\n${name}\n\n`)
    const child = spawn('npx', ['vitest', 'run', '--project', 'services', ...files, ...given], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...environment },
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      process.stdout.write(text)
      said = `${said}${text}`.slice(-2_000)
    })
    await once(child, 'close')
    const [summary] = /^\d+ passed, \d+ failed.*$/m.exec(said) ?? []
    closing.push(`${name}: ${summary ?? 'the tests did not finish'}`)
    if (child.exitCode !== 0 || summary === undefined) process.exitCode = 1
  }
  process.stdout.write(`\n${closing.join('\n')}\n`)
}
