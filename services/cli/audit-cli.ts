import { readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { type Command, Option } from 'commander'
import { readWitnessPolicy, confirmationsOf, reportAttestations, trustedKeysOf } from './attestation-report.ts'
import { type CommandLine, examples } from './command.ts'
import { asOneLine } from './terminal-text.ts'
import { difference } from '#services/oversight/audit/state-difference.ts'
import { createAccountTimelines, type AccountTimeline } from '#services/oversight/audit/server/account-timeline.ts'
import { formatActorInFull } from '#services/oversight/audit/audit-entry.ts'
import { isList, type ShownContent, type ShownItem, type ShownRecord } from '#services/framework/shown-state.ts'
import { shownField, shownObjects } from '#services/oversight/event-catalogue.ts'
import { withSecrets } from '#services/oversight/audit/account-state.ts'
import { type AuditState, type AuditValue, Moment } from '#services/oversight/audit/audit-api.ts'
import type { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import { accountId, userId } from '#services/framework/ids.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { withAsciiDomain } from '#services/framework/api/email-address.ts'
import { emailClaims } from '#services/identity/users/email-claim.ts'
import type { CheckedEvent } from '#services/event-sourcing/codec/event-authentication.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { accountExport, type ExportedAccount } from '#services/proof/account-export.ts'
import { type DerivedEntry, NOT_IN_FILE } from '#services/oversight/audit/derived-history.ts'
import { type GenuineExport, verifyExport } from '#services/oversight/audit/export-verification.ts'
import {
  checkLimit,
  cosignedOf,
  provesOf,
  sentenceOf,
  tooLongSentence,
  verdictSentence,
  wrongVerdicts,
} from '#services/oversight/audit/verification-words.ts'
import { recordOperation } from '#services/operations/installation-state.ts'
import { isFraudFile } from '#services/proof/contradiction.ts'
import { RECEIPT } from '#services/proof/event-receipt.ts'
import { signingKeys } from '#services/proof/seal-signing.ts'
import { keyIdOf } from '#services/proof/signed-texts.ts'
import { reportContradiction, reportFraudFile } from './fraud-report.ts'
import {
  damagedCertificates,
  type RecordedFile,
  recordedFileIn,
} from '#services/trading/certificates/server/certificate-files.ts'
import { askedStores } from '#services/proof/foreign-content.ts'
import { verifyLog } from '#services/proof/log-verification.ts'
import { line } from '#services/framework/http/csv.ts'
import type { BreachEvidence } from '#services/trading/accounts/account-api.ts'
import { breachRuleLabels } from '#services/trading/stream/account-vocabulary.ts'
import { auditCsvColumns, auditCsvRows } from '#services/oversight/audit/server/audit-csv.ts'

/** The auditor's commands: what was true, what changed, and whether the log was altered. */
export function addAuditCommands(
  program: Command,
  { withDependencies, withComparedLog, print, printProgress, fail, limitTime }: CommandLine,
): void {
  const audit = program
    .command('audit')
    .description('see what was true at any moment, and prove that the log was not altered')
    .addHelpText('after', examples('audit account ada@example.com --at 2026-03-03T14:00:00Z', 'audit verify'))

  audit
    .command('account')
    .description('show an account at a moment, and its events up to then')
    .argument('<id|email>', "the id of a user or an account, or the user's present email address")
    .option('--at <moment>', "an event's number, or a time; without it, now")
    .option('--json', 'as JSON')
    .addHelpText('after', examples('audit account ada@example.com', 'audit account ada@example.com --at 1042 --json'))
    .action(async (user: string, { at, json }: { at?: string; json?: true }) =>
      withComparedLog(async (parts) => {
        const timeline = await timelineOf(user, parts)
        const entry = entryAt(timeline, at)
        const state = await timeline.stateAfter(entry)
        const events = await timeline.readAuditEntries(
          timeline.allEntries.filter(({ number }) => number <= entry.number),
          formatActorInFull,
        )
        if (json) return print(JSON.stringify({ state, facts: events }, null, 2))
        print(formatState(state))
        for (const event of events) print(formatAuditEntry(event))
      }),
    )

  audit
    .command('diff')
    .description('show how an account changed between two moments')
    .argument('<id|email>', "the id of a user or an account, or the user's present email address")
    .argument('<from>', "an event's number, or a time")
    .argument('[to]', 'a later one; without it, now')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('audit diff ada@example.com 2026-03-03 2026-03-04'))
    .action(async (user: string, from: string, to: string | undefined, { json }: { json?: true }) =>
      withComparedLog(async (parts) => {
        const timeline = await timelineOf(user, parts)
        const changes = difference(
          await timeline.stateAfter(entryAt(timeline, from)),
          await timeline.stateAfter(entryAt(timeline, to)),
        )
        if (json) return print(JSON.stringify(changes, null, 2))
        print(changes.length === 0 ? 'Nothing differs.' : changes.map(formatChange).join('').slice(1))
      }),
    )

  audit
    .command('export')
    .description('write the history of an account, with its proof, to a file')
    .argument('<id|email>', "the id of a user or an account, or the user's present email address")
    .addOption(
      new Option('--format <format>', 'json carries the proof, csv proves nothing')
        .choices(['json', 'csv'])
        .default('json'),
    )
    .requiredOption('--out <file>', 'the file to write')
    .addHelpText('after', examples('audit export ada@example.com --out ada.json', 'verify ada.json'))
    .action(async (user: string, { format, out }: { format: 'json' | 'csv'; out: string }) =>
      withComparedLog(async (parts) => {
        const sealed = await parts.transparencyLog.newest()
        const timeline = await timelineOf(user, parts)
        const { content, events, extent } =
          format === 'csv' ? await csvOf(timeline) : await exportOf(timeline, sealed, parts)
        await writeFile(out, content, { mode: 0o600 })
        print(`${events} events are in ${out}, ${extent}.`)
      }),
    )

  audit
    .command('verify')
    .description(
      'check the whole log against its hash chains and its seals, in the log and published, and the files of certificates',
    )
    .option('--json', 'as JSON')
    .addHelpText('after', examples('audit verify'))
    .action(async ({ json }: { json?: true }) =>
      withDependencies(async (parts) => {
        const { eventStore, publishedTree, personKeys, fileStore, repositories, records } = parts
        const startedAt = Date.now()
        const keys = await signingKeys(personKeys)
        const recorded: RecordedFile[] = []
        const onEvent = (event: CheckedEvent) => {
          const file = recordedFileIn(event)
          if (file) recorded.push(file)
        }
        const result = await verifyLog({ eventStore, publishedTree, keys, onEvent, stores: askedStores(parts) })
        const damaged = await damagedCertificates(recorded, { fileStore, repositories })
        if (result.finding || damaged.length > 0) fail()
        else
          await recordOperation(
            records,
            'verification',
            { startedAt: new Date(startedAt).toISOString(), events: result.facts, upTo: Number(result.upTo) },
            printProgress,
          )
        if (json)
          return print(JSON.stringify({ ...result, certificates: { checked: recorded.length, damaged } }, null, 2))
        const { facts: events, seals, unsealed, finding } = result
        for (const { certificateId, file, damage } of damaged)
          print(`The file of certificate ${certificateId} is ${damage}: ${file}`)
        if (finding) return print(`NOT as it was recorded (${finding.kind}): ${finding.says}`)
        print(
          `Events: ${events}, seals: ${seals}. All are as they were recorded; events newer than the last seal: ${unsealed}. (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`,
        )
        if (damaged.length === 0) print(`Certificates: ${recorded.length}. Every file is the one that was issued.`)
        for (const { publicKey } of keys.slice(-1)) print(`Sealing key: ${await keyIdOf(publicKey)}`)
      }),
    )

  program
    .command('verify')
    .description('verify an export offline: it needs no installation and no network')
    .argument('<export>', 'the JSON file, or one that proves a fraud')
    .argument('[other]', 'another export, or a receipt (.tlog-proof), to be compared with it')
    .option('--out <file>', 'where the proof is written when the two contradict each other', 'proof-of-fraud.json')
    .option('--key <id...>', 'ids of the keys that you trust, as the firm has published them')
    .option('--policy <file>', 'a tlog-policy file: whose log it must be, and which witnesses must have seen it')
    .option('--no-limit', 'check to the end, however long it takes')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ npx proofdesk verify ada.json --key 3f1c9a0b7d2e4c58a6d90b1f7e3c5a24
  $ npx proofdesk verify ada.json --policy witnesses.policy
  $ npx proofdesk verify march.json april.json --key 3f1c9a0b7d2e4c58a6d90b1f7e3c5a24
  $ npx proofdesk verify proof-of-fraud.json --key 3f1c9a0b7d2e4c58a6d90b1f7e3c5a24

Exit code: 0 genuine, 1 altered, not proven, not seen by enough witnesses, fraud or a verdict that does not
follow from the rules, 2 not an export, 3 not checked to the end, because it takes too long.`,
    )
    .action(
      async (
        file: string,
        other: string | undefined,
        { key = [], policy: policyFile, out, json, limit }: VerifyOptions,
      ) => {
        const limitTo = (bytes: number): void => {
          if (!limit) return
          const seconds = checkLimit(bytes)
          const says = `${tooLongSentence(seconds)} However long it takes: npx proofdesk verify --no-limit`
          limitTime(seconds, json ? JSON.stringify({ outcome: 'unfinished', says }, null, 2) : says, 3)
        }
        const content = await readFile(file, 'utf8')
        limitTo(content.length)
        if (isFraudFile(content)) {
          const { isProven, says } = await reportFraudFile(content, key)
          fail(isProven ? 1 : 2)
          return print(says)
        }
        if (other !== undefined) {
          const files = [content, await readFile(other, 'utf8')] as const
          limitTo(files.join('').length)
          const { isProven, says } = await reportContradiction(files, key, out)
          if (isProven) fail()
          for (const [n, text] of files.entries()) {
            if (text.startsWith(RECEIPT)) continue
            const verification = await verifyExport(text, key)
            if (verification.outcome !== 'genuine') fail(verification.outcome === 'foreign' ? 2 : 1)
            else if (wrongVerdicts(verification) > 0) fail()
            print(`${n === 0 ? file : other}: ${sentenceOf(verification)}`)
          }
          return print(says)
        }
        const policy = policyFile === undefined ? undefined : await readWitnessPolicy(policyFile)
        const trusted = policy ? [...key, ...(await trustedKeysOf(policy))] : key
        const alone = await verifyExport(content, trusted)
        if (alone.outcome !== 'genuine') {
          fail(alone.outcome === 'foreign' ? 2 : 1)
          const says = sentenceOf(alone)
          return print(json ? JSON.stringify({ ...alone, says }, null, 2) : says)
        }
        const { refusal, lines, ...attestations } = await reportAttestations(alone, policy)
        if (refusal !== undefined) {
          fail()
          return print(json ? JSON.stringify({ outcome: 'altered', says: refusal, ...attestations }, null, 2) : refusal)
        }
        // No entry is later than what others confirm.
        const confirmations = confirmationsOf(attestations)
        const isAhead = alone.entries.some((entry) => confirmations.some(({ at }) => Date.parse(entry.at) > at))
        const verification = isAhead ? await verifyExport(content, trusted, confirmations) : alone
        if (verification.outcome !== 'genuine') throw new Error('A genuine file is not genuine any more')
        const sentence = sentenceOf(verification)
        if (wrongVerdicts(verification) > 0) fail()
        const state = withSecrets(verification.stateAfter(verification.proven), () => NOT_IN_FILE)
        if (json) return print(JSON.stringify({ ...verification, ...attestations, says: sentence, state }, null, 2))
        const attested = policy ? lines : [...cosignedOf(verification), ...lines]
        const verdicts = verification.verdicts.map(verdictSentence)
        for (const text of [
          sentence,
          ...provesOf(verification, attested),
          ...verdicts,
          ...formatHistory(verification, state),
        ])
          print(text)
      },
    )
}

interface VerifyOptions {
  readonly key?: string[]
  readonly policy?: string
  readonly out: string
  readonly json?: true
  readonly limit: boolean
}

/** Lists what a genuine file proves and, under a heading of its own, what it does not. */
function formatHistory({ entries, proven }: GenuineExport, state: AuditState): string[] {
  const open = entries.slice(proven).map(formatAuditEntry)
  return [
    '',
    formatState(state),
    ...entries.slice(0, proven).map(formatAuditEntry),
    ...(open.length > 0 ? ['', 'Recorded, not proven:', ...open] : []),
  ]
}

interface WrittenHistory {
  readonly content: string
  readonly events: number
  readonly extent: string
}

async function csvOf(timeline: AccountTimeline): Promise<WrittenHistory> {
  const entries = await timeline.readAuditEntries(timeline.allEntries, formatActorInFull)
  const rows = auditCsvRows(entries).map((row) => Object.values(auditCsvColumns).map((valueOf) => valueOf(row)))
  return {
    content: `\ufeff${[Object.keys(auditCsvColumns), ...rows].map(line).join('')}`,
    events: entries.length,
    extent: 'as CSV, which proves nothing',
  }
}

async function exportOf(
  timeline: AccountTimeline,
  sealed: ExportedAccount['sealed'],
  parts: Dependencies,
): Promise<WrittenHistory> {
  const events = (await timeline.withNews(timeline.exportedEntries)).map(({ stored }) => stored)
  let content = ''
  const account = {
    account: timeline.id,
    sealed,
    streams: timeline.streams,
    events,
    withholdsMetadata: () => false,
    disclosuresOf: timeline.readDisclosures,
  }
  for await (const piece of accountExport(account, parts)) content += piece
  const verification = await verifyExport(content)
  const proven = verification.outcome === 'genuine' ? verification.proven : 0
  const extent =
    proven === events.length ? 'with their proof' : `${proven} of them with their proof; the others are not sealed yet`
  return { content, events: events.length, extent }
}

async function timelineOf(
  user: string,
  { eventStore, personKeys, repositories, secrets, streamHeads }: Dependencies,
): Promise<AccountTimeline> {
  const id = user.includes('@')
    ? (await repositories.of(emailClaims).load(secrets.emailHash(withAsciiDomain(user)))).state.holder
    : z.union([userId, accountId]).safeParse(user).data
  const timeline = id ? await createAccountTimelines({ eventStore, personKeys, streamHeads }).of(id) : undefined
  if (!timeline) throw new Refused('not-found', `There is no user and no account ${user}`)
  return timeline
}

function entryAt(timeline: AccountTimeline, at: string | undefined) {
  if (at === undefined) return timeline.allEntries.at(-1) ?? noEventAt(timeline, 'now')
  const { data: moment, error } = Moment.safeParse(at)
  if (error) throw new Refused('invalid', error.issues[0]?.message ?? 'This is not a moment')
  return timeline.at(moment) ?? noEventAt(timeline, at)
}

function noEventAt({ id }: AccountTimeline, at: string): never {
  throw new Refused('not-found', `The account of ${id} has no event at ${at}`)
}

/** A state for a terminal, without its secrets. */
function formatState({ at, number, user, accounts }: AuditState): string {
  return [
    `As it was after event #${number}, ${at}:`,
    ...(user ? recordLines('user', user) : []),
    ...accounts.flatMap(({ id, ...parts }) => [
      '',
      `Account ${id}:`,
      ...Object.entries<ShownContent>(parts).flatMap(([part, content]) =>
        isList(content) ? content.map((item) => itemLine(part, item)) : recordLines(part, content),
      ),
    ]),
    '',
  ].join('\n')
}

function recordLines(part: string, record: ShownRecord): string[] {
  return shownFields(part, record).map(([label, value]) => `  ${label.padEnd(22)} ${value}`)
}

/** '  payouts ada0-a1-p1: Amount 50.00, Status Pending' */
function itemLine(part: string, item: ShownItem): string {
  const fields = shownFields(part, item).filter(([, value]) => value !== '–')
  return `  ${part} ${item.id}: ${fields.map(([label, value]) => `${label} ${value}`).join(', ')}`
}

/** The fields of a record that are no secrets, with their labels, in the order in which they are declared. */
function shownFields(part: string, record: ShownRecord): (readonly [label: string, value: string])[] {
  return Object.entries(shownObjects[part]?.fields ?? {}).flatMap(([name, { label, kind, words }]) => {
    if (kind === 'secret') return []
    const value = record[name] ?? null
    return [[label, value === null ? '–' : asOneLine(words?.[String(value)] ?? String(value))] as const]
  })
}

/** 'Daily Drawdown: -$512.40 against 5% / $500, 2026-03-03T14:07:00.000Z' */
function formatEvidence({ rule, limit, value, occurredAt }: BreachEvidence): string {
  return `${breachRuleLabels[rule]}: ${value} against ${limit}, ${occurredAt}`
}

/** An event for a terminal: what changed, why, the evidence of a breach, and which event it corrects. */
function formatAuditEntry(entry: AuditEvent | DerivedEntry): string {
  const { number, at, type, actor, changes, reason, evidence, corrects } = entry
  const withheld =
    'staffMember' in entry && entry.staffMember !== null ? `Staff member ${entry.staffMember}` : 'name withheld'
  return [
    `#${number}  ${at}  ${type}  ${asOneLine(actor?.label ?? withheld)}${changes.map(formatChange).join('')}`,
    ...(reason ? [`    because: ${asOneLine(reason)}`] : []),
    ...(evidence ? [`    evidence: ${asOneLine(formatEvidence(evidence))}`] : []),
    ...(corrects === undefined ? [] : [`    corrects #${corrects}`]),
  ].join('\n')
}

/** A change, a line for each field of a value that has several: a sign-up names the whole profile. */
function formatChange({
  field,
  from,
  to,
}: {
  readonly field: string
  readonly from: AuditValue
  readonly to: AuditValue
}): string {
  if (!isRecord(from) && !isRecord(to)) return `\n    ${labelOfPath(field)}: ${formatValue(from)} → ${formatValue(to)}`
  const [before, after] = [isRecord(from) ? from : {}, isRecord(to) ? to : {}]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names
    .map((name) => formatChange({ field: `${field}.${name}`, from: before[name] ?? null, to: after[name] ?? null }))
    .join('')
}

/** A field as the screens name it; one of a list, which has an id in its path, by its path. */
function labelOfPath(path: string): string {
  return path.split('.').length > 2 ? path : (shownField(path)?.label ?? path)
}

function formatValue(value: string | number | boolean | null): string {
  return value === null ? 'none' : asOneLine(String(value))
}

function isRecord(value: AuditValue): value is Extract<AuditValue, object> {
  return typeof value === 'object' && value !== null
}
