import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { comparePositions, type Position } from '../../infra/event-store/event-store.ts'
import type { CommandLine } from './audit-cli.ts'
import { requestRetry } from '../domain/installation/installation.ts'
import { Refused } from '../event-sourcing/refusal.ts'
import { systemContext } from '../event-sourcing/codec/metadata.ts'
import { installations } from '../domain/streams.ts'
import type { Parts } from '../composition-root.ts'
import { THIS } from '../use-cases/access-keys.ts'
import { sealingKeys } from '../proof/export-proof.ts'
import { openSealer } from '../proof/sealer.ts'
import { sealingState } from '../proof/seal-status.ts'
import { allViews } from '../projections/index.ts'
import {
  estimateInWords,
  projectionState,
  projectionStatus,
  type SetAside,
  setAsideEvents,
  type ViewStatus,
} from '../event-sourcing/projections/projection-status.ts'
import { REACTIONS, reactionsAndMail } from '../worker/reaction-subscription.ts'
import { workUntil } from '../operations/rebuild-read-models.ts'

/** The commands about the portal itself: how it is, and what was set aside. */
export function addSystemCommands(program: Command, { withParts, say }: CommandLine): void {
  program
    .command('status')
    .description('show how far each view is, what is being rebuilt, what was set aside, mail and seals')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  $ npx proofdesk status\n  $ npx proofdesk status --json')
    .action(async ({ json }: { json?: true }) =>
      withParts(async (parts) => {
        const { eventStore, viewStore, mailQueue } = parts
        const { views, setAside } = await projectionState(eventStore, viewStore, allViews)
        const mail = await mailQueue.counts()
        const { newest, unsealed } = await sealingState(parts)
        const seals = { number: newest?.number ?? 0, sealedAt: newest && new Date(newest.sealedAt).toISOString(), unsealed }
        if (json) return say(JSON.stringify({ views, setAside, mail, seals }, null, 2))
        console.table(
          views.map((view) => ({ view: view.view, position: view.position, 'log ends at': view.end, state: stateOf(view), poison: view.poison.length })),
        )
        for (const event of setAside) say(inOneLine(event))
        if (setAside.length > 0) say('Once it is mended: npx proofdesk poison retry all')
        say(`Mail: ${mail.waiting} waiting, ${mail.sent} sent, ${mail.failed} failed.`)
        say(`Seals: ${newest ? `${seals.number}, the newest of ${seals.sealedAt}` : 'none yet'}; facts that wait for one: ${unsealed}.`)
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
      withParts(async ({ viewStore }) => {
        const setAside = await setAsideEvents(viewStore, allViews)
        if (json) return say(JSON.stringify(setAside, null, 2))
        for (const event of setAside) say(inOneLine(event))
        if (setAside.length === 0) say('Nothing is set aside.')
      }),
    )

  poison
    .command('retry')
    .description('try an event again after a mend; a view is built anew for it, beside what is served')
    .argument('<id>', "as the list shows it, or 'all'")
    .addHelpText('after', '\nExamples:\n  $ npx proofdesk poison retry users.1042\n  $ npx proofdesk poison retry all')
    .action(async (id: string) =>
      withParts(async (parts) => {
        const asked = (await setAsideEvents(parts.viewStore, allViews)).filter((event) => id === 'all' || event.id === id)
        if (asked.length === 0) throw new Refused('not-found', id === 'all' ? 'Nothing is set aside' : `No event ${id} is set aside`)
        await retry(asked, parts)
        const left = (await setAsideEvents(parts.viewStore, allViews)).filter((event) => asked.some((one) => one.id === event.id))
        for (const event of left) say(inOneLine(event))
        if (left.length > 0) process.exitCode = 1
        say(`Tried again: ${asked.length}. Still set aside: ${left.length}.`)
      }),
    )
}

/** The command about the key that the log is sealed with. */
export function addSealKeyCommands(program: Command, { withParts, say }: CommandLine): void {
  const sealKey = program
    .command('seal-key')
    .description('list the keys that the log was sealed with, or seal with another from now on')
    .addHelpText('after', '\nExamples:\n  $ npx proofdesk seal-key list\n  $ npx proofdesk seal-key rotate')

  sealKey
    .command('list')
    .description('list the ids of all keys that the log was sealed with; the last one signs now')
    .addHelpText('after', '\nExample:\n  $ npx proofdesk seal-key list')
    .action(async () =>
      withParts(async ({ journal }) => {
        for (const { id, since } of await sealingKeys(journal)) say(`${id}  since ${new Date(since).toISOString()}`)
      }),
    )

  sealKey
    .command('rotate')
    .description('seal with another key from now on; the old one signs that the new one follows it, and old seals stay valid')
    .addHelpText('after', '\nExample:\n  $ npx proofdesk seal-key rotate')
    .action(async () =>
      withParts(async (parts) => {
        const { from, to } = await openSealer({ ...parts, outside: parts.sealsOutside, bookmark: parts.viewStore }).rotateKey()
        say(`Key ${to} follows key ${from}, which has signed that. Publish the new id where you have published the old one.`)
      }),
    )
}

/** Asks for events to be tried again and waits until they were: by the worker that runs, or by this process. */
async function retry(events: readonly SetAside[], parts: Parts): Promise<void> {
  const { journal, eventStore, viewStore, personKeys, deletion, mailQueue, log } = parts
  const installation = journal.of(installations)
  let asked: Position = await eventStore.end()
  for (const { reader, stream, revision } of oneOfEachView(events)) {
    const { position } = await installation.change(THIS, systemContext('command line', randomUUID()), () => requestRetry({ reader, stream, revision }))
    asked = position
  }
  const reactions = reactionsAndMail({ queue: mailQueue, journal, deletion, eventStore, personKeys, viewStore })
  await workUntil({ eventStore, viewStore, personKeys, views: allViews, followers: [reactions], log }, async () => {
    const reached = await viewStore.progress(REACTIONS)
    if (!reached || comparePositions(reached.position, asked) < 0) return false
    const views = await projectionStatus(eventStore, viewStore, allViews)
    return views.every(({ requested, building }) => !requested && !building)
  })
}

/** One rebuild tries all that its view has set aside. */
function oneOfEachView(events: readonly SetAside[]): readonly SetAside[] {
  const seen = new Set<string>()
  return events.filter(({ reader }) => {
    const isView = allViews.some(({ name }) => name === reader)
    if (isView && seen.has(reader)) return false
    seen.add(reader)
    return true
  })
}

function stateOf({ building, requested, caughtUp, catchingUp }: ViewStatus): string {
  if (building) return `building ${building.collection}: ${estimateInWords(building)}`
  if (requested) return 'a rebuild was asked for'
  return caughtUp || !catchingUp ? 'up to date' : `behind: ${estimateInWords(catchingUp)}`
}

function inOneLine({ id, reader, type, stream, revision, error }: SetAside): string {
  return `Set aside by ${reader} (${id}): ${type} at ${stream}#${revision}: ${error}`
}
