import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { OwnAccount, BreachEvidence } from '#services/trading/accounts/account-api.ts'
import type { ArithmeticLine } from '#services/trading/accounts/standing-api.ts'
import { evidenceLimitLabel } from '#services/trading/stream/account-vocabulary.ts'
import type { AuditAccount } from '#services/oversight/audit/audit-api.ts'
import type { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import type { ReasonedStamp, Stamp } from '#services/framework/api/stamp-schemas.ts'
import { formatLimit, formatMoney } from '@/format/money.ts'
import { accountStatusLabel, breachRuleName } from '@/format/status.ts'
import { AccountStatusBadge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { DescriptionList } from '@/ui/card.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { ErrorState, LoadingLines } from '@/ui/states.tsx'
import { DateText, DecisionStamp, ProfitLoss } from '@/ui/text.tsx'
import { auditEntryQuery, ownHistory, stateQuery } from './audit-queries.ts'
import { Arithmetic } from '@/features/trading/accounts/arithmetic.tsx'
import { questionAbout, type WhySubject } from '@/features/trading/accounts/why-subjects.ts'

interface WhyDialogProps {
  readonly account: OwnAccount
  readonly about: WhySubject
  /** Of what the rules find now. */
  readonly arithmetic: readonly ArithmeticLine[]
  readonly onClose: () => void
}

/** Shows a trader the reason of a decision, its evidence, and the account at that moment. */
export function WhyDialog({ account, about, arithmetic, onClose }: WhyDialogProps) {
  const client = useQueryClient()
  const { status, stamps } = account
  const stamp = stamps[about]
  const corrects = about === 'status' ? (stamps.status?.corrects ?? undefined) : undefined
  const history = ownHistory(account.id)
  const moment = useQuery(stateQuery(history, stamp?.number))
  const corrected = useQuery(auditEntryQuery(client, history, corrects))
  const title = about === 'status' ? `Why this account is ${accountStatusLabel(status).label}` : questionAbout(about)
  return (
    <Dialog onClose={onClose} title={title} footer={<Button onClick={onClose}>Close</Button>}>
      {stamp ? (
        <WhyView
          stamp={stamp}
          evidence={about === 'status' ? (stamps.status?.evidence ?? null) : null}
          isFinding={about === 'status' && Boolean(stamps.status?.finding)}
          arithmetic={arithmetic}
          corrects={corrects}
          corrected={corrected.data?.[0]}
          moment={
            moment.isPlaceholderData ? undefined : moment.data?.accounts.find(({ id }) => id === account.id)?.account
          }
          failure={
            moment.isError && (
              <ErrorState
                title="The account at that moment could not be loaded"
                error={moment.error}
                action={<Button onClick={() => void moment.refetch()}>Try again</Button>}
              />
            )
          }
        />
      ) : (
        <p>No decision yet.</p>
      )}
    </Dialog>
  )
}

interface WhyViewProps {
  readonly stamp: ReasonedStamp
  /** The evidence of a breach; null for anything else. */
  readonly evidence: BreachEvidence | null
  /** The rules of a programme found it. */
  readonly isFinding?: boolean
  /** Of what the rules find now. */
  readonly arithmetic?: readonly ArithmeticLine[]
  /** The number of the mistaken breach that this decision corrects. */
  readonly corrects: number | undefined
  /** That breach; undefined while loading. */
  readonly corrected: AuditEvent | undefined
  /** Undefined while loading. */
  readonly moment: AuditAccount['account'] | undefined
  /** Shown instead of the account at that moment. */
  readonly failure: ReactNode
}

/** Reason, evidence and the account at that moment. */
export function WhyView({
  stamp,
  evidence,
  isFinding = false,
  arithmetic = [],
  corrects,
  corrected,
  moment,
  failure,
}: WhyViewProps) {
  const sum = arithmetic.find(({ role }) => role === 'sum')
  // After a correction the rules may find something else than what was decided.
  const isComputed = isFinding && sum !== undefined && (evidence === null || sum.amount === evidence.value)
  return (
    <div className="flex flex-col gap-6">
      <Decision stamp={stamp} reason={stamp.reason} evidence={evidence} isFinding={isFinding} />
      {isComputed && (
        <Part title="How it was computed">
          <Arithmetic lines={arithmetic} />
        </Part>
      )}
      {corrects !== undefined && (
        <Part title={`This corrects #${corrects}`}>
          <p className="mb-2">The breach was a mistake and has been corrected. It stays on record:</p>
          {corrected ? (
            <Decision
              stamp={{ number: corrected.number, at: corrected.at, by: corrected.actor.kind, name: null }}
              reason={corrected.reason}
              evidence={corrected.evidence}
              isFinding={corrected.changes.some(({ field, to }) => field === 'account.decidedBy' && to === 'finding')}
            />
          ) : (
            <p className="text-muted">Entry #{corrects} of your history.</p>
          )}
        </Part>
      )}
      <Part title="Your account when this was decided">
        {failure ||
          (moment ? (
            <DescriptionList items={momentItems(moment)} />
          ) : (
            <LoadingLines label="Loading the account at that moment" lines={8} />
          ))}
      </Part>
    </div>
  )
}

interface DecisionProps {
  readonly stamp: Stamp
  readonly reason: string | null
  readonly evidence: BreachEvidence | null | undefined
  readonly isFinding: boolean
}

function Decision({ stamp, reason, evidence, isFinding }: DecisionProps) {
  const why =
    reason === null ? (
      <span className="text-muted">No reason was recorded. Please ask support.</span>
    ) : (
      <span className="[overflow-wrap:anywhere] whitespace-pre-line">{reason}</span>
    )
  const proof = evidence && [
    ...(isFinding && evidence.rule === 'other'
      ? // The limit of a finding without a floor is the name of its rule.
        [{ name: 'Rule', value: evidence.limit }]
      : [
          { name: 'Rule', value: breachRuleName(evidence.rule, isFinding) },
          { name: evidenceLimitLabel(evidence.rule, isFinding), value: formatLimit(evidence.limit) },
        ]),
    { name: 'Value that broke it', value: <span className="font-medium text-bad">{formatLimit(evidence.value)}</span> },
    { name: 'When', value: <DateText at={evidence.occurredAt} how="exact" /> },
  ]
  return (
    <DescriptionList
      items={[
        { name: 'Decided', value: <DecisionStamp stamp={stamp} full /> },
        { name: 'Reason', value: why },
        ...(proof ?? []),
      ]}
    />
  )
}

function momentItems(account: AuditAccount['account']) {
  return [
    { name: 'Status', value: <AccountStatusBadge status={account.status} /> },
    { name: 'Phase', value: account.phase ?? none },
    { name: 'Balance', value: formatMoney(account.balance) },
    { name: 'Profit/Loss', value: <ProfitLoss amount={account.profitLoss} /> },
    { name: 'Daily Drawdown Limit', value: formatLimit(account.dailyDrawdownLimit) ?? none },
    { name: 'Maximum Loss Limit', value: formatLimit(account.overallLossLimit) ?? none },
    { name: 'Profit Target', value: formatLimit(account.profitTarget) ?? none },
    { name: 'Payouts', value: account.payoutEnabled ? 'Enabled' : 'Disabled' },
  ]
}

const none = <span className="text-muted">Not set</span>

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-2 border-b border-line pb-1 text-14 font-semibold">{title}</h3>
      {children}
    </section>
  )
}
