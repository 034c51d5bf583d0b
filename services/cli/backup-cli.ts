import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { pino } from 'pino'
import type { CommandLine } from './audit-cli.ts'
import { type Config, readConfig } from '../config.ts'
import { Refused } from '../event-sourcing/refusal.ts'
import { masterKeyPathIn } from '../keys/master-key-source.ts'
import { backUp, restore } from '../operations/backup.ts'
import { type CopyResult, copyInstallation } from '../operations/migration/copy-installation.ts'
import { prepareFolder, openServerDestination } from '../operations/migration/migration-stores.ts'
import { openDependencies, type Dependencies } from '../composition-root.ts'

const UNAVAILABLE_MESSAGE = 'services'

/** The commands that copy an installation: to a folder, out of it, and to real servers. */
export function addBackupCommands(program: Command, { withDependencies, print }: CommandLine): void {
  program
    .command('backup')
    .description('copy the installation into a folder, while the portal runs; again into the same folder it adds what is new')
    .argument('<folder>', 'an empty folder, or one with an earlier backup of this installation')
    .option('--with-master-key', 'put the master key beside what it opens: whoever has the folder can then read everything')
    .addHelpText(
      'after',
      '\nIt holds the log, the keys of persons (wrapped), files and seals. Not in it: the master key, unless asked for, and sessions:\npeople sign in again. Views and the queue of mails are made anew from the log. Whoever is erased later is still in it:\nkeep no backup for longer than you may.\n\nExamples:\n  $ npx proofdesk backup /backups/proofdesk\n  $ npx proofdesk backup /media/safe --with-master-key',
    )
    .action(async (folder: string, { withMasterKey = false }: { withMasterKey?: boolean }) =>
      withDependencies((parts) => copyInto(folder, parts, withMasterKey)),
    )

  program
    .command('restore')
    .description('put a backup into an empty data folder, each file held against the manifest')
    .argument('<folder>', 'what backup has made')
    .addHelpText(
      'after',
      '\nIt goes into DATA_DIR, which must be empty, but for master.key. Start the portal afterwards: its views are built anew from the\nlog, people sign in again, and mails that were not on record as sent are sent.\n\nExamples:\n  $ DATA_DIR=./restored npx proofdesk restore /backups/proofdesk\n  $ cp /safe/master.key ./restored/ && DATA_DIR=./restored npx proofdesk audit verify',
    )
    .action(async (folder: string) => {
      const { dataDir, masterKey } = readConfig(process.env)
      const { log, files, madeAt } = await restore(resolve(folder), dataDir)
      print(
        `Restored ${log.facts} facts, up to fact ${log.position}, and ${files.length} files into ${dataDir}, as of ${madeAt}. Each is what the manifest says.`,
      )
      if (masterKey === undefined && !existsSync(masterKeyPathIn(dataDir)))
        print(`The backup holds no master key: put it into ${masterKeyPathIn(dataDir)}, or set MASTER_KEY, before the portal starts.`)
      print('People sign in again, and mails that were not on record as sent are sent. Check it: npx proofdesk audit verify')
    })

  program
    .command('migrate')
    .description('copy the installation to the servers that are configured, or from wherever it lives into a folder')
    .requiredOption('--to <where>', `'${UNAVAILABLE_MESSAGE}', or a folder`)
    .addHelpText(
      'after',
      `\nTo '${UNAVAILABLE_MESSAGE}' it copies what is in DATA_DIR to EVENTSTORE_URL, MONGODB_URL (keys), S3_URL and SEALS_URL, those that are set. Stop the\nportal first. Cut off, it is run again and goes on. Each fact is held against the original, and the copy's seals are checked.\nFacts keep their numbers. Views and the queue of mails are made anew from the log; sessions are not moved: people sign in again.\n\nTo a folder it does what backup does: an auditor can open it on a laptop, with the master key.\n\nExamples:\n  $ EVENTSTORE_URL=esdb://localhost:2113?tls=false S3_URL=http://key:secret@localhost:9000/files npx proofdesk migrate --to services\n  $ npx proofdesk migrate --to ./for-the-auditor`,
    )
    .action(async ({ to }: { to: string }) => {
      if (to === UNAVAILABLE_MESSAGE) return moveToServices(readConfig(process.env))
      await withDependencies((parts) => copyInto(to, parts, false))
      print(`Open it with: DATA_DIR=${to} npx proofdesk audit verify`)
    })

  async function copyInto(folder: string, parts: Dependencies, withMasterKey: boolean): Promise<void> {
    const { dataDir } = parts.config
    const keyFile = masterKeyPathIn(dataDir)
    if (withMasterKey && !existsSync(keyFile)) throw new Refused('invalid', 'There is no file with the master key: it is MASTER_KEY, keep that safe yourself')
    tell(await backUp(parts, { folder: resolve(folder), dataDir, masterKeyFile: withMasterKey ? keyFile : undefined, now: Date.now(), onProgress }))
    print(
      withMasterKey
        ? 'The master key lies beside it: whoever has the folder can read everything.'
        : 'The master key is NOT in it: keep it safe in another place, for without it nobody can read what is personal.',
    )
  }

  async function moveToServices(config: Config): Promise<void> {
    if (config.eventStoreUrl === undefined && config.mongodbUrl === undefined && !config.filesBucket && !config.sealsBucket)
      throw new Refused('invalid', 'There is nowhere to move to: set EVENTSTORE_URL, MONGODB_URL, S3_URL or SEALS_URL')
    const log = pino({ level: 'warn' }, pino.destination(2))
    const embedded = { eventStoreUrl: undefined, mongodbUrl: undefined, redisUrl: undefined, filesBucket: undefined, sealsBucket: undefined }
    const here = await openDependencies({ ...config, ...embedded }, log)
    const there = await openServerDestination(config, log)
    try {
      const moved = await copyInstallation(here, there, onProgress)
      await here.close()
      if (there.log) prepareFolder(config)
      tell(moved)
      if (process.exitCode === undefined)
        print('It is moved: start the portal with these variables. Views are built anew, people sign in again, and mails that were not sent yet are.')
    } finally {
      await there.close()
      await here.close()
    }
  }

  function tell({ facts, added, keys, files, seals, missing, position, verified }: CopyResult): void {
    print(`Facts: ${facts}, up to fact ${position}, ${added} of them copied now. Keys: ${keys}, files: ${files}, seals: ${seals}.`)
    for (const file of missing) print(`✗ ${file} is named by a fact, but is not there, or not as it was recorded`)
    if (missing.length > 0) process.exitCode = 1
    if (verified.finding) {
      process.exitCode = 1
      print(`✗ NOT as it was recorded (${verified.finding.kind}): ${verified.finding.says}`)
    } else print(`Verified: every fact is the same as in the original, and ${verified.seals} seals hold.`)
  }

  function onProgress(facts: number): void {
    if (facts % 10_000 === 0 && facts > 0) process.stderr.write(`${facts} facts …\n`)
  }
}
