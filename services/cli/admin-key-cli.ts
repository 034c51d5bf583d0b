import { randomUUID } from 'node:crypto'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { type AdminKeyId, adminKeyId } from '#services/framework/ids.ts'
import { type AdminRole, adminRole } from '#services/identity/staff/access-key.ts'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { adminKeys } from '#services/identity/staff/member-read-model.ts'
import { StaffName } from '#services/identity/staff/staff-api.ts'
import { AccessKeys } from '#services/identity/staff/server/access-keys.ts'
import { type CommandLine, examples } from './command.ts'

/** The commands for the access keys of members of staff. */
export function addAdminKeyCommands(
  program: Command,
  { withDependencies, withDecisions, print, printProgress, table }: CommandLine,
): void {
  const withKeys = (work: (keys: AccessKeys, parts: Dependencies) => Promise<void>) =>
    withDecisions((parts) => work(new AccessKeys(parts.repositories, parts.secrets), parts))

  const verbs = program
    .command('admin-key')
    .description('issue, list, change, replace and revoke the access keys of members of staff')
    .addHelpText('after', examples('admin-key create "Dana, payouts desk"', 'admin-key list'))

  verbs
    .command('create')
    .description('issue an access key and show it, this once')
    .argument('<label>', 'whose key it is; it names the actor in every event', memberName)
    .addOption(new Option('--role <role>', 'what it opens').choices(adminRole.options).default('admin'))
    .option('--expires <date>', 'the last day it is valid, in UTC, like 2027-03-31', lastDay)
    .addHelpText(
      'after',
      examples(
        'admin-key create "Dana, payouts desk"',
        'admin-key create "Ernst & Co" --role auditor --expires 2027-03-31',
      ),
    )
    .action(async (label: string, { role, expires }: { role: AdminRole; expires?: number }) =>
      withKeys(async (keys) => {
        const { id, accessKey } = await keys.issue(label, role, randomUUID(), { expiresAt: expires ?? null })
        print(`Key ${id} for "${label}" (${role}). Keep it safe, it is not shown again:\n\n  ${accessKey}\n`)
      }),
    )

  verbs
    .command('list')
    .description('list all members of staff ever, never the keys themselves')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('admin-key list'))
    .action(async ({ json }: { json?: true }) =>
      withDependencies(async (parts) => {
        await waitForAdminKeys(parts, printProgress)
        const { documents } = await createReadModels(parts.readModelStore).find(adminKeys, { limit: 1000 })
        if (json) return print(JSON.stringify(documents, null, 2))
        const time = (ms: number | null) =>
          ms === null ? '' : new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
        table(
          documents.map(({ id, label, role, issuedAt, expiresAt, revokedAt, lastSignInAt }) => ({
            id,
            label,
            role,
            issued: time(issuedAt),
            'last sign-in': time(lastSignInAt),
            expires: time(expiresAt),
            revoked: time(revokedAt),
          })),
        )
      }),
    )

  verbs
    .command('change')
    .description("change a member's name, role or expiry: their sessions end at once")
    .argument('<id>', 'as the list shows it')
    .option('--name <name>', 'the new name', memberName)
    .addOption(new Option('--role <role>', 'the new role').choices(adminRole.options))
    .option('--expires <date>', "the last day the key is valid, in UTC, or 'never'", (text) =>
      text === 'never' ? text : lastDay(text),
    )
    .addHelpText('after', examples('admin-key change 3f1c… --role support --expires never'))
    .action(
      async (text: string, { name, role, expires }: { name?: string; role?: AdminRole; expires?: number | 'never' }) =>
        withKeys(async (keys, { sessionStore }) => {
          const id = memberId(text)
          await keys.change(
            id,
            { label: name, role, expiresAt: expires === 'never' ? null : expires },
            randomUUID(),
            sessionStore,
          )
          print(`Member ${id} is changed.`)
        }),
    )

  verbs
    .command('rotate')
    .description(
      'replace the access key of a member and show the new one, this once; the key before and its sessions end at once',
    )
    .argument('<id>', 'as the list shows it')
    .option('--expires <date>', 'the last day it is valid, in UTC', lastDay)
    .addHelpText('after', examples('admin-key rotate 3f1c…'))
    .action(async (text: string, { expires }: { expires?: number }) =>
      withKeys(async (keys, { sessionStore }) => {
        const id = memberId(text)
        const { accessKey } = await keys.replace(id, randomUUID(), sessionStore, { expiresAt: expires ?? null })
        print(`New key of member ${id}. Keep it safe, it is not shown again:\n\n  ${accessKey}\n`)
      }),
    )

  verbs
    .command('revoke')
    .description('revoke an access key: its sessions end at once')
    .argument('<id>', 'as the list shows it')
    .addHelpText('after', examples('admin-key revoke 3f1c…'))
    .action(async (text: string) =>
      withKeys(async (keys, { sessionStore }) => {
        const id = memberId(text)
        await keys.revoke(id, randomUUID(), sessionStore)
        print(`Key ${id} is revoked.`)
      }),
    )
}

function memberId(text: string): AdminKeyId {
  const { data } = adminKeyId.safeParse(text)
  if (!data) throw new Refused('not-found', 'There is no such admin key')
  return data
}

function memberName(text: string): string {
  const { data, error } = StaffName.safeParse(text)
  if (error) throw new InvalidArgumentError(`${error.issues[0]?.message}.`)
  return data
}

/** The end of a day in UTC, ms since 1970. */
function lastDay(text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T23:59:59.999Z`) : Number.NaN
  if (!(at > Date.now())) throw new InvalidArgumentError('It must be a day to come, like 2027-03-31.')
  return at
}

/** Waits a moment for a running worker to catch up; without one the list may be old. */
async function waitForAdminKeys(
  { readModelStore, eventStore }: Dependencies,
  print: CommandLine['print'],
): Promise<void> {
  if (!(await createReadModels(readModelStore, { waitTimeout: 1_000 }).waitFor([adminKeys], await eventStore.end())))
    print('No worker is up to date: start the portal to see the latest.')
}
