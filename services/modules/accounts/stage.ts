import { List } from 'immutable'
import type { LedgerEntry } from '#services/modules/ledger/ledger.ts'
import type { EntryKind } from '#services/modules/ledger/ledger-vocabulary.ts'
import type { PayoutId } from '#services/modules/ids.ts'
import { toCents } from '#services/money/money.ts'
import { evaluate, type Line, type Rules, rulesOf, startOf, type State } from '#services/rules/engine.ts'
import type { Observation } from '#services/rules/observation.ts'
import type { AccountTerms } from '#services/rules/programme.ts'
import { type Account, type AccountEvent, assertOpen, setByProgramme } from './account.ts'

/** The funded stage that an account is in by its terms: what the rule engine has seen of it. */
export interface Stage {
  readonly terms: AccountTerms
  /** Since the terms were set, oldest first. */
  readonly seen: List<Seen>
  readonly engine: State
}

/** A balance that was reported, a payout, or what staff booked. Amounts in cents, times in ms. */
interface Seen {
  readonly at: number
  /** After it. */
  readonly balance: number
  readonly payout: { readonly id: PayoutId; readonly amount: number } | null
  /** What moved the balance and is no profit. */
  readonly transfer: { readonly amount: number; readonly why: EntryKind } | null
}

const compiled = new WeakMap<AccountTerms, Rules>()

/** Rules hold functions, and a state is plain data: they are compiled beside it. */
export function rulesOfStage({ terms }: Pick<Stage, 'terms'>): Rules {
  const rules = compiled.get(terms) ?? rulesOf(terms, 0)
  compiled.set(terms, rules)
  return rules
}

/** Terms begin with the balance of that moment. */
export function beginStage(terms: AccountTerms, at: number, balance: number): Stage {
  return stageOf(terms, List([{ at, balance, payout: null, transfer: null }]))
}

/** The stage after an entry of the ledger. */
export function stageAfter(stage: Stage, at: number, { kind, from, to, payoutId, booking }: LedgerEntry): Stage {
  if (kind === 'payout-reversed' && payoutId) return asIfNeverPaid(stage, payoutId, to - from)
  const payout = kind === 'payout' && payoutId ? { id: payoutId, amount: from - to } : null
  const transfer = booking ? { amount: to - from, why: kind } : null
  const next: Seen = { at, balance: to, payout, transfer }
  return { ...stage, seen: stage.seen.push(next), engine: observe(rulesOfStage(stage), stage.engine, next) }
}

/** "What was booked back is for the engine as if never paid": later balances are higher by it. */
function asIfNeverPaid({ terms, seen }: Stage, id: PayoutId, amount: number): Stage {
  const paid = seen.findLastIndex(({ payout }) => payout?.id === id)
  const later = seen.slice(paid + 1).map((one) => ({ ...one, balance: one.balance + amount }))
  return stageOf(terms, seen.slice(0, Math.max(0, paid)).concat(later))
}

function stageOf(terms: AccountTerms, seen: List<Seen>): Stage {
  const rules = rulesOfStage({ terms })
  return { terms, seen, engine: seen.reduce((state, one) => observe(rules, state, one), startOf(rules)) }
}

function observe(rules: Rules, state: State, seen: Seen): State {
  return evaluate(rules, state, observationOf(seen)).state
}

function observationOf({ at, balance, payout, transfer }: Seen): Observation {
  if (payout) return { at: momentOf(at), kind: 'payout', amount: toCents(payout.amount) }
  if (transfer) return { at: momentOf(at), kind: 'transfer', amount: toCents(transfer.amount), why: transfer.why }
  const value = toCents(balance)
  return { at: momentOf(at), kind: 'state', balance: value, equity: value, open: false, quality: 'reported' }
}

/** The stage at a moment, in ms: only time has passed since the last event. */
export function stageAt(
  stage: Stage,
  now: number,
): { readonly rules: Rules; readonly state: State; readonly line: Line } {
  const rules = rulesOfStage(stage)
  return { rules, ...evaluate(rules, stage.engine, { at: momentOf(now), kind: 'clock' }) }
}

function momentOf(ms: number) {
  return { text: new Date(ms).toISOString(), ms, ns: 0 }
}

/**
 * Sets the terms of an account, or takes them away with null. Setting them again starts over, which also corrects a
 * mistyped balance.
 */
export function setTerms(
  { account, stage }: { readonly account: Account; readonly stage: Stage | null },
  terms: AccountTerms | null,
): AccountEvent[] {
  assertOpen(account)
  if (!terms && !stage) return []
  if (account.programme) throw setByProgramme('terms')
  return [{ type: 'TermsSet', data: { from: stage?.terms.name ?? null, terms } }]
}
