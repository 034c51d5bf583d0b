import { spawnSync } from 'node:child_process'
import { whyNotInstalled } from '../servers/server-suite.ts'

/** What Go's own code for signed notes and transparency logs is to check: see main.go. */
export interface GoCase {
  /** The verifier key of the log. */
  readonly key: string
  /** The checkpoint. */
  readonly note?: string
  /** The verifier key of a witness, which must have cosigned the checkpoint. */
  readonly witness?: string
  /**
   * An entry of the tree and its index, with its inclusion path in base64, or the folder of the tiles that lead to it.
   */
  readonly entry?: string
  readonly index?: number
  readonly path?: readonly string[]
  readonly tiles?: string
  /** A `.tlog-proof`, in place of all of that. */
  readonly receipt?: string
  /** An earlier checkpoint, and the proof that the tree continues it, base64. */
  readonly before?: string
  readonly consistency?: readonly string[]
}

/** Why there is no Go here; undefined where there is. */
export const whyNoGo = whyNotInstalled('go', 'version')

/** What is wrong with each case, in Go's words; empty for one that Go accepts. */
export function checkWithGo(cases: readonly GoCase[]): string[] {
  const { status, stdout, stderr, error } = spawnSync('go', ['run', '-buildvcs=false', '.'], {
    cwd: import.meta.dirname,
    input: JSON.stringify(cases),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    env: { ...process.env, GOTOOLCHAIN: 'auto' },
  })
  if (status !== 0) throw new Error(`Go could not check: ${stderr}`, { cause: error })
  const results: unknown = JSON.parse(stdout)
  if (!Array.isArray(results) || results.length !== cases.length) throw new Error(`Go answered ${stdout}`)
  return results.map(String)
}
