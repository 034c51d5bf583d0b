import { newUserId } from '#services/identity/authentication/password-link-tokens.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { beginStageIn } from '#services/trading/stream/account.ts'
import { type AccountId, accountIdOf, enrolmentIdOf, programmeId } from '#services/framework/ids.ts'
import { recordObservations } from '#services/trading/stream/observation.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { hashedTerms } from '#services/programmes/programmes/server/terms-hash.ts'
import { assignAccount, userStreams } from '#services/identity/users/user.ts'
import type { Observation } from '#services/rules/observation.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import type { withDependencies } from '#test-support/stores.ts'

/** Accounts under a programme, written without HTTP. */

type Parts = Pick<Parameters<Parameters<typeof withDependencies>[1]>[0], 'repositories' | 'personKeys'>

const context = systemContext('bench', 'accounts')
const preset = presetTerms('two-step', 100_000)

/** The account of a new trader in a stage. @param n A number that no other trader has. */
export async function enrolledAccount(
  { repositories, personKeys }: Parts,
  n: number,
  terms: ProgrammeTerms = preset,
  stage = 0,
): Promise<AccountId> {
  const owner = newUserId()
  await personKeys.getOrCreate(owner)
  const account = accountIdOf(owner, 1)
  const profile = {
    ...{ fullName: `Trader ${n}`, email: `trader${n}@example.com`, country: 'uk', city: '', street: '' },
    houseNumber: '',
  }
  await repositories.of(userStreams).decide(owner, context, () => [
    {
      type: 'UserCreated',
      data: { ...profile, emailClaim: `bench${n}`, token: '', tokenHash: '', expiresAt: 0 },
    },
  ])
  await repositories.of(userStreams).decide(owner, context, (user) => assignAccount(user, owner, account))
  const beginning = {
    ...{ enrolmentId: enrolmentIdOf(owner, 1), programme: programmeId.parse('two-step-100000'), version: 1 },
    ...{ hash: hashedTerms(terms).hash, stage, terms },
  }
  await repositories
    .of(accountStreams)
    .decide(account, context, ({ account: one }) => beginStageIn(one, account, beginning))
  return account
}

/** Records what was observed of an account, as the feed does. */
export async function observed(
  { repositories }: Pick<Parts, 'repositories'>,
  account: AccountId,
  rows: readonly Observation[],
): Promise<void> {
  await repositories
    .of(accountStreams)
    .decide(account, context, (state) => [...recordObservations(state, rows, 'feed').events])
}
