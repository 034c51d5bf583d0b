import { useState } from 'react'
import type { AdminPayout, PayoutContext } from '#services/payments/payouts/payout-api.ts'
import type { ListedReplyTemplate } from '#services/payments/reply-templates/reply-template-api.ts'
import { paymentStateLabels } from '#services/trading/stream/payout-vocabulary.ts'
import { ReplyTemplateSelect } from '@/features/payments/reply-templates/reply-template-select.tsx'
import { euroInWords, formatMoney } from '@/format/money.ts'
import { payoutStatusLabel } from '@/format/status.ts'
import { AddressLink } from '@/ui/address-link.tsx'
import { Badge, PayeeCheckBadge, PaymentStateBadge, PayoutStatusBadge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { DescriptionList } from '@/ui/card.tsx'
import { Dialog, type ReturnTo } from '@/ui/dialog.tsx'
import { Checkbox, TextArea } from '@/ui/field.tsx'
import { FormError } from '@/ui/states.tsx'
import { CopyableId, DateText, DecisionStamp } from '@/ui/text.tsx'
import { DestinationText } from './destination-text.tsx'
import { methodName } from './methods.ts'
import { ApprovalText, ForfeitText } from './approvals.tsx'
import { RejectionFields } from './rejection-fields.tsx'
import { promiseItems } from './promise-text.ts'
import { rejectionItems } from './rejection-items.tsx'
import { needsEvidence, noReasons, reasonsInBody } from './rejection-reasons.ts'
import type { Intent, Verdict, VerdictDetails } from './staff-payout-queries.ts'
import { payingAccount } from './payout-rows.ts'
import { AccountContext, ContextFailed, FormerPayouts, Warnings } from './verdict-context.tsx'

interface VerdictDialogProps {
  readonly payout: AdminPayout
  /** As it was before the last attempt was refused. */
  readonly before?: AdminPayout
  /** The context of the verdict, as it is now. Undefined while loading; null after a failure. */
  readonly context: PayoutContext | undefined | null
  readonly onRetry: () => void
  readonly intent: Intent
  /** False where the role does not allow it. */
  readonly mayDecide: boolean
  /** The member gave the first of two approvals: the second has to be another's. */
  readonly isFirstApprover?: boolean
  /** The member was the first of two to forfeit it. */
  readonly isFirstForfeiter?: boolean
  /** Texts of the firm that the notes of a rejection may begin with. */
  readonly templates?: readonly ListedReplyTemplate[] | undefined
  /** Why the last attempt failed. */
  readonly error: Error | null
  /** The verdict being sent. */
  readonly deciding: Verdict | undefined
  /** `more.deduct`: the approval takes the amount off the balance, where the terms do not say so anyway. */
  readonly onDecide: (status: Verdict, adminNotes: string, more?: VerdictDetails) => void
  readonly onClose: () => void
  readonly returnTo: ReturnTo
}

const titles = { review: 'Payout request', approved: 'Approve payout', rejected: 'Reject payout' } as const

/** A payout's details and its verdict: notes are optional to approve, required to reject (specification §2). */
export function VerdictDialog({
  payout,
  before,
  context,
  onRetry,
  intent,
  mayDecide,
  isFirstApprover = false,
  isFirstForfeiter = false,
  templates = [],
  error,
  deciding,
  onDecide,
  ...dialog
}: VerdictDialogProps) {
  const [notes, setNotes] = useState('')
  const [isTicked, setTicked] = useState(true)
  const [reasons, setReasons] = useState(noReasons)
  const {
    user,
    amount,
    paymentMethod,
    status,
    adminNotes,
    createdAt,
    stamps,
    payment,
    firstApproval,
    firstForfeit,
    needsSecondApproval,
  } = payout
  const accountPaid = payingAccount(payout)
  const canApprove = mayDecide && intent !== 'rejected'
  // An approval waits for the reasons to look twice.
  const isChecking = context === undefined
  const canReject = mayDecide && intent !== 'approved'
  const isBlank = notes.trim() === ''
  const effect = context?.effect
  const mayDeduct = canApprove && effect?.deducts === 'possible'
  const approve = () =>
    mayDeduct && isTicked ? onDecide('approved', notes.trim(), { deduct: true }) : onDecide('approved', notes.trim())
  const given = reasonsInBody(reasons)
  const reject = () =>
    Object.keys(given).length > 0 ? onDecide('rejected', notes.trim(), given) : onDecide('rejected', notes.trim())
  // Only under a programme: the server asks for it then.
  const lacksEvidence = needsEvidence(reasons) && Boolean(context?.standing?.programme)
  const mayReject = canReject && !isBlank && !lacksEvidence && !(isFirstForfeiter && given.money === 'forfeited')
  const [now] = useState(Date.now)
  // The account may have changed since the list was read; the verdict stays the one that the list showed.
  const { account } = context?.payout ?? payout
  // Ctrl Enter gives the intended verdict; a review has two, and needs a button.
  const submit = () => {
    if (intent === 'approved' && canApprove && !isFirstApprover && !isChecking) approve()
    else if (mayReject && intent === 'rejected') reject()
  }
  return (
    <Dialog
      {...dialog}
      about={payout.id}
      onSubmitKey={submit}
      focusContent={intent !== 'rejected'}
      width="large"
      title={titles[intent]}
      description={
        <>
          {formatMoney(amount)} to {user.fullName} ({user.email}){' '}
          {!user.emailConfirmed && <Badge tone="waiting">Email not confirmed</Badge>}
        </>
      }
      pinned={
        mayDecide && (
          <div className="flex flex-col gap-3">
            {canReject && <ReplyTemplateSelect templates={templates} notes={notes} onChange={setNotes} />}
            <TextArea
              label="Admin Notes"
              rows={2}
              hint={noteHints[intent]}
              value={notes}
              maxLength={2000}
              data-autofocus={intent === 'rejected' || undefined}
              onChange={(event) => setNotes(event.target.value)}
            />
            {canReject && (
              <RejectionFields
                typed={reasons}
                onChange={setReasons}
                account={payout.accountId}
                amount={formatMoney(amount)}
                needsTwo={needsSecondApproval}
              />
            )}
            {mayDeduct && (
              <Checkbox
                label={`Deduct ${formatMoney(amount)} from the balance`}
                hint={`The balance becomes ${formatMoney(effect.balance.after)}. A rejection afterwards books it back.`}
                checked={isTicked}
                onChange={({ target }) => setTicked(target.checked)}
              />
            )}
            <FormError error={error} />
            {before && error && <ChangesSince before={before} now={payout} />}
          </div>
        )
      }
      footer={
        <>
          <Button look="secondary" onClick={dialog.onClose}>
            {mayDecide ? 'Cancel' : 'Close'}
          </Button>
          {canReject && (
            <Button
              look="danger"
              busy={deciding === 'rejected'}
              disabled={!mayReject || (status === 'rejected' && !firstApproval)}
              onClick={reject}
            >
              Reject
            </Button>
          )}
          {canApprove && (
            <Button
              busy={deciding === 'approved'}
              disabled={status === 'approved' || isFirstApprover || isChecking}
              onClick={approve}
            >
              Approve
            </Button>
          )}
        </>
      }
    >
      {isChecking && (
        <p role="status" className="mb-3 text-13 text-muted">
          Checking the account
        </p>
      )}
      {context === null && <ContextFailed onRetry={onRetry} />}
      <Warnings warnings={context?.warnings ?? []} />
      <div className="grid items-start gap-x-8 gap-y-5 sm:grid-cols-2">
        <section>
          <h3 className="mb-2 text-14 font-semibold">The request</h3>
          <DescriptionList
            items={[
              { name: 'Amount', value: formatMoney(amount) },
              ...(accountPaid === undefined ? [] : [{ name: 'Account', value: accountPaid }]),
              { name: 'Payment Method', value: methodName(paymentMethod) },
              { name: 'Payment Details', value: <DestinationText payout={payout} /> },
              { name: 'Requested', value: <DateText at={createdAt} how="exact" /> },
              { name: 'Request ID', value: <CopyableId id={payout.id} of="this payout" /> },
              {
                name: 'Status',
                value: (
                  <span className="inline-flex flex-wrap items-center gap-2">
                    <PayoutStatusBadge status={status} />
                    <DecisionStamp of={payout.userId} stamp={stamps.decided ?? stamps.requested} />
                  </span>
                ),
              },
              ...(firstApproval || (needsSecondApproval && status !== 'approved')
                ? [
                    {
                      name: 'Approvals',
                      value: <ApprovalText of={payout.userId} firstApproval={firstApproval} isOwn={isFirstApprover} />,
                    },
                  ]
                : []),
              ...(firstForfeit
                ? [
                    {
                      name: 'Forfeit',
                      value: <ForfeitText of={payout.userId} firstForfeit={firstForfeit} isOwn={isFirstForfeiter} />,
                    },
                  ]
                : []),
              ...promiseItems(payout, now),
              ...rejectionItems(payout, payout.userId),
              ...(payment
                ? [
                    {
                      name: 'Payment',
                      value: (
                        <span className="inline-flex flex-wrap items-center gap-2">
                          <PaymentStateBadge state={payment.state} />
                          {payment.batch !== null && (
                            <AddressLink look="accent" href={`/admin/payouts/batches/${payment.batch}`}>
                              Its batch
                            </AddressLink>
                          )}
                        </span>
                      ),
                    },
                  ]
                : []),
              ...(payment?.exchanged ? [{ name: 'In euro', value: euroInWords(payment.exchanged) }] : []),
              ...(payment?.reason ? [{ name: 'Why It Was Not Paid', value: payment.reason }] : []),
              ...(payment?.payee ? [{ name: "Payee's Name", value: <PayeeCheckBadge check={payment.payee} /> }] : []),
              ...(payment?.reference ? [{ name: 'Reference', value: payment.reference }] : []),
              ...(status === 'pending'
                ? []
                : [{ name: 'Notes', value: <span className="whitespace-pre-line">{adminNotes || 'No notes'}</span> }]),
            ]}
          />
        </section>
        {effect && canApprove && <ApprovalEffect effect={effect} />}
        {account && <AccountContext userId={payout.userId} account={account} standing={context?.standing} />}
      </div>
      {context !== null && (
        <div className="mt-5">
          <FormerPayouts payout={payout} others={context?.others} now={now} />
        </div>
      )}
    </Dialog>
  )
}

/** The parts of a payout that others may change while its dialog is open. */
const changeable: Readonly<Record<string, (payout: AdminPayout) => string>> = {
  Status: ({ status }) => payoutStatusLabel(status).label,
  'First approval': ({ firstApproval }) => (firstApproval ? 'given' : 'none'),
  'First forfeit': ({ firstForfeit }) => (firstForfeit ? 'given' : 'none'),
  Payment: ({ payment }) => (payment ? paymentStateLabels[payment.state] : 'none'),
  'On hold': ({ hold }) => hold?.reason ?? 'no',
  Notes: ({ adminNotes }) => adminNotes || 'none',
}

/** Says what somebody else changed since the payout was shown; nothing where it stayed as it was. */
function ChangesSince({ before, now }: { readonly before: AdminPayout; readonly now: AdminPayout }) {
  const items = Object.entries(changeable).flatMap(([name, valueOf]) => {
    const [old, present] = [valueOf(before), valueOf(now)]
    return old === present ? [] : [{ name, value: `${old} → ${present}` }]
  })
  if (items.length === 0) return null
  return (
    <section aria-label="Changed meanwhile" className="text-13">
      <p className="mb-1 font-medium">Changed meanwhile. Your notes are kept; your next verdict is on this state.</p>
      <DescriptionList items={items} />
    </section>
  )
}

const noteHints = {
  review: 'Optional to approve, required to reject. The trader reads them.',
  approved: 'Optional. The trader reads them. Ctrl Enter approves.',
  rejected: 'Required. The trader reads the reason. Ctrl Enter rejects.',
} as const

type Effect = NonNullable<PayoutContext['effect']>

/** Shows the effect of an approval, as the server calculates it now. */
function ApprovalEffect({ effect }: { readonly effect: Effect }) {
  const { deducts, balance, profit, available, floor, traderReceives, firmKeeps, waiting } = effect
  return (
    <section>
      <h3 className="mb-2 text-14 font-semibold">What an approval does</h3>
      <DescriptionList
        items={[
          ...(available === null ? [] : [{ name: 'Available by the terms', value: formatMoney(available) }]),
          { name: 'Trader receives', value: formatMoney(traderReceives) },
          { name: 'Firm keeps', value: formatMoney(firmKeeps) },
          {
            name: 'Balance',
            value:
              deducts === 'not-covered' ? `${formatMoney(balance.before)}, not enough to deduct it` : change(balance),
          },
          { name: available === null ? 'Profit not approved yet' : 'Profit by the terms', value: change(profit) },
          ...(floor ? [{ name: 'Maximum loss floor', value: change(floor) }] : []),
          {
            name: 'Other open requests',
            value: waiting.count === 0 ? 'None' : `${waiting.count}, ${formatMoney(waiting.total)}`,
          },
        ]}
      />
    </section>
  )
}

function change({ before, after }: Effect['balance']): string {
  return before === after ? formatMoney(before) : `${formatMoney(before)} to ${formatMoney(after)}`
}
