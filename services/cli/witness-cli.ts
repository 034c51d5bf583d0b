import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { verifierKeyText } from '#services/proof/verifier-key.ts'
import { openWitnessKey } from '#services/proof/witness/witness-key.ts'
import { createWitnessServer } from '#services/proof/witness/witness-server.ts'
import { openWitnessState } from '#services/proof/witness/witness-state.ts'
import { createWitness } from '#services/proof/witness/witness.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { parseLogKeys } from './attestation-report.ts'
import type { CommandLine } from './command.ts'

interface WitnessOptions {
  readonly folder: string
  readonly listen: string
  readonly log: readonly string[]
  readonly name: string
}

/** The witness, a program of its own: it needs no portal, and no configuration but its options. */
export function addWitnessCommand(program: Command, { print, printProgress, stopOnSignals }: CommandLine): void {
  program
    .command('witness')
    .description(
      'run a witness, which cosigns the checkpoints of logs that never change their past (C2SP tlog-witness)',
    )
    .requiredOption('--log <vkey...>', 'verifier keys of the logs; a log with several keys has several with its name')
    .option('--folder <folder>', 'where its key and what it has cosigned are kept', './witness')
    .option('--listen <host:port>', 'where it takes requests', '127.0.0.1:8700')
    .option(
      '--name <name>',
      'the name of a new key, such as witness.example/w1',
      `${hostname().replaceAll(/[^A-Za-z0-9.-]/g, '-') || 'localhost'}/witness`,
    )
    .addHelpText(
      'after',
      `
A witness is worth as much as its distance from the log's operator: host it elsewhere, for someone else. Keep the folder. A
witness that has lost it cosigns any history of a log once more.

Example:
  $ npx proofdesk witness --log portal.example/log+5c58b9e9+AbEjQLnP… --listen 0.0.0.0:8700 --name witness.example/w1`,
    )
    .action(async ({ folder: path, listen, log, name }: WitnessOptions) => {
      const logs = parseLogKeys(log)
      const { host, port } = addressOf(listen)
      if (!/^[^\s+\p{Cc}]+$/u.test(name)) throw new Refused('invalid', '--name: must have no spaces and no +')
      const folder = resolve(path)
      const key = await openWitnessKey(folder, name)
      const state = openWitnessState(folder)
      const witness = createWitness({
        key,
        logs,
        state,
        now: Date.now,
        onInconsistent: ({ body }, head) =>
          printProgress(
            `Refused, not shown to continue the cosigned tree of ${head?.size ?? 0} (${head?.root ?? 'none'}): ${JSON.stringify(body)}`,
          ),
      })
      const server = createWitnessServer(witness, (error) =>
        printProgress(error instanceof Error ? (error.stack ?? error.message) : String(error)),
      )
      await new Promise<void>((done, failed) => {
        server.once('error', failed)
        server.listen(port, host, done)
      })
      stopOnSignals(async () => {
        const closed = new Promise((done) => server.close(done))
        server.closeIdleConnections()
        await closed
        state.close()
      })
      print(`Verifier key: ${verifierKeyText(key, 'witness')}`)
      print(`The witness is ready at http://${host.includes(':') ? `[${host}]` : host}:${portOf(server.address())}`)
    })
}

function addressOf(text: string): { readonly host: string; readonly port: number } {
  const [, ipv6, name, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(text) ?? []
  const host = ipv6 ?? name
  if (host === undefined || Number(port) > 65_535)
    throw new Refused('invalid', '--listen: must be an address and a port, like 127.0.0.1:8700')
  return { host, port: Number(port) }
}

function portOf(address: AddressInfo | string | null): number | string {
  return typeof address === 'object' && address ? address.port : ''
}
