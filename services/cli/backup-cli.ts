import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { pino } from 'pino'
import type { CommandLine } from './command.ts'
import { type Config, readConfig } from '#services/process/config.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { existingMasterKeys, masterKeyPathIn } from '#services/process/keys/master-key-source.ts'
import { type Authenticity, backUp, restore } from '#services/operations/backup.ts'
import { recordOperation } from '#services/operations/installation-state.ts'
import { type CopyResult, copyInstallation } from '#services/operations/migration/copy-installation.ts'
import { streamPrefixes } from '#services/oversight/event-catalogue.ts'
import { prepareFolder, openServerDestination } from '#services/operations/migration/migration-stores.ts'
import { openDependencies, type Dependencies } from '#services/portal/composition-root.ts'
import { assertIsInstallation } from '#services/process/data-folder.ts'
import { cosignedSizes } from '#services/proof/log-start.ts'
import { SEALS_ID, recordRestoration, sealStreams } from '#services/proof/seal.ts'
import { parseCheckpoint } from '#services/proof/tree-checkpoint.ts'

const SERVICES = 'services'

/** A data folder without servers. */
const embedded = { eventstoreUrl: undefined, mongodbUrl: undefined, redisUrl: undefined }

/** The result of the check of a restored backup, in words. */
const authenticityText: Readonly<Record<Authenticity, string>> = {
  authentic: 'It is authentic: every file is as this installation wrote it.',
  'own key': `Every file matches the manifest.
WARNING: the backup was checked with the master key in it, so anyone who can write to its folder could have made it. To know that
it is yours, restore it again with MASTER_KEY set to your own copy of the key.`,
}

/** The commands that copy an installation: into a folder, back from it, and to servers. */
export function addBackupCommands(
  program: Command,
  { variables, withDependencies, print, printProgress, fail }: CommandLine,
): void {
  program
    .command('backup')
    .description(
      'copy the installation into a folder while the portal runs; repeated into the same folder, it adds what is new',
    )
    .argument('<folder>', 'an empty folder, or one with an earlier backup of this installation')
    .option('--with-master-key', 'add the master key: anyone who has the folder can then read everything')
    .addHelpText(
      'after',
      '\nA backup holds the log, the wrapped keys of persons, files and seals. It holds no sessions, and no master key unless you ask\nfor it. After a restore people sign in again; read models and the outbox are rebuilt from the log. A person erased later is\nstill in the backup: keep no backup longer than you may.\n\nExamples:\n  $ npx proofdesk backup /backups/proofdesk\n  $ npx proofdesk backup /media/safe --with-master-key',
    )
    .action(async (folder: string, { withMasterKey = false }: { withMasterKey?: boolean }) =>
      withDependencies((parts) => copyInto(folder, parts, withMasterKey)),
    )

  program
    .command('restore')
    .description('check a backup and copy it into an empty data folder')
    .argument('<folder>', 'the backup')
    .option('--reason <text>', 'why; it is in the log, and in every export from then on')
    .addHelpText(
      'after',
      `
It goes into DATA_DIR, which must be empty except for master.key. The backup is checked with its master key: MASTER_KEY, master.key
in DATA_DIR or, if there is neither, the one in the backup. It is refused, and nothing is written, when anything in it was altered,
removed or added; the message names it.

The log records that it was restored, from which published checkpoint and why. Without that, a portal does not start on a log that is
shorter than what was published (SEALS_DIR, SEALS_URL).

Then start the portal: it rebuilds its read models from the log, people sign in again, and mails that the log does not record as
sent are sent.

Examples:
  $ mkdir ./restored && cp /safe/master.key ./restored/
  $ DATA_DIR=./restored npx proofdesk restore /backups/proofdesk
  $ DATA_DIR=./restored npx proofdesk audit verify`,
    )
    .action(async (folder: string, { reason }: { reason?: string }) => {
      const config = readConfig(variables)
      const { dataDir } = config
      const masterKeys = existingMasterKeys(config)
      const { manifest, authenticity } = await restore(resolve(folder), dataDir, masterKeys)
      const { log, files, madeAt } = manifest
      print(
        `Restored ${log.facts} events, up to #${log.position}, and ${files.length} files into ${dataDir}, as of ${madeAt}. ${authenticityText[authenticity]}`,
      )
      await recordRestored(config, reason ?? `Restored from the backup of ${madeAt}`)
      if (masterKeys.length === 0 && !existsSync(masterKeyPathIn(dataDir)))
        print(
          `The backup holds no master key: copy it to ${masterKeyPathIn(dataDir)}, or set MASTER_KEY, before the portal starts.`,
        )
      print(
        'People sign in again, and mails that the log does not record as sent are sent. Check it: npx proofdesk audit verify',
      )
    })

  program
    .command('migrate')
    .description('copy the installation to the configured servers, or into a folder')
    .requiredOption('--to <where>', `'${SERVICES}', or a folder`)
    .addHelpText(
      'after',
      `\nTo '${SERVICES}' it copies what is in DATA_DIR to EVENTSTORE_URL, MONGODB_URL (keys), S3_URL and SEALS_URL, those that are set. Stop the\nportal first. If it is interrupted, run it again: it continues. Each event is compared with the original, and the seals of the\ncopy are checked. Events keep their numbers. Read models and the outbox are rebuilt from the log; people sign in again.\n\nTo a folder it does what backup does: an auditor can open it on a laptop, with the master key.\n\nExamples:\n  $ EVENTSTORE_URL=esdb://localhost:2113?tls=false S3_URL=http://key:secret@localhost:9000/files npx proofdesk migrate --to services\n  $ npx proofdesk migrate --to ./for-the-auditor`,
    )
    .action(async ({ to }: { to: string }) => {
      if (to === SERVICES) return migrateToServices(readConfig(variables))
      await withDependencies((parts) => copyInto(to, parts, false))
      print(`Open it with: DATA_DIR=${to} npx proofdesk audit verify`)
    })

  /** Appends to the restored log that it was restored, from which published checkpoint, and from how many sealed events. */
  async function recordRestored(config: Config, reason: string): Promise<void> {
    const parts = await openDependencies({ ...config, ...embedded }, pino({ level: 'warn' }, pino.destination(2)))
    try {
      const note = (await parts.publishedTree.checkpoint()) ?? null
      const { size } = (await parts.sealedSize.read()) ?? { size: 0 }
      const cosigned = await cosignedSizes(parts, new AbortController().signal)
      const from = Math.max(note === null ? 0 : parseCheckpoint(note).size, size, ...cosigned)
      const known = { note, from: from > 0 ? from : null }
      const { state } = await parts.repositories
        .of(sealStreams)
        .decide(SEALS_ID, systemContext('command line', randomUUID()), (before) =>
          recordRestoration(before, known, reason),
        )
      // A backup that an earlier version made has no row.
      await parts.sealedSize.begin()
      const [restored] = state.restorations.slice(-1)
      if (restored?.from !== null && restored !== undefined && restored.from > restored.to)
        print(
          `The log once had ${restored.from} sealed events; the newest checkpoint in this one is over ${restored.to}. What was sealed in between is lost. Witnesses will refuse the log from now on: give it another name (LOG_ORIGIN), and tell them why.`,
        )
    } finally {
      await parts.close()
    }
  }

  async function copyInto(folder: string, parts: Dependencies, withMasterKey: boolean): Promise<void> {
    const { dataDir } = parts.config
    const keyFile = masterKeyPathIn(dataDir)
    if (withMasterKey && !existsSync(keyFile))
      throw new Refused('invalid', 'There is no file with the master key: it is in MASTER_KEY, keep that safe yourself')
    const startedAt = new Date().toISOString()
    const result = await backUp(parts, {
      folder: resolve(folder),
      dataDir,
      masterKeyFile: withMasterKey ? keyFile : undefined,
      now: Date.now(),
      onProgress,
    })
    if (report(result))
      await recordOperation(
        parts.records,
        'backup',
        { startedAt, events: result.events, upTo: Number(result.position) },
        printProgress,
      )
    print(
      withMasterKey
        ? 'The master key is in it: anyone who has the folder can read everything.'
        : 'The master key is NOT in it: keep it safe elsewhere. Without it, personal data cannot be read.',
    )
  }

  async function migrateToServices(config: Config): Promise<void> {
    if (config.eventstoreUrl === undefined && config.mongodbUrl === undefined && !config.s3Url && !config.sealsUrl)
      throw new Refused('invalid', 'No server is configured: set EVENTSTORE_URL, MONGODB_URL, S3_URL or SEALS_URL')
    const log = pino({ level: 'warn' }, pino.destination(2))
    const own = { ...config, ...embedded, s3Url: undefined, sealsUrl: undefined }
    assertIsInstallation(own)
    const source = await openDependencies(own, log)
    const destination = await openServerDestination(config, streamPrefixes, log)
    try {
      const result = await copyInstallation(source, destination, onProgress)
      await source.close()
      if (destination.log) prepareFolder(config)
      if (report(result))
        print(
          'Migrated: start the portal with these variables. It rebuilds its read models, people sign in again, and mails not sent yet are sent.',
        )
    } finally {
      await destination.close()
      await source.close()
    }
  }

  /** Prints what was copied. Returns whether the copy is whole. */
  function report({ events, added, keys, files, seals, missing, position, verified }: CopyResult): boolean {
    print(
      `Events: ${events}, up to #${position}, ${added} of them copied now. Keys: ${keys}, files: ${files}, seals: ${seals}.`,
    )
    for (const file of missing) print(`✗ ${file} is missing, or is not as the log records it`)
    if (verified.finding) {
      print(`✗ NOT as it was recorded (${verified.finding.kind}): ${verified.finding.says}`)
    } else print(`Verified: every event is the same as in the original, and ${verified.seals} seals are valid.`)
    const isWhole = missing.length === 0 && !verified.finding
    if (!isWhole) fail()
    return isWhole
  }

  function onProgress(events: number): void {
    if (events % 10_000 === 0 && events > 0) printProgress(`${events} events …`)
  }
}
