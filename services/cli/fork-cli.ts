import { readFile, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { checkFork, NoFork, proveFork, type ProvenFork } from '#services/proof/fork-proof.ts'
import { verifierKeyText } from '#services/proof/verifier-key.ts'
import { logKey } from '#services/proof/witness-cosignature.ts'
import { parseLogKeys } from './attestation-report.ts'
import type { CommandLine } from './command.ts'

interface ForkOptions {
  readonly check?: true
  readonly log?: readonly string[]
  readonly out?: string
}

/** The command that proves that a firm signed two histories. It needs no installation and no network. */
export function addForkCommand(program: Command, { print, fail }: CommandLine): void {
  program
    .command('prove-fork')
    .description('prove from two files that a log was forked: that one key signed two histories')
    .argument('<file>', 'an export, a receipt (.tlog-proof) or a checkpoint; with --check, a file that proves a fork')
    .argument('[other]', 'another one of the same log')
    .option('--check', 'check a file that proves a fork')
    .option('--log <vkey...>', 'verifier keys of the log; exports name theirs, receipts and checkpoints do not')
    .option('--out <file>', 'the file to write')
    .addHelpText(
      'after',
      `
Examples:
  $ npx proofdesk prove-fork mine.json theirs.json --out fork.json
  $ npx proofdesk prove-fork --check fork.json --log portal.example/log+5c58b9e9+AbEjQLnP…

Exit code: 0 the fork is proven, 1 it is not.`,
    )
    .action(async (file: string, other: string | undefined, { check, log = [], out }: ForkOptions) => {
      const keys = parseLogKeys(log).map(({ publicKey }) => publicKey)
      try {
        if (check) {
          if (other !== undefined) throw new Refused('invalid', '--check takes one file')
          return print(forkText(await checkFork(await readFile(file, 'utf8')), keys))
        }
        if (other === undefined || out === undefined)
          throw new Refused('invalid', 'Name two files, and with --out the file to write')
        const text = await proveFork(await readFile(file, 'utf8'), await readFile(other, 'utf8'), keys)
        const fork = forkText(await checkFork(text), keys)
        await writeFile(out, text, { mode: 0o600 })
        print(`${fork}\nThe proof is in ${out}.`)
      } catch (error) {
        if (!(error instanceof NoFork)) throw error
        fail()
        print(`No fork is proven. ${error.message}.`)
      }
    })
}

/** @throws {NoFork} when another key than the named ones signed. */
function forkText(
  { origin, publicKey, sizes: [one, other], low, high, entries }: ProvenFork,
  keys: readonly string[],
): string {
  if (keys.length > 0 && !keys.includes(publicKey))
    throw new NoFork('Another key signed both checkpoints, not the one that you named')
  const where = high - low === 1 ? `entry ${low}` : `entries ${low} to ${high - 1}`
  return [
    `Fork proven: one key of ${origin} signed two histories, of ${one} and of ${other} entries. They differ at ${where}, counted from 0.`,
    ...(entries ? [`  one:   ${entries[0]}`, `  other: ${entries[1]}`] : []),
    keys.length > 0
      ? 'It is the key that you named.'
      : `The key is ${verifierKeyText(logKey(origin, publicKey), 'log')}. One step is left to you: ask whose key it is, for anyone can make such a file with a key of their own.`,
  ].join('\n')
}
