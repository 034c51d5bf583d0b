import type { AggregateRepository } from '#services/event-sourcing/aggregate-repository.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-decoding.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { type AccountId, accountOf, type CaseId } from '#services/framework/ids.ts'
import type { AccountState, AccountStreamEvent } from '#services/trading/stream/account-aggregate.ts'
import { type Case, caseNotFound } from '#services/trading/stream/case.ts'
import type { Payouts } from '#services/trading/stream/payout.ts'
import type { Case as CaseAnswer } from '../case-api.ts'

type Accounts = Pick<AggregateRepository<AccountState, AccountStreamEvent>, 'load' | 'readEvents'>

/** A case as the log has it now. @throws {Refused} not-found */
export async function readCase(accounts: Accounts, id: CaseId): Promise<CaseAnswer> {
  const account = accountOf(id)
  const { state } = await accounts.load(account)
  const found = state.cases.list.get(id)
  if (!found) throw caseNotFound()
  const numbers: number[] = []
  for (const revision of found.decided?.revisions ?? []) numbers.push(await numberAt(accounts, account, revision))
  return caseAnswer(found, state.payouts, numbers)
}

/** The number of an entry of an account, by its revision. */
export async function numberAt(accounts: Accounts, account: AccountId, revision: number): Promise<number> {
  for await (const event of accounts.readEvents(account, revision)) return eventNumber(event)
  throw new Error(`${account} has no event ${revision}`)
}

/** @param events The numbers of the entries that made the change of its decision. */
function caseAnswer(one: Case, payouts: Payouts, events: number[]): CaseAnswer {
  const { id, about, decision, subject, state, answerBy, overdue, text, openedAt, messages, files, decided } = one
  const { kind, at, payout, finding } = subject
  const objected = payout ? payouts.list.get(payout) : undefined
  return {
    ...{ id, account: accountOf(id), about, state, overdue, text },
    subject: {
      ...{ kind, event: decision.number, at: isoTime(at), payout, finding },
      notes: (kind === 'rejection' ? objected?.notes : kind === 'hold' ? objected?.hold?.reason : null) ?? null,
    },
    answerBy: answerBy === null ? null : isoTime(answerBy),
    createdAt: isoTime(openedAt),
    messages: messages.map((message) => ({ ...message, at: isoTime(message.at) })),
    files: files.map(({ number, name, type, size }) => ({ id: String(number), name, type, size })),
    decision: decided && {
      ...{ outcome: decided.outcome, text: decided.text, change: decided.change, events },
      at: isoTime(decided.at),
    },
  }
}
