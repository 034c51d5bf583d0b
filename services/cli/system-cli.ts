import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { comparePositions, type Position } from '#infra/event-store/event-store.ts'
import { type CommandLine, examples } from './command.ts'
import { INSTALLATION_ID, requestRetry, installationStreams } from '#services/framework/streams/installation.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { sealingKeys } from '#services/proof/account-export.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { createSealer } from '#services/proof/sealer.ts'
import { keyIdOf } from '#services/proof/signed-texts.ts'
import { verifierKeyText } from '#services/proof/verifier-key.ts'
import { logKey } from '#services/proof/witness-cosignature.ts'
import { allProjections } from '#services/portal/modules.ts'
import {
  formatEstimate,
  readProjectionsState,
  readProjectionStatus,
  type DeadLetterEntry,
  listDeadLetters,
  type ProjectionStatus,
} from '#services/event-sourcing/read-models/projection-progress.ts'
import { createPolicySubscription, POLICY_SUBSCRIPTION } from '#services/worker/policy-subscription.ts'
import { createQueuedMails } from '#services/worker/mail/mail-suppression.ts'
import { createOutboxFiller } from '#services/worker/mail/outbox-filler.ts'
import type { Readiness } from '#services/framework/api/health-schemas.ts'
import type { OperationRecord } from '#services/operations/installation/installation-api.ts'
import { askPortal, readInstallationState } from '#services/operations/installation-state.ts'
import { MOST_LISTED, reasonsOf } from './mail-cli.ts'
import { asOneLine } from './terminal-text.ts'
import { formatAge, formatBytes, formatMoment } from './tables.ts'
import { setupSteps } from '#services/operations/setup/setup-steps.ts'
import { readSetupFacts } from '#services/operations/setup/server/setup-facts.ts'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { mailFolderOf } from '#services/process/data-folder.ts'
import { projectUntil } from '#services/operations/rebuild-and-wait.ts'

const portalStates: Readonly<Record<Readiness['status'], string>> = {
  ok: 'ready',
  degraded: 'ready, but mails wait, or something is wrong with the proof: see below',
  unavailable: 'NOT ready',
}

/** The commands for the portal itself: its status, and its dead letters. */
export function addSystemCommands(
  program: Command,
  {
    withDependencies,
    withDecisions,
    print,
    table,
    fail,
  }: Pick<CommandLine, 'withDependencies' | 'withDecisions' | 'print' | 'table' | 'fail'>,
): void {
  program
    .command('status')
    .description(
      'show version, disk, last backup and verification, the progress of each read model, dead letters, mail and seals',
    )
    .option('--json', 'as JSON')
    .addHelpText('after', examples('status', 'status --json'))
    .action(async ({ json }: { json?: true }) =>
      withDependencies(async (parts) => {
        const { eventStore, readModelStore, outbox } = parts
        const { projections, deadLetters } = await readProjectionsState(eventStore, readModelStore, allProjections)
        const folder = mailFolderOf(parts.config)
        const mail = { folder, ...(await outbox.counts()), reasons: reasonsOf(await outbox.retrying(MOST_LISTED)) }
        const { problems, seals: sealed } = await parts.proofWatch.read(0)
        const { newest = null, unsealed = 0 } = sealed ?? {}
        const seals = {
          number: newest?.number ?? 0,
          sealedAt: newest && new Date(newest.sealedAt).toISOString(),
          unsealed,
        }
        const { startedAt: _ofThisCommand, ...installation } = await readInstallationState(parts)
        const setup = setupSteps(
          await readSetupFacts({ ...parts, readModels: createReadModels(readModelStore) }, installation.lastBackup),
        )
        const portal = (await askPortal(parts.config)) ?? null
        if (json)
          return print(
            JSON.stringify(
              { views: projections, setAside: deadLetters, mail, seals, problems, setup, ...installation, portal },
              null,
              2,
            ),
          )
        const now = Date.now()
        const { version, disk, lastBackup, lastVerification } = installation
        const operation = (record: OperationRecord | null) =>
          record
            ? `${formatMoment(Date.parse(record.at), now)}: ${record.events} events, up to #${record.upTo}`
            : 'none known'
        print(`Version: ${version}`)
        print(
          portal
            ? `Portal: ${portalStates[portal.status]}, up for ${formatAge(now - Date.parse(portal.startedAt))}${portal.version === version ? '' : `, version ${portal.version}`}.`
            : 'Portal: its METRICS_PORT does not answer here, so this command does not know since when it runs.',
        )
        if (disk)
          print(`Disk of ${parts.config.dataDir}: ${formatBytes(disk.free)} of ${formatBytes(disk.total)} free.`)
        print(`Last backup: ${operation(lastBackup)}`)
        print(`Last successful verification: ${operation(lastVerification)}`)
        print('')
        table(
          projections.map((projection) => ({
            'read model': projection.view,
            position: projection.position,
            'log ends at': projection.end,
            state: projectionStateOf(projection),
            'dead letters': projection.poison.length,
          })),
        )
        print('')
        for (const event of deadLetters) print(formatDeadLetter(event))
        if (deadLetters.length > 0) print('Once the cause is fixed: npx proofdesk poison retry all')
        print(
          folder === null
            ? `Mail: ${mail.waiting} waiting, ${mail.sent} sent, ${mail.failed} failed.`
            : `Mail: NOBODY GETS ANY. SMTP_URL is not set: ${mail.sent} were written into files in ${folder}, ${mail.waiting} waiting, ${mail.failed} failed.`,
        )
        for (const { mails, why, nextTry } of mail.reasons) print(`  ${mails} wait: ${why}; next try: ${nextTry}`)
        print(
          `Seals: ${newest ? `${seals.number}, the newest of ${formatMoment(newest.sealedAt, now)}` : 'none yet'}; unsealed events: ${unsealed}.`,
        )
        const open = setup.filter((step) => !step.done)
        print('')
        print(open.length === 0 ? 'First week: all is set up.' : `First week: ${open.length} of ${setup.length} to do.`)
        for (const { done, title, says } of setup) print(`  [${done ? 'x' : ' '}] ${title}: ${asOneLine(says)}`)
        for (const { says, todo } of problems) print(`PROBLEM with the proof: ${asOneLine(says)}. ${todo}.`)
      }),
    )

  const poison = program
    .command('poison')
    .description('list the dead letters, events that a read model or the mail could not process, and retry them')
    .addHelpText('after', examples('poison list', 'poison retry users.1042'))

  poison
    .command('list')
    .description('list the dead letters, each with its error')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('poison list'))
    .action(async ({ json }: { json?: true }) =>
      withDependencies(async ({ readModelStore }) => {
        const deadLetters = await listDeadLetters(readModelStore, allProjections)
        if (json) return print(JSON.stringify(deadLetters, null, 2))
        for (const event of deadLetters) print(formatDeadLetter(event))
        if (deadLetters.length === 0) print('There are no dead letters.')
      }),
    )

  poison
    .command('retry')
    .description('retry a dead letter after a fix; its read model is rebuilt beside the one in use')
    .argument('<id>', "as the list shows it, or 'all'")
    .addHelpText('after', examples('poison retry users.1042', 'poison retry all'))
    .action(async (id: string) =>
      withDecisions(async (parts) => {
        const chosen = (await listDeadLetters(parts.readModelStore, allProjections)).filter(
          (event) => id === 'all' || event.id === id,
        )
        if (chosen.length === 0)
          throw new Refused('not-found', id === 'all' ? 'There are no dead letters' : `There is no dead letter ${id}`)
        await retry(chosen, parts)
        const left = (await listDeadLetters(parts.readModelStore, allProjections)).filter((event) =>
          chosen.some((one) => one.id === event.id),
        )
        for (const event of left) print(formatDeadLetter(event))
        if (left.length > 0) fail()
        print(`Retried: ${chosen.length}. Still dead letters: ${left.length}.`)
      }),
    )
}

/** The commands for the keys that sign seals. */
export function addSealKeyCommands(program: Command, { withDependencies, withDecisions, print }: CommandLine): void {
  const sealKey = program
    .command('seal-key')
    .description('list the keys that the log was sealed with, or rotate the key')
    .addHelpText('after', examples('seal-key list', 'seal-key rotate'))

  sealKey
    .command('list')
    .description('list the ids of all keys that the log was sealed with; the last one is in use')
    .option('--verifier-keys', 'as verifier keys of the log, for witnesses and their policies')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('seal-key list', 'seal-key list --verifier-keys'))
    .action(async ({ verifierKeys, json }: { verifierKeys?: true; json?: true }) =>
      withDependencies(async ({ repositories, logOrigin }) => {
        if (verifierKeys) {
          const keys = await sealingKeys(repositories)
          const texts = keys.map(({ publicKey }) => verifierKeyText(logKey(logOrigin, publicKey), 'log'))
          return print(json ? JSON.stringify(texts, null, 2) : texts.join('\n'))
        }
        const times = await idsOfSealingKeys(repositories)
        if (json) return print(JSON.stringify(times, null, 2))
        for (const { id, since } of times) print(`${id}  since ${since}`)
      }),
    )

  sealKey
    .command('rotate')
    .description('seal with a new key from now on; the old key signs its successor, and old seals stay valid')
    .addHelpText('after', examples('seal-key rotate'))
    .action(async () =>
      withDecisions(async (parts) => {
        await createSealer({
          ...parts,
          origin: parts.logOrigin,
          checkpoints: parts.readModelStore.checkpoints,
        }).rotateKey()
        const [from, to] = (await idsOfSealingKeys(parts.repositories)).slice(-2).map(({ id }) => id)
        print(`Key ${to} follows key ${from}, and is signed by it. Publish the new id where you published the old one.`)
      }),
    )
}

/** The ids by which readers trust the sealing keys, oldest first. */
async function idsOfSealingKeys(repositories: Repositories) {
  const keys = await sealingKeys(repositories)
  return Promise.all(
    keys.map(async ({ publicKey, since }) => ({ id: await keyIdOf(publicKey), since: new Date(since).toISOString() })),
  )
}

/** Requests retries and waits until they are done, by the running worker or by this process. */
async function retry(events: readonly DeadLetterEntry[], parts: Dependencies): Promise<void> {
  const { registry, repositories, eventStore, readModelStore: store, personKeys, policyDependencies, log } = parts
  const installation = repositories.of(installationStreams)
  let requestedAt: Position = await eventStore.end()
  for (const { reader, stream, revision } of firstOfEachProjection(events)) {
    const { position } = await installation.decide(INSTALLATION_ID, systemContext('command line', randomUUID()), () =>
      requestRetry({ reader, stream, revision }),
    )
    requestedAt = position
  }
  const mails = createOutboxFiller({ ...parts, queuedMails: createQueuedMails() })
  const policies = createPolicySubscription({
    outbox: mails,
    policyDependencies,
    projections: allProjections,
    store,
    log,
  })
  await projectUntil(
    { registry, eventStore, store, personKeys, projections: allProjections, consumers: [policies], log },
    async () => {
      const saved = await store.checkpoints.load(POLICY_SUBSCRIPTION)
      if (!saved || comparePositions(saved.position, requestedAt) < 0) return false
      const projections = await readProjectionStatus(eventStore, store, allProjections)
      return projections.every(({ requested, building }) => !requested && !building)
    },
  )
}

/** One rebuild retries all dead letters of its projection. */
function firstOfEachProjection(events: readonly DeadLetterEntry[]): readonly DeadLetterEntry[] {
  const seen = new Set<string>()
  return events.filter(({ reader }) => {
    const isProjection = allProjections.some(({ name }) => name === reader)
    if (isProjection && seen.has(reader)) return false
    seen.add(reader)
    return true
  })
}

function projectionStateOf({ building, requested, caughtUp, catchingUp }: ProjectionStatus): string {
  if (building) return `rebuilding ${building.collection}: ${formatEstimate(building)}`
  if (requested) return 'rebuild requested'
  return caughtUp || !catchingUp ? 'up to date' : `at ${formatEstimate(catchingUp)}`
}

function formatDeadLetter({ id, reader, type, stream, revision, error }: DeadLetterEntry): string {
  return `Dead letter of ${reader} (${id}): ${type} at ${stream}#${revision}: ${error}`
}
