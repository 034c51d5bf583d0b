import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { comparePositions, type Position } from '../../infra/event-store/event-store.ts'
import type { CommandLine } from './audit-cli.ts'
import { INSTALLATION_ID, requestRetry } from '../domain/installation/installation.ts'
import { Refused } from '../event-sourcing/refusal.ts'
import { systemContext } from '../event-sourcing/codec/metadata.ts'
import { installations } from '../domain/streams.ts'
import type { Dependencies } from '../composition-root.ts'
import { sealingKeys } from '../proof/export-proof.ts'
import { createSealer } from '../proof/sealer.ts'
import { readSealStatus } from '../proof/seal-status.ts'
import { allProjections } from '../projections/index.ts'
import {
  formatEstimate,
  readProjectionsState,
  readProjectionStatus,
  type DeadLetterEntry,
  listDeadLetters,
  type ProjectionStatus,
} from '../event-sourcing/projections/projection-status.ts'
import { createReactionSubscription, REACTION_SUBSCRIPTION } from '../policies/reaction-subscription.ts'
import { createMailOutbox } from '../worker/mail-outbox.ts'
import { projectUntil } from '../operations/rebuild-read-models.ts'

/** The commands about the portal itself: how it is, and what was set aside. */
export function addSystemCommands(program: Command, { withDependencies, print }: CommandLine): void {
  program
    .command('status')
    .description('show how far each view is, what is being rebuilt, what was set aside, mail and seals')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  $ npx proofdesk status\n  $ npx proofdesk status --json')
    .action(async ({ json }: { json?: true }) =>
      withDependencies(async (parts) => {
        const { eventStore, readModelStore, outbox } = parts
        const { projections, deadLetters } = await readProjectionsState(eventStore, readModelStore, allProjections)
        const mail = await outbox.counts()
        const { newest, unsealed } = await readSealStatus(parts)
        const seals = { number: newest?.number ?? 0, sealedAt: newest && new Date(newest.sealedAt).toISOString(), unsealed }
        if (json) return print(JSON.stringify({ views: projections, setAside: deadLetters, mail, seals }, null, 2))
        console.table(
          projections.map((view) => ({
            view: view.view,
            position: view.position,
            'log ends at': view.end,
            state: projectionStateOf(view),
            poison: view.poison.length,
          })),
        )
        for (const event of deadLetters) print(formatDeadLetter(event))
        if (deadLetters.length > 0) print('Once it is mended: npx proofdesk poison retry all')
        print(`Mail: ${mail.waiting} waiting, ${mail.sent} sent, ${mail.failed} failed.`)
        print(`Seals: ${newest ? `${seals.number}, the newest of ${seals.sealedAt}` : 'none yet'}; facts that wait for one: ${unsealed}.`)
      }),
    )

  const poison = program
    .command('poison')
    .description('list the events that were set aside because a view or a mail could not use them, and try them again')
    .addHelpText('after', '\nExamples:\n  $ npx proofdesk poison list\n  $ npx proofdesk poison retry users.1042')

  poison
    .command('list')
    .description('list the events that are set aside, each with its error')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  $ npx proofdesk poison list')
    .action(async ({ json }: { json?: true }) =>
      withDependencies(async ({ readModelStore }) => {
        const setAside = await listDeadLetters(readModelStore, allProjections)
        if (json) return print(JSON.stringify(setAside, null, 2))
        for (const event of setAside) print(formatDeadLetter(event))
        if (setAside.length === 0) print('Nothing is set aside.')
      }),
    )

  poison
    .command('retry')
    .description('try an event again after a mend; a view is built anew for it, beside what is served')
    .argument('<id>', "as the list shows it, or 'all'")
    .addHelpText('after', '\nExamples:\n  $ npx proofdesk poison retry users.1042\n  $ npx proofdesk poison retry all')
    .action(async (id: string) =>
      withDependencies(async (parts) => {
        const asked = (await listDeadLetters(parts.readModelStore, allProjections)).filter((event) => id === 'all' || event.id === id)
        if (asked.length === 0) throw new Refused('not-found', id === 'all' ? 'Nothing is set aside' : `No event ${id} is set aside`)
        await retry(asked, parts)
        const left = (await listDeadLetters(parts.readModelStore, allProjections)).filter((event) => asked.some((one) => one.id === event.id))
        for (const event of left) print(formatDeadLetter(event))
        if (left.length > 0) process.exitCode = 1
        print(`Tried again: ${asked.length}. Still set aside: ${left.length}.`)
      }),
    )
}

/** The command about the key that the log is sealed with. */
export function addSealKeyCommands(program: Command, { withDependencies, print }: CommandLine): void {
  const sealKey = program
    .command('seal-key')
    .description('list the keys that the log was sealed with, or seal with another from now on')
    .addHelpText('after', '\nExamples:\n  $ npx proofdesk seal-key list\n  $ npx proofdesk seal-key rotate')

  sealKey
    .command('list')
    .description('list the ids of all keys that the log was sealed with; the last one signs now')
    .addHelpText('after', '\nExample:\n  $ npx proofdesk seal-key list')
    .action(async () =>
      withDependencies(async ({ repositories }) => {
        for (const { id, since } of await sealingKeys(repositories)) print(`${id}  since ${new Date(since).toISOString()}`)
      }),
    )

  sealKey
    .command('rotate')
    .description('seal with another key from now on; the old one signs that the new one follows it, and old seals stay valid')
    .addHelpText('after', '\nExample:\n  $ npx proofdesk seal-key rotate')
    .action(async () =>
      withDependencies(async (parts) => {
        const { from, to } = await createSealer({ ...parts, publishedSeals: parts.publishedSeals, checkpoints: parts.readModelStore.checkpoints }).rotateKey()
        print(`Key ${to} follows key ${from}, which has signed that. Publish the new id where you have published the old one.`)
      }),
    )
}

/** Asks for events to be tried again and waits until they were: by the worker that runs, or by this process. */
async function retry(events: readonly DeadLetterEntry[], parts: Dependencies): Promise<void> {
  const { repositories, eventStore, readModelStore: store, personKeys, deletion, outbox: queue, log } = parts
  const installation = repositories.of(installations)
  let asked: Position = await eventStore.end()
  for (const { reader, stream, revision } of firstOfEachProjection(events)) {
    const { position } = await installation.decide(INSTALLATION_ID, systemContext('command line', randomUUID()), () =>
      requestRetry({ reader, stream, revision }),
    )
    asked = position
  }
  const mails = createMailOutbox({ queue, repositories, eventStore })
  const reactions = createReactionSubscription({ outbox: mails, deletion, eventStore, personKeys, projections: allProjections, store })
  await projectUntil({ eventStore, store, personKeys, projections: allProjections, reactions: [reactions], log }, async () => {
    const reached = await store.checkpoints.load(REACTION_SUBSCRIPTION)
    if (!reached || comparePositions(reached.position, asked) < 0) return false
    const views = await readProjectionStatus(eventStore, store, allProjections)
    return views.every(({ requested, building }) => !requested && !building)
  })
}

/** One rebuild tries all that its view has set aside. */
function firstOfEachProjection(events: readonly DeadLetterEntry[]): readonly DeadLetterEntry[] {
  const seen = new Set<string>()
  return events.filter(({ reader }) => {
    const isView = allProjections.some(({ name }) => name === reader)
    if (isView && seen.has(reader)) return false
    seen.add(reader)
    return true
  })
}

function projectionStateOf({ building, requested, caughtUp, catchingUp }: ProjectionStatus): string {
  if (building) return `building ${building.collection}: ${formatEstimate(building)}`
  if (requested) return 'a rebuild was asked for'
  return caughtUp || !catchingUp ? 'up to date' : `behind: ${formatEstimate(catchingUp)}`
}

function formatDeadLetter({ id, reader, type, stream, revision, error }: DeadLetterEntry): string {
  return `Set aside by ${reader} (${id}): ${type} at ${stream}#${revision}: ${error}`
}
