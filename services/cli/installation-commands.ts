import { Argument, type Command } from 'commander'
import { type DestinationStream, type Logger, pino } from 'pino'
import { writeDurably } from '#infra/file-store/durable-file.ts'
import { Unavailable } from '#infra/failures.ts'
import { removeSqliteReadModelStore } from '#infra/read-model-store/sqlite-read-model-store.ts'
import { type Config, readConfig } from '#services/process/config.ts'
import { firstAdminKeyPathIn } from '#services/process/keys/master-key-source.ts'
import { createLogger, readableLines } from '#services/process/logger.ts'
import { listen, type Service, services } from './server.ts'
import { openDependencies, prepareDecisions, type Dependencies } from '#services/portal/composition-root.ts'
import { assertIsInstallation, embeddedPaths } from '#services/process/data-folder.ts'
import { addAdminKeyCommands } from './admin-key-cli.ts'
import { addAuditCommands } from './audit-cli.ts'
import { type CommandLine, type Terminal, examples } from './command.ts'
import { errorText } from './error-text.ts'
import { addMailCommands } from './mail-cli.ts'
import { addMasterKeyCommands } from './master-key-cli.ts'
import { addBackupCommands } from './backup-cli.ts'
import { addSecondFactorCommands } from './second-factor-cli.ts'
import { addWitnessCommand } from './witness-cli.ts'
import { addSealKeyCommands, addSystemCommands } from './system-cli.ts'
import { allProjections } from '#services/portal/modules.ts'
import { rebuildNow } from '#services/operations/rebuild-and-wait.ts'
import { version } from '#services/process/version.ts'
import { checkLogAtStart } from '#services/proof/log-start.ts'
import { formatTable } from './tables.ts'

/** The commands that use or make an installation. They load the whole server. */
export function addInstallationCommands(
  program: Command,
  terminal: Terminal,
  { print, fail }: Pick<CommandLine, 'print' | 'fail'>,
): void {
  const { variables } = terminal
  const withDependencies = async (work: (parts: Dependencies) => Promise<void>): Promise<void> => {
    const log = createLogger('warn', logDestination(terminal, terminal.writeError))
    await useDependencies(readConfig(variables), log, work)
  }
  const commandLine: CommandLine = {
    variables,
    withDependencies,
    withComparedLog: (work) =>
      withDependencies(async (parts) => {
        await checkLogAtStart(parts)
        await work(parts)
      }),
    withDecisions: (work) =>
      withDependencies(async (parts) => {
        await prepareDecisions(parts)
        await work(parts)
      }),
    print,
    printProgress: (text) => terminal.writeError(`${text}\n`),
    announce: (message) =>
      print(terminal.isTerminal ? message : JSON.stringify({ level: 30, time: Date.now(), msg: message })),
    table: (rows) => print(formatTable(rows)),
    fail,
    limitTime: terminal.limitTime ?? (() => {}),
    stopOnSignals,
  }

  program
    .command('start')
    .description('start the portal, or one of its services')
    .addArgument(new Argument('[service]', 'only this service').choices([...services]))
    .addHelpText('after', examples('start', 'PORT=8080 npx proofdesk start', 'PORT=3001 npx proofdesk start query'))
    .action(async (service: Service | undefined) => run(service, commandLine, terminal))

  program
    .command('demo')
    .description('start the portal with a made-up firm to look around in: 250 traders, six months of history')
    .addHelpText(
      'after',
      '\nIts data is in ./demo-data, or in DATA_DIR; a folder with other data is left alone.\n\nExamples:\n  $ npx proofdesk demo\n  $ PORT=8080 npx proofdesk demo',
    )
    .action(async () => {
      // Loaded here alone: the program that a firm runs holds nothing of the demo.
      const { startDemo } = await import('../../demo/demo.ts')
      const { url, signIns, stop } = await startDemo({ variables, say: commandLine.announce })
      stopOnSignals(stop)
      commandLine.announce(terminal.isTerminal ? `\n${signIns}\n` : signIns)
      commandLine.announce(`Proofdesk (demo) is ready at ${url} (version ${version})`)
    })

  addAdminKeyCommands(program, commandLine)

  program
    .command('rebuild')
    .description('rebuild read models from the log, whether or not the portal runs')
    .addArgument(new Argument('<name>', 'which read model').choices([...allProjections.map(({ name }) => name), 'all']))
    .addHelpText(
      'after',
      '\nWith "all", a damaged file of read models is removed first; stop the portal for that.\n\nExamples:\n  $ npx proofdesk rebuild payouts\n  $ npx proofdesk rebuild all',
    )
    .action(async (name: string) => {
      const config = readConfig(variables)
      if (name === 'all' && (await isDamaged(config))) {
        print('The file of the read models is damaged. It is removed and rebuilt from the log.')
        removeSqliteReadModelStore(embeddedPaths.views(config.dataDir))
      }
      await withDependencies(async (parts) => {
        const projections = allProjections.filter((projection) => name === 'all' || projection.name === name)
        const startedAt = performance.now()
        await rebuildNow({ ...parts, store: parts.readModelStore, projections, signal: interrupted() })
        print(
          `Rebuilt ${projections.map((projection) => projection.name).join(', ')} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`,
        )
      })
    })

  addSystemCommands(program, commandLine)
  addMailCommands(program, commandLine)
  addSecondFactorCommands(program, commandLine)
  addAuditCommands(program, commandLine)
  addSealKeyCommands(program, commandLine)
  addMasterKeyCommands(program, commandLine)
  addBackupCommands(program, commandLine)
  addWitnessCommand(program, commandLine)
}

async function useDependencies(
  config: Config,
  log: Logger,
  work: (parts: Dependencies) => Promise<void>,
): Promise<void> {
  assertIsInstallation(config)
  const parts = await openDependencies(config, log)
  try {
    await work(parts)
  } finally {
    await parts.close()
  }
}

/** Starts the portal or one service, which then runs until a signal stops it. */
async function run(
  service: Service | undefined,
  { variables, announce }: CommandLine,
  terminal: Terminal,
): Promise<void> {
  const config = readConfig(variables)
  const log = createLogger(config.logLevel, logDestination(terminal, terminal.write))
  const { address, working, stop } = await listen(config, service ? [service] : services, log, {
    onFailure: (reason) => void stop().finally(() => exitWith(reason)),
  })
  stopOnSignals(stop)
  const ready = await working.catch(async (error: unknown) => {
    await stop()
    throw error
  })
  // Stopped while it waited for its servers.
  if (!ready) return
  const { firstAdminKey } = ready
  // Last: scripts that read these lines may stop the program at once.
  if (firstAdminKey !== undefined)
    announce(
      terminal.isTerminal
        ? `\n  Your first admin key. Keep it safe, it is not shown again:\n\n    ${firstAdminKey}\n`
        : await keepFirstAdminKey(config.dataDir, firstAdminKey),
    )
  announce(`Proofdesk ${service ? `(${service}) ` : ''}is ready at ${address} (version ${version})`)
}

/**
 * Output that is not read on a terminal is often kept for good, so the key goes to a file that only this user can read.
 */
async function keepFirstAdminKey(dataDir: string, key: string): Promise<string> {
  const path = firstAdminKeyPathIn(dataDir)
  try {
    await writeDurably(path, Buffer.from(`${key}\n`), `${path}.`)
    return `The first admin key is in ${path}, which only this user can read. Keep the key safe elsewhere, and remove the file`
  } catch (error) {
    return `The first admin key could not be written to ${path} (${errorText(error)}). Issue another: npx proofdesk admin-key create`
  }
}

/** Lines for people on a terminal, JSON elsewhere. */
function logDestination({ isTerminal }: Terminal, write: (text: string) => void): DestinationStream {
  return isTerminal ? readableLines(write) : { write }
}

/**
 * Stops gracefully on the first signal, at once on the second. SIGHUP is what a terminal that is closed sends, and would
 * cut requests in progress.
 */
function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (stopping) process.exit(1)
      stopping = true
      stop().then(() => process.exit(0), exitWith)
    })
}

function exitWith(error: unknown): never {
  process.stderr.write(`${errorText(error)}\n`)
  process.exit(1)
}

async function isDamaged(config: Config): Promise<boolean> {
  try {
    await useDependencies(config, pino({ level: 'silent' }), ({ readModelStore }) => readModelStore.ready())
    return false
  } catch (error) {
    if (error instanceof Unavailable && error.part === 'view store') return true
    throw error
  }
}

function interrupted(): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  return controller.signal
}
