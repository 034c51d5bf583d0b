import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import type { Finding, FindingDetails } from '#services/trading/findings/finding-api.ts'
import { auditAddress } from '@/addresses.ts'
import { messageOf } from '@/api/api-error.ts'
import { refetchSubjects } from '@/api/route-query.ts'
import { counted } from '@/format/counts.ts'
import { toast } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, type ReturnTo } from '@/ui/dialog.tsx'
import { TextArea } from '@/ui/field.tsx'
import { DateText, DecisionStamp } from '@/ui/text.tsx'
import { AddressLink } from '@/ui/address-link.tsx'
import { Arithmetic } from '@/features/trading/accounts/arithmetic.tsx'
import { useMay, useMember } from '@/features/frame/access.tsx'
import { findingQuery, type FindingVerdict, sendVerdict, waits } from './finding-queries.ts'
import { findingText } from './finding-words.ts'

interface FindingDialogProps {
  /** As the list showed them: one to look at, or several to decide alike. */
  readonly findings: readonly Finding[]
  /** Undefined to look at them first. */
  readonly verdict: FindingVerdict | undefined
  readonly onClose: () => void
  readonly returnTo: ReturnTo
}

/** The outcome of a verdict: taken, taken as the first confirmation of two, or refused for a reason. */
type Outcome = 'confirmed' | 'dismissed' | 'first' | { readonly refused: string }

/**
 * Decides findings: first a preview with what proves each, then one verdict after the other, then a report of those
 * that failed. Until then it stays open: the report would be lost. The success of a single one is a toast.
 */
export function FindingDialog({ findings, verdict, onClose, returnTo }: FindingDialogProps) {
  const mayDecide = useMay('decide-findings')
  const [reason, setReason] = useState('')
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map())
  const client = useQueryClient()
  const undecided = findings.filter(waits)
  const member = useMember()
  /** Another member has to give the second confirmation. */
  const isOwn = ({ firstConfirmation }: Finding) =>
    firstConfirmation !== null && firstConfirmation.member === member?.id
  const [only] = findings.length === 1 ? findings : []
  const details = useQuery({ ...findingQuery(only?.id ?? ''), enabled: only !== undefined })
  const needsAnother = only !== undefined && details.data?.needsAnother === true
  const decidable = { confirm: needsAnother ? [] : undecided.filter((finding) => !isOwn(finding)), dismiss: undecided }
  const run = useMutation({
    mutationFn: async (given: FindingVerdict) => {
      let last: Outcome | undefined
      for (const finding of decidable[given]) {
        const shown = findings.length === 1 ? client.getQueryData(findingQuery(finding.id).queryKey) : undefined
        const outcome = await outcomeOf(finding, shown?.evidence, given, reason.trim())
        setOutcomes((before) => new Map(before).set(finding.id, outcome))
        last = outcome
      }
      return last
    },
    onSuccess: (outcome) => {
      if (!only || typeof outcome !== 'string') return
      toast(outcomeTitles[outcome], `${only.userName}: ${findingText(only)}`)
      onClose()
    },
    onSettled: () => refetchSubjects(client, 'admin'),
    meta: { session: 'admin' },
  })
  const isStarted = !run.isIdle
  const isReport = run.isSuccess
  const mayRun = mayDecide && undecided.length > 0 && !isStarted
  const may = { confirm: mayRun && decidable.confirm.length > 0, dismiss: mayRun && reason.trim() !== '' }
  const give = (given: FindingVerdict) => may[given] && run.mutate(given)
  const isDecidable = mayDecide && !isReport && decidable[verdict ?? 'dismiss'].length > 0
  const ofVerdict = verdict ? decidable[verdict].length : findings.length
  const count = counted(ofVerdict, 'finding')
  return (
    <Dialog
      onClose={onClose}
      about={findings.map(({ id }) => id).join(' ')}
      returnTo={returnTo}
      stays={isStarted && !isReport}
      onSubmitKey={isReport ? onClose : () => verdict && give(verdict)}
      focusContent={verdict !== 'dismiss'}
      width="large"
      title={titleOf(findings.length, ofVerdict, verdict)}
      description={
        isReport ? reportOf([...outcomes.values()]) : isStarted ? `${outcomes.size} of ${count} sent.` : effects
      }
      pinned={
        mayRun &&
        verdict !== 'confirm' && (
          <TextArea
            label="Reason"
            rows={2}
            hint="Required to dismiss. The trader can read it."
            value={reason}
            maxLength={2000}
            data-autofocus={verdict === 'dismiss' || undefined}
            onChange={(event) => setReason(event.target.value)}
          />
        )
      }
      footer={
        <>
          <Button look="secondary" onClick={onClose} disabled={isStarted && !isReport}>
            {isDecidable ? 'Cancel' : 'Close'}
          </Button>
          {mayDecide && !isReport && undecided.length > 0 && (
            <>
              {verdict !== 'confirm' && (
                <Button
                  look={verdict === 'dismiss' ? 'primary' : 'secondary'}
                  busy={isStarted && run.variables === 'dismiss'}
                  disabled={!may.dismiss}
                  onClick={() => give('dismiss')}
                >
                  Dismiss
                </Button>
              )}
              {verdict !== 'dismiss' && decidable.confirm.length > 0 && (
                <Button
                  look={findings.some(({ kind }) => kind === 'breach') ? 'danger' : 'primary'}
                  busy={isStarted && run.variables === 'confirm'}
                  disabled={!may.confirm}
                  onClick={() => give('confirm')}
                >
                  Confirm
                </Button>
              )}
            </>
          )}
        </>
      }
    >
      <ul aria-label="Findings" className="flex flex-col">
        {findings.map((finding) => (
          <li key={finding.id} className="flex flex-col gap-1 border-line py-3 not-last:border-b">
            <p className="font-medium">{finding.userName}</p>
            <p>{findingText(finding)}</p>
            {finding.rule.text !== null && <p className="text-13 text-muted">{finding.rule.text}</p>}
            <p className="text-13 text-muted">
              <DateText at={finding.at} how="exact" />, account {finding.account}, {finding.programme.name}, version{' '}
              {finding.programme.version}
            </p>
            {finding.state === 'reopened' && (
              <p className="text-13 text-waiting">
                {finding.follows
                  ? 'What it rests on was corrected. The rules still find it, as shown here.'
                  : 'What it rests on was corrected. The rules do not find it any more.'}
              </p>
            )}
            {finding.firstConfirmation && (
              <p className="text-13">
                {isOwn(finding)
                  ? 'You confirmed this finding first. Another member of staff has to confirm it too.'
                  : `Confirmed by the first of two: ${finding.firstConfirmation.name}`}
              </p>
            )}
            {finding.decided && <DecisionStamp stamp={finding.decided} why={finding.reason} of={finding.userId} full />}
            {findings.length === 1 && <Evidence finding={finding} member={member?.id} />}
            <OutcomeText outcome={outcomes.get(finding.id)} />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

const titles = { confirm: 'Confirm', dismiss: 'Dismiss' } as const

function titleOf(shown: number, ofVerdict: number, verdict: FindingVerdict | undefined): string {
  if (shown === 1) return 'Finding of the rules'
  return verdict && ofVerdict > 0 ? `${titles[verdict]} ${counted(ofVerdict, 'finding')}` : 'Findings of the rules'
}

const effects =
  'A confirmed breach ends trading on the account; a confirmed pass closes it and opens the next stage. Once you dismiss a finding, the rules ignore it.'

async function outcomeOf(
  finding: Finding,
  evidence: FindingDetails['evidence'] | undefined,
  verdict: FindingVerdict,
  reason: string,
): Promise<Outcome> {
  try {
    const { state } = await sendVerdict(finding, evidence, verdict, reason)
    return state === 'confirmed' || state === 'dismissed' ? state : 'first'
  } catch (error) {
    return { refused: messageOf(error) }
  }
}

function reportOf(outcomes: readonly Outcome[]): string {
  const failed = outcomes.filter((outcome) => typeof outcome === 'object').length
  const first = outcomes.filter((outcome) => outcome === 'first').length
  const decided = `${outcomes.length - failed - first} decided${first > 0 ? `, ${first} confirmed by the first of two` : ''}`
  return failed === 0 ? `${decided}, none failed.` : `${decided}, ${failed} failed.`
}

const outcomeTitles = {
  confirmed: 'Finding confirmed',
  dismissed: 'Finding dismissed',
  first: 'First confirmation given: 1 of 2',
} as const

function OutcomeText({ outcome }: { readonly outcome: Outcome | undefined }) {
  if (outcome === undefined) return null
  if (outcome === 'first') return <p className="text-13">First confirmation given: 1 of 2</p>
  if (typeof outcome === 'string')
    return <p className="text-13 text-good">{outcome === 'confirmed' ? 'Confirmed' : 'Dismissed'}</p>
  return <p className="text-13 text-bad">Failed: {outcome.refused}</p>
}

/** How many events of one kind by one member are listed. */
const MOST_EVENTS = 5

function handText(how: FindingDetails['hands'][number]['how'], who: string): string {
  return { typed: `Typed by ${who}`, imported: `Imported by ${who}`, corrected: `Corrected by ${who}` }[how]
}

/** The observations that prove a finding, each with its event, and who made what it rests on. */
function Evidence({ finding, member }: { readonly finding: Finding; readonly member: string | undefined }) {
  const details = useQuery(findingQuery(finding.id))
  if (details.isError) return <p className="text-13 text-bad">The evidence could not be loaded.</p>
  const evidence = details.data?.evidence ?? []
  const hands = details.data?.hands ?? []
  const isOwnWork = waits(finding) && hands.some((hand) => hand.member === member)
  return (
    <>
      <Arithmetic lines={details.data?.arithmetic ?? []} of={finding.userId} />
      <ul aria-label="Evidence" className="flex flex-col gap-1 text-13">
        {evidence.map(({ observation, what, at, figures, event }) => (
          <li key={observation}>
            {what} {at !== null && <DateText at={at} how={at.includes('T') ? 'exact' : 'date'} />}
            {figures !== null && `, ${figures}`}{' '}
            <AddressLink href={auditAddress(event, finding.userId)} look="quiet">
              #{event}
            </AddressLink>
          </li>
        ))}
        {hands.map(({ how, member: id, name, events }) => (
          <li key={`${how} ${id}`}>
            {handText(how, id === member ? 'you' : (name ?? 'nobody who is named'))}
            {events.slice(0, MOST_EVENTS).map((event) => (
              <Fragment key={event}>
                {' '}
                <AddressLink href={auditAddress(event, finding.userId)} look="quiet">
                  #{event}
                </AddressLink>
              </Fragment>
            ))}
            {events.length > MOST_EVENTS && ` and ${events.length - MOST_EVENTS} more`}
          </li>
        ))}
        <li>
          Found by the rules{' '}
          <AddressLink href={auditAddress(finding.raised.number, finding.userId)} look="quiet">
            #{finding.raised.number}
          </AddressLink>
        </li>
      </ul>
      {isOwnWork && (
        <p role="note" className="text-13 text-waiting">
          This finding rests on what you typed, imported or corrected.{' '}
          {details.data?.needsAnother
            ? 'Another member of staff has to confirm it.'
            : 'If you decide it, the verdict says that one person alone made and decided it.'}
        </p>
      )}
    </>
  )
}
