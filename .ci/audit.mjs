// Looks up known vulnerabilities of the packages that the program runs with. It fails for serious ones only; a registry
// that cannot answer is reported, and is no failure.
import { spawnSync } from 'node:child_process'

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8', timeout: 60_000 })
const { metadata, message } = parse(stdout)
if (metadata) {
  const { critical, high, moderate, low } = metadata.vulnerabilities
  process.stdout.write(`Dependency audit: ${critical} critical, ${high} high, ${moderate} moderate, ${low} low\n`)
  process.exitCode = critical + high > 0 ? 1 : 0
} else
  process.stdout.write(
    `Dependency audit: NOT done, because the registry cannot answer (${message ?? 'no answer in 60 s'})\n`,
  )

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
