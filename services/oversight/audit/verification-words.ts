import { inDollars } from '#services/rules/money.ts'
import { utcDay, utcTime } from '#services/framework/api/utc-time.ts'
import { parseCheckpoint } from '#services/proof/tree-checkpoint.ts'
import { programmeText } from '#services/trading/stream/programme-stage.ts'
import type { GenuineExport, ProvenExport, RefusedExport } from './export-verification.ts'
import { inOneLine, type Verdict, type VerdictOutcome } from './verdicts.ts'

/** A verification in words, for the command line and the verify page. Runs in browsers. */

/**
 * The verification in one sentence: 'Genuine: the history of account 7f3k…, 25 Jun to 22 Nov 2026, 256 entries; the
 * newest is not sealed yet.' Days are in UTC.
 */
export function sentenceOf(verification: ProvenExport | RefusedExport): string {
  if (verification.outcome !== 'genuine') return verification.says
  const { account, entries, proven } = verification
  const name = account.length > 8 ? `${account.slice(0, 8)}…` : account
  const count = `${entries.length.toLocaleString('en-US')} ${entries.length === 1 ? 'entry' : 'entries'}`
  const history = `the history of account ${name}, ${period(entries)}, ${count}${openTail(entries.length - proven)}.`
  const wrong = wrongVerdicts(verification)
  if (wrong === 0) return `Genuine: ${history}`
  const verdicts = wrong === 1 ? 'One verdict in it does' : `${wrong} verdicts in it do`
  return `Genuine, but not in order: ${history} ${verdicts} not follow from the rules.`
}

/** About twice the time that a history of this size takes. */
const LIMIT = { seconds: 4, bytes: 3_000_000 }

/** How many seconds the check of a file may take: a stranger may have made it so that it takes hours. */
export function checkLimit(bytes: number): number {
  return LIMIT.seconds * Math.max(1, bytes / LIMIT.bytes)
}

/** @param seconds After which the check was stopped. */
export function tooLongSentence(seconds: number): string {
  return `Not checked to the end: after ${Math.round(seconds)} s, longer than a history of its size takes, the check was stopped. Someone may have made this file so that checking it never ends: ask the firm for the original.`
}

/** How many recorded verdicts that stand do not follow from the rules. */
export function wrongVerdicts({ verdicts }: Pick<GenuineExport, 'verdicts'>): number {
  return verdicts.filter(({ outcome, stands }) => outcome === 'does-not-follow' && stands !== false).length
}

/** Says what the reader can rely on: whose key, which log. */
function trustOf({ keyId, isTrusted, log }: Pick<GenuineExport, 'keyId' | 'isTrusted' | 'log'>): string {
  return isTrusted
    ? `Signed for ${log}, with the key that you trust.`
    : `Signed for ${log}, with key ${keyId}. One step is left to you: ask the firm whether this is its key, for anyone can make a file with a key of their own.`
}

/**
 * Says what a genuine file proves, and what it does not, a sentence each.
 *
 * @param attested Sentences about those who attested its checkpoint.
 */
export function provesOf(verification: ProvenExport, attested: readonly string[]): string[] {
  const { entries, proven } = verification
  return [
    trustOf(verification),
    ...attested,
    `${proven === entries.length ? 'All' : `The first ${proven}`} entries are sealed in the firm’s log: none of them was changed since, and none was added between them.`,
    completenessOf(verification),
    ...verification.ledgers.map(ledgerSentence),
    ...verification.programmes.map(programmeSentence),
    ...verification.cases,
    ...restorationsOf(verification),
    ...verification.untimely,
    ...(entries.some(({ actor, staffMember }) => !actor && staffMember !== null)
      ? [
          'Names of staff are not in this file. “Staff member 1” is the same person wherever it appears here, and nobody else.',
        ]
      : []),
    'Whether more happened since, only a newer file can say. That what was recorded was right, no file can prove.',
  ]
}

/** Who else signed the checkpoint of a genuine file: only a policy says whose signatures count. */
export function cosignedOf({ checkpoint, log }: Pick<GenuineExport, 'checkpoint' | 'log'>): string[] {
  const names = [...new Set(parseCheckpoint(checkpoint).signatures.map(({ name }) => name))].filter(
    (name) => name !== log,
  )
  return names.length === 0
    ? ['No witness has signed its checkpoint.']
    : [
        `Its checkpoint also carries signatures in the name of ${names.join(', ')}. Whether they are genuine witnesses, npx proofdesk verify --policy says.`,
      ]
}

/** That a file has a time stamp which is not checked here. */
export function uncheckedTimestampOf({ checkpointTimestamp }: Pick<GenuineExport, 'checkpointTimestamp'>): string[] {
  return checkpointTimestamp === null
    ? []
    : ['Its checkpoint carries a time stamp. When it was made, npx proofdesk verify says; by whom, openssl checks.']
}
/** Each time that the firm set its log back, in a sentence. */
export function restorationsOf({ restorations }: Pick<GenuineExport, 'restorations'>): string[] {
  return restorations.map(({ at, from, to, reason }) => {
    const extent = from === null ? `to ${to} sealed entries` : `from ${from} sealed entries to ${to}`
    return `The firm restored its log from a backup at ${utcTime(at)}, ${extent}: “${inOneLine(reason)}”. Entries recorded in between are lost; a file from before shows them.`
  })
}

function ledgerSentence({ account, entries, sum }: GenuineExport['ledgers'][number]): string {
  return `The ledger of account ${account} adds up: ${entries} ${entries === 1 ? 'entry comes' : 'entries come'} to its balance of ${inDollars(sum)}.`
}

function programmeSentence({ account, name, version, hash }: GenuineExport['programmes'][number]): string {
  return `Account ${account} is under ${inOneLine(programmeText(name, version))}. The terms in this file have the hash ${hash}, which its enrolment names.`
}

const outcomeWords: Readonly<Record<VerdictOutcome, string>> = {
  follows: 'follows from the rules',
  'does-not-follow': 'does not follow from the rules',
  'against-the-rules': 'decided by a person against the rules',
  'by-person': 'decided by a person',
  undecided: 'not decided yet',
}

/** 'Breach of account ada-a1: Daily loss: …, at observation 2 (entry #17): follows from the rules. Dana confirmed it …' */
export function verdictSentence({ what, outcome, why }: Pick<Verdict, 'what' | 'outcome' | 'why'>): string {
  return `${what}: ${outcomeWords[outcome]}. ${why}`
}

/** Says what cannot be missing, and what still can. */
export function completenessOf({
  proven,
  entries,
  headsAt,
}: Pick<GenuineExport, 'proven' | 'entries' | 'headsAt'>): string {
  const open = entries.length - proven
  const newer = open === 0 ? '' : ` ${open === 1 ? '1 newer entry is' : `${open} newer entries are`} not covered yet.`
  return `No entry is missing: the log commits to where this history ended when it was sealed at ${utcTime(headsAt)}.${newer}`
}

function openTail(count: number): string {
  if (count === 0) return ''
  return count === 1 ? '; the newest is not sealed yet' : `; the newest ${count} are not sealed yet`
}

function period(entries: GenuineExport['entries']): string {
  const [first, last] = [new Date(entries[0]?.at ?? 0), new Date(entries.at(-1)?.at ?? 0)]
  const [from, to] = [`${utcDay(first)} ${first.getUTCFullYear()}`, `${utcDay(last)} ${last.getUTCFullYear()}`]
  if (from === to) return to
  return first.getUTCFullYear() === last.getUTCFullYear() ? `${utcDay(first)} to ${to}` : `${from} to ${to}`
}
