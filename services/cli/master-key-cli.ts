import type { Command } from 'commander'
import { type CommandLine, examples } from './command.ts'
import { masterKeyPathIn } from '#services/process/keys/master-key-source.ts'
import { rotateMasterKey } from '#services/operations/installation/server/master-key-rotation.ts'

/** The command for the key that unwraps all others. */
export function addMasterKeyCommands(
  program: Command,
  { withDecisions, print }: Pick<CommandLine, 'withDecisions' | 'print'>,
): void {
  const masterKey = program
    .command('master-key')
    .description('rotate the master key')
    .addHelpText('after', examples('master-key rotate'))

  masterKey
    .command('rotate')
    .description('replace the master key while the portal runs; nothing in the log changes')
    .addHelpText(
      'after',
      `\nWith MASTER_KEY, the new key is NEW_MASTER_KEY or in the file that NEW_MASTER_KEY_FILE names. A process that has both uses the
one that is valid: give the new key to all processes first, then none has to stop. A key in DATA_DIR/master.key is replaced by
NEW_MASTER_KEY, or by a new random key. If it is interrupted, run it again.

Keep the old key for as long as you keep backups made with it: they can't be read without it.

Examples:
  $ npx proofdesk master-key rotate
  $ MASTER_KEY_FILE=/etc/proofdesk/master_key NEW_MASTER_KEY_FILE=/etc/proofdesk/new_master_key npx proofdesk master-key rotate`,
    )
    .action(async () =>
      withDecisions(async (parts) => {
        const { masterKey: configured, dataDir } = parts.config
        const isRotated = await rotateMasterKey(parts)
        print(
          isRotated
            ? 'Master key rotated.'
            : 'The master key was rotated already: NEW_MASTER_KEY is valid, MASTER_KEY no longer is.',
        )
        print(
          configured === undefined
            ? `The new key is in ${masterKeyPathIn(dataDir)}: keep a copy of it, apart from every backup.`
            : 'Set MASTER_KEY to the value of NEW_MASTER_KEY wherever processes are started, and keep a copy of it, apart from every backup.',
        )
        print(
          'Running processes go on working and need the new key at their next start. Earlier backups need the old key, later ones the new key.',
        )
      }),
    )
}
