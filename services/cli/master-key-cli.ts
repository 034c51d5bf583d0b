import type { Command } from 'commander'
import type { CommandLine } from './audit-cli.ts'
import { masterKeyPathIn } from '../keys/master-key-source.ts'
import { rotateMasterKey } from '../keys/master-key-rotation.ts'

/** The command about the key that opens everything else. */
export function addMasterKeyCommands(program: Command, { withDependencies, print }: CommandLine): void {
  const masterKey = program.command('master-key').description('exchange the master key').addHelpText('after', '\nExample:\n  $ npx proofdesk master-key rotate')

  masterKey
    .command('rotate')
    .description('exchange the master key for another one, while the portal runs; nothing in the log changes')
    .addHelpText(
      'after',
      `\nWith MASTER_KEY the new key is NEW_MASTER_KEY, or in the file that NEW_MASTER_KEY_FILE names. Processes that have both start with
whichever opens the installation: give it to all of them first, then none has to stop. A key in DATA_DIR/master.key is exchanged
for NEW_MASTER_KEY too, or for one that is made. Cut off anywhere, run it again.

Keep a copy of the old key for as long as you keep backups that were made with it: it is what opens them.

Examples:
  $ npx proofdesk master-key rotate
  $ MASTER_KEY_FILE=/etc/proofdesk/master_key NEW_MASTER_KEY_FILE=/etc/proofdesk/new_master_key npx proofdesk master-key rotate`,
    )
    .action(async () =>
      withDependencies(async (parts) => {
        const { masterKey: configured, dataDir } = parts.config
        const isDone = await rotateMasterKey(parts)
        print(isDone ? 'The master key is exchanged.' : 'The master key was exchanged already: NEW_MASTER_KEY opens the installation, MASTER_KEY does not.')
        print(
          configured === undefined
            ? `The new one is in ${masterKeyPathIn(dataDir)}: keep a copy of it, apart from every backup.`
            : 'From now on MASTER_KEY has to be what NEW_MASTER_KEY is: change it wherever processes are started, and keep a copy of it, apart from every backup.',
        )
        print(
          'Processes that run go on working, and need the new key when they start next. Backups made before open with the old key, later ones with the new one.',
        )
      }),
    )
}
