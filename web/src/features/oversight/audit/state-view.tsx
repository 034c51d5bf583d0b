import { clsx } from 'clsx'
import { Fragment, type ReactNode } from 'react'
import type { AuditState } from '#services/oversight/audit/audit-api.ts'
import { counted } from '@/format/counts.ts'
import { Badge } from '@/ui/badge.tsx'
import { DescriptionList } from '@/ui/card.tsx'
import { Loading, Skeleton } from '@/ui/states.tsx'
import { compared, type ComparedSection, groupsOf, type StateRow, type StateSection } from './state-sections.ts'
import { NOT_SET } from './words.ts'

/** The person and each account at a moment. */
export function StateView({ state, isBusy }: { readonly state: AuditState; readonly isBusy: boolean }) {
  return (
    <div aria-busy={isBusy || undefined} className="flex flex-col gap-8">
      {groupsOf(state).map(({ id, title, sections }) => (
        <section key={id} aria-label={title} className="flex flex-col gap-5">
          <h3 className="text-16 font-semibold [overflow-wrap:anywhere]">{title}</h3>
          {sections.map((section) => (
            <Section key={section.title} {...section} />
          ))}
        </section>
      ))}
    </div>
  )
}

function Section({ title, rows, empty }: StateSection) {
  return (
    <section aria-label={title}>
      <h4 className="mb-2 border-b border-line pb-1 text-14 font-semibold">{title}</h4>
      {rows.length === 0 ? (
        <p className="text-13 text-muted">{empty}</p>
      ) : (
        <DescriptionList items={rows.map((row) => ({ name: row.label, value: <RowValue row={row} /> }))} />
      )}
    </section>
  )
}

/** The value of a row: a status as a badge, a missing value paler. */
export function RowValue({ row: { value, status, more = [] } }: { readonly row: StateRow }) {
  return (
    <span className="[overflow-wrap:anywhere]">
      {value !== '' && <span className={clsx(value === NOT_SET && 'text-muted', status && 'mr-2')}>{value}</span>}
      {status && <Badge tone={status.tone}>{status.label}</Badge>}
      {more.map((line) => (
        <span key={line} className="block text-12 whitespace-pre-line text-muted">
          {line}
        </span>
      ))}
    </span>
  )
}

interface ComparisonProps {
  readonly earlier: AuditState
  readonly later: AuditState
  readonly earlierTitle: ReactNode
  readonly laterTitle: ReactNode
  readonly isBusy: boolean
}

/** Two moments side by side; differences are marked, also in words. */
export function Comparison({ earlier, later, earlierTitle, laterTitle, isBusy }: ComparisonProps) {
  const groups = compared(earlier, later)
  const rows = groups.flatMap(({ sections }) => sections.flatMap((section) => section.rows))
  const count = rows.filter(({ differs }) => differs).length
  return (
    <div aria-busy={isBusy || undefined}>
      <p className="mb-3 text-13 text-muted" role="status">
        {count === 0
          ? 'Nothing differs between these two moments.'
          : `${counted(count, 'line differs', 'lines differ')} between these two moments.`}
      </p>
      <table
        role="table"
        aria-label="Two moments of the account"
        className="w-full table-fixed border-collapse text-14 max-md:block"
      >
        <thead role="rowgroup" className="max-md:block">
          <tr role="row" className="border-b border-line text-left align-bottom text-13 max-md:grid max-md:grid-cols-2">
            <th role="columnheader" scope="col" className="w-1/4 py-2 pr-4 font-medium max-md:sr-only">
              Field
            </th>
            <th role="columnheader" scope="col" className="px-3 py-2 font-medium">
              {earlierTitle}
            </th>
            <th role="columnheader" scope="col" className="px-3 py-2 font-medium">
              {laterTitle}
            </th>
          </tr>
        </thead>
        {groups.map(({ id, title, sections }) => (
          <Fragment key={id}>
            <tbody role="rowgroup" className="max-md:block">
              <HeadingRow className="pt-6 text-16">{title}</HeadingRow>
            </tbody>
            {sections.map((section) => section.rows.length > 0 && <ComparedRows key={section.title} {...section} />)}
          </Fragment>
        ))}
      </table>
    </div>
  )
}

function HeadingRow({ className, children }: { readonly className: string; readonly children: string }) {
  return (
    <tr role="row" className="max-md:block">
      <th
        role="rowheader"
        scope="rowgroup"
        colSpan={3}
        className={clsx('pb-1 text-left font-semibold [overflow-wrap:anywhere] max-md:block', className)}
      >
        {children}
      </th>
    </tr>
  )
}

function ComparedRows({ title, rows }: ComparedSection) {
  return (
    <tbody role="rowgroup" className="max-md:block">
      <HeadingRow className="pt-4 text-14">{title}</HeadingRow>
      {rows.map(({ field, label, earlier: first, later: second, differs }) => (
        <tr
          role="row"
          key={field}
          className={clsx('border-t border-line align-top max-md:grid max-md:grid-cols-2', differs && 'bg-accent-soft')}
        >
          <th
            role="rowheader"
            scope="row"
            className={clsx(
              'py-1.5 pr-4 pl-2 text-left font-normal max-md:col-span-2 max-md:px-3 max-md:pb-0',
              differs ? 'font-medium' : 'text-muted',
            )}
          >
            {label}{' '}
            {differs && (
              <span className="ml-1 rounded-full bg-card px-2 py-0.5 text-12 font-medium text-accent">Changed</span>
            )}
          </th>
          {[first, second].map((row, index) => (
            <td role="cell" key={index} className="px-3 py-1.5">
              {row ? <RowValue row={row} /> : <span className="text-muted">not there</span>}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}

/** The state's shape while it is read. */
export function StateSkeleton() {
  return (
    <Loading label="Loading the account" className="flex flex-col gap-6">
      {[5, 3, 2, 2].map((lines, index) => (
        <div key={index} className="flex flex-col gap-2">
          <Skeleton className="mb-1 h-6 w-32" />
          {Array.from({ length: lines }, (_, line) => (
            <Skeleton key={line} className="h-5 w-full" />
          ))}
        </div>
      ))}
    </Loading>
  )
}
