import type { Command } from 'commander'
import type { FailedMail, RetryingMail } from '#infra/outbox/outbox.ts'
import { type CommandLine, examples } from './command.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/** Waiting mails that are read at most. */
export const MOST_LISTED = 1_000

/** The commands for mails that wait or failed for good: list them with their reasons, send them again. */
export function addMailCommands(
  program: Command,
  { withDependencies, print }: Pick<CommandLine, 'withDependencies' | 'print'>,
): void {
  const mail = program
    .command('mail')
    .description('list the mails that wait or failed for good, and send them again')
    .addHelpText('after', examples('mail waiting', 'mail failed', 'mail retry --all'))

  mail
    .command('waiting')
    .description('list the mails that are tried again, the next one first, each with its reason')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('mail waiting', 'mail waiting --json'))
    .action(async ({ json }: { json?: true }) =>
      withDependencies(async ({ outbox }) => {
        const retrying = await outbox.retrying(MOST_LISTED)
        if (json) return print(JSON.stringify(retrying, null, 2))
        for (const waiting of retrying)
          print(`${formatFailedMail(waiting)}; next try: ${new Date(waiting.dueAt).toISOString()}`)
        if (retrying.length === 0) print('No mail waits for another try.')
      }),
    )

  mail
    .command('failed')
    .description('list the mails that failed for good, the oldest failure first, each with its reason')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('mail failed', 'mail failed --json'))
    .action(async ({ json }: { json?: true }) =>
      withDependencies(async ({ outbox }) => {
        const failed = await outbox.failed()
        if (json) return print(JSON.stringify(failed, null, 2))
        for (const failedMail of failed) print(formatFailedMail(failedMail))
        print(
          failed.length === 0 ? 'No mail failed for good.' : 'Once the cause is fixed: npx proofdesk mail retry --all',
        )
      }),
    )

  mail
    .command('retry')
    .description('put failed mails back in the outbox; the worker tries them from the start')
    .argument('[id]', 'as the list shows it')
    .option('--all', 'all of them')
    .addHelpText('after', examples('mail retry 5f0c6a52-7d0e-4c1b-9d53-0e8f7c1c2b1a', 'mail retry --all'))
    .action(async (id: string | undefined, { all }: { all?: true }) => {
      if ((id === undefined) === (all === undefined)) throw new Refused('invalid', 'Name one mail, or say --all')
      return withDependencies(async ({ outbox }) => {
        const ids = id === undefined ? (await outbox.failed()).map((failedMail) => failedMail.id) : [id]
        let retried = 0
        for (const failedId of ids) if (await outbox.retry(failedId)) retried += 1
        if (id !== undefined && retried === 0) throw new Refused('not-found', `No mail ${id} failed for good`)
        print(`Put back in the outbox: ${retried}.`)
      })
    })
}

/** Why mails wait: each reason once, with how many it holds up and the next try, the most frequent first. */
export function reasonsOf(retrying: readonly RetryingMail[]) {
  return [...new Set(retrying.map(({ error }) => error))]
    .map((why) => {
      const dueAt = retrying.flatMap((mail) => (mail.error === why ? mail.dueAt : []))
      return { why, mails: dueAt.length, nextTry: new Date(Math.min(...dueAt)).toISOString() }
    })
    .sort((a, b) => b.mails - a.mails)
}

function formatFailedMail({ id, kind, stream, revision, attempts, error }: FailedMail): string {
  return `${id}  ${kind} at ${stream}#${revision}, tries: ${attempts}: ${error}`
}
