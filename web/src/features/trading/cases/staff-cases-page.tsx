import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { z } from 'zod'
import { type Case, caseRoutes, CaseVerdict, NewCaseMessage } from '#services/trading/cases/case-api.ts'
import {
  caseChanges,
  caseOutcomeLabels,
  caseStateLabels,
  caseStates,
  caseSubjectLabels,
  isFinal,
  LONGEST_CASE_TEXT,
} from '#services/trading/stream/case-vocabulary.ts'
import { accountId, ownerOf } from '#services/framework/ids.ts'
import { optionsOf } from '#services/framework/api/options.ts'
import { pathWith } from '@/api/api.ts'
import { auditAddressOf } from '@/addresses.ts'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { UserLink } from '@/features/frame/user-link.tsx'
import { useApiForm } from '@/form/api-form.ts'
import { oneOf } from '@/search.ts'
import { useChangeAddress } from '@/lists/address.ts'
import { QueryTable } from '@/lists/query-table.tsx'
import { RowKeys, usePageKeys } from '@/lists/use-page-keys.tsx'
import { AddressLink } from '@/ui/address-link.tsx'
import { Button } from '@/ui/button.tsx'
import type { Column } from '@/ui/data-table.tsx'
import { DetailsSection } from '@/ui/details-section.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { Select, TextArea } from '@/ui/field.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState, Loaded, LoadingLines } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import { CaseStateBadge, CaseView, DeadlineText } from './case-view.tsx'
import { answerCase, casesQuery, caseQuery, decideCase } from './staff-case-queries.ts'

const route = getRouteApi('/admin/cases')

const ownerOfAccount = (account: string) => ownerOf(accountId.parse(account))

const columns: readonly Column<Case>[] = [
  { header: 'Answer by', cell: ({ answerBy }) => <DeadlineText answerBy={answerBy} /> },
  { header: 'About', cell: ({ subject }) => (subject ? caseSubjectLabels[subject.kind] : 'No decision') },
  { header: 'State', cell: ({ state, overdue }) => <CaseStateBadge state={state} overdue={overdue} /> },
  { header: 'Account', cell: ({ account }) => <UserLink id={ownerOfAccount(account)}>{account}</UserLink> },
  { header: 'Opened', cell: ({ createdAt }) => <DateText at={createdAt} how="exact" /> },
]

const caseId = ({ id }: Case) => id
const listed = ['overdue', ...caseStates] as const
const listedOptions = [
  { value: '', label: 'All' },
  ...optionsOf(listed, { overdue: 'Answer is overdue', ...caseStateLabels }),
]

/** The queue of objections: the earliest deadline first. */
export function StaffCasesPage(): ReactElement {
  const { state: named, case: openId } = route.useSearch()
  const state = oneOf(named, listed)
  const change = useChangeAddress()
  const cases = useQuery(casesQuery(state === 'overdue' ? { overdue: 'true' } : state ? { state } : {}))
  const show = (id: string | undefined) => void change({ case: id })
  usePageKeys(cases.data)
  return (
    <>
      <PageHeader title="Cases">
        Objections of traders to decisions. Another member than the one who decided answers and decides.
      </PageHeader>
      <RoleNotice />
      <Select
        label="State"
        className="mb-4 max-w-56"
        options={listedOptions}
        value={state ?? ''}
        onChange={({ target }) => void change({ state: target.value || undefined })}
      />
      <RowKeys opens="a case" />
      <QueryTable
        label="Cases"
        columns={columns}
        rows={cases.data}
        rowId={caseId}
        onOpen={({ id }) => show(id)}
        query={cases}
        failure="The cases could not be loaded"
        empty={<EmptyState title="No cases">Nobody objects to a decision.</EmptyState>}
      />
      {openId !== undefined && <StaffCaseDialog id={openId} onClose={() => show(undefined)} />}
    </>
  )
}

function StaffCaseDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const query = useQuery(caseQuery(id))
  const mayDecide = useMay('decide-cases')
  return (
    <Dialog title={`Case ${id}`} onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <Loaded
        query={query}
        failure="This case could not be loaded"
        loading={<LoadingLines lines={6} label="The case" />}
      >
        {(one) => (
          <CaseView
            case={one}
            trader="The trader"
            fileAddress={(file) => pathWith(caseRoutes.caseFile.path, { id, file })}
          >
            <p className="text-13">
              <AddressLink href={auditAddressOf(ownerOfAccount(one.account))}>The record of the account</AddressLink>{' '}
              has the terms, the observations and every decision.
            </p>
            {mayDecide && !isFinal(one) && (
              <>
                <AnswerForm id={id} />
                <VerdictForm case={one} />
              </>
            )}
          </CaseView>
        )}
      </Loaded>
    </Dialog>
  )
}

function AnswerForm({ id }: Pick<Case, 'id'>) {
  const answer = useMutation(answerCase)
  const { field, handleSubmit, showRefusal, reset } = useApiForm(NewCaseMessage, { text: '' })
  const onSubmit = handleSubmit(({ text }) =>
    answer.mutate({ id, text }, { onError: showRefusal, onSuccess: () => reset() }),
  )
  return (
    <DetailsSection title="Answer">
      <form noValidate onSubmit={onSubmit} className="flex flex-col gap-3">
        <TextArea label="Message to the trader" rows={4} maxLength={LONGEST_CASE_TEXT} {...field('text')} />
        <Button type="submit" look="secondary" busy={answer.isPending} className="self-start">
          Send Answer
        </Button>
      </form>
    </DetailsSection>
  )
}

/** The change that the case's decision can have, and what it does; undefined for none. */
function changeOf({ subject }: Case) {
  switch (subject?.kind) {
    case 'rejection':
      return { change: { payout: caseChanges.payout }, does: 'approves the payout, by the rules of an approval now' }
    case 'breach':
      return subject.finding
        ? { change: { finding: caseChanges.finding }, does: 'dismisses the breach and gives the status before back' }
        : { change: { breach: caseChanges.breach }, does: 'corrects the breach and gives the status before back' }
    case 'pass':
      return { change: { finding: caseChanges.pass }, does: 'confirms that the stage is passed' }
    case 'hold':
      return { change: { hold: caseChanges.hold }, does: 'releases the payout' }
    case 'closing':
    case undefined:
      return undefined
  }
}

/** What a member chooses: an outcome, and whether it changes the decision. "Partly" may or may not (cases contract). */
const verdicts = ['upheld', 'partly', 'partly-with-change', 'changed'] as const
type Verdict = (typeof verdicts)[number]
const verdictLabels: Readonly<Record<Verdict, string>> = {
  ...caseOutcomeLabels,
  partly: 'Partly, and the decision stays',
  'partly-with-change': 'Partly, and the decision changes',
}
const changes = (chosen: Verdict) => chosen === 'changed' || chosen === 'partly-with-change'

const verdict = z.object({
  outcome: z.enum(verdicts),
  text: CaseVerdict.shape.text,
})

function VerdictForm({ case: one }: { readonly case: Case }) {
  const decide = useMutation(decideCase)
  const possible = changeOf(one)
  const [outcome, setOutcome] = useState<Verdict>('upheld')
  const { field, handleSubmit, showRefusal } = useApiForm(verdict, { outcome: 'upheld', text: '' })
  const onSubmit = handleSubmit(({ outcome: chosen, text }) =>
    decide.mutate(
      {
        id: one.id,
        outcome: chosen === 'partly-with-change' ? 'partly' : chosen,
        text,
        ...(changes(chosen) && possible && { change: possible.change }),
      },
      { onError: showRefusal },
    ),
  )
  const outcomes = optionsOf(verdicts, verdictLabels).filter(({ value }) => possible || !changes(value))
  return (
    <DetailsSection title="Decide">
      <form noValidate onSubmit={onSubmit} className="flex flex-col gap-3">
        <Select
          label="Outcome"
          options={outcomes}
          {...field('outcome', { onChange: ({ target }) => setOutcome(oneOf(target.value, verdicts) ?? 'upheld') })}
        />
        <p className="text-13 text-muted">
          {outcome === 'upheld' && 'The decision stays as it is. The case is closed.'}
          {outcome === 'partly' && 'The decision stays; say what else was done. The case is closed.'}
          {changes(outcome) && possible && `This ${possible.does}. The case is closed.`}
        </p>
        <TextArea label="Reason" rows={4} maxLength={LONGEST_CASE_TEXT} {...field('text')} />
        <Button type="submit" busy={decide.isPending} className="self-start">
          Decide Case
        </Button>
      </form>
    </DetailsSection>
  )
}
