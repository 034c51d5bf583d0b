import { clsx } from 'clsx'
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useDeferredValue,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react'
import { timeZone } from '@/time-zone.ts'
import { useStore } from '@/use-store.ts'
import { Loading, Skeleton } from './states.tsx'

/** One column of a table: its heading and its cells. */
export interface Column<Row> {
  /** No other column of the table has the same. */
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Right for money and counts. */
  readonly align?: 'right'
  /** The field that the server sorts by; a column without one can't be sorted. */
  readonly sort?: string
  /** Only screen readers get the heading, for example of the column of row menus. */
  readonly headerHidden?: boolean
  /** Left out between a phone and a laptop, where it would break the words of the others; a phone's cards have it. */
  readonly hiddenWhenNarrow?: boolean
  /**
   * Its place in the compact card of a phone, which has two columns: without its heading at the start or the end of a
   * line, or over the whole line. A table with one such column shows compact cards, without the columns that have no
   * place.
   */
  readonly inCard?: { readonly at: keyof typeof cardPlaces; readonly line: number }
  readonly className?: string
}

/** All columns of row menus and buttons have these settings. */
export const actionsColumn = { header: 'Actions', headerHidden: true, align: 'right' } as const

// Whole class names, which the build finds.
const cardPlaces = {
  start: 'max-md:col-start-1',
  end: 'max-md:col-start-2 max-md:justify-self-end',
  line: 'max-md:col-span-2',
} as const

export interface DataTableProps<Row> {
  /** Its name: 'Users'. */
  readonly label: string
  /** Define them outside the component, so that they are the same array in every render. */
  readonly columns: readonly Column<Row>[]
  /** Undefined while loading: the table shows skeleton rows. */
  readonly rows: readonly Row[] | undefined
  /** Also defined outside the component, as is `rowClassName`. */
  readonly rowId: (row: Row) => string
  /** Shown when there are no rows. */
  readonly empty: ReactNode
  /** Shown when the rows could not be loaded. */
  readonly error?: ReactNode
  /** Other rows are loading: the present ones stay, paler. */
  readonly busy?: boolean
  /** 'fullName', or '-fullName' from the largest down. */
  readonly sort?: string | undefined
  readonly onSort?: (sort: string) => void
  /** Enter or a click on a row. */
  readonly onOpen?: (row: Row) => void
  /** Keys that the page handles for the row with the focus, for assistive technology: 'a r'. */
  readonly shortcuts?: string | undefined
  readonly rowClassName?: (row: Row) => string | undefined
  /** Below the rows: how many they are, and the other pages. */
  readonly footer?: ReactNode
  /** While true, the next rows take the focus: the page was turned. */
  readonly focusFirst?: RefObject<boolean>
  /** How many skeleton rows. */
  readonly expectedRows?: number
}

/**
 * A table whose rows become cards on a phone; explicit roles keep it a table for assistive technology. Rows take the
 * focus: arrows move between them, Enter opens one.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const {
    label,
    columns,
    rows,
    rowId,
    empty,
    error,
    busy = false,
    sort,
    onSort,
    onOpen,
    shortcuts,
    rowClassName,
    footer,
    focusFirst,
    expectedRows = 5,
  } = props
  const table = useRef<HTMLTableElement>(null)
  // Rows render at low priority, so that typing a search stays smooth. The first ones come with what stands below them.
  const shown = useDeferredValue(rows) ?? rows
  const hasFocus = useRef(false)
  useLayoutEffect(() => {
    if (!hasFocus.current) return
    // A focused row may disappear, such as a payout that was just decided. The focus then goes to the table and not to
    // another row, where the next key would act on the wrong one.
    if (document.activeElement === document.body) table.current?.focus()
    else keepUncovered(document.activeElement)
  }, [shown])
  const waits = busy || shown !== rows
  // The button that turned the page may be disabled now, and is below the rows.
  useLayoutEffect(() => {
    if (!focusFirst?.current || waits || !shown) return
    focusFirst.current = false
    const first = shown[0] && findRow(rowId(shown[0]))
    ;(first?.tabIndex === 0 ? first : table.current)?.focus()
  }, [focusFirst, waits, shown, rowId])
  const message = error || (shown?.length === 0 ? empty : undefined)
  const takesFocus = onOpen !== undefined
  // Rows are most of a page's rendering work: unchanged rows must not slow down typing elsewhere.
  const body = useMemo(
    () =>
      shown?.map((row) => {
        const id = rowId(row)
        return (
          <TableRow
            key={id}
            id={id}
            row={row}
            columns={columns}
            takesFocus={takesFocus}
            shortcuts={shortcuts}
            className={rowClassName?.(row)}
          />
        )
      }),
    [shown, rowId, columns, rowClassName, takesFocus, shortcuts],
  )
  // One listener for all rows, so that rows do not render again when the page passes other handlers.
  const rowOf = (event: KeyboardEvent | MouseEvent): Row | undefined => {
    const id =
      event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]')?.dataset['row'] : undefined
    return shown?.find((row) => rowId(row) === id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rowOf(event)
    if (row) onRowKey(event, row, onOpen)
  }
  const onClick = (event: MouseEvent) => {
    const row = rowOf(event)
    if (row && isOnRowItself(event)) onOpen?.(row)
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
              <HeaderCell key={column.header} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody
          role="rowgroup"
          className={clsx('max-md:block', waits && 'animate-pale')}
          onKeyDown={onKeyDown}
          onClick={onClick}
          onFocus={() => (hasFocus.current = true)}
          onBlur={() => (hasFocus.current = false)}
        >
          {!message && body}
          {!message && shown === undefined && <SkeletonRows columns={columns} count={expectedRows} />}
          {message && (
            <tr role="row" className="max-md:block">
              <td role="cell" colSpan={columns.length} className="max-md:block">
                {message}
              </td>
            </tr>
          )}
        </tbody>
      </table>
      {!message && shown === undefined && <Loading label={`Loading ${label}`} />}
      {footer}
    </div>
  )
}

interface TableRowProps<Row> {
  readonly id: string
  readonly row: Row
  readonly columns: readonly Column<Row>[]
  readonly takesFocus: boolean
  readonly shortcuts: string | undefined
  readonly className: string | undefined
}

function TableRow<Row>({ id, row, columns, takesFocus, shortcuts, className }: TableRowProps<Row>) {
  const isCompact = columns.some(({ inCard }) => inCard)
  // Cells format times.
  useStore(timeZone)
  return (
    <tr
      role="row"
      tabIndex={takesFocus ? 0 : undefined}
      data-row={id}
      aria-keyshortcuts={shortcuts}
      className={clsx(
        // The bar, the headings and a toast stay at the top: a row that takes the focus comes out below them.
        'scroll-mt-[max(6.5rem,calc(3.5rem+var(--toasts,0px)))] -outline-offset-2! border-line not-last:border-b hover:bg-hover/60 focus-visible:bg-hover/60 max-md:px-4 max-md:py-3',
        isCompact ? 'max-md:grid max-md:grid-cols-[minmax(0,1fr)_fit-content(50%)] max-md:gap-x-3' : 'max-md:block',
        takesFocus && 'cursor-pointer',
        className,
      )}
    >
      {columns.map(({ header, headerHidden, hiddenWhenNarrow, inCard, align, cell, className: own }) => (
        <td
          role="cell"
          key={header}
          data-header={headerHidden || isCompact ? undefined : header}
          className={clsx(
            cellClass,
            align === 'right' && 'md:text-right',
            hiddenWhenNarrow && hiddenNarrow,
            // A card names its cells: a name without a value says nothing.
            'max-md:has-[>div:empty]:hidden!',
            isCompact && (inCard ? cardPlaces[inCard.at] : 'max-md:hidden!'),
            own,
          )}
          style={inCard && { order: 2 * inCard.line + (inCard.at === 'end' ? 1 : 0) }}
        >
          <div
            className={clsx(
              'min-w-0 max-md:break-words',
              isCompact ? 'max-md:grow' : 'max-md:ml-auto max-md:text-right',
              inCard?.at === 'end' && 'max-md:text-right',
            )}
          >
            {cell(row)}
          </div>
        </td>
      ))}
    </tr>
  )
}

const cellClass =
  'cell h-11 px-3 py-0.5 md:max-lg:px-1.5 first:pl-5 last:pr-5 max-md:flex max-md:h-auto max-md:min-h-8 max-md:items-center max-md:gap-4 enlarged:flex-wrap max-md:px-0! max-md:py-1'

// The cell after a hidden first one then has the padding of the edge.
const hiddenNarrow = 'md:max-lg:hidden md:max-lg:first:[&+*]:pl-5'

interface HeaderCellProps<Row> {
  readonly column: Column<Row>
  readonly sort: string | undefined
  readonly onSort: ((sort: string) => void) | undefined
}

function HeaderCell<Row>({
  column: { header, align, sort: field, headerHidden, hiddenWhenNarrow },
  sort,
  onSort,
}: HeaderCellProps<Row>) {
  const direction =
    field === undefined || !onSort
      ? undefined
      : sort === field
        ? 'ascending'
        : sort === `-${field}`
          ? 'descending'
          : 'none'
  const Icon = direction === 'ascending' ? ArrowUp : direction === 'descending' ? ArrowDown : ChevronsUpDown
  return (
    <th
      role="columnheader"
      scope="col"
      aria-sort={direction}
      className={clsx(
        'sticky top-(--table-head,3.5rem) z-10 h-10 border-b border-line bg-card px-3 md:max-lg:px-1.5 text-13 font-medium whitespace-nowrap text-muted enlarged:whitespace-normal first:rounded-tl-lg first:pl-5 last:rounded-tr-lg last:pr-5',
        align === 'right' ? 'text-right' : 'text-left',
        hiddenWhenNarrow && hiddenNarrow,
      )}
    >
      {headerHidden ? (
        <span className="sr-only">{header}</span>
      ) : field !== undefined && onSort ? (
        <>
          {/* A phone shows no headings: a button there would take the focus unseen. */}
          <span className="md:hidden">{header}</span>
          <button
            type="button"
            className={clsx(
              '-mx-1.5 inline-flex items-center gap-1 rounded-sm px-1.5 py-1 hover:text-ink max-md:hidden',
              direction !== 'none' && 'text-ink',
            )}
            onClick={() => onSort(direction === 'ascending' ? `-${field}` : field)}
          >
            {header}
            <Icon size={14} aria-hidden />
          </button>
        </>
      ) : (
        header
      )}
    </th>
  )
}

function SkeletonRows<Row>({ columns, count }: { readonly columns: readonly Column<Row>[]; readonly count: number }) {
  const isCompact = columns.some(({ inCard }) => inCard)
  return Array.from({ length: count }, (_, index) => (
    <tr key={index} aria-hidden className="border-line not-last:border-b max-md:block max-md:px-4 max-md:py-3">
      {columns.map(({ header, align, hiddenWhenNarrow, inCard }) => (
        <td
          key={header}
          className={clsx(
            cellClass,
            hiddenWhenNarrow && hiddenNarrow,
            isCompact && (!inCard || inCard.at === 'end') && 'max-md:hidden!',
          )}
        >
          <Skeleton className={clsx('h-4 w-20', align === 'right' && 'ml-auto')} />
        </td>
      ))}
    </tr>
  ))
}

/** A click that is not on a control in the row, and does not end a selection of text. */
function isOnRowItself({ target, detail }: MouseEvent): boolean {
  return (
    detail === 1 &&
    target instanceof Element &&
    !target.closest('a, button, input, select, textarea, label') &&
    getSelection()?.type !== 'Range'
  )
}

/** Keys pressed on the row itself; controls inside it handle their own. */
function onRowKey<Row>(event: KeyboardEvent, row: Row, open: DataTableProps<Row>['onOpen']): void {
  const { target } = event
  if (!(target instanceof HTMLTableRowElement) || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === 'Enter' && open) {
    // A key held down acts once.
    if (event.repeat) return
    open(row)
  } else if (event.key === 'ArrowDown') focusRow(target.nextElementSibling)
  else if (event.key === 'ArrowUp') focusRow(target.previousElementSibling)
  else return
  event.preventDefault()
}

function focusRow(row: Element | null): void {
  if (row instanceof HTMLElement) row.focus()
}

/** A row above that disappears moves this one below the bar. Somebody who has scrolled away from it stays there. */
function keepUncovered(focused: Element | null): void {
  const row = focused?.closest('[data-row]')
  const { top, bottom } = row?.getBoundingClientRect() ?? { top: 0, bottom: 0 }
  if (!row || bottom <= 0 || top >= innerHeight) return
  // A row of large text may be higher than a low window: it then shows its beginning.
  const isCovered = top < Number.parseFloat(getComputedStyle(row).scrollMarginTop)
  row.scrollIntoView({ block: isCovered ? 'start' : 'nearest' })
}

/** Finds a table row on this page by its id, to focus it. */
export function findRow(id: string): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>('[data-row]')].find((row) => row.dataset['row'] === id)
}
