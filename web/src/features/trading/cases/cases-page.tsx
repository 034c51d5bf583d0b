import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { z } from 'zod'
import {
  type Case,
  caseRoutes,
  NewCase,
  NewCaseMessage,
  type ObjectableDecision,
} from '#services/trading/cases/case-api.ts'
import {
  caseFileTypes,
  caseSubjectLabels,
  isFinal,
  LONGEST_CASE_TEXT,
  MOST_CASE_FILES,
} from '#services/trading/stream/case-vocabulary.ts'
import { pathWith } from '@/api/api.ts'
import { serverNow } from '@/api/server-clock.ts'
import { counted } from '@/format/counts.ts'
import { useApiForm } from '@/form/api-form.ts'
import { ChangeDialog, FormDialog } from '@/form/form-dialog.tsx'
import { useChangeAddress } from '@/lists/address.ts'
import { QueryTable } from '@/lists/query-table.tsx'
import { Button } from '@/ui/button.tsx'
import type { Column } from '@/ui/data-table.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { Field, TextArea } from '@/ui/field.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import { CaseStateBadge, CaseView, DeadlineText } from './case-view.tsx'
import { addCaseFile, objectableQuery, openCase, ownCasesQuery, withdrawCase, writeInOwnCase } from './case-queries.ts'

const route = getRouteApi('/_trader/cases')

const columns: readonly Column<Case>[] = [
  { header: 'About', cell: ({ subject }) => (subject ? caseSubjectLabels[subject.kind] : 'No decision') },
  { header: 'State', cell: ({ state, overdue }) => <CaseStateBadge state={state} overdue={overdue} /> },
  { header: 'Answer by', cell: ({ answerBy }) => <DeadlineText answerBy={answerBy} /> },
  { header: 'Opened', cell: ({ createdAt }) => <DateText at={createdAt} how="exact" /> },
  { header: 'Case', cell: ({ id }) => id },
]

const caseId = ({ id }: Case) => id
const DAY = 86_400_000

/** The trader's objections, and the decisions that can still be objected to. */
export function CasesPage(): ReactElement {
  const { case: openId, payout } = route.useSearch()
  const change = useChangeAddress()
  const cases = useQuery(ownCasesQuery)
  const objectable = useQuery(objectableQuery)
  const [chosen, setChosen] = useState<ObjectableDecision>()
  const opened = cases.data?.find(({ id }) => id === openId)
  const left = (objectable.data ?? []).filter((one) => one.case === null)
  const named = payout === undefined ? undefined : left.find((one) => one.payout === payout)
  const objected = chosen ?? named
  const show = (id: string | undefined) => void change({ case: id, payout: undefined })
  const close = () => {
    setChosen(undefined)
    void change({ payout: undefined }, { replace: true })
  }
  return (
    <>
      <PageHeader title="Cases">
        Object to a decision about your account. Another member of staff than the one who decided answers you, in time.
      </PageHeader>
      {left.length > 0 && (
        <section aria-labelledby="objectable" className="mb-8">
          <h2 id="objectable" className="mb-2 text-16 font-semibold">
            Decisions that you can object to
          </h2>
          <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-card">
            {left.map((one) => (
              <li key={`${one.account} ${one.event}`} className="flex flex-wrap items-center justify-between gap-3 p-4">
                <span className="text-14">
                  {caseSubjectLabels[one.kind]}
                  {one.payout && <span className="text-muted"> {one.payout}</span>},{' '}
                  <DateText at={one.at} how="exact" />
                  <span className="block text-12 text-muted">{timeToObject(one)}</span>
                </span>
                <Button look="secondary" onClick={() => setChosen(one)}>
                  Object to This Decision
                  <span className="sr-only">: {caseSubjectLabels[one.kind]}</span>
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <QueryTable
        label="Cases"
        columns={columns}
        rows={cases.data}
        rowId={caseId}
        onOpen={({ id }) => show(id)}
        query={cases}
        failure="Your cases could not be loaded"
        empty={<EmptyState title="No cases">You have objected to no decision.</EmptyState>}
      />
      {objected && <ObjectionForm decision={objected} onDone={show} onClose={close} />}
      {opened && <CaseDialog case={opened} onClose={() => show(undefined)} />}
    </>
  )
}

/** "14 days left" */
function timeToObject({ until }: ObjectableDecision): string {
  const left = Date.parse(until) - serverNow()
  return left < DAY ? 'Less than a day left' : `${counted(Math.floor(left / DAY), 'day')} left`
}

const objection = z.object({ text: NewCase.shape.text })

interface ObjectionFormProps {
  readonly decision: ObjectableDecision
  readonly onDone: (id: string) => void
  readonly onClose: () => void
}

function ObjectionForm({ decision: { account, event, kind }, onDone, onClose }: ObjectionFormProps) {
  const open = useMutation(openCase)
  const { field, handleSubmit, showRefusal } = useApiForm(objection, { text: '' })
  const onSubmit = handleSubmit(({ text }) =>
    open.mutate(
      { account, about: { event }, text },
      {
        onError: showRefusal,
        onSuccess: ({ id }) => {
          onClose()
          onDone(id)
        },
      },
    ),
  )
  return (
    <FormDialog
      title="Object to This Decision"
      description={`${caseSubjectLabels[kind]}. Say what is wrong with it; files can be added afterwards.`}
      submit="Open Case"
      change={open}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextArea
        label="Your objection"
        hint="At least 20 characters. The firm keeps it in the history of your account."
        rows={8}
        maxLength={LONGEST_CASE_TEXT}
        {...field('text')}
      />
    </FormDialog>
  )
}

function CaseDialog({ case: one, onClose }: { readonly case: Case; readonly onClose: () => void }) {
  const write = useMutation(writeInOwnCase)
  const add = useMutation(addCaseFile)
  const [isWithdrawing, setIsWithdrawing] = useState(false)
  const { field, handleSubmit, showRefusal, reset } = useApiForm(NewCaseMessage, { text: '' })
  const { id, files } = one
  const isOpen = !isFinal(one)
  const onSubmit = handleSubmit(({ text }) =>
    write.mutate({ id, text }, { onError: showRefusal, onSuccess: () => reset() }),
  )
  return (
    <Dialog
      title={`Case ${id}`}
      onClose={onClose}
      footer={
        <>
          {isOpen && (
            <Button look="secondary" onClick={() => setIsWithdrawing(true)}>
              Withdraw Case
            </Button>
          )}
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      <CaseView case={one} trader="You" fileAddress={(file) => pathWith(caseRoutes.ownCaseFile.path, { id, file })}>
        {isOpen && (
          <form noValidate onSubmit={onSubmit} className="flex flex-col gap-3">
            <TextArea label="Write to staff" rows={4} maxLength={LONGEST_CASE_TEXT} {...field('text')} />
            <Button type="submit" look="secondary" busy={write.isPending} className="self-start">
              Send Message
            </Button>
            {files.length < MOST_CASE_FILES && (
              <Field
                label="Add a file"
                hint="PDF, PNG, JPEG, HTML or CSV, at most 5 MB. Five in all."
                error={add.error?.message}
              >
                {(attributes) => (
                  <input
                    type="file"
                    accept={[...caseFileTypes, '.csv', '.htm'].join(',')}
                    className="w-full text-14"
                    disabled={add.isPending}
                    onChange={({ target }) => {
                      const [file] = target.files ?? []
                      if (file) add.mutate({ id, file })
                      target.value = ''
                    }}
                    {...attributes}
                  />
                )}
              </Field>
            )}
          </form>
        )}
      </CaseView>
      {isWithdrawing && (
        <ChangeDialog
          change={withdrawCase}
          input={{ id }}
          label="Withdraw Case"
          onClose={() => setIsWithdrawing(false)}
          title="Withdraw this case?"
          description="Nobody answers it any more. You can open another one about the same decision while there is time."
        />
      )}
    </Dialog>
  )
}
