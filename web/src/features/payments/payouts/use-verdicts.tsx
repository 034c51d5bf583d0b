import { useMutation, useQuery } from '@tanstack/react-query'
import { createContext, useEffect, useRef, useState } from 'react'
import type { AdminPayout } from '#services/payments/payouts/payout-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { findRow } from '@/ui/data-table.tsx'
import { useMay, useMember } from '@/features/frame/access.tsx'
import { useIsFirstApprover } from './approvals.tsx'
import { nextPending, waitsFor } from './payout-rows.ts'
import {
  contextOfPayout,
  decidePayout,
  type Intent,
  type Verdict,
  type VerdictDetails,
} from './staff-payout-queries.ts'
import { Key, RowKeys, usePageKeys } from '@/lists/use-page-keys.tsx'
import { replyTemplatesQuery } from '@/features/payments/reply-templates/reply-template-queries.ts'
import { lazyPart } from '@/lazy-page.ts'

const load = () => import('./verdict-dialog.tsx')
const VerdictDialog = lazyPart(() => load().then(({ VerdictDialog }) => VerdictDialog))

/** Opens the dialog about a payout. */
type Decide = (payout: AdminPayout, intent: Intent) => void

/** The action of the buttons in rows. A context, so that columns can be constants. */
export const DecideContext = createContext<Decide>(() => {})

interface Open {
  readonly payout: AdminPayout
  readonly intent: Intent
  /** As it was when a verdict was refused, because somebody changed it meanwhile. */
  readonly before?: AdminPayout
}

/**
 * Verdicts on the payouts of a table. Afterwards the next pending payout gets the focus, on the same button as before
 * if its row has one, so that the same keys decide payouts in a row.
 */
export function useVerdicts(
  rows: readonly AdminPayout[] = [],
  selecting?: {
    readonly select: (payout: AdminPayout) => void
    readonly selectAll: () => void
    readonly decide: (verdict: Verdict) => void
  },
) {
  const [open, setOpen] = useState<Open>()
  const mayDecide = useMay('decide-payouts')
  const isFirstApprover = useIsFirstApprover(open?.payout.firstApproval)
  const isFirstForfeiter = useIsFirstApprover(open?.payout.firstForfeit)
  const member = useMember()?.id
  const decision = useMutation(decidePayout)
  const context = useQuery({ ...contextOfPayout(open?.payout.id ?? ''), enabled: open !== undefined })
  const templates = useQuery({ ...replyTemplatesQuery, enabled: open !== undefined && mayDecide }).data
  const after = useRef<{ id: string; label: string | null }>(undefined)
  useEffect(() => void load().catch(() => {}), [])

  const decide: Decide = (payout, intent) => {
    const used = document.activeElement
    after.current = { id: payout.id, label: used?.closest('[data-row]') ? used.getAttribute('aria-label') : null }
    decision.reset()
    setOpen({ payout, intent })
  }
  /** Another member was faster: the next verdict is on what is there now, and what was typed stays. */
  const showPresent = async (before: AdminPayout, status: Verdict, adminNotes: string) => {
    const { data } = await context.refetch()
    if (!data) return
    // The verdict is given already, and no notes are lost.
    const isDone = data.payout.status === status && adminNotes === ''
    setOpen((shown) => {
      if (shown?.payout.id !== before.id) return shown
      return isDone ? undefined : { ...shown, payout: data.payout, before }
    })
  }
  const give = (status: Verdict, adminNotes: string, more: VerdictDetails = {}) => {
    if (!open || decision.isPending) return
    const { payout } = open
    decision.mutate(
      { payout, status, adminNotes, more },
      {
        onError: (error) => {
          if (!(error instanceof ApiError)) return
          // The session is over, or the payout is gone: there is nothing to try again here.
          if ([401, 403, 404].includes(error.status)) setOpen(undefined)
          if (error.status === 409) void showPresent(payout, status, adminNotes)
        },
        onSuccess: () => {
          after.current = { id: nextPending(rows, payout.id, member) ?? payout.id, label: after.current?.label ?? null }
          setOpen(undefined)
        },
      },
    )
  }
  const returnTo = () => {
    const row = findRow(after.current?.id ?? '')
    const label = after.current?.label
    const button = label
      ? [...(row?.querySelectorAll<HTMLElement>('button') ?? [])].find(
          (one) => one.getAttribute('aria-label') === label,
        )
      : undefined
    return button ?? row
  }
  const actions = {
    a: (payout: AdminPayout) => payout.status !== 'approved' && decide(payout, 'approved'),
    r: (payout: AdminPayout) => (payout.status !== 'rejected' || payout.firstApproval) && decide(payout, 'rejected'),
  }
  usePageKeys(rows, {
    withRow: mayDecide ? { ...actions, ...(selecting && { x: selecting.select }) } : {},
    withPage:
      mayDecide && selecting
        ? { x: selecting.selectAll, a: () => selecting.decide('approved'), r: () => selecting.decide('rejected') }
        : {},
    waits: (payout) => waitsFor(member, payout),
  })
  return {
    decide,
    shortcuts: mayDecide ? `a r${selecting ? ' x' : ''}` : undefined,
    /** To render anywhere on the page. */
    dialog: open && (
      <VerdictDialog
        {...open}
        context={context.data ?? (context.isError ? null : undefined)}
        onRetry={() => void context.refetch()}
        mayDecide={mayDecide}
        isFirstApprover={isFirstApprover}
        isFirstForfeiter={isFirstForfeiter}
        templates={templates}
        error={decision.error}
        deciding={decision.isPending ? decision.variables.status : undefined}
        onDecide={give}
        onClose={() => setOpen(undefined)}
        returnTo={returnTo}
      />
    ),
  }
}

/** Explains the keyboard shortcuts. */
export function DecisionKeys({
  selecting = false,
  className,
}: {
  readonly selecting?: boolean
  readonly className?: string
}) {
  const room = className === undefined ? {} : { className }
  if (!useMay('decide-payouts')) return <RowKeys opens="a request" {...room} />
  return (
    <RowKeys opens="a request" {...room}>
      , <Key>A</Key> approves, <Key>R</Key> rejects
      {selecting && (
        <>
          , <Key>X</Key> selects. With <Key>Shift</Key>, X selects the page, and A and R decide what is selected
        </>
      )}
    </RowKeys>
  )
}
