import { createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table'
import { clsx } from 'clsx'
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useDeferredValue, useLayoutEffect, useMemo, useRef } from 'react'
import { formatCount } from '../format/counts.ts'
import { Button } from './button.tsx'
import { Loading, Skeleton } from './states.tsx'

/** One column of a table: its heading, and how a row fills it. */
export interface Column<Row> {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Money and counts stand right. */
  readonly align?: 'right'
  /** The field that the server sorts by; without it the column can't be sorted. */
  readonly sort?: string
  /** The heading is for screen readers only, as of the column of row menus. */
  readonly headerHidden?: boolean
  readonly className?: string
}

export interface DataTableProps<Row> {
  /** Its name: 'Users'. */
  readonly label: string
  /** Keep them outside the component, so that they stay the same from one render to the next. */
  readonly columns: readonly Column<Row>[]
  /** Undefined while nothing is there yet: skeleton rows are shown. */
  readonly rows: readonly Row[] | undefined
  /** Outside the component too, and so `rowClassName`. */
  readonly rowId: (row: Row) => string
  /** Told instead of rows when there are none. */
  readonly empty: ReactNode
  /** Told instead of rows when they could not be loaded. */
  readonly error?: ReactNode
  /** Other rows are on their way: these stay, paler. */
  readonly busy?: boolean
  /** 'fullName', or '-fullName' from the largest down. */
  readonly sort?: string | undefined
  readonly onSort?: (sort: string) => void
  /** Enter or a double click on a row. */
  readonly onOpen?: (row: Row) => void
  /** Single keys for the row that has the focus: `{ a: approve }`. */
  readonly shortcuts?: Readonly<Record<string, (row: Row) => void>>
  readonly rowClassName?: (row: Row) => string | undefined
  /** Below the rows: {@link PageFooter}. */
  readonly footer?: ReactNode
  /** How many skeleton rows. */
  readonly expectedRows?: number
}

const features = tableFeatures({})

/**
 * A table whose rows become cards on a phone. The explicit roles keep it a table for assistive technology then too. The
 * row itself takes the focus: arrows go from row to row, Enter opens one.
 *
 * Rows are made in small portions and give way to everything else, so that typing a search never waits for its answers.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowId, empty, error, busy = false, sort, onSort, onOpen, shortcuts, rowClassName, footer, expectedRows = 5 } = props
  const shown = useDeferredValue(rows)
  // The table's model is built anew whenever it gets other arrays.
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>()
    return columns.map(({ id, header, cell }) => helper.display({ id, header, cell: ({ row }) => cell(row.original) }))
  }, [columns])
  const data = useMemo(() => [...(shown ?? [])], [shown])
  const model = useTable({ features, columns: definitions, data, getRowId: rowId })
  const table = useRef<HTMLTableElement>(null)
  const hasFocus = useRef(false)
  // A row may go while the focus is in it, as a payout that is decided. Not to another row: the next key would be meant for
  // the one that went.
  useLayoutEffect(() => {
    if (hasFocus.current && document.activeElement === document.body) table.current?.focus()
  }, [shown])
  const message = error ?? (shown?.length === 0 ? empty : undefined)
  const waits = busy || shown !== rows
  const takesFocus = onOpen !== undefined
  const keys = shortcuts && Object.keys(shortcuts).join(' ')
  // Nearly all of a page's work is here: while its rows are the same, what is typed elsewhere must not wait for them.
  const entries = model.getRowModel().rows
  const body = useMemo(
    () =>
      entries.map(({ id, original }) => (
        <TableRow key={id} id={id} row={original} columns={columns} takesFocus={takesFocus} keys={keys} className={rowClassName?.(original)} />
      )),
    [entries, columns, rowClassName, takesFocus, keys],
  )
  // One listener for all rows: none of them depends on what the page does with it.
  const rowOf = (event: KeyboardEvent | MouseEvent): Row | undefined => {
    const id = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]')?.dataset['row'] : undefined
    return entries.find((entry) => entry.id === id)?.original
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rowOf(event)
    if (row) onRowKey(event, row, onOpen, shortcuts)
  }
  const onDoubleClick = (event: MouseEvent) => {
    const row = rowOf(event)
    if (row) onOpen?.(row)
  }

  return (
    <div className="rounded-lg border border-line bg-card">
      <table
        ref={table}
        role="table"
        tabIndex={-1}
        aria-label={label}
        aria-busy={waits || undefined}
        className="w-full rounded-lg border-collapse text-14 max-md:block"
      >
        <thead role="rowgroup" className="max-md:sr-only">
          <tr role="row">
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody
          role="rowgroup"
          className={clsx('max-md:block', waits && 'animate-pale')}
          onKeyDown={onKeyDown}
          onDoubleClick={onDoubleClick}
          onFocus={() => (hasFocus.current = true)}
          onBlur={() => (hasFocus.current = false)}
        >
          {message === undefined && body}
          {message === undefined && shown === undefined && <SkeletonRows columns={columns} count={expectedRows} />}
          {message !== undefined && (
            <tr role="row" className="max-md:block">
              <td role="cell" colSpan={columns.length} className="max-md:block">
                {message}
              </td>
            </tr>
          )}
        </tbody>
      </table>
      {message === undefined && shown === undefined && <Loading label={`Loading ${label}`} />}
      {footer}
    </div>
  )
}

interface TableRowProps<Row> {
  readonly id: string
  readonly row: Row
  readonly columns: readonly Column<Row>[]
  readonly takesFocus: boolean
  /** The single keys that it listens to. */
  readonly keys: string | undefined
  readonly className: string | undefined
}

function TableRow<Row>({ id, row, columns, takesFocus, keys, className }: TableRowProps<Row>) {
  return (
    <tr
      role="row"
      tabIndex={takesFocus ? 0 : undefined}
      data-row={id}
      aria-keyshortcuts={keys}
      className={clsx(
        '-outline-offset-2! border-line not-last:border-b hover:bg-hover/60 focus-visible:bg-hover/60 max-md:block max-md:px-4 max-md:py-3',
        className,
      )}
    >
      {columns.map(({ id: column, header, headerHidden, align, cell, className: own }) => (
        <td role="cell" key={column} data-header={headerHidden ? undefined : header} className={clsx(cellClass, align === 'right' && 'md:text-right', own)}>
          <div className="min-w-0 max-md:ml-auto max-md:text-right max-md:break-words">{cell(row)}</div>
        </td>
      ))}
    </tr>
  )
}

const cellClass =
  'cell h-11 px-3 py-1.5 md:max-lg:px-1.5 first:pl-5 last:pr-5 max-md:flex max-md:h-auto max-md:min-h-8 max-md:items-center max-md:gap-4 max-md:px-0! max-md:py-1'

interface HeaderCellProps<Row> {
  readonly column: Column<Row>
  readonly sort: string | undefined
  readonly onSort: ((sort: string) => void) | undefined
}

function HeaderCell<Row>({ column: { header, align, sort: field, headerHidden }, sort, onSort }: HeaderCellProps<Row>) {
  const direction = field === undefined ? undefined : sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none'
  const Icon = direction === 'ascending' ? ArrowUp : direction === 'descending' ? ArrowDown : ChevronsUpDown
  return (
    <th
      role="columnheader"
      scope="col"
      aria-sort={direction}
      className={clsx(
        'sticky top-14 z-10 h-10 border-b border-line bg-card px-3 md:max-lg:px-1.5 text-13 font-medium whitespace-nowrap text-muted first:rounded-tl-lg first:pl-5 last:rounded-tr-lg last:pr-5',
        align === 'right' ? 'text-right' : 'text-left',
      )}
    >
      {headerHidden ? (
        <span className="sr-only">{header}</span>
      ) : field !== undefined && onSort ? (
        <button
          type="button"
          className={clsx('-mx-1.5 inline-flex items-center gap-1 rounded-sm px-1.5 py-1 hover:text-ink', direction !== 'none' && 'text-ink')}
          onClick={() => onSort(direction === 'ascending' ? `-${field}` : field)}
        >
          {header}
          <Icon size={14} aria-hidden />
        </button>
      ) : (
        header
      )}
    </th>
  )
}

function SkeletonRows<Row>({ columns, count }: { readonly columns: readonly Column<Row>[]; readonly count: number }) {
  return Array.from({ length: count }, (_, index) => (
    <tr key={index} aria-hidden className="border-line not-last:border-b max-md:block max-md:px-4 max-md:py-3">
      {columns.map(({ id, align }) => (
        <td key={id} className={cellClass}>
          <Skeleton className={clsx('h-4 w-20 max-w-full', align === 'right' && 'ml-auto')} />
        </td>
      ))}
    </tr>
  ))
}

/** Keys on the row itself; those on what stands in it are its own. */
function onRowKey<Row>(event: KeyboardEvent, row: Row, open: DataTableProps<Row>['onOpen'], shortcuts: DataTableProps<Row>['shortcuts'] = {}): void {
  const { target } = event
  if (!(target instanceof HTMLTableRowElement) || event.ctrlKey || event.metaKey || event.altKey) return
  const act = event.key === 'Enter' ? open : shortcuts[event.key.toLowerCase()]
  // A key that is held down acts once.
  if (act && !event.repeat) act(row)
  else if (act) return
  else if (event.key === 'ArrowDown') focusRow(target.nextElementSibling)
  else if (event.key === 'ArrowUp') focusRow(target.previousElementSibling)
  else return
  event.preventDefault()
}

function focusRow(row: Element | null): void {
  if (row instanceof HTMLElement) row.focus()
}

/** The row of a table on this page by its id, for the focus to go there. */
export function findRow(id: string): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>('[data-row]')].find((row) => row.dataset['row'] === id)
}

interface PageFooterProps {
  /** What is counted: 'users'. */
  readonly what: string
  readonly shown: number
  readonly total: number
  readonly totalIsExact?: boolean
  /** Undefined on the first page. */
  readonly onFirst?: (() => void) | undefined
  /** Undefined when the page before is not known. */
  readonly onPrevious?: (() => void) | undefined
  /** Undefined on the last page. */
  readonly onNext?: (() => void) | undefined
  /** A choice of how many rows a page has. */
  readonly children?: ReactNode
}

/** Below a table: how much of the whole is shown, and the ways to the other pages. */
export function PageFooter({ what, shown, total, totalIsExact = true, onFirst, onPrevious, onNext, children }: PageFooterProps) {
  const counted = formatCount(total)
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-5 py-2.5">
      <p className="text-13 text-muted" role="status">
        {formatCount(shown)} of {totalIsExact ? counted : `more than ${counted}`} {what}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        {children}
        <Button look="secondary" disabled={!onFirst} onClick={onFirst}>
          First page
        </Button>
        <Button look="secondary" disabled={!onPrevious} onClick={onPrevious}>
          Previous page
        </Button>
        <Button look="secondary" disabled={!onNext} onClick={onNext}>
          Next page
        </Button>
      </div>
    </div>
  )
}
