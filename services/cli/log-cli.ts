import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { comparePositions, start } from '../../infra/event-store/event-store.ts'
import type { CommandLine } from './command.ts'
import { INSTALLATION_ID, recordAdoption } from '../domain/installation/installation.ts'
import { installations } from '../domain/streams.ts'
import { systemContext } from '../event-sourcing/codec/metadata.ts'
import { Refused } from '../event-sourcing/refusal.ts'
import { verifyLog } from '../proof/log-verification.ts'
import { signingKeys } from '../proof/seal-signing.ts'

/** The command for a log from before events had MACs. */
export function addLogCommands(program: Command, { withDependencies, print }: Pick<CommandLine, 'withDependencies' | 'print'>): void {
  const log = program.command('log').description('adopt a log of an earlier version').addHelpText('after', '\nExample:\n  $ npx proofdesk log adopt')

  log
    .command('adopt')
    .description('accept the present events of a log from an earlier version; from then on an event counts only if the portal appended it')
    .addHelpText(
      'after',
      `
Each event carries a code that only the portal can make. Events of earlier versions have none, and until a log is adopted anyone
who can write to it can add such events. This checks the whole log against its hash chains and seals, records the position of
its last event, and refuses every later event without a code. It is done once.

Stop all processes of an earlier version first: what they append afterwards is refused. The portal itself may run.

Example:
  $ npx proofdesk log adopt`,
    )
    .action(async () =>
      withDependencies(async ({ adoption, eventStore, publishedSeals, publishedTree, personKeys, repositories }) => {
        let position = await adoption.position()
        if (position === undefined) {
          const end = await eventStore.end()
          const { finding } = await verifyLog({ eventStore, publishedSeals, publishedTree, keys: await signingKeys(personKeys) })
          if (finding) throw new Refused('conflict', `The log is not adopted, because it is not as it was recorded (${finding.kind}): ${finding.says}`)
          position = await adoption.adopt(end)
        }
        if (comparePositions(position, start) <= 0) return print('Every event of this log carries its code: there is nothing to adopt.')
        const adopted = position
        await repositories.of(installations).decide(INSTALLATION_ID, systemContext('command line', randomUUID()), (state) => recordAdoption(state, adopted))
        print(`The log is adopted up to event #${adopted}.`)
      }),
    )
}
