import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { AdminPayout } from '#services/payments/payouts/payout-api.ts'
import { ApiError, messageOf } from '@/api/api-error.ts'
import { counted } from '@/format/counts.ts'
import { replyTemplatesQuery } from '@/features/payments/reply-templates/reply-template-queries.ts'
import { ReplyTemplateSelect } from '@/features/payments/reply-templates/reply-template-select.tsx'
import { formatMoney } from '@/format/money.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, type ReturnTo } from '@/ui/dialog.tsx'
import { provenCodes } from '#services/trading/stream/rejection-vocabulary.ts'
import { Checkbox, TextArea } from '@/ui/field.tsx'
import { refetchSubjects } from '@/api/route-query.ts'
import { ApprovalText, useIsFirstApprover } from './approvals.tsx'
import { contextOfPayout, isFirstOfTwo, payoutTotalsQuery, sendVerdict, type Verdict } from './staff-payout-queries.ts'
import { payingAccount, totalsInWords } from './payout-rows.ts'
import { EvidencePicker } from './evidence-picker.tsx'
import { RejectionFields } from './rejection-fields.tsx'
import { type NamedEvidence, noReasons, reasonsInBody } from './rejection-reasons.ts'
import { Warnings } from './verdict-context.tsx'

interface BulkDialogProps {
  readonly verdict: Verdict
  /** Pending payouts, as the list showed them. */
  readonly payouts: readonly AdminPayout[]
  /** Called after the verdicts, with those that failed. */
  readonly onDone: (failed: readonly AdminPayout[]) => void
  readonly onClose: () => void
  readonly returnTo: ReturnTo
}

const words = {
  approved: {
    title: 'Approve several payouts',
    action: 'Approve',
    hint: 'Optional. Every one of these traders reads them.',
  },
  rejected: {
    title: 'Reject several payouts',
    action: 'Reject',
    hint: 'Required. Every one of these traders reads the reason.',
  },
} as const

/** The outcome of a verdict: taken, taken as the first approval of two, or refused for a reason. */
type Outcome = 'taken' | 'first' | { readonly refused: string }

/** The outcomes so far, by payout. */
type Outcomes = ReadonlyMap<string, Outcome>

/**
 * Decides several payouts alike: first a preview with the warnings about each, then one verdict after the other, each
 * on the state that the list showed, then a report of those that failed. Until then it stays open: the report would be
 * lost.
 */
export function BulkDialog({ verdict, payouts, onDone, onClose, returnTo }: BulkDialogProps) {
  const [notes, setNotes] = useState('')
  const [isTicked, setTicked] = useState(true)
  const [reasons, setReasons] = useState(noReasons)
  /** What shows the reason, by payout. */
  const [evidence, setEvidence] = useState<ReadonlyMap<string, readonly NamedEvidence[]>>(new Map())
  /** Whether a payout is decided, where that was chosen: who is banned or on hold is left out at first. */
  const [choices, setChoices] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map())
  // Known at once, unlike the state of the mutation: the next key may be Escape.
  const [isStarted, setIsStarted] = useState(false)
  const isStopped = useRef(false)
  const client = useQueryClient()
  const warnings = useWarnings(payouts, verdict)
  const { data: templates = [] } = useQuery({ ...replyTemplatesQuery, enabled: verdict === 'rejected' })
  const isIncluded = (payout: AdminPayout) => choices.get(payout.id) ?? warnings.stopsOf(payout).length === 0
  const choose = (some: readonly AdminPayout[], isWanted: boolean) =>
    setChoices(new Map([...choices, ...some.map(({ id }) => [id, isWanted] as const)]))
  const included = payouts.filter(isIncluded)
  const totals = useQuery(payoutTotalsQuery(isStarted ? [] : included))
  const total = totalsInWords(totals, ({ amount }) => formatMoney(amount))
  const withWarnings = included.filter((payout) => warnings.of(payout).length > 0)
  const run = useMutation({
    mutationFn: async () => {
      // One cancelled confirmation ends the run: nobody is asked again for each of the others.
      let isCancelled = false
      const failed: AdminPayout[] = []
      const decide = async (payout: AdminPayout): Promise<Outcome> => {
        if (isCancelled) return { refused: 'not sent, because the confirmation was cancelled' }
        if (isStopped.current) return { refused: 'not sent, because you stopped' }
        try {
          const deducts = verdict === 'approved' && isTicked && warnings.mayDeduct(payout)
          const named = { ...reasons, evidence: evidence.get(payout.id) ?? [] }
          const more = verdict === 'approved' ? { ...(deducts && { deduct: true as const }) } : reasonsInBody(named)
          const answer = await sendVerdict({ payout, status: verdict, adminNotes: notes.trim(), more })
          return isFirstOfTwo(verdict, answer) ? 'first' : 'taken'
        } catch (error) {
          isCancelled = error instanceof ApiError && error.code === 'confirmation-required'
          return { refused: messageOf(error) }
        }
      }
      for (const payout of included) {
        const outcome = await decide(payout)
        if (typeof outcome === 'object') failed.push(payout)
        setOutcomes((before) => new Map(before).set(payout.id, outcome))
      }
      onDone(failed)
    },
    onSettled: () => refetchSubjects(client, 'admin'),
    meta: { session: 'admin' },
  })
  const { title, action, hint } = words[verdict]
  const isReport = run.isSuccess
  // A failed verdict needs somebody: it is first in the report.
  const hasFailed = ({ id }: AdminPayout) => typeof outcomes.get(id) === 'object'
  const isHeldBack = (payout: AdminPayout) => warnings.stopsOf(payout).length > 0
  const listed = isReport
    ? [...included.filter(hasFailed), ...included.filter((one) => !hasFailed(one))]
    : isStarted
      ? included
      : [...payouts.filter(isHeldBack), ...payouts.filter((one) => !isHeldBack(one))]
  const ofTwo = verdict === 'approved' ? included.filter(({ needsSecondApproval }) => needsSecondApproval).length : 0
  const approvalsNeeded = ofTwo === 0 ? '' : ` ${ofTwo} of them ${ofTwo === 1 ? 'needs' : 'need'} two approvals.`
  const deductible = verdict === 'approved' ? included.filter(warnings.mayDeduct).length : 0
  const mayRun = included.length > 0 && !warnings.loading && !(verdict === 'rejected' && notes.trim() === '')
  const submit = () => {
    if (!mayRun || isStarted) return
    setIsStarted(true)
    run.mutate()
  }
  return (
    <Dialog
      onClose={onClose}
      returnTo={returnTo}
      stays={isStarted && !isReport}
      onSubmitKey={isReport ? onClose : submit}
      focusContent={verdict === 'approved'}
      title={title}
      description={
        isReport
          ? reportOf(verdict, outcomes)
          : isStarted
            ? `${outcomes.size} of ${counted(included.length, 'payout')} sent.`
            : `${counted(included.length, 'payout')}${total}. Each gets its own entry.${approvalsNeeded}`
      }
      pinned={
        !isReport && (
          <div className="flex flex-col gap-3">
            {verdict === 'rejected' && (
              <ReplyTemplateSelect templates={templates} notes={notes} onChange={setNotes} disabled={isStarted} />
            )}
            <TextArea
              label="Admin Notes"
              rows={2}
              hint={`${hint} Ctrl Enter confirms.`}
              value={notes}
              maxLength={2000}
              disabled={isStarted}
              data-autofocus={verdict === 'rejected' || undefined}
              onChange={(event) => setNotes(event.target.value)}
            />
            {verdict === 'rejected' && (
              <RejectionFields
                typed={reasons}
                onChange={setReasons}
                amount={included.length === 1 ? 'the amount' : 'the amounts'}
                needsTwo={included.some(({ needsSecondApproval }) => needsSecondApproval)}
                disabled={isStarted}
              />
            )}
            {deductible > 0 && (
              <Checkbox
                label={`Deduct ${counted(deductible, 'amount')} from balances that cover them`}
                checked={isTicked}
                disabled={isStarted}
                onChange={({ target }) => setTicked(target.checked)}
              />
            )}
          </div>
        )
      }
      footer={
        isReport ? (
          <Button onClick={onClose}>Close</Button>
        ) : (
          <>
            {isStarted ? (
              <Button look="secondary" onClick={() => (isStopped.current = true)}>
                Stop
              </Button>
            ) : (
              <Button look="secondary" onClick={onClose}>
                Cancel
              </Button>
            )}
            <Button
              look={verdict === 'rejected' ? 'danger' : 'primary'}
              busy={isStarted}
              disabled={!mayRun}
              onClick={submit}
            >
              {action} {counted(included.length, 'payout')}
            </Button>
          </>
        )
      }
    >
      {warnings.loading && (
        <p role="status" className="mb-3 text-13 text-muted">
          Checking the accounts
        </p>
      )}
      {verdict === 'approved' && !isStarted && withWarnings.length > 0 && (
        <p className="mb-3 flex flex-wrap items-center justify-between gap-2 text-13">
          {withWarnings.length === 1 ? 'One payout has' : `${withWarnings.length} payouts have`} warnings.
          <Button look="secondary" onClick={() => choose(withWarnings, false)}>
            Leave {withWarnings.length === 1 ? 'it' : 'them'} out
          </Button>
        </p>
      )}
      <ul aria-label="Payouts" className="flex flex-col">
        {listed.map((payout) => (
          <li key={payout.id} className="border-line py-2 not-last:border-b">
            <p className="flex flex-wrap items-baseline justify-between gap-x-4">
              <span className="min-w-0 font-medium break-words">
                {!isStarted && (
                  <input
                    type="checkbox"
                    aria-label={`${action} the payout of ${payout.user.fullName}, ${formatMoney(payout.amount)}`}
                    className="mr-2 size-4 translate-y-0.5 accent-accent"
                    checked={isIncluded(payout)}
                    onChange={({ target }) => choose([payout], target.checked)}
                  />
                )}
                {payout.user.fullName}
                {!payout.user.emailConfirmed && (
                  <span className="text-13 font-normal text-waiting"> Email not confirmed</span>
                )}
                {payout.accountCount > 1 && <span className="font-normal text-muted"> {payingAccount(payout)}</span>}
              </span>
              <span>{formatMoney(payout.amount)}</span>
            </p>
            <OutcomeText verdict={verdict} outcome={outcomes.get(payout.id)} />
            {!isStarted && verdict === 'rejected' && provenCodes.has(reasons.code) && isIncluded(payout) && (
              <EvidencePicker
                account={payout.accountId}
                chosen={evidence.get(payout.id) ?? []}
                onChange={(chosen) => setEvidence(new Map(evidence).set(payout.id, chosen))}
              />
            )}
            {!outcomes.has(payout.id) && verdict === 'approved' && payout.needsSecondApproval && (
              <BulkApproval payout={payout} />
            )}
            {!isStarted && verdict === 'approved' && isHeldBack(payout) && !isIncluded(payout) && (
              <p className="text-13 text-waiting">Left out: tick the box to approve it all the same.</p>
            )}
            {!outcomes.has(payout.id) && verdict === 'approved' && <Warnings inList warnings={warnings.of(payout)} />}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** That an approval here is one of two. */
function BulkApproval({ payout: { userId, firstApproval } }: { readonly payout: AdminPayout }) {
  return <ApprovalText of={userId} firstApproval={firstApproval} isOwn={useIsFirstApprover(firstApproval)} />
}

function OutcomeText({ verdict, outcome }: { readonly verdict: Verdict; readonly outcome: Outcome | undefined }) {
  if (outcome === undefined) return null
  if (outcome === 'first')
    return <p className="text-13">First {verdict === 'approved' ? 'approval' : 'forfeit'} given: 1 of 2</p>
  if (outcome === 'taken')
    return <p className="text-13 text-good">{verdict === 'approved' ? 'Approved' : 'Rejected'}</p>
  return <p className="text-13 text-bad">Failed: {outcome.refused}</p>
}

function reportOf(verdict: Verdict, outcomes: Outcomes): string {
  const all = [...outcomes.values()]
  const first = all.filter((outcome) => outcome === 'first').length
  const failed = all.filter((outcome) => typeof outcome === 'object').length
  const done = `${all.length - failed - first} ${verdict}${first > 0 ? `, ${first} ${verdict === 'approved' ? 'approved' : 'forfeited'} by the first of two` : ''}`
  return failed === 0 ? `${done}, none failed` : `${done}, ${failed} failed`
}

/** The warnings about each payout, as they are now. */
function useWarnings(payouts: readonly AdminPayout[], verdict: Verdict) {
  const ids = verdict === 'approved' ? payouts.map(({ id }) => id) : []
  const answers = useQueries({ queries: ids.map((id) => contextOfPayout(id)) })
  const of = ({ id }: AdminPayout): readonly string[] => {
    const answer = answers[ids.indexOf(id)]
    if (answer?.isError) return ['The account could not be checked.']
    return answer?.data?.warnings ?? []
  }
  const stopsOf = ({ id }: AdminPayout): readonly string[] => answers[ids.indexOf(id)]?.data?.stops ?? []
  const mayDeduct = ({ id }: AdminPayout) => answers[ids.indexOf(id)]?.data?.effect?.deducts === 'possible'
  return { of, stopsOf, mayDeduct, loading: answers.some(({ isPending }) => isPending) }
}
