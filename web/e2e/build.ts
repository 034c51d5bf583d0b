import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Builds the program before all browser tests, if needed: they test what is really served. */
export default function build(): void {
  const launcher = fileURLToPath(new URL('../../services/launch.mjs', import.meta.url))
  const { status } = spawnSync(process.execPath, [launcher, '--build-only'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error('The build failed')
}
